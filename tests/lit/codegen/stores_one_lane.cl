// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --cpu x86-64-v4 --options -clotho-width=16 --emit=asm | %check
// One lane of the third sub-group is left, whose byte is stored. LLVM 22 stores the four bytes that it was narrowed from.
// CHECK-LABEL: bytes.cl:
// CHECK: movb %{{[a-d]}}l, 32(%r{{.*}})
// CHECK: retq
__attribute__((reqd_work_group_size(64, 1, 1))) kernel void bytes(global const int* in, global uchar* out) {
  const int l = get_local_id(0);
  local int before[64];
  before[l] = in[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 33) out[l] = (uchar)before[l ^ 1];
}
