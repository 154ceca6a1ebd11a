// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Since OpenCL 3.1 what releases and what acquires may name different scopes, if each has the other work-item in its own
// (section 3.3.5). The work-item that arrives last reads what all others wrote.
kernel void lastAddsUp(global int* written, global atomic_int* arrived, global int* out) {
  const int i = get_global_id(0), n = get_global_size(0);
  written[i] = i * 3;
  // By the operations alone.
  const int before = atomic_fetch_add_explicit(arrived, 1, memory_order_release, RELEASES);
  if (before != n - 1) return;
  int all = n;
  const bool last = atomic_compare_exchange_strong_explicit(arrived, &all, n, memory_order_acquire, memory_order_relaxed, ACQUIRES);
  int sum = 0;
  for (int j = 0; j < n; ++j)
    sum += written[j];
  out[0] = last ? sum : -1;
  // And by a fence.
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, ACQUIRES);
  int again = 0;
  for (int j = n - 1; j >= 0; --j)
    again += written[j];
  out[1] = again;
}
