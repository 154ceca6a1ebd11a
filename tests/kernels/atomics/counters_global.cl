// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void count(global int* counters, global const int* values) {
  const int v = values[get_global_id(0)];
  atomic_add(&counters[0], v);
  atomic_sub(&counters[1], v);
  atomic_inc(&counters[2]);
  atomic_dec(&counters[3]);
  atomic_min(&counters[4], v);
  atomic_max(&counters[5], v);
  atomic_and(&counters[6], ~(1 << (v & 15)));
  atomic_or(&counters[7], 1 << (v & 15));
  atomic_xor(&counters[8], v);
}
