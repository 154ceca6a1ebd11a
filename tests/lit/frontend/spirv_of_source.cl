// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPIR-V that the command writes is valid where LLVM's back end alone would write what is not.
// RUN: %compile %s --emit=spirv --options=-cl-std=CL3.0 -o %t.spv
// RUN: spirv-val --target-env spv1.4 %t.spv
// RUN: spirv-dis %t.spv | %check
// CHECK-NOT: OpAtomicCompareExchangeWeak
// CHECK-NOT: OpSatConvert
// CHECK-NOT: OpAny
// CHECK: OpEntryPoint Kernel %{{.*}} "mended"
// CHECK-NOT: OpAtomicCompareExchangeWeak
// CHECK-NOT: OpSatConvert
// CHECK-NOT: OpAny
kernel void mended(global int* out, global atomic_int* counter, int4 v) {
  int expected = 0;
  atomic_compare_exchange_weak(counter, &expected, 1);
  out[get_global_id(0)] = any(v) + convert_char_sat(v.x) + expected;
}
