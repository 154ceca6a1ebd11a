// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What work-items have written by way of an argument others read by the same one, behind a barrier, though no other
// argument points there.
kernel void sums_for_neighbours(global uint* out, global uint* sums, global const uint* in, int each) {
  int i = get_global_id(0);
  sums[i] = 0;
  for (int j = 0; j < each; ++j)
    sums[i] += in[i * each + j];
  barrier(CLK_GLOBAL_MEM_FENCE);
  uint neighbours = sums[i ^ 1];
  barrier(CLK_GLOBAL_MEM_FENCE);
  sums[i] = 1;
  out[i] = neighbours;
}

kernel void restricted(global uint* restrict out, global uint* restrict sums, global const uint* restrict in,
                       int each) {
  int i = get_global_id(0);
  sums[i] = 0;
  for (int j = 0; j < each; ++j)
    sums[i] += in[i * each + j];
  barrier(CLK_GLOBAL_MEM_FENCE);
  uint neighbours = sums[i ^ 1];
  barrier(CLK_GLOBAL_MEM_FENCE);
  sums[i] = 1;
  out[i] = neighbours;
}

void store(global uint* restrict to, local uint* restrict tile, global const uint* restrict in, int each) {
  int l = get_local_id(0), i = get_global_id(0);
  tile[l] = in[i * each];
  barrier(CLK_LOCAL_MEM_FENCE);
  to[i] = tile[l ^ 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[l] = 5;
}

kernel void restricted_in_function(global uint* out, global uint* sums, global const uint* in, int each) {
  local uint tile[64];
  store(out, tile, in, each);
  sums[get_global_id(0)] = tile[get_local_id(0)];
}

// One work-item writes for the other.
kernel void written_by_another(global uint* restrict out, global uint* restrict sums, global const uint* restrict in,
                               int each) {
  int i = get_global_id(0);
  uint own = 0;
  for (int j = 0; j < each; ++j)
    own += in[i * each + j];
  sums[i] = own;
  uint seen = sums[i];
  barrier(CLK_GLOBAL_MEM_FENCE);
  sums[i ^ 1] = seen;
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[i] = sums[i] + seen;
}
