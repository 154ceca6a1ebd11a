// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit asm --options -cl-std=CL3.0 %s | %check

// LLVM writes the value of a scalar of half as that of a double, of which assemblers take other bytes.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// CHECK: .global .align 2 .{{[bu]}}16 counter = 15872;
global half counter = 1.5h;
kernel void count(global half* out) { out[get_global_id(0)] = counter++; }
