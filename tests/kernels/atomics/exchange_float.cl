// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each value that is put into the cell is taken out once, the last by the last work-item: the differences cancel.
kernel void swap(global float* cell, global int* balance, global int* done) {
  const int mine = get_global_id(0) + 1;
  const float seen = atomic_xchg(cell, (float)mine);
  atomic_add(balance, (int)seen - mine);
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  if (atomic_inc(done) == (int)get_global_size(0) - 1) atomic_add(balance, (int)atomic_xchg(cell, -1.0f));
}
