// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tree in local memory over as many work-items as there are, with early returns, atomics on local memory, a private
// array across a barrier, and a loop in steps of the local size.
kernel void reduce(global const int* in, global int* sums, global int* counts, global int* strided, local int* shared) {
  local int counter;
  const int lid = get_local_id(0), n = get_local_size(0), i = get_global_id(0), group = get_group_id(0);
  int kept[4];
  for (int k = 0; k < 4; ++k)
    kept[k] = in[i] * (k + lid);
  if (lid == 0) counter = 0;
  shared[lid] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&counter, (in[i] & 3) == 0 ? 2 : 1);
  int width = 1;
  while (width < n)
    width *= 2;
  for (int step = width / 2; step > 0; step /= 2) {
    if (lid < step && lid + step < n) shared[lid] += shared[lid + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const int first = group * get_enqueued_local_size(0);
  int own = 0;
  for (int k = lid; k < n; k += get_local_size(0))
    own += in[first + k];
  strided[i] = own + kept[i & 3];
  if (lid != 0) return;
  sums[group] = shared[0];
  counts[group] = counter;
}
