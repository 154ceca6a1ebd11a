// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types tell what memory is apart only if the program asks for that. Builtins never do.
// RUN: %compile %s --emit=portable | %check --check-prefix=NONE --implicit-check-not=tbaa
// RUN: %compile %s --options "-cl-opt-disable" --emit=lowered | %check --check-prefix=NONE --implicit-check-not=tbaa
// RUN: %compile %s --options "-cl-strict-aliasing" --emit=portable | %check --check-prefix=STRICT
// NONE: define {{.*}}lookTwice
// STRICT: define {{.*}}lookTwice
// STRICT: load i32, {{.*}} !tbaa [[INT:![0-9]+]]
// STRICT: store float {{.*}} !tbaa [[FLOAT:![0-9]+]]
// STRICT: [[INT]] = !{[[INT_TYPE:![0-9]+]], [[INT_TYPE]], i64 0}
// STRICT: [[INT_TYPE]] = !{!"int"
// STRICT: [[FLOAT]] = !{[[FLOAT_TYPE:![0-9]+]], [[FLOAT_TYPE]], i64 0}
// STRICT: [[FLOAT_TYPE]] = !{!"float"
kernel void lookTwice(global float* a, global int* b, global float3* c, int i) {
  const int before = b[i];
  a[i + 1] = fract(1.5f, a + 8) + vload_half(9, (global half*)a);
  vstore3(c[i], i, a);
  if (b[i] != before) a[0] = 1;
}
