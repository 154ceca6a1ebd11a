// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is between the two halves of a barrier does not wait.
kernel void shift(global int* out, local int* shared) {
  const int i = get_local_id(0), n = get_local_size(0);
  shared[i] = get_global_id(0) + 1;
  intel_work_group_barrier_arrive(CLK_LOCAL_MEM_FENCE);
  int own = 0;
  for (int j = 0; j < 3; ++j)
    own += j;
  intel_work_group_barrier_wait(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = shared[(i + 1) % n] + own;
  intel_work_group_barrier_arrive(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
  intel_work_group_barrier_wait(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
  shared[i] = 0;
}
// The halves may be in a loop, and order the memory of other work-groups too.
kernel void rotate(global int* out, local int* shared) {
  const int i = get_local_id(0), n = get_local_size(0), g = get_global_id(0);
  out[g] = g;
  for (int round = 0; round < 3; ++round) {
    intel_work_group_barrier_arrive(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_scope_device);
    shared[i] = round;
    intel_work_group_barrier_wait(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    const int next = out[g - i + (i + 1) % n];
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[g] = next;
  }
}
