// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void broken(global int* out) {
  out[0] = 1;
#ifdef SYNTAX
  out[1] = ;
#endif
#ifdef UNKNOWN
  out[2] = noSuchFunction(3);
#endif
#ifdef TYPE
  out[3] = (float4)(1, 2, 3, 4) * out;
#endif
}
