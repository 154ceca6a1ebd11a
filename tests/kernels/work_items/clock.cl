// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if !defined(cl_khr_kernel_clock) || !defined(__opencl_c_kernel_clock_scope_device) || \
    !defined(__opencl_c_kernel_clock_scope_work_group) || !defined(__opencl_c_kernel_clock_scope_sub_group)
#error "no cl_khr_kernel_clock"
#endif

ulong joined(uint2 x) { return (ulong)x.hi << 32 | x.lo; }

// Time passes, for all clocks.
kernel void clocks(global const float* in, global float* out, global int* order) {
  const int i = get_global_id(0);
  const ulong device = clock_read_device(), group = clock_read_work_group(), sub = clock_read_sub_group();
  float x = in[i];
  for (int k = 0; k < 100 + i; ++k) x = x * 1.0001f + 0.5f;
  out[i] = x;
  const ulong laterDevice = joined(clock_read_hilo_device()), laterGroup = joined(clock_read_hilo_work_group()),
              laterSub = joined(clock_read_hilo_sub_group());
  order[i] = (laterDevice > device) + 2 * (laterGroup > group) + 4 * (laterSub > sub) +
             8 * (clock_read_device() >= laterSub) + 16 * (laterDevice - device < 1ul << 40);
}
