// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit llvm %s | %check
// RUN: %compile --gpu sm_90 --emit llvm --options -cl-opt-disable %s | %check

// A loop with two entries gets one, which tells where to go on: ptxas counts loops around the former wrongly.
// CHECK: define {{.*}} @two_entries(
// CHECK: irr.guard{{[a-z0-9.]*}}:
kernel void two_entries(global const int* in, global int* out) {
  int n = in[get_global_id(0)], sum = 0;
  if (n & 1) goto middle;
top:
  sum += 100;
  if (n <= 0) goto end;
middle:
  sum += n;
  n -= 2;
  if (n > -3) goto top;
end:
  out[get_global_id(0)] = sum;
}

// One with a switch, too.
// CHECK: define {{.*}} @cases(
// CHECK-NOT: switch i32
// CHECK: irr.guard{{[a-z0-9.]*}}:
kernel void cases(global const int* in, global int* out) {
  int n = in[get_global_id(0)], sum = 0;
  switch (n & 3) {
    while (n > 0) {
    case 0: sum += n; n -= 3;
    case 1: sum ^= n; --n;
    default: sum *= 3;
    }
  }
  out[get_global_id(0)] = sum;
}

// Other loops stay as they are.
// CHECK: define {{.*}} @plain(
// CHECK-NOT: irr.guard{{[a-z0-9.]*}}:
kernel void plain(global const int* in, global int* out) {
  int sum = 0;
  for (int n = in[get_global_id(0)]; n > 0; n = n * 5 & 1023) sum += n;
  out[get_global_id(0)] = sum;
}
