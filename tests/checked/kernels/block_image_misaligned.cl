// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// says: misaligned block at byte 2 of a row of image argument 0 'out', which must be a multiple of 4
// args: image:16,16:w
kernel void faulty(write_only image2d_t out) {
  intel_sub_group_block_write(out, (int2)(2, 0), 1u); // FAULT
}

kernel void fixed(write_only image2d_t out) {
  // What is written outside of the image is dropped.
  intel_sub_group_block_write(out, (int2)(16 * 16 - 4, 1), 1u);
}
