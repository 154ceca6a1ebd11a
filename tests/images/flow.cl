// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images in control flow, helper functions and work-groups (flow_test.cpp has the same in C++).
constant sampler_t clamped = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t unchecked = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;

// Work-items that are off have coordinates that no image has, and must not read there.
kernel void branches(read_only image2d_t image, sampler_t sampler, global const int2* at, global uint* out) {
  const size_t i = get_global_id(0);
  const int2 c = at[i];
  uint sum = 0;
  if (c.x >= 0 && c.y >= 0 && c.x < get_image_width(image) && c.y < get_image_height(image)) {
    if ((c.x + c.y) % 3 == 0)
      sum += read_imageui(image, unchecked, c).x;
    else if ((c.x + c.y) % 3 == 1)
      sum += 3 * read_imageui(image, c).y;
    else
      sum += 5 * read_imageui(image, sampler, convert_float2(c) + 0.5f).z;
  } else {
    sum = 7 + read_imageui(image, clamped, c).w;
  }
  out[i] = sum;
}

// Loops whose length work-items differ in, with coordinates that depend on what was read.
kernel void chase(read_only image2d_t image, int steps, global uint* out) {
  const size_t i = get_global_id(0);
  const int w = get_image_width(image), h = get_image_height(image);
  int2 c = (int2)(i % w, i / w % h);
  uint sum = 0;
  for (int k = 0; k < (int)(i % steps); ++k) {
    const uint4 texel = read_imageui(image, clamped, c);
    sum = sum * 31 + texel.x;
    if (texel.y % 7 == 0) break;
    c = (int2)(texel.z % (w + 2), texel.w % (h + 2)) - 1;
  }
  out[i] = sum;
}

// Images and samplers as parameters of functions, which call each other, inlined or not.
uint4 at_place(read_only image2d_t image, sampler_t sampler, int2 c) { return read_imageui(image, sampler, c); }
__attribute__((noinline)) uint cross_sum(read_only image2d_t image, sampler_t sampler, int2 c) {
  uint4 sum = at_place(image, sampler, c);
  for (int k = 0; k < 4; ++k)
    sum += at_place(image, sampler, c + (int2)(k - 1, 2 - k) % 2);
  return sum.x + 2 * sum.y + 3 * sum.z + 4 * sum.w;
}
__attribute__((noinline)) void put(write_only image2d_t image, int2 c, uint value) {
  write_imageui(image, c, (uint4)(value, value + 1, value ^ 0xff, ~value));
}
kernel void helpers(read_only image2d_t from, read_only image2d_t other, sampler_t sampler, write_only image2d_t to) {
  const int2 c = (int2)(get_global_id(0), get_global_id(1));
  const uint a = cross_sum(from, sampler, c), b = cross_sum(other, edge, c), d = cross_sum(from, clamped, c.yx);
  if (c.x % 2)
    put(to, c, a ^ b);
  else
    put(to, c, b + d);
}

// A tile in local memory, with barriers in a loop.
kernel void tiles(read_only image2d_t image, write_only image2d_t to, int rounds, local uint* tile) {
  const int2 c = (int2)(get_global_id(0), get_global_id(1));
  const int l = get_local_id(1) * get_local_size(0) + get_local_id(0);
  const int n = get_local_size(0) * get_local_size(1);
  uint sum = 0;
  for (int k = 0; k < rounds; ++k) {
    tile[l] = read_imageui(image, edge, c + (int2)(k, -k)).x;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += tile[(l + 1) % n] * (k + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  write_imageui(to, c, (uint4)(sum, n, 0, 0));
}

// What work-items of a work-group have written, others of it read behind the barrier.
kernel void exchange(read_write image2d_t image, int rounds) {
  const int2 c = (int2)(get_global_id(0), get_global_id(1));
  const int2 origin = (int2)(get_group_id(0) * get_local_size(0), get_group_id(1) * get_local_size(1));
  const int2 size = (int2)(get_local_size(0), get_local_size(1));
  for (int k = 0; k < rounds; ++k) {
    const int2 from = origin + (c - origin + (int2)(1, k)) % size;
    const uint4 theirs = read_imageui(image, from);
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
    write_imageui(image, c, theirs * 3 + (uint4)(k, 1, 2, 3));
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
  }
}

// Some work-items write, some of them twice, some nothing.
kernel void some_write(write_only image2d_t image, global const uint* values) {
  const int2 c = (int2)(get_global_id(0), get_global_id(1));
  const uint v = values[c.y * get_global_size(0) + c.x];
  if (v % 4 == 0) return;
  for (uint k = 0; k < v % 4; ++k)
    write_imageui(image, c, (uint4)(v + k, k, v, 9));
}

// One step of a filter, for images that kernels hand on to each other.
kernel void step_on(read_only image2d_t from, write_only image2d_t to) {
  const int2 c = (int2)(get_global_id(0), get_global_id(1));
  uint4 sum = read_imageui(from, edge, c) * 2;
  sum += read_imageui(from, edge, c + (int2)(1, 0)) + read_imageui(from, edge, c - (int2)(1, 0));
  sum += read_imageui(from, edge, c + (int2)(0, 1)) + read_imageui(from, edge, c - (int2)(0, 1));
  write_imageui(to, c, sum);
}

// Every texel by one work-item, and one texel by all.
kernel void alone(read_only image2d_t image, global uint* out) {
  uint sum = 0;
  for (int y = 0; y < get_image_height(image); ++y)
    for (int x = 0; x < get_image_width(image); ++x)
      sum = sum * 5 + read_imageui(image, (int2)(x, y)).x;
  out[get_global_id(0)] = sum + read_imageui(image, (int2)(1, 2)).y;
}
