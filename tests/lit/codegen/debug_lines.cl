// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile %s --options -g -o %t.so
// RUN: llvm-dwarfdump --debug-line %t.so | %check
// Lines of the source survive the splitting at barriers.
// CHECK: name: "<source>"
// CHECK: {{^}}0x{{[0-9a-f]+}} 9 {{.*}}
// CHECK: {{^}}0x{{[0-9a-f]+}} 11 {{.*}}
kernel void k(global int* a, local int* t) {
  t[get_local_id(0)] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = t[0];
}
