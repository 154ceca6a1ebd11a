// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose rounds go side by side in a work-group (compiler/transform/groups/align_strided_loops.cpp).
kernel void sums(global const int* in, global int* out, int n, local int* part) {
  int lid = get_local_id(0), sum = 0, rounds = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
    sum += in[i] * 3;
    ++rounds;
  }
  part[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = part[get_local_size(0) - 1 - lid] + 100000 * rounds;
}

// With an offset, unsigned, and a body of which parts are skipped.
kernel void places(global const int* in, global int* out, uint n, local int* last) {
  uint lid = get_local_id(0);
  last[lid] = -1;
  for (size_t i = lid + 5; i < n; i += get_local_size(0))
    if (in[i] & 1) last[lid] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = last[lid];
}

// Some work-items' first index wraps around and so is below the limit, although the first one's is not.
kernel void wraps(global int* out, int start, int limit, int factor, local int* unused) {
  int rounds = 0;
  unused[get_local_id(0)] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = (int)((uint)start + (uint)get_global_id(0)); i < limit; i = (int)((uint)i + (uint)get_global_size(0) * factor))
    ++rounds;
  out[get_global_id(0)] = rounds + unused[get_local_id(0)];
}

// Four rounds at once while all have them; the indices end at the largest int.
kernel void near_end(global int* out, int start, local int* unused) {
  int rounds = 0, total = 0;
  unused[get_local_id(0)] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = start + (int)get_global_id(0); i < 2147483647 - 64; i += (int)get_global_size(0)) {
    ++rounds;
    total += i % 1000;
  }
  out[get_global_id(0)] = 100000 * rounds + total + unused[get_local_id(0)];
}

// A loop in a loop that all work-items of a group go through equally often, and one of which some leave sooner.
kernel void rows(global const int* in, global int* out, int width, int height, int most, local int* part) {
  int lid = get_local_id(0), total = 0;
  for (int row = 0; row < height; ++row) {
    int sum = 0;
    for (int k = lid; k < width; k += get_local_size(0))
      sum += in[row * width + k];
    part[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    total += part[get_local_size(0) - 1 - lid] * (row + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int row = 0; row < min(lid, most); ++row)
    for (int k = lid; k < width; k += get_local_size(0))
      total += in[row * width + k];
  out[get_global_id(0)] = total;
}

// The size is a number of the program's, and the group's.
kernel __attribute__((reqd_work_group_size(16, 1, 1))) void steps_of_16(global const int* in, global int* out, int n) {
  local int part[16];
  int lid = get_local_id(0), sum = 0;
  for (int i = lid; i < n; i += 16)
    sum += in[i] * (i % 7);
  part[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = part[15 - lid];
}

// Some work-items leave the outer loop sooner, by a question whose answer is the same for all that ask it.
kernel void leave(global const int* in, global int* out, int width, int height, int last, local int* part) {
  int lid = get_local_id(0), total = 0;
  for (int row = 0; row < height; ++row) {
    for (int k = lid; k < width; k += get_local_size(0))
      total += in[row * width + k];
    if (lid < 5) {
      if (row == last)
        break;
    }
  }
  part[lid] = total;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = part[get_local_size(0) - 1 - lid];
}

// Without barriers of its own, and with what follows in each work-item.
kernel void no_barriers(global const int* in, global int* out, int n) {
  int sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    sum += in[i] * (i % 5);
  int last = -1;
  for (uint i = get_local_id(0); i < n / 4; i += get_local_size(0))
    if (in[i] > 0) last = i;
  out[get_global_id(0)] = sum + 100000 * last;
}

// Loops without barriers in work-groups of a known size; all add to one counter, and the last iteration is partial.
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void no_barriers_of_64(global const int* in, global int* out, int n) {
  int kept[4] = {1, 2, 3, 4}, sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
    sum += in[i] * kept[i & 3];
    if (in[i] > 50)
      atomic_inc(&out[64]);
  }
  out[get_global_id(0)] = sum;
}
