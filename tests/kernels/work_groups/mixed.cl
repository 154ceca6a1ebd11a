// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void votes(global const int* in, global int* out) {
  const int x = in[get_global_id(0)];
  out[get_global_id(0)] = (work_group_all(x) != 0) + 2 * (work_group_any(x) != 0) + 4 * (work_group_all(x < 2) != 0) +
                          8 * (work_group_any(x == 3) != 0);
}

kernel void broadcast1(global const float* in, global float* out) {
  const size_t last = get_local_size(0) - 1;
  out[get_global_id(0)] = work_group_broadcast(in[get_global_id(0)], last) - work_group_broadcast(in[get_global_id(0)], last / 2);
}

kernel void broadcast2(global const ulong* in, global ulong* out) {
  const size_t place = get_global_id(1) * get_global_size(0) + get_global_id(0);
  out[place] = work_group_broadcast(in[place], get_local_size(0) - 1, get_local_size(1) / 2);
}

kernel void broadcast3(global const int* in, global int* out) {
  const size_t place = get_global_linear_id();
  out[place] = work_group_broadcast(in[place], get_local_size(0) / 2, 0, get_local_size(2) - 1);
}

// Linear ids tell the order, whatever the shape.
kernel void scan3(global const int* in, global int* out) {
  const size_t place = get_group_id(0) * get_local_size(0) * get_local_size(1) * get_local_size(2) + get_local_linear_id();
  out[place] = work_group_scan_inclusive_add(in[place]);
}
