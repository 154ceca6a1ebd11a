// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each case of a switch that falls through waits for its lanes while those of other cases run. In registers, each mask
// and each value that waits would be a phi in each block on the way: 2,700 for these 100 cases, and 4 times as many for
// twice as many. They are in memory.
// RUN: %compile --options -clotho-width=8 --emit llvm %s -o %t.ll
// RUN: grep -c " phi " %t.ll | %check
// RUN: %check --check-prefix=FEW --input-file %t.ll
// CHECK: {{^[1-6]?[0-9]?[0-9]$}}
#define CASE(x) case x: y = y * 3 + a[(i + x) & 1023];
#define TEN(x) CASE(x##9) CASE(x##8) CASE(x##7) CASE(x##6) CASE(x##5) CASE(x##4) CASE(x##3) CASE(x##2) CASE(x##1) CASE(x##0)

kernel void many(global int* a, global int* o) {
  const size_t i = get_global_id(0);
  int y = o[i];
  switch (a[i]) {
    TEN(9) TEN(8) TEN(7) TEN(6) TEN(5) TEN(4) TEN(3) TEN(2) TEN(1) TEN()
  }
  o[i] = y;
}

// Few cases have their masks in registers.
// FEW-LABEL: define internal void @few
// FEW-NOT: volatile
// FEW: ret void
kernel void few(global int* a, global int* o) {
  const size_t i = get_global_id(0);
  int y = o[i];
  switch (a[i]) {
    TEN()
  }
  o[i] = y;
}
