// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// Long builtins that do not work element by element are inlined up to a budget, and called beyond it: here half of
// them, so that the code is not as large as the sum of all.
// RUN: %compile --cpu x86-64-v4 --emit lowered %s | %check
#define FIVE(x) x; x; x; x; x
#define HUNDRED(x) FIVE(FIVE(x; x; x; x))

// CHECK-LABEL: define {{.*}}@many
// CHECK: call {{.*}}normalize
kernel void many(global double4* a) {
  const size_t i = get_global_id(0);
  double4 x = a[i];
  HUNDRED(x = normalize(x + 1.0); x = ldexp(x, (int)i));
  a[i] = x;
}

// CHECK-LABEL: define {{.*}}@few
// CHECK-NOT: call {{.*}}normalize
// CHECK: ret void
kernel void few(global double4* a) {
  const size_t i = get_global_id(0);
  double4 x = a[i];
  FIVE(x = normalize(x + 1.0));
  a[i] = x;
}
