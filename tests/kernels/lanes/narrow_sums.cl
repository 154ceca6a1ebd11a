// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What fits into 16 bits is computed in 16, and what does not is not.
kernel void integers(global const char* c, global const uchar* b, global const short* s, global const ushort* u,
                     global int* out) {
  const int i = get_global_id(0);
  global int* mine = out + 12 * i;
  const int sum = b[i] * 3 + c[i] - 100;
  mine[0] = convert_uchar_sat(abs(sum) + abs(c[i] * 2 - b[i]));
  mine[1] = (short)(b[i] * 128 - c[i] * 2);          // up to 32896: too much for signed
  mine[2] = (b[i] * 255 + 255) >> 8;                 // all of unsigned
  mine[3] = (c[i] * 200 + 7) >> 3;                   // signed shift
  mine[4] = max(b[i] * 200, 30000) > min(b[i] * 257, 40000) ? b[i] + 1 : c[i] - 1;
  mine[5] = (uint)(c[i] * 3) < (uint)(b[i] + 5);     // negative numbers are large
  mine[6] = (c[i] - 5) * (b[i] + 3) == u[i] - 32768; // does not fit
  mine[7] = (b[i] << 7) - (b[i] >> 1);
  mine[8] = ((s[i] & 255) + (s[i] >> 8)) ^ (u[i] >> 4);
  mine[9] = abs((int)s[i]);                          // 32768 is no short
  mine[10] = (short)((s[i] + u[i]) >> 1);
  mine[11] = max(s[i] - 1, (int)c[i]);
}

// Floats that are integers: their sums are exact, and so are those of integers.
kernel void floats(global const char* c, global const uchar* b, global const ushort* u, global float* out,
                   global double* wide, float one) {
  const int i = get_global_id(0);
  global float* mine = out + 8 * i;
  const float x = c[i], y = b[i], z = u[i];
  mine[0] = x + y + y - x - y;
  mine[1] = (x - x) + (y - y);         // zero, not negative zero
  mine[2] = 1.0f / (x * 0.0f + y * 0.0f); // negative zero with negative x, but for y: infinity
  mine[3] = 1.0f / (x * 0.0f);         // here it stays negative
  mine[4] = y * y * 3.0f + y * 2.0f + 7.0f;
  mine[5] = z * z + y;                 // more than 24 bits: rounded
  mine[6] = (x + 0.5f) + (y + 0.25f);  // no integers
  mine[7] = (-0.0f + (y - y)) * one;
  wide[i] = (double)z * 60000.0 + (double)b[i] * (double)u[i];
}

// As pictures do it.
kernel void blur(global const uchar4* in, global uchar4* out, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  float4 sum = (float4)(0.0f);
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      sum += convert_float4(in[clamp(y + dy, 0, height - 1) * width + clamp(x + dx, 0, width - 1)]);
  out[y * width + x] = convert_uchar4_sat_rte(sum * (1.0f / 8.0f));
}
