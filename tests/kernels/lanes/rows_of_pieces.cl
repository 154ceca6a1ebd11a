// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that each work-item has for itself, 8 bytes at a time: loaded in twos and put together with other lanes'.
kernel void halves(global const half* rows, global const half* vector, global float* out, int pieces) {
  const int g = get_global_id(0);
  float4 sum = 0;
  for (int i = 0; i < pieces; i++)
    sum += vload_half4(g * pieces + i, rows) * vload_half4(i, vector);
  out[g] = sum.x + 2 * sum.y + 3 * sum.z + 4 * sum.w;
}

kernel void shorts(global const short4* rows, global int* out, int pieces) {
  const int g = get_global_id(0);
  short4 sum = 0;
  for (int i = 0; i < pieces; i++)
    sum = sum * (short4)(3) + rows[g * pieces + i];
  out[g] = sum.x ^ sum.y << 4 ^ sum.z << 8 ^ sum.w << 12;
}

kernel void pairs(global const float2* rows, global float* out, int pieces) {
  const int g = get_global_id(0);
  float2 sum = 0;
  for (int i = 0; i < pieces; i++)
    sum = fmax(sum, rows[g * pieces + i] * (float2)(i + 1));
  out[g] = sum.x - sum.y;
}

// Not from the first on, with one left out, and only in some lanes.
kernel void some(global const int2* rows, global int* out, int pieces) {
  const int g = get_global_id(0);
  int2 sum = g;
  if (g % 3 != 1)
    for (int i = 0; i < pieces / 7; i++) {
      global const int2* row = rows + (g * pieces + i * 7);
      sum = (row[1] - sum) * (int2)(3) + (row[2] ^ row[3]) + row[5] * row[6];
    }
  out[g] = sum.x - sum.y;
}

// What is written may be the next piece.
kernel void changed(global int2* rows, int pieces) {
  const int g = get_global_id(0);
  global int2* row = rows + g * pieces;
  int2 a = row[0], b = row[1];
  row[2] = a + b;
  int2 c = row[2], d = row[3];
  row[1] = c - d;
  row[0] = row[1] * a;
}
