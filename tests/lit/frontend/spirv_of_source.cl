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

// Pointers in program scope: nulls have the type of what they initialise, and bytes are counted as bytes.
// RUN: spirv-dis --raw-id %t.spv | %check --check-prefix=ADDRESS
// ADDRESS-DAG: [[BYTE:%[0-9]+]] = OpTypeInt 8 0
// ADDRESS-DAG: [[BYTES:%[0-9]+]] = OpTypePointer CrossWorkgroup [[BYTE]]
// ADDRESS-DAG: [[LONG:%[0-9]+]] = OpTypeInt 64 0
// ADDRESS-DAG: [[TWO:%[0-9]+]] = OpConstant [[LONG]] 2
// ADDRESS-DAG: [[NULL:%[0-9]+]] = OpConstantNull [[BYTES]]
// ADDRESS-DAG: [[PAIRS:%[0-9]+]] = OpVariable {{%[0-9]+}} CrossWorkgroup {{%[0-9]+}}
// ADDRESS-DAG: [[FIRST:%[0-9]+]] = OpSpecConstantOp [[BYTES]] Bitcast [[PAIRS]]
// ADDRESS-DAG: [[SECOND:%[0-9]+]] = OpSpecConstantOp [[BYTES]] InBoundsPtrAccessChain [[FIRST]] [[TWO]]
// ADDRESS-DAG: OpVariable {{%[0-9]+}} CrossWorkgroup [[SECOND]]
// ADDRESS-DAG: OpVariable {{%[0-9]+}} CrossWorkgroup [[NULL]]
uchar2 pairs[2] = {(uchar2)(1), (uchar2)(1)};
global uchar2* second = &pairs[1];
global uchar2* none;
kernel void addresses(global uchar2* out) {
  *out = *second;
  second = none;
}
