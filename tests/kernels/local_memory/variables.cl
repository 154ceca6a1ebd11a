// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several local variables in one kernel, an array of structs among them, with different alignments.
typedef struct { char tag; double weight; } Item;
kernel void variables(global double* out) {
  local char tag;
  local Item items[32];
  local short total;
  const int l = get_local_id(0), n = get_local_size(0);
  if (l == 0) { tag = 7; total = 0; }
  items[l].tag = (char)(l + 1);
  items[l].weight = l * 0.25;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0)
    for (int k = 0; k < n; ++k) total += items[k].tag;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = items[n - 1 - l].weight + total * 100 + tag * 1000000;
}
