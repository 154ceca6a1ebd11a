// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_70 --emit asm --options -cl-std=CL3.0 %s | %check
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// Sums have instructions of their own, in all types; differences are sums.
// CHECK: .visible .entry sums(
// CHECK-NOT: cas
// CHECK: fence.acq_rel.gpu;
// CHECK-NEXT: atom.global.add.f32
// CHECK-NEXT: fence.acq_rel.gpu;
// CHECK: atom.global.add.f32
// CHECK: atom.global.add.f64
// CHECK: atom.global.add.noftz.f16
// CHECK: atom.shared.add.f32
// CHECK-NOT: cas
// CHECK: ret;
kernel void sums(global atomic_float* f, global atomic_double* d, global atomic_half* h, local atomic_float* l, float x) {
  atomic_fetch_add_explicit(f, 2, memory_order_acq_rel, memory_scope_device);
  atomic_fetch_sub_explicit(f + 1, 2, memory_order_relaxed, memory_scope_device);
  atomic_fetch_add_explicit(d, x, memory_order_relaxed, memory_scope_device);
  atomic_fetch_add_explicit(h, (half)x, memory_order_relaxed, memory_scope_device);
  atomic_fetch_add_explicit(l, x, memory_order_relaxed, memory_scope_work_group);
}

// The instruction flushes denormals in global memory, so small numbers are added by a loop.
// CHECK: .visible .entry small(
// CHECK: abs.f32 [[MAGNITUDE:%r[0-9]+]]
// CHECK: setp.{{[a-z]+}}.f32 {{.*}}[[MAGNITUDE]], 0f0D800000;
// CHECK-DAG: atom.global.add.f32
// CHECK-DAG: atom.relaxed.gpu.global.cas.b32
// CHECK: ret;
kernel void small(global atomic_float* f, float x) {
  atomic_fetch_add_explicit(f, x, memory_order_relaxed, memory_scope_device);
}

// Instructions of the widest scope, where LLVM would lose it.
// CHECK: .visible .entry system(
// CHECK: atom.relaxed.sys.global.add.f32
// CHECK: atom.relaxed.sys.global.add.noftz.f16
// CHECK: atom.relaxed.sys.global.exch.b32
// CHECK: ret;
kernel void system(global atomic_float* f, global atomic_half* h, float x) {
  atomic_fetch_add_explicit(f, x, memory_order_relaxed, memory_scope_all_devices);
  atomic_fetch_add_explicit(h, (half)x, memory_order_relaxed, memory_scope_all_devices);
  atomic_exchange_explicit(f + 1, x, memory_order_relaxed, memory_scope_all_devices);
}

// Extremes are loops that exchange, between fences.
// CHECK: .visible .entry extremes(
// CHECK: fence.acq_rel.cta;
// CHECK: min.f32
// CHECK: atom.relaxed.cta.shared.cas.b32
// CHECK: fence.acq_rel.cta;
// CHECK: max.f64
// CHECK: atom.relaxed.gpu.global.cas.b64
kernel void extremes(local atomic_float* f, global atomic_double* d, float x) {
  atomic_fetch_min_explicit(f, x, memory_order_acq_rel, memory_scope_work_group);
  atomic_fetch_max_explicit(d, x, memory_order_relaxed, memory_scope_device);
}
