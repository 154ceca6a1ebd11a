// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small work-groups that are neighbours run as one where the kernel cannot tell; where it can, it is told the truth.
#define AT ((get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0))

kernel void byLocalId(global int* out) { out[AT] = get_local_id(0); }
kernel void byGroupId(global int* out) { out[AT] = get_group_id(0); }
kernel void byLocalLinearId(global int* out) {
  out[AT] = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}
kernel void byDimension(global int* out, uint d) { out[AT] = get_local_id(d) + 100 * get_group_id(d); }

kernel void sizes(global int* out) { out[AT] = get_local_size(0) * 1000 + get_num_groups(0); }
kernel void otherIds(global int* out) {
  out[AT] = get_local_id(1) + 10 * get_group_id(1) + 1000 * get_local_id(2) + 10000 * get_group_id(2);
}
kernel void otherDimension(global int* out, uint d) {
  if (get_global_id(0) % get_local_size(0) == 0)
    for (size_t i = 0; i < get_local_size(0); ++i) out[AT + i] = get_local_size(d) + 100 * get_num_groups(d);
}
kernel void noDimension(global int* out, uint d) { otherDimension(out, d); }
kernel void counted(global int* out, global int* count) {
  atomic_inc(count + get_global_id(1));
  out[AT] = get_global_id(0) * 100 + get_global_id(1) * 10 + get_global_id(2);
}
kernel void withReturn(global int* out, uint n) {
  out[AT] = -1;
  if (get_global_id(0) >= n) return;
  int a[4] = {1, 2, 3, 4};
  a[get_global_id(0) & 3] += get_global_id(1);
  out[AT] = a[get_global_id(0) >> 1 & 3] + a[0] * 100;
}

int depth(int n) { return get_local_id(0) * 100 + n; }
kernel void inFunction(global int* out) { out[AT] = depth(3); }

kernel void withBarrier(global int* out) {
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[AT] = get_global_id(0);
}
kernel void withLocalMemory(global int* out, local int* shared) {
  shared[0] = 0;
  ++shared[0];
  out[AT] = shared[0];
}
kernel void withLocalVariable(global int* out) {
  local int shared[4];
  shared[0] = get_global_id(1);
  out[AT] = shared[0] + get_global_id(0) * 100;
}
kernel __attribute__((reqd_work_group_size(3, 2, 1))) void requiredSize(global int* out) {
  out[AT] = get_global_id(0) + 100 * get_local_size(0) + 1000 * get_num_groups(0);
}
