// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_70 --emit asm --options -cl-std=CL3.0 %s | %check

// Order by fences, scope by the instruction and by the fences.
// CHECK: .visible .entry counts(
// CHECK-NOT: fence
// CHECK: atom.global.add.u32 %{{r[0-9]+}}, [%{{rd[0-9]+}}], 1;
// CHECK-NEXT: fence.acq_rel.cta;
// CHECK-NEXT: atom.global.add.u32 %{{r[0-9]+}}, [%{{rd[0-9]+}}], 2;
// CHECK-NEXT: fence.acq_rel.cta;
// CHECK-NEXT: fence.sc.sys;
// CHECK: atom.relaxed.sys.global.max.s32
// CHECK: fence.acq_rel.sys;
// CHECK-NEXT: fence.sc.cta;
// CHECK-NEXT: atom.shared.add.u32 %{{r[0-9]+}}, [%{{rd[0-9]+}}+128], 4;
// CHECK-NEXT: fence.acq_rel.cta;
// CHECK-NEXT: atom.global.add.u32 %{{r[0-9]+}}, [%{{rd[0-9]+}}], 5;
// CHECK-NEXT: atom.acquire.gpu.global.cas.b32
// CHECK: st.release.gpu.global.b32 [%{{rd[0-9]+}}], 6;
// CHECK-NEXT: ld.acquire.cta.global.b32
kernel void counts(global atomic_int* a, global int* b, local atomic_int* l) {
  atomic_fetch_add_explicit(a, 1, memory_order_relaxed, memory_scope_device);
  atomic_fetch_add_explicit(a, 2, memory_order_acq_rel, memory_scope_work_group);
  atomic_fetch_max_explicit(a, 3, memory_order_seq_cst, memory_scope_all_svm_devices);
  atomic_fetch_add(l, 4);
  atomic_add(b, 5);
  int expected = 1;
  atomic_compare_exchange_strong_explicit(a, &expected, 2, memory_order_acquire, memory_order_acquire,
                                          memory_scope_device);
  atomic_store_explicit(a, 6, memory_order_release, memory_scope_device);
  *b = atomic_load_explicit(a, memory_order_acquire, memory_scope_work_group) + expected;
}

// CHECK: .visible .entry fences(
// CHECK: fence.acq_rel.cta;
// CHECK-NEXT: fence.acq_rel.gpu;
// CHECK-NEXT: fence.sc.gpu;
// CHECK-NEXT: fence.acq_rel.cta;
// CHECK-NEXT: fence.acq_rel.sys;
// CHECK-NEXT: ret;
kernel void fences() {
  mem_fence(CLK_LOCAL_MEM_FENCE);
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_all_svm_devices);
}
