// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Long builtins that are called more than once are inlined and widened too, or each lane would call them.
// RUN: %report %s | %check --implicit-check-not="one lane after the other"
// CHECK: kernel k: {{[0-9]+}} work-items at once
kernel void k(global double* a) {
  const size_t i = get_global_id(0);
  const double x = a[i];
  a[i] = sin(x) + sin(x + 1) + sin(x + 2) + lgamma(x) + lgamma(x + 1) + pow(x, 2.5) + pow(x + 1, x) + pow(2.0, x);
}
