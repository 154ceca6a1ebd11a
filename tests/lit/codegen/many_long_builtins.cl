// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Long builtins are inlined up to a budget, those in loops first. Beyond it they are called, as vectors: a kernel into
// which all of them were inlined would take minutes to compile.
// RUN: %compile --cpu x86-64-v4 --emit llvm %s -o %t.ll
// RUN: %check --input-file %t.ll && %check --check-prefix=LOOP --input-file %t.ll
// RUN: %compile --cpu x86-64-v4 %s -o %t.so
// RUN: find %t.so -size -1000 | %check --check-prefix=SMALL
// RUN: %report --cpu x86-64-v4 %s | %check --check-prefix=REPORT --implicit-check-not="one lane after the other"
// REQUIRES: x86
#define FIVE(x) x; x; x; x; x
#define HUNDRED(x) FIVE(FIVE(x; x; x; x))

// Blocks of 512 bytes; inlined, the code would take 8 MB.
// SMALL: many_long_builtins

// 600 calls in a line.
// REPORT: kernel straight: 16 work-items at once
// CHECK-DAG: call {{.*}}<16 x float> @_Z3sinDv16_f
// CHECK-DAG: call {{.*}}<16 x float> @_Z3cosDv16_f
kernel void straight(global float* a) {
  const size_t i = get_global_id(0);
  float x = a[i], sum = 0;
  HUNDRED(x += 0.25f; sum += sin(x) + cos(x) * sin(x + 1) + cos(sum) + sin(sum) * cos(x - 1));
  a[i] = sum;
}

// What is in a function counts as often as the function is called, and more than one argument is no obstacle.
// REPORT: kernel called: 16 work-items at once
// CHECK-DAG: call {{.*}}<16 x float> @_Z3powDv16_fS_
float power(float x, float y) { return pow(x, y); }
kernel void called(global float* a) {
  const size_t i = get_global_id(0);
  float x = a[i];
  HUNDRED(x = power(x, x + 1));
  a[i] = x;
}

// Half as many lanes of double, and vectors element by element.
// REPORT: kernel doubles: 8 work-items at once
// CHECK-DAG: call {{.*}}<8 x double> @_Z5ldexpDv8_dDv8_i
kernel void doubles(global double* a, int n) {
  const size_t i = get_global_id(0);
  double x = a[i];
  HUNDRED(x = ldexp(exp(x), (int)i - n));
  a[i] = x;
}
// REPORT: kernel vectors:
// CHECK-DAG: call {{.*}}<16 x float> @_Z4log2Dv16_f
kernel void vectors(global float4* a) {
  const size_t i = get_global_id(0);
  float4 x = a[i];
  HUNDRED(x = log2(x));
  a[i] = x;
}

// The second result of such a builtin is another vector, whatever memory it goes to: private, local, or what a pointer
// of no known address space points into.
// REPORT: kernel seconds: 8 work-items at once
// CHECK-DAG: call {{.*}}{ <8 x double>, <8 x double> } @_Z6sincosDv8_dPS_.values
// CHECK-DAG: call {{.*}}{ <8 x double>, <8 x i32> } @_Z8lgamma_rDv8_dPDv8_i.values
// CHECK-DAG: call {{.*}}{ <8 x double>, <8 x i32> } @_Z6remquoDv8_dS_PDv8_i.values
kernel void seconds(global double* a, global int* b) {
  const size_t i = get_global_id(0);
  double x = a[i], y;
  int z;
  FIVE(FIVE(x += sincos(x, &y) + y; x = lgamma_r(x, &z) * z; x += remquo(x, y, &b[i]); x -= lgamma_r(x, &b[i])));
  a[i] = x;
}
// REPORT: kernel second_vectors: 8 work-items at once
kernel void second_vectors(global double4* a) {
  const size_t i = get_global_id(0);
  double4 x = a[i], y;
  FIVE(FIVE(x += sincos(x, &y) + y));
  a[i] = x;
}

// The loop comes first, although it is at the end: what it calls is inlined. Nothing else calls tangents.
// REPORT: kernel loop: 16 work-items at once
// LOOP-NOT: call {{.*}}_Z3tanDv
kernel void loop(global float* a, int n) {
  const size_t i = get_global_id(0);
  float x = a[i];
  HUNDRED(x = exp2(x));
  for (int k = 0; k < n; ++k)
    x += tan(x);
  a[i] = x;
}
