// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=8,8 local=4,4
// args: float[64]=i float[64] int:8 int:8
kernel void faulty(global const float* in, global float* out, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    sum += in[(y + dy) * width + x]; // FAULT
  out[y * width + x] = sum;
}

kernel void fixed(global const float* in, global float* out, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    sum += in[clamp(y + dy, 0, height - 1) * width + x];
  out[y * width + x] = sum;
}
