// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock that work-items of one sub-group contend for, in the way that works on GPUs: it is released in the same round
// in which it was taken.
kernel void locked(global volatile int* lock, global int* sum) {
  bool done = false;
  while (!done) {
    if (atomic_cmpxchg(lock, 0, 1) == 0) {
      sum[0] += 1;
      sum[1] ^= get_global_id(0);
      atomic_xchg(lock, 0);
      done = true;
    }
  }
}
