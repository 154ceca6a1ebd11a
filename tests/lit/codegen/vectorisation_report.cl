// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %report %s --cpu x86-64-v3 | %check
// RUN: %report %s --options -clotho-width=4 | FileCheck --check-prefix=FOUR %s
// RUN: not %report %s --options -DWRONG 2>&1 | FileCheck --check-prefix=WRONG %s
// RUN: %report %s --cpu x86-64-v3 --kernel shapes --code-version "width=4 local=64x1x1" | FileCheck --check-prefix=VERSION %s
// RUN: %compile %s --cpu x86-64-v3 --options -clotho-report -o %t.so 2>&1 | %check
// RUN: llvm-dwarfdump --debug-line %t.so | FileCheck --check-prefix=OBJECT %s
// `clotho report` says what -clotho-report puts into the build log, by source lines. They are not in the object.
// A version's report begins with what launches of it have in common.
// VERSION: version 'local=64x1x1 width=4':
// VERSION-NEXT: kernel shapes: 4 work-items at once
// FOUR: kernel shapes: 4 work-items at once
// WRONG: error:
// OBJECT-NOT: "<source>"
#ifdef WRONG
wrong
#endif

// CHECK: kernel shapes: 8 work-items at once
// CHECK-DAG: divergent branches, lines: [[@LINE+12]]
// CHECK-DAG: divergent loops, lines: [[@LINE+12]]
// CHECK-DAG: one lane after the other, lines: [[@LINE+14]]
// CHECK-DAG: load, line [[@LINE+6]]: uniform
// CHECK-DAG: load, line [[@LINE+6]]: consecutive{{$}}
// CHECK-DAG: load, line [[@LINE+9]]: gather/scatter, masked
// CHECK-DAG: store, line [[@LINE+11]]: strided
// CHECK-DAG: barriers: 1, frame of {{[0-9]+}} bytes a sub-group
kernel void shapes(global int* a, global int* b, global int* count) {
  int n = a[0];
  int x = b[get_global_id(0)];
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (x > n)
    while (x != 0)
      x = a[x];
  else
    atomic_inc(count + x);
  b[3 * get_global_id(0)] = x;
}

// CHECK: kernel column: 1 work-item at once, because its required work-group size
__attribute__((reqd_work_group_size(1, 8, 1))) kernel void column(global int* a) { a[get_global_id(0)] = 1; }

// CHECK: kernel row: 8 work-items at once
// CHECK-NEXT: lanes follow dimension: 1
__attribute__((reqd_work_group_size(1, 8, 1))) kernel void row(global int* a) { a[get_global_id(1)] = 1; }
