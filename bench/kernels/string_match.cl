// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Search of patterns in a text: each work-item tries all patterns at its own offset.
kernel void match(global const char* text, int length, constant char* patterns, constant int* starts, int count,
                  global int* hits) {
  int at = get_global_id(0);
  if (at >= length)
    return;
  int hit = -1;
  for (int p = 0; p < count; p++) {
    int size = starts[p + 1] - starts[p];
    if (at + size > length)
      continue;
    int k = 0;
    while (k < size && text[at + k] == patterns[starts[p] + k])
      k++;
    if (k == size) {
      hit = p;
      break;
    }
  }
  hits[at] = hit;
}
