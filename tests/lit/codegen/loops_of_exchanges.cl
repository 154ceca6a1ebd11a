// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --cpu znver4 --emit=asm | %check
// A work-item alone leaves a loop where it finds out that it is done, without a flag that says so.

// CHECK-LABEL: insert.cl:
// CHECK-NOT: {{[tc]mpb|testb}}
// CHECK: lock cmpxchgl
// CHECK-NOT: {{[tc]mpb|testb}}
// CHECK: retq
kernel void insert(global const uint* keys, global uint* table, global uint* isIn, uint mask) {
  uint key = keys[get_global_id(0)], h = (key * 2654435761u) & mask;
  while (1) {
    uint old = atomic_cmpxchg(table + h, 0u, key);
    if (old == 0) isIn[key] = 1;
    if (old == 0 || old == key) break;
    h = (h + 1) & mask;
  }
}
