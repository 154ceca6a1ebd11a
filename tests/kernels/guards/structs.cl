// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs and vectors that a work-item loads only where there are such, before a barrier and without one.
typedef struct {
  float4 pos, vel, acc, misc;
} Body;
typedef struct {
  float x, y, z;
} Point;
typedef struct {
  uchar r, g, b;
} Colour;
typedef struct {
  double4 a;
  long2 b;
} Wide;

// The sum of what the work-items of each group have.
#define SUM_OF_GROUP(TYPE, VALUE)                                                                                      \
  local TYPE t[64];                                                                                                    \
  int l = get_local_id(0);                                                                                             \
  t[l] = VALUE;                                                                                                        \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                                        \
  for (int s = 32; s > 0; s /= 2) {                                                                                    \
    if (l < s) t[l] += t[l + s];                                                                                       \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
  }                                                                                                                    \
  if (l == 0) out[get_group_id(0)] = t[0]

kernel void position(global const Body* in, global float* out, int n) {
  int g = get_global_id(0);
  float4 v = 0;
  if (g < n) v = in[g].pos;
  SUM_OF_GROUP(float, v.x + v.y + v.z + v.w);
}

kernel void two_members(global const Body* in, global float* out, int n) {
  int g = get_global_id(0);
  float sum = 0;
  if (g < n) sum = in[g].vel.x + in[g].misc.w;
  SUM_OF_GROUP(float, sum);
}

kernel void second(global const float4* in, global float* out, int n) {
  int g = get_global_id(0);
  float4 v = 1;
  if (2 * g < n) v = in[2 * g];
  SUM_OF_GROUP(float, v.x - v.w);
}

kernel void pairs(global const float2* in, global float* out, int n) {
  int g = get_global_id(0);
  float2 v = 0;
  if (9 * g < n) v = in[9 * g];
  SUM_OF_GROUP(float, v.x + v.y);
}

kernel void bytes(global const uchar16* in, global float* out, int n) {
  int g = get_global_id(0);
  uint s = 0;
  if (3 * g < n) {
    uchar16 v = in[3 * g];
    s = v.s0 + v.sf;
  }
  SUM_OF_GROUP(float, s);
}

kernel void points(global const Point* in, global float* out, int n) {
  int g = get_global_id(0);
  Point p = {1, 2, 3};
  if (g < n) p = in[g];
  SUM_OF_GROUP(float, p.x + p.z);
}

kernel void colours(global const Colour* in, global float* out, int n) {
  int g = get_global_id(0);
  float s = 0;
  if (g < n) s = in[g].r + in[g].g + in[g].b;
  SUM_OF_GROUP(float, s);
}

kernel void wide(global const Wide* in, global float* out, int n) {
  int g = get_global_id(0);
  double s = 0;
  if (g < n) s = in[g].a.y + in[g].b.x;
  SUM_OF_GROUP(float, s);
}

kernel void threes(global const float* in, global float* out, int n) {
  int g = get_global_id(0);
  float3 v = 0;
  if (3 * g < n) v = vload3(g, in);
  SUM_OF_GROUP(float, v.x + v.z);
}

kernel void halves(global const half* in, global float* out, int n) {
  int g = get_global_id(0);
  float4 v = 0;
  if (4 * g < n) v = vload_half4(g, in);
  SUM_OF_GROUP(float, v.x + v.w);
}

// By an index from memory, in two conditions.
kernel void indexed(global const Body* in, global float* out, int n, global const int* index, int top) {
  int g = get_global_id(0);
  float4 v = 0;
  int i = index[g];
  if (i < n && top < n) {
    v = in[i].acc;
    v += in[top].acc;
  }
  SUM_OF_GROUP(float, v.y);
}

// Without a barrier.
kernel void each(global const Body* in, global float* out, int n) {
  int g = get_global_id(0);
  if (g < n) out[g] = in[g].pos.x + in[g].misc.w;
}

kernel void each_vector(global const float4* in, global float4* out, int n) {
  int g = get_global_id(0);
  float4 v = 5;
  if (4 * g < n && in[4 * g].x > 9) v = in[4 * g] + in[4 * g + 1].wzyx;
  if (4 * g < n) out[4 * g + 1] = v;
}

kernel void stored_members(global const Body* in, global Body* out, int n) {
  int g = get_global_id(0);
  if (g < n && in[g].pos.y > 9) {
    out[g].vel = in[g].pos;
    out[g].misc.w = 3;
  }
}
