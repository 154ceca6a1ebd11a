// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex transforms of 1024 points, one a work-group of 256: five radix-4 stages (Stockham) through local memory.
#define POINTS 1024
#define ITEMS 256

float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void fft1024(global const float2* in, global float2* out) {
  local float2 data[POINTS];
  int lid = get_local_id(0);
  size_t base = get_group_id(0) * (size_t)POINTS;
  float2 v0 = in[base + lid];
  float2 v1 = in[base + lid + ITEMS];
  float2 v2 = in[base + lid + 2 * ITEMS];
  float2 v3 = in[base + lid + 3 * ITEMS];
  for (int stride = 1;; stride *= 4) {
    int k = lid & (stride - 1);
    float angle = -2.0f * M_PI_F * k / (4 * stride);
    float c, s = sincos(angle, &c);
    float2 w1 = (float2)(c, s);
    float2 w2 = times(w1, w1);
    v1 = times(v1, w1);
    float2 w3 = times(w2, w1);
    v2 = times(v2, w2);
    v3 = times(v3, w3);
    float2 a = v0 + v2, b = v0 - v2, d = v1 + v3, e = v1 - v3;
    e = (float2)(e.y, -e.x);
    int to = (lid - k) * 4 + k;
    if (stride == POINTS / 4) {
      out[base + to] = a + d;
      out[base + to + stride] = b + e;
      out[base + to + 2 * stride] = a - d;
      out[base + to + 3 * stride] = b - e;
      return;
    }
    data[to] = a + d;
    data[to + stride] = b + e;
    data[to + 2 * stride] = a - d;
    data[to + 3 * stride] = b - e;
    barrier(CLK_LOCAL_MEM_FENCE);
    v0 = data[lid];
    v1 = data[lid + ITEMS];
    v2 = data[lid + 2 * ITEMS];
    v3 = data[lid + 3 * ITEMS];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
