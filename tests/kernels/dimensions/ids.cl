// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Neighbours along the last dimension store next to each other, so lanes follow that dimension. Every work-item function
// answers as if they did not.
ulong three(ulong x, ulong y, ulong z) { return x + 1000 * y + 1000000 * z; }

#define THREE(function) three(function(0), function(1), function(2))

void answer(global ulong* out, size_t n) {
  out[0] = THREE(get_global_id);
  out[n] = THREE(get_local_id);
  out[2 * n] = THREE(get_group_id);
  out[3 * n] = THREE(get_local_size);
  out[4 * n] = THREE(get_num_groups);
  out[5 * n] = THREE(get_global_size);
  out[6 * n] = THREE(get_global_offset);
  out[7 * n] = THREE(get_enqueued_local_size);
  out[8 * n] = get_global_linear_id();
  out[9 * n] = get_local_linear_id();
  out[10 * n] = get_work_dim();
}

kernel void ids_2d(global ulong* out) {
  const size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
  answer(out + x * get_global_size(1) + y, get_global_size(0) * get_global_size(1));
}

kernel void ids_3d(global ulong* out) {
  const size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
               z = get_global_id(2) - get_global_offset(2);
  const size_t n = get_global_size(0) * get_global_size(1) * get_global_size(2);
  answer(out + (x * get_global_size(1) + y) * get_global_size(2) + z, n);
}

// Groups may be run together along the dimension of lanes.
kernel void merged(global ulong* out) {
  const size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
  out[x * get_global_size(1) + y] = x + 100000 * y;
}

// A dimension that is known at run time only.
kernel void chosen(global ulong* out, uint d) {
  out[get_global_id(0) * get_global_size(1) + get_global_id(1)] = get_global_id(d) + 1000 * get_local_size(d);
}
