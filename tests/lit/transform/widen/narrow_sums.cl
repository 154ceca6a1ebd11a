// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --cpu x86-64-v3 --emit obj -o /dev/null --print-after narrow-sums %s 2>&1 | %check
// Sums of small numbers in as few bits as they need, and the numbers of a block together.

// CHECK-LABEL: IR after narrow-sums on function counts
// CHECK: zext i1 %{{.*}} to i8
// CHECK-COUNT-31: add nuw i8
// CHECK-NOT: add nuw i8
// CHECK: zext i8 %{{.*}} to i32
kernel void counts(global const uchar* in, global int* out) {
  int i = get_global_id(0), count = 0;
  for (int k = i * 256; k < (i + 1) * 256; ++k)
    count += in[k] == 'e';
  out[i] = count;
}

// 257 bytes fit into 16 bits.
// CHECK-LABEL: IR after narrow-sums on function bytes
// CHECK: zext i8 %{{.*}} to i16
// CHECK-COUNT-31: add nuw i16
// CHECK-NOT: add nuw i16
// CHECK: zext i16 %{{.*}} to i32
kernel void bytes(global const uchar* in, global uint* out) {
  int i = get_global_id(0);
  uint sum = 0;
  for (int k = i * 256; k < (i + 1) * 256; ++k)
    sum += in[k];
  out[i] = sum;
}

// Signed numbers stay.
// CHECK-LABEL: IR after narrow-sums on function signs
// CHECK-NOT: add nuw i{{8|16}}
// CHECK-LABEL: IR after narrow-sums on function end
kernel void signs(global const char* in, global int* out) {
  int i = get_global_id(0), sum = 0;
  for (int k = i * 256; k < (i + 1) * 256; ++k)
    sum += in[k];
  out[i] = sum;
}

kernel void end(global const uchar* in, global int* out) {
  int i = get_global_id(0), count = 0;
  for (int k = i * 256; k < (i + 1) * 256; ++k)
    count += in[k];
  out[i] = count;
}
