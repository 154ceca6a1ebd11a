// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
typedef struct { int key; short pair[2]; uchar4 colour; } Record;
kernel void swapRecords(global const Record* in, global Record* out) {
  const int i = get_global_id(0), n = get_global_size(0);
  Record r = in[n - 1 - i];
  r.key += 1000;
  const short t = r.pair[0];
  r.pair[0] = r.pair[1];
  r.pair[1] = t;
  r.colour = r.colour.wzyx;
  out[i] = r;
}
