// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
constant int kTable[8] = {3, 1, 4, 1, 5, 9, 2, 6};
constant float4 kVector = (float4)(0.5f, 1.5f, 2.5f, 3.5f);
constant struct { char c; int n[2]; } kStruct = {7, {70, 700}};
constant char kText[] = "Clotho";
int lookUp(constant int* table, int index) { return table[index & 7]; }
kernel void constants(global float* out) {
  const int i = get_global_id(0);
  out[i] = lookUp(kTable, i) * 1000 + kVector[i & 3] + kStruct.n[i & 1] * 10000 + kStruct.c + kText[i % 6] * 0.0078125f;
}
