// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ids are known to be within the size that a kernel requires, from SPIR-V as from source.
// RUN: %compile %s --emit=spirv -o %t.spv
// RUN: %compile %t.spv --emit=llvm --print-after=lower-work-item -o /dev/null 2>&1 | %check
// RUN: %compile %s --emit=llvm --print-after=lower-work-item -o /dev/null 2>&1 | %check
// CHECK: call range(i64 0, 48) i64 @clotho.local_id(i32 0)
kernel __attribute__((reqd_work_group_size(48, 1, 1))) void k(global int* a) { a[get_local_id(0)] = 1; }
