// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CL_VERSION_3_1
#define CL_VERSION_3_1 0
#endif
#ifndef CL_VERSION_3_0
#define CL_VERSION_3_0 0
#endif
kernel void versions(global int* out) {
  out[0] = __OPENCL_C_VERSION__;
  out[1] = __OPENCL_VERSION__;
  out[2] = CL_VERSION_3_0;
  out[3] = CL_VERSION_3_1;
#ifdef __opencl_c_subgroups
  out[4] = __opencl_c_subgroups;
#else
  out[4] = 0;
#endif
}
