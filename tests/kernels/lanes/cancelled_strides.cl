// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences of values that go from lane to lane by the same stride: all lanes share them, though nothing they are
// made of.
kernel void exchanged(global const int* a, global int* out) {
  const int i = get_global_id(0);
  const int lane = get_sub_group_local_id();
  out[i] = a[(i - lane) + (lane ^ 1)] + 3 * a[i - lane];
}

kernel void in_branches(global const int* a, global int* out) {
  const size_t i = get_global_id(0);
  const int l = get_local_id(0);
  if (a[i] & 1)
    out[i] = a[i - l + 3] * 2;
  else
    out[i] = (int)i - l - 7;
}

// Lane 0 of each sub-group takes no part.
kernel void without_the_first(global const int* a, global int* out) {
  const int i = get_global_id(0), l = get_local_id(0);
  int value = -1;
  if (l % 4 != 0) value = a[(3 * i - 3 * l) / 3 + 1];
  out[i] = value;
}

kernel void in_loops(global const int* a, global int* out) {
  const int i = get_global_id(0), l = get_local_id(0);
  int sum = 0;
  for (int j = i - l, k = l; j < i; ++j, ++k)
    sum += a[j] * 2 + a[i - l] + (j - k == i - 2 * l ? 0 : 1);
  out[i] = sum;
}

kernel void one_place(global const int* a, global int* out) {
  const size_t i = get_global_id(0), l = get_local_id(0);
  if (l == 2) out[i - l + 1] = a[i];
  atomic_add(&out[i - l], a[i]);
}
