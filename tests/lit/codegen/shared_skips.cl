// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// After each block of a switch whose lanes part come tests for the blocks that other lanes wait for. Ways on which lanes
// wait for the same blocks share these tests: in each of the two functions of the kernel there are at most two tests for
// each of the 32 cases, not five, one for each level of the tree of comparisons.
// RUN: %compile --options -clotho-width=8 --emit lowered %s -o %t.ll
// RUN: grep -c "\.skip[0-9]*:" %t.ll | %check
// CHECK: {{^([0-9][0-9]|1[0-1][0-9]|12[0-8])$}}
#define CASE(x) case x: a[n * (x)] = n / ((x) + a[i]); break;
#define FOUR(x) CASE(x) CASE(x + 1) CASE(x + 2) CASE(x + 3)
#define SIXTEEN(x) FOUR(x) FOUR(x + 4) FOUR(x + 8) FOUR(x + 12)

kernel void many_cases(global int* a, int n) {
  const size_t i = get_global_id(0);
  switch (a[i]) {
    SIXTEEN(0)
    SIXTEEN(16)
  }
}
