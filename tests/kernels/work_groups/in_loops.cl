// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One after the other and in loops, where what one leaves must not be what the next one finds.
int total(int x) { return work_group_reduce_add(x); }

kernel void in_a_row(global const int* in, global int* out) {
  const int x = in[get_global_id(0)];
  const int a = total(x), b = total(x + 1);
  out[get_global_id(0)] = 3 * a - b;
}

kernel void repeated(global const int* in, global int* out) {
  const int x = in[get_global_id(0)];
  int sum = 0;
  for (int i = 0; i < 4; ++i) sum += total(x + i);
  out[get_global_id(0)] = sum;
}

kernel void scan_of_scan(global const int* in, global int* out) {
  int x = in[get_global_id(0)];
  for (int i = 0; i < 2; ++i) x = work_group_scan_inclusive_add(x);
  out[get_global_id(0)] = x;
}

// What all read is what the next one writes.
kernel void broadcasts(global const int* in, global int* out) {
  int sum = 0;
  for (uint i = 0; i < get_local_size(0); ++i) sum += (i + 1) * work_group_broadcast(in[get_global_id(0)], i);
  out[get_global_id(0)] = sum;
}

kernel void some_groups(global const int* in, global int* out) {
  const int x = in[get_global_id(0)];
  int y;
  if (get_group_id(0) % 2 == 0) {
    y = work_group_reduce_max(x);
  } else {
    y = work_group_scan_exclusive_add(x);
    y += work_group_broadcast(x, 0);
  }
  out[get_global_id(0)] = y;
}

// Four elements of each work-item, of a share that lies together.
kernel void running_scan(global const int* in, global int* out) {
  const size_t size = get_local_size(0), begin = get_group_id(0) * size * 4 + get_local_id(0);
  int before = 0;
  for (uint i = 0; i < 4; ++i) {
    const int own = work_group_scan_inclusive_add(in[begin + i * size]);
    out[begin + i * size] = before + own;
    before += work_group_broadcast(own, size - 1);
  }
}

kernel void sweep(global const int* in, global int* out, uint rounds) {
  const size_t size = get_local_size(0);
  global const int* share = in + get_group_id(0) * size * rounds + get_local_id(0);
  int sum = 0;
  for (uint i = 0; i < rounds; ++i) sum += share[i * size];
  out[get_global_id(0)] = work_group_reduce_add(sum);
}

kernel void sweep_by_two(global const int* in, global int* out, uint rounds) {
  const size_t size = get_local_size(0);
  global const int* share = in + get_group_id(0) * size * rounds + get_local_id(0);
  int a = 0, b = 0;
  for (uint i = 0; i < rounds; i += 2) {
    a += share[i * size];
    b += share[(i + 1) * size];
  }
  out[get_global_id(0)] = work_group_reduce_add(a) + work_group_reduce_add(b);
}

// Writes too, and what is written is read in the next round by another work-item.
kernel void sweep_in_place(global int* out, uint rounds) {
  const size_t size = get_local_size(0), begin = get_group_id(0) * size * rounds + get_local_id(0);
  for (size_t i = begin, round = 0; round < rounds; ++round, i += size) out[i] = 2 * out[i] + (int)round;
  barrier(CLK_GLOBAL_MEM_FENCE);
  const size_t last = (get_group_id(0) + 1) * size * rounds - 1;
  if (get_local_id(0) == 0) out[last] += 1000;
}

// Without any barrier of the program's own.
kernel void sweep_of_sub_groups(global const int* in, global int* out, uint rounds) {
  const size_t size = get_local_size(0);
  global const int* share = in + get_group_id(0) * size * rounds + get_local_id(0);
  int a = 0, b = 0;
  for (uint i = 0; i < rounds; i += 2) {
    a += share[i * size];
    b += share[(i + 1) * size];
  }
  out[get_global_id(0)] = sub_group_reduce_add(a + b);
}
