// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --cpu x86-64-v3 --options "-cl-std=CL3.0" --emit=info | %check
// What a kernel takes of its caller's stack: its own frame and those of what it calls. 0 where there is no bound.

// CHECK: kernel plain: {{.*}} stack {{[1-9][0-9]?[0-9]?$}}
kernel void plain(global int* out) { out[get_global_id(0)] = 1; }

// The array is 16 KiB for each work-item.
// CHECK: kernel array: {{.*}} stack {{[1-9][0-9]{4,6}$}}
kernel void array(global int* out, int n) {
  int own[4096];
  for (int i = 0; i < n; ++i) own[i] = out[i];
  out[get_global_id(0)] = own[out[0]];
}

// CHECK: kernel calls: {{.*}} stack {{[1-9][0-9]{4,6}$}}
__attribute__((noinline)) int called(global int* out, int n) {
  int own[4096];
  for (int i = 0; i < n; ++i) own[i] = out[i];
  return own[out[0]];
}
kernel void calls(global int* out, int n) { out[get_global_id(0)] = called(out, n); }

// CHECK: kernel recursive: {{.*}} stack 0{{$}}
__attribute__((noinline)) int callsItself(global int* out, int n) {
  volatile int own[4];
  own[n & 3] = n;
  return n == 0 ? own[0] : callsItself(out, n - 1) + own[n & 3] + out[n];
}
kernel void recursive(global int* out, int n) { out[get_global_id(0)] = callsItself(out, n); }

// Its sub-groups run on stacks of their own, by way of the device.
// CHECK: kernel waits: {{.*}} stack 0{{$}}
kernel void waits(global atomic_int* out) {
  while (atomic_load(out) != (int)get_global_id(0)) {}
  atomic_fetch_add(out, 1);
}
