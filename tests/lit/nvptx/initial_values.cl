// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit asm --options -cl-std=CL3.0 %s | %check

// LLVM writes the value of a scalar of half as that of a double, of which assemblers take other bytes.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// CHECK-DAG: .global .align 2 .{{[bu]}}16 counter = 15872;
global half counter = 1.5h;

// LLVM writes three elements of a vector, where it has the size of four.
// CHECK-DAG: .global .align 8 .b8 table[16] = {1, 0, 2, 0, 3, 0, 0, 0, 4, 0, 5, 0, 6};
global ushort3 table[2] = {(ushort3)(1, 2, 3), (ushort3)(4, 5, 6)};
// CHECK-DAG: .global .align 4 .b8 {{vec|triple}}[4] = {7, 8, 9};
global uchar3 triple = (uchar3)(7, 8, 9);

typedef struct {
  char first;
  ushort3 vectors[2];
  char last;
} Record;
// CHECK-DAG: .global .align 8 .b8 records[64] = {1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 3, 0, 4, 0, 0, 0, 5, 0, 6, 0, 7, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 10, 0, 11, 0, 12, 0, 0, 0, 13, 0, 14, 0, 15, 0, 0, 0, 16};
global Record records[2] = {{1, {(ushort3)(2, 3, 4), (ushort3)(5, 6, 7)}, 8}, {9, {(ushort3)(10, 11, 12), (ushort3)(13, 14, 15)}, 16}};

kernel void count(global half* out, global ushort* words, global Record* copies) {
  size_t i = get_global_id(0);
  out[i] = counter++;
  words[i] = table[i]++.x + triple.y++;
  copies[i] = records[i];
  records[i].last++;
}
