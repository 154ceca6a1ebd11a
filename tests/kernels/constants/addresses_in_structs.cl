// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant addresses of members and elements, in program scope: of structs that begin with a byte, and of arrays of arrays.
typedef struct { uchar a; ushort b; uchar c, d; uint e[4]; } Mixed;
constant Mixed mixed = {1, 2, 3, 4, {5, 6, 7, 8}};
constant uchar* constant bytes[] = {&mixed.a, &mixed.c, &mixed.d};
constant uint* constant words[] = {&mixed.e[0], &mixed.e[2], 0};
constant uchar table[3][5] = {{10, 11, 12, 13, 14}, {20, 21, 22, 23, 24}, {30, 31, 32, 33, 34}};
constant uchar* constant rows[] = {table[0], table[1], &table[2][3]};
global ushort2 pairs[3] = {(ushort2)(1, 2), (ushort2)(3, 4), (ushort2)(5, 6)};
global ushort2* last = &pairs[2];

kernel void read(global int* out) {
  const int i = get_global_id(0), k = i % 3;
  out[i] = *bytes[k] + (words[k] ? (int)*words[k] * 10 : 0) + *rows[k] * 100 + last->y * 10000;
}
