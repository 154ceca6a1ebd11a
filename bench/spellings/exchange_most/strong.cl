// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// By C11.
kernel void most(global const int* places, global const float* values, global atomic_float* y) {
  int i = get_global_id(0);
  float old = atomic_load_explicit(&y[places[i]], memory_order_relaxed, memory_scope_device);
  while (old < values[i] &&
         !atomic_compare_exchange_strong_explicit(&y[places[i]], &old, values[i], memory_order_relaxed,
                                                  memory_order_relaxed, memory_scope_device))
    ;
}
