// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenCL C declarations of cl_khr_extended_async_copies.
// clang-format off
#define __copies(TO, FROM)                                                                                             \
  event_t __attribute__((overloadable, convergent))                                                                    \
  async_work_group_copy_2D2D(TO void*, size_t, const FROM void*, size_t, size_t, size_t, size_t, size_t, size_t,       \
                             event_t);                                                                                 \
  event_t __attribute__((overloadable, convergent))                                                                    \
  async_work_group_copy_3D3D(TO void*, size_t, const FROM void*, size_t, size_t, size_t, size_t, size_t, size_t,       \
                             size_t, size_t, size_t, event_t);
__copies(__local, __global)
__copies(__global, __local)
#undef __copies
