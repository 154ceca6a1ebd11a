// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void chosen(global int* data, local int* shared, global int* out) {
  const int i = get_global_id(0), l = get_local_id(0);
  int own = 300 + i;
  shared[l] = 200 + i;
  int* p = &own;
  if (i % 3 == 0) p = &data[i];
  else if (i % 3 == 1) p = &shared[l];
  *p += 5;
  out[i] = data[i] + shared[l] + own;
}
