// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void modern(global int* out, global int* order) {
  local atomic_int count;
  local atomic_uint last;
  if (get_local_id(0) == 0) {
    atomic_init(&count, 100);
    atomic_store_explicit(&last, 0u, memory_order_relaxed, memory_scope_work_group);
  }
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  const int ticket = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed, memory_scope_work_group);
  order[get_global_id(0)] = ticket >= 100 && ticket < 100 + (int)get_local_size(0);
  atomic_exchange_explicit(&last, (uint)get_local_id(0) + 1u, memory_order_acq_rel, memory_scope_work_group);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = atomic_load(&count) + (atomic_load(&last) > 0u ? 1000 : 0);
}
