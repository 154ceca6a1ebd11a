// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock that work-items of one sub-group contend for, in the way that works on GPUs: it is released in the same round
// in which it was taken. Fences make the sum visible: without them a work-item may have an old one in its cache.
kernel void locked(global volatile int* lock, global int* sum) {
  bool done = false;
  while (!done) {
    if (atomic_cmpxchg(lock, 0, 1) == 0) {
      mem_fence(CLK_GLOBAL_MEM_FENCE);
      sum[0] += 1;
      sum[1] ^= get_global_id(0);
      mem_fence(CLK_GLOBAL_MEM_FENCE);
      atomic_xchg(lock, 0);
      done = true;
    }
  }
}
