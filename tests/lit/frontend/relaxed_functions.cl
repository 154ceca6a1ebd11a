// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Relaxed options call native functions where these keep the relaxed limits: of float, and of no other type.
// RUN: %compile %s --options "-cl-fast-relaxed-math" --emit=portable | %check
// RUN: %compile %s --options "-cl-unsafe-math-optimizations" --emit=portable | %check
// RUN: %compile %s --emit=portable | %check --check-prefix=FULL
// CHECK-LABEL: define {{.*}} @__clang_ocl_kern_imp_f(
// CHECK: call {{.*}} @_Z10native_sinf(
// CHECK: call {{.*}} @_Z10native_sinf(
// CHECK: call {{.*}} @_Z10native_cosDv4_f(
// CHECK: call {{.*}} @_Z11native_powrDv4_fS_(
// CHECK: call {{.*}} @_Z3tanf(
// CHECK: call {{.*}} @_Z3sind(
// FULL-LABEL: define {{.*}} @__clang_ocl_kern_imp_f(
// FULL: call {{.*}} @_Z3sinf(
// FULL: call {{.*}} @_Z10native_sinf(
// FULL: call {{.*}} @_Z3cosDv4_f(
// FULL: call {{.*}} @_Z4powrDv4_fS_(
kernel void f(global float* a, global float4* b, global double* c) {
  a[0] = sin(a[0]);
  a[1] = native_sin(a[1]);
  b[0] = cos(b[0]);
  b[1] = powr(b[1], b[2]);
  a[2] = tan(a[2]);
  c[0] = sin(c[0]);
}
