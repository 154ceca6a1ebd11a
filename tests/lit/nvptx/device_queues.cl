// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels get what they share with the host by the launch; blocks that they enqueue are entries of the module, which
// the host launches with the address of the literal.
// RUN: %compile --gpu sm_90 --emit asm --options -cl-std=CL3.0 %s | %check
// RUN: %compile --gpu sm_90 --emit asm --options "-cl-std=CL3.0 -g -cl-opt-disable" %s | %check --check-prefix=UNOPTIMISED
// RUN: %compile --gpu sm_90 --emit info --options -cl-std=CL3.0 %s | %check --check-prefix=INFO
// INFO: kernel parent: symbol parent,
// INFO: kernel __parent_block_invoke_kernel: symbol k__parent_block_invoke_kernel,

// CHECK-LABEL: .visible .entry k__parent_block_invoke_kernel(
// CHECK: ld.param.b64 %{{rd[0-9]+}}, [k__parent_block_invoke_kernel_param_1];
// CHECK-LABEL: .visible .entry parent(
// CHECK: ld.param.b64 %{{rd[0-9]+}}, [parent_param_0+152];
// The library's function stays one, and pushes the record to the list of the launch.
// CHECK-LABEL: .func clotho_$_queue_enqueue(
// CHECK: atom.relaxed.sys.global.exch.b64
// UNOPTIMISED-DAG: .entry parent(
// UNOPTIMISED-DAG: .entry k__parent_block_invoke_kernel(
kernel void parent(global int* p, queue_t q) {
  const int n = p[1];
  enqueue_kernel(q, 0, ndrange_1D(4), ^{ p[get_global_id(0)] = n; });
}
