// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --emit portable --options "-cl-std=CL2.0" -o %t.ll %s
// RUN: %opt --passes=check-memory %t.ll | %check

// An array with an initialiser has no shadow, nor has a structure of which all members are written first.
// CHECK-LABEL: define {{.*}}spir_kernel void @initialised(
// CHECK-NOT: clotho.written
// CHECK: ret void
typedef struct { ulong sums[2]; uint words[3]; } State;
kernel void initialised(global const uint* in, global uint* out) {
  uint array[8] = {0};
  State state;
  state.sums[0] = 1;
  state.sums[1] = 2;
  state.words[0] = state.words[1] = 4;
  state.words[2] = 5;
  array[in[0] & 7] = 3;
  state.words[in[1] & 1] = 3;
  out[0] = array[in[2] & 7] + (uint)state.sums[in[3] & 1] + state.words[in[4] & 1];
}

// A member is written after the first read.
// CHECK-LABEL: define {{.*}}spir_kernel void @late(
// CHECK: clotho.written
// CHECK: ret void
kernel void late(global const uint* in, global uint* out) {
  State state;
  state.sums[0] = 1;
  state.sums[1] = 2;
  state.words[0] = state.words[1] = 4;
  out[1] = state.words[in[1] & 1];
  state.words[2] = 5;
  out[0] = (uint)state.sums[in[3] & 1] + state.words[in[4] & 1];
}

// The alignment of a private array is known through generic pointers, but that of a pointer to its bytes is not. The
// arguments' alignment is looked at once.
// CHECK-LABEL: define {{.*}}spir_kernel void @aligned(
// CHECK-COUNT-2: and i64 %{{.*}}, 3
// CHECK-NOT: and i64 %{{.*}}, 3
// CHECK: ret void
uint get(uint* array, uint i) { return array[i]; }
kernel void aligned(global const uint* in, global uint* out, uint n) {
  uint array[8] = {0};
  array[n & 7] = 3;
  uint* any = array;
  any[1] = in[0] & 7;
  out[0] = any[any[1]];
}
// CHECK-LABEL: define {{.*}}spir_kernel void @bytes(
// CHECK-COUNT-2: and i64 %{{.*}}, 3
// CHECK: %[[LOW:.*]] = and i64 %{{.*}}, 3
// CHECK: icmp ne i64 %[[LOW]], 0
// CHECK: ret void
kernel void bytes(global const uint* in, global uint* out, uint n) {
  uchar array[32] = {0};
  array[n & 31] = 3;
  uchar* any = array;
  out[0] = *(uint*)(any + (n & 15)) + in[0];
}
