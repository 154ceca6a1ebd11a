// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit asm %s | %check
// RUN: %compile --gpu sm_90 --emit info %s | FileCheck %s --check-prefix=INFO

// CHECK: .visible .entry prints(
// CHECK: ld.param.b64 %[[BUFFER:rd[0-9]+]], [prints_param_0+120];
// CHECK: st.param.b64 [param0], %[[BUFFER]];
// INFO: printf '%d\n' 4
kernel void prints(int n) { printf("%d\n", n); }
