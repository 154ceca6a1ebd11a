// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// min and max of unsigned values compare without sign.
kernel void limits(global uint* out, global const uint* in) {
  atomic_min(&out[0], in[get_global_id(0)]);
  atomic_max(&out[1], in[get_global_id(0)]);
  atomic_xor(&out[2], in[get_global_id(0)] & 0xff);
}
