// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// In a long chain of conditions each way is taken next to its condition: else as many masks as there are conditions
// would wait, and be spilled. Constants stay where they are used, for the same reason.
// RUN: %compile --cpu x86-64-v4 --options -clotho-width=16 --emit asm %s -o %t.s
// RUN: grep -c "(%rsp)" %t.s | %check
// CHECK: {{^[1-9]?[0-9]$}}
#define STEP(n) if (x < n) a[i] = b[x] * (n + 1); else
#define TEN(n) STEP(n##0) STEP(n##2) STEP(n##4) STEP(n##6) STEP(n##8)
#define FIFTY(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)

kernel void chain(global int* a, global const int* b) {
  const size_t i = get_global_id(0);
  const int x = a[i];
  FIFTY(1) FIFTY(2) FIFTY(3) FIFTY(4) FIFTY(5) FIFTY(6) FIFTY(7) FIFTY(8) FIFTY(9) FIFTY(10) FIFTY(11) FIFTY(12)
  a[i] = 0;
}
