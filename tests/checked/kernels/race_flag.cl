// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: race
// launch: global=64 local=16
// options: -cl-std=CL3.0
// args: int[8]=0 int[64]=0
kernel void faulty(global int* data, volatile global atomic_int* flag) {
  if (get_local_id(0) == 0) {
    // The first group that comes writes, and orders nothing.
    if (atomic_fetch_add_explicit(flag, 1, memory_order_relaxed, memory_scope_device) == 0)
      data[0] = 42; // ALSO
    else
      data[1 + get_group_id(0)] = data[0]; // FAULT
  }
}

kernel void fixed(global int* data, volatile global atomic_int* flag) {
  if (get_local_id(0) == 0) {
    if (get_group_id(0) == 0) {
      data[0] = 42;
      atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1) {
      data[1 + get_group_id(0)] = data[0];
    }
  }
}
