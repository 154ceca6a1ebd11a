// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit asm --options -cl-std=CL3.0 %s | %check

// CHECK: .visible .entry asks(
// CHECK-DAG: isspacep.shared
// CHECK-DAG: isspacep.local
kernel void asks(global int* out, local int* l, int n) {
  int p[4];
  int* g = n == 1 ? (int*)l : n == 2 ? (int*)out : (int*)p;
  *out = to_local(g) != 0 ? 1 : to_private(g) != 0 ? 2 : 3;
}

// The memory is known after inlining.
// CHECK: .visible .entry known(
// CHECK: ld.shared.b32
// CHECK: st.global.b32
int load(int* g) { return *g; }
kernel void known(global int* out, local int* l) { *out = load(l + 1); }
