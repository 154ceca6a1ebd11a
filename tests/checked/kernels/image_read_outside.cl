// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=8,8 local=4,4
// args: image:8,8:r float[64]
kernel void faulty(read_only image2d_t in, global float* out) {
  int x = get_global_id(0), y = get_global_id(1);
  out[y * 8 + x] = read_imagef(in, (int2)(x, y - 1)).x; // FAULT
}

kernel void fixed(read_only image2d_t in, global float* out) {
  int x = get_global_id(0), y = get_global_id(1);
  out[y * 8 + x] = read_imagef(in, (int2)(x, max(y - 1, 0))).x;
}
