// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each option for arithmetic lets LLVM do.
// RUN: %compile %s --emit=portable | %check --check-prefix=PLAIN
// PLAIN-LABEL: spir_kernel void @k(
// PLAIN: call float @llvm.fmuladd.f32(
// PLAIN: fdiv float {{.*}}, !fpmath
// PLAIN: fmul double
// PLAIN-LABEL: spir_kernel void @exact(
// PLAIN: fmul float
// PLAIN: fadd float
// RUN: %compile %s --options "-cl-mad-enable" --emit=portable | %check --check-prefix=MAD
// MAD-LABEL: spir_kernel void @k(
// MAD: fmul contract float
// MAD: fadd contract float
// The pragma counts more than the option.
// MAD-LABEL: spir_kernel void @exact(
// MAD: fmul float
// MAD: fadd float
// RUN: %compile %s --options "-cl-no-signed-zeros" --emit=portable | %check --check-prefix=ZEROS
// ZEROS: fdiv nsz float
// RUN: %compile %s --options "-cl-unsafe-math-optimizations" --emit=portable | %check --check-prefix=UNSAFE
// UNSAFE: fdiv reassoc nsz arcp contract afn float
// RUN: %compile %s --options "-cl-finite-math-only -DFINITE" --emit=portable | %check --check-prefix=FINITE
// The option is a macro only: kernels divide by what overflows.
// FINITE: fdiv float
// RUN: %compile %s --options "-cl-fast-relaxed-math -DFINITE -DRELAXED" --emit=portable | %check --check-prefix=FAST
// FAST: fdiv reassoc nsz arcp contract afn float
// RUN: %compile %s --options "-cl-fp32-correctly-rounded-divide-sqrt" --emit=portable | %check --check-prefix=ROUNDED
// ROUNDED: fdiv float %{{[0-9]+}}, %{{[0-9]+}}{{$}}
// RUN: %compile %s --options "-cl-single-precision-constant" --emit=portable | %check --check-prefix=SINGLE
// SINGLE-NOT: double
// RUN: %compile %s --options "-cl-denorms-are-zero" --emit=portable | %check --check-prefix=FLUSH
// FLUSH: !{{[0-9]+}} = !{!"flush-denormals", i1 true
#if defined(__FAST_RELAXED_MATH__) != defined(RELAXED) || (__FINITE_MATH_ONLY__ != 0) != defined(FINITE)
#error "macros"
#endif
kernel void k(global float* a) {
  a[0] = a[1] * a[2] + a[3];
  a[4] = a[5] / a[6];
  a[7] = a[8] * 0.1;
}
#pragma OPENCL FP_CONTRACT OFF
kernel void exact(global float* a) { a[0] = a[1] * a[2] + a[3]; }
