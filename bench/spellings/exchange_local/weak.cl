// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each group's sums in local memory, by C11.
kernel void sums(global const int* places, global const float* values, global float* y) {
  local atomic_float bins[256];
  int l = get_local_id(0), first = get_group_id(0) * 4096;
  atomic_init(&bins[l], 0.0f);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = l; k < 4096; k += 256) {
    float old = atomic_load_explicit(&bins[places[first + k]], memory_order_relaxed, memory_scope_work_group);
    while (!atomic_compare_exchange_weak_explicit(&bins[places[first + k]], &old, old + values[first + k],
                                                  memory_order_relaxed, memory_order_relaxed, memory_scope_work_group))
      ;
  }
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  y[get_global_id(0)] = atomic_load_explicit(&bins[l], memory_order_relaxed, memory_scope_work_group);
}
