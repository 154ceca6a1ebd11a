// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
typedef struct {
  uint first, second;
} Pair;

// Rows of the structs are read at once where lanes chose alike; their addresses are made in blocks that follow their use.
kernel void chosen(global Pair* data, global const uint* in) {
  local Pair shared[64];
  const uint i = get_global_id(0), l = get_local_id(0), s = in[i];
  shared[l].first = i;
  shared[l].second = s;
  Pair* p = (s & 16) ? (Pair*)&data[i] : (Pair*)&shared[l];
  uint sum = 0;
  for (uint k = 0; k < (i & 3); k++) sum += p->first * 5 + k;
  data[i].second = sum;
}
