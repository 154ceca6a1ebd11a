// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %report %s --cpu znver5 | %check
// RUN: %report %s --cpu znver4 | FileCheck --check-prefix=FEWER %s
// RUN: %report %s --cpu x86-64-v3 | FileCheck --check-prefix=AVX2 %s
// How many work-items run at once: several vectors of them where that keeps a processor busy, and more of them where
// it begins two operations of 512 bits in each cycle.

// A sum, each step of which waits for the one before.
// CHECK: kernel sum: 128 work-items at once
// FEWER: kernel sum: 64 work-items at once
// AVX2: kernel sum: 64 work-items at once
kernel void sum(global float* out, global const float* a, int n) {
  float x = get_global_id(0), s = 0.0f;
  for (int k = 0; k < n; ++k) s = s * x + a[k];
  out[get_global_id(0)] = s;
}

// Private memory of so many would fill a cache, and of a little more the stack.
// CHECK: kernel remembers: 64 work-items at once
// FEWER: kernel remembers: 64 work-items at once
kernel void remembers(global float* out, global const float* a, int n) {
  float x = get_global_id(0), s = 0.0f, seen[1024];
  for (int k = 0; k < 1024; ++k) seen[k] = a[k] + x;
  for (int k = 0; k < n; ++k) s = s * x + seen[k & 1023];
  out[get_global_id(0)] = s;
}

// A stream, and one with edges in each row, where few lanes go together.
// CHECK: kernel stream: 32 work-items at once
// CHECK: kernel edges: 16 work-items at once
// FEWER: kernel stream: 16 work-items at once
// FEWER: kernel edges: 16 work-items at once
kernel void stream(global float* out, global const float* in) {
  out[get_global_id(0)] = 2.0f * in[get_global_id(0)];
}
kernel void edges(global float* out, global const float* in, int n) {
  int x = get_global_id(0);
  out[x] = x > 0 && x < n - 1 ? in[x - 1] + in[x + 1] : in[x];
}

// Elements of short vectors take registers of their own, except those that the kernel does not read.
// CHECK: kernel elements: 32 work-items at once
// FEWER: kernel elements: 32 work-items at once
kernel void elements(global float4* out, global const float4* points, int n) {
  float4 me = points[get_global_id(0)], force = (float4)(0.0f);
  for (int k = 0; k < n; ++k) {
    float4 away = points[k] - me;
    float scale = rsqrt(away.x * away.x + away.y * away.y + away.z * away.z + 0.1f) * points[k].w;
    force.x += away.x * scale;
    force.y += away.y * scale;
    force.z += away.z * scale;
  }
  out[get_global_id(0)] = force;
}

// Short vectors between barriers, where the length of rows is unknown.
// CHECK: kernel staged: 32 work-items at once
// FEWER: kernel staged: 32 work-items at once
kernel void staged(global float4* out, global const float4* points, local float4* some, int n) {
  float4 me = points[get_global_id(0)], force = (float4)(0.0f);
  int lid = get_local_id(0), size = get_local_size(0);
  for (int from = 0; from < n; from += size) {
    some[lid] = points[from + lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < size; ++k) {
      float4 away = some[k] - me;
      float scale = rsqrt(away.x * away.x + away.y * away.y + away.z * away.z + 0.1f) * some[k].w;
      force.x += away.x * scale;
      force.y += away.y * scale;
      force.z += away.z * scale;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = force;
}

// A required size need not be the widest.
// CHECK: kernel required: 64 work-items at once
// FEWER: kernel required: 64 work-items at once
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void required(global float* out, global const float* a, int n) {
  float x = get_global_id(0), s = 0.0f;
  for (int k = 0; k < n; ++k) s = s * x + a[k];
  out[get_global_id(0)] = s;
}

// Vectors of each work-item that have registers in memory order only, where they need not be taken apart.
// CHECK: kernel long_vectors: 16 work-items at once
// FEWER: kernel long_vectors: 16 work-items at once
// AVX2: kernel long_vectors: 4 work-items at once
kernel void long_vectors(global float16* out, float a, int n) {
  float16 x = a, y = get_local_id(0);
  for (int i = 0; i < n; ++i) {
    x = mad(y, x, y);
    y = mad(x, y, x);
  }
  out[get_global_id(0)] = x + y;
}

// Elements of a vector do not wait for each other.
// CHECK: kernel pairs: 64 work-items at once
// FEWER: kernel pairs: 32 work-items at once
// AVX2: kernel pairs: 32 work-items at once
kernel void pairs(global float2* out, float a, int n) {
  float2 x = (float2)(a, a + 1), y = get_local_id(0);
  for (int i = 0; i < n; ++i) {
    x = mad(y, x, y);
    y = mad(x, y, x);
  }
  out[get_global_id(0)] = x + y;
}

// Four values are live in each lane: eight vectors of each would not stay in registers beside what is needed for a moment.
// CHECK: kernel nearest: 64 work-items at once
kernel void nearest(global int* out, global const float* points, constant float* centres, int n, int clusters) {
  int i = get_global_id(0);
  if (i >= n) return;
  float least = FLT_MAX;
  int best = 0;
  for (int c = 0; c < clusters; c++) {
    float distance = 0.0f;
    for (int d = 0; d < 8; d++) {
      float difference = points[d * n + i] - centres[c * 8 + d];
      distance += difference * difference;
    }
    if (distance < least) {
      least = distance;
      best = c;
    }
  }
  out[i] = best;
}

// Neighbouring lanes go down neighbouring columns: a line of memory as a whole, though that is more than registers hold.
// AVX2: kernel down_columns: 16 work-items at once
kernel void down_columns(global const float* in, global float* out, int w, int h) {
  const int x = get_global_id(0) + 1;
  global const float* p = in + x;
  float left = p[-1], middle = p[0], right = p[1], upLeft = left, up = middle, upRight = right;
  for (int y = 0; y < h; ++y) {
    p += w;
    const float downLeft = p[-1], down = p[0], downRight = p[1];
    out[y * w + x] = middle + 2 * (up + down + left + right) + 3 * (upLeft + upRight + downLeft + downRight);
    upLeft = left; up = middle; upRight = right;
    left = downLeft; middle = down; right = downRight;
  }
}

// Rows of bytes that each lane walks along alone: as many as fill the narrowest register.
// AVX2: kernel bytes_of_rows: 16 work-items at once
// FEWER: kernel bytes_of_rows: 16 work-items at once
kernel void bytes_of_rows(global const uchar* in, global int* out) {
  int i = get_global_id(0), n = 0;
  global const uchar* row = in + i * 256;
  for (int k = 0; k < 256; ++k) n += row[k] >= 'a' && row[k] <= 'z';
  out[i] = n;
}

// Elements of 32 bits fill it anyway.
// AVX2: kernel words_of_rows: 8 work-items at once
kernel void words_of_rows(global const int* in, global int* out, int columns) {
  int i = get_global_id(0), n = 0;
  global const int* row = in + i * columns;
  for (int k = 0; k < columns; ++k) n += row[k] == 7;
  out[i] = n;
}
