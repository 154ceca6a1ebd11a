// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In divergent flow the live lanes take part, and only they.
kernel void branches(global const int* a, global int* out, global int* more) {
  const size_t i = get_global_id(0);
  const int v = a[i];
  int result = 0, other = 0;
  switch (v & 3) {
  case 0: result = sub_group_non_uniform_reduce_add(v); break;
  case 1: result = sub_group_non_uniform_scan_inclusive_add(v); break;
  case 2: result = sub_group_non_uniform_scan_exclusive_max(v); break;
  default:
    other = sub_group_elect();
    if (v & 4) other += 2 * sub_group_ballot_bit_count(sub_group_ballot(1));
    result = sub_group_broadcast_first(v);
  }
  out[i] = result;
  more[i] = other;
}

// Lanes leave in different rounds; each counts who is still there.
kernel void loop(global const int* a, global int* out) {
  const size_t i = get_global_id(0);
  int seen = 0;
  for (int round = 0; round < a[i]; ++round) {
    if ((round & 1) && (a[i] & 1)) continue;
    seen += sub_group_non_uniform_reduce_add(1);
  }
  out[i] = seen;
}

// Some have returned.
kernel void early(global const int* a, global int* out) {
  const size_t i = get_global_id(0);
  out[i] = -1;
  if (a[i] & 1) return;
  out[i] = sub_group_reduce_max(a[i]) + 1000 * sub_group_all(a[i] & 2) + 2000 * sub_group_any(a[i] & 2);
}

// A function that is not inlined by itself, called from divergent flow.
__attribute__((noinline)) int total(int v) { return sub_group_reduce_add(v); }
kernel void inFunction(global const int* a, global int* out) {
  const size_t i = get_global_id(0);
  int result;
  if (a[i] > 50)
    result = total(a[i]);
  else
    result = -total(a[i] + 1);
  out[i] = result;
}

// Across barriers, with lanes that have left.
kernel void barriers(global const int* a, global int* out, local int* shared) {
  const size_t i = get_global_id(0), l = get_local_id(0);
  shared[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int mine = sub_group_scan_inclusive_add(a[i]);
  if (get_sub_group_local_id() == get_sub_group_size() - 1) shared[get_sub_group_id()] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  int before = 0;
  for (uint k = 0; k < get_sub_group_id(); ++k) before += shared[k];
  out[i] = before + mine;
}

// What lanes do before they leave a loop, they do with those that leave in the same round.
kernel void leaves(global const int* a, global int* out, global int* more) {
  const size_t i = get_global_id(0);
  int found = 0;
  for (int round = 0; round < 8; ++round)
    if (a[i] % 8 == round) {
      found = sub_group_non_uniform_reduce_add(1) + 100 * round;
      break;
    }
  out[i] = found;
  for (int round = 0; round < 4; ++round)
    for (int k = 0; k < 2; ++k)
      if (a[i] % 8 == 2 * round + k) {
        more[i] = sub_group_non_uniform_reduce_max(a[i]);
        return;
      }
}
