// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In kernels with many reads of images, whose formats nothing tells before a launch, only those in loops are inlined.
// RUN: %compile --cpu x86-64-v4 --kernel straight --emit llvm %s -o %t.ll && %check --input-file %t.ll
// RUN: %compile --cpu x86-64-v4 --kernel loop --emit llvm %s -o %t.ll && %check --check-prefix=LOOP --input-file %t.ll
// RUN: %compile --cpu x86-64-v4 --kernel few --emit llvm %s -o %t.ll && %check --check-prefix=FEW --input-file %t.ll
// REQUIRES: x86
#define EIGHT(x)                                                                                                       \
  x;                                                                                                                   \
  x;                                                                                                                   \
  x;                                                                                                                   \
  x;                                                                                                                   \
  x;                                                                                                                   \
  x;                                                                                                                   \
  x;                                                                                                                   \
  x

// CHECK: call {{.*}}read_imagef
kernel void straight(read_only image2d_t in, sampler_t sampler, global float4* out) {
  int2 place = (int2)(get_global_id(0), get_global_id(1));
  float4 sum = 0;
  EIGHT(place.x += 3; sum += read_imagef(in, sampler, place));
  EIGHT(place.y += 3; sum += read_imagef(in, sampler, place));
  out[get_global_id(0)] = sum;
}

// The loop asks for integers, which nothing else does.
// LOOP-NOT: call {{.*}}read_imageui
// LOOP: call {{.*}}read_imagef
// LOOP-NOT: call {{.*}}read_imageui
kernel void loop(read_only image2d_t in, read_only image2d_t numbers, sampler_t sampler, global float4* out, int n) {
  int2 place = (int2)(get_global_id(0), get_global_id(1));
  float4 sum = 0;
  EIGHT(place.x += 3; sum += read_imagef(in, sampler, place));
  EIGHT(place.y += 3; sum += read_imagef(in, sampler, place));
  for (int k = 0; k < n; ++k)
    sum += convert_float4(read_imageui(numbers, sampler, place + k));
  out[get_global_id(0)] = sum;
}

// FEW-NOT: call {{.*}}read_imagef
kernel void few(read_only image2d_t in, sampler_t sampler, global float4* out) {
  int2 place = (int2)(get_global_id(0), get_global_id(1));
  float4 sum = 0;
  place.x += 3;
  sum += read_imagef(in, sampler, place);
  place.y += 3;
  sum += read_imagef(in, sampler, place);
  out[get_global_id(0)] = sum;
}
