// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit asm %s | %check

// A loop of unknown length has several loads under way. The driver may unroll it further, but not the rest.
// CHECK: .visible .entry gather(
// CHECK: nounroll
// CHECK-COUNT-2: ld.global
// CHECK-NOT: nounroll
// CHECK-COUNT-8: ld.global
// CHECK: ret;
kernel void gather(global float* out, global const float* in, global const int* at, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += in[at[i]];
  out[get_global_id(0)] = sum;
}

// Each address follows from the one before, so that the driver can move loads of several iterations together.
// CHECK: .visible .entry column(
// CHECK: nounroll
// CHECK: ld.global.b32 %r{{[0-9]+}}, [%[[FIRST:rd[0-9]+]]];
// CHECK: add.s64 %[[SECOND:rd[0-9]+]], %[[FIRST]], %[[STEP:rd[0-9]+]];
// CHECK: ld.global.b32 %r{{[0-9]+}}, [%[[SECOND]]];
// CHECK: add.s64 %[[THIRD:rd[0-9]+]], %[[SECOND]], %[[STEP]];
// CHECK: ret;
kernel void column(global float* out, global const float* in, int rows, int columns) {
  float sum = 0;
  for (int i = 0; i < rows; ++i)
    sum += in[(size_t)i * columns + get_global_id(0)];
  out[get_global_id(0)] = sum;
}

// The array is in registers: inner loops have a known length when outer ones are unrolled.
// CHECK: .visible .entry sort(
// CHECK-NOT: {{(ld|st).local}}
// CHECK: ret;
kernel void sort(global float* out, global const float* in) {
  const size_t base = get_global_id(0) * 6;
  float v[6];
  for (int i = 0; i < 6; ++i)
    v[i] = in[base + i];
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5 - i; ++j) {
      const float least = fmin(v[j], v[j + 1]);
      v[j + 1] = fmax(v[j], v[j + 1]);
      v[j] = least;
    }
  for (int i = 0; i < 6; ++i)
    out[base + i] = v[i];
}

// What the data choose stays in memory.
// CHECK: .visible .entry look_up(
// CHECK: ld.local
// CHECK: ret;
kernel void look_up(global float* out, global const int* at) {
  float v[16];
  for (int i = 0; i < 16; ++i)
    v[i] = i * out[i];
  for (int i = 0; i < 64; ++i)
    out[i] = v[at[i] & 15];
}

// The program asks for no unrolling.
// CHECK: .visible .entry as_written(
// CHECK: ld.global
// CHECK-NOT: ld.global
// CHECK: ret;
kernel void as_written(global float* out, global const float* in, int n) {
  float sum = 0;
  __attribute__((opencl_unroll_hint(1)))
  for (int i = 0; i < n; ++i)
    sum += in[i] * i;
  out[get_global_id(0)] = sum;
}

// A short loop is copied whole: three rows of three elements, each behind one branch.
// CHECK: .visible .entry window(
// CHECK: @%p{{[0-9]+}} bra [[ROW:\$L__BB[0-9_]+]];
// CHECK: [[ROW]]:
// CHECK-COUNT-3: @%p{{[0-9]+}} bra {{.*}};
// CHECK-NOT: @%p
// CHECK: ret;
kernel void window(global float* out, global const float* in, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  __attribute__((opencl_unroll_hint(1)))
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      const int sx = x + dx, sy = y + dy;
      if (sx < 0 || sx >= width || sy < 0 || sy >= height) continue;
      const float value = in[sy * width + sx];
      sum += value * value * value + native_exp(value);
    }
  out[y * width + x] = sum;
}
