// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every work-item draws a ticket: all are different.
kernel void draw(global uint* next, global uint* taken, global uint* lastOfGroup, local uint* own) {
  if (get_local_id(0) == 0) *own = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint ticket = atomic_inc(next);
  atomic_inc(&taken[ticket]);
  const uint mine = atomic_add(own, 1u);
  if (mine == get_local_size(0) - 1) lastOfGroup[get_group_id(0)] = 1;
}
