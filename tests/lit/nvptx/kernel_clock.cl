// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_70 --emit asm --options -cl-std=CL3.0 %s | %check
// The device's clock is one for all multiprocessors; the others count cycles.

// CHECK: .visible .entry clocks(
// CHECK-DAG: mov.{{[ub]}}64 %{{rd[0-9]+}}, %globaltimer;
// CHECK-DAG: mov.{{[ub]}}64 %{{rd[0-9]+}}, %clock64;
// CHECK-DAG: mov.{{[ub]}}64 %{{rd[0-9]+}}, %clock64;
// CHECK: ret;
kernel void clocks(global ulong* out) {
  out[0] = clock_read_device();
  out[1] = clock_read_work_group();
  out[2] = clock_read_sub_group();
}
