; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Conversions that saturate are written out: integers of 8 and 16 bits by way of 32, after the number has been brought
; between the limits, which are exact; of wider ones by what is out of range, on either side. NaN becomes 0.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-NOT: call {{.*}}.sat.
; CHECK-LABEL: define spir_kernel void @uchar(
; CHECK: %[[LOW:.*]] = fcmp ogt <4 x float> %[[X:.*]], zeroinitializer
; CHECK: %[[ABOVE:.*]] = select <4 x i1> %[[LOW]], <4 x float> %[[X]], <4 x float> zeroinitializer
; CHECK: %[[HIGH:.*]] = fcmp olt <4 x float> %[[ABOVE]], splat (float 2.550000e+02)
; CHECK: %[[FIT:.*]] = select <4 x i1> %[[HIGH]], <4 x float> %[[ABOVE]], <4 x float> splat (float 2.550000e+02)
; CHECK: %[[INT:.*]] = fptosi <4 x float> %[[FIT]] to <4 x i32>
; CHECK: trunc <4 x i32> %[[INT]] to <4 x i8>
; CHECK-NOT: call {{.*}}.sat.
; CHECK-LABEL: define internal spir_func void @uchar.short(
define spir_kernel void @uchar(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %lid
  %x = load float, ptr addrspace(1) %p, align 4
  %y = call i8 @llvm.fptoui.sat.i8.f32(float %x)
  %q = getelementptr i8, ptr addrspace(1) %b, i64 %lid
  store i8 %y, ptr addrspace(1) %q, align 1
  ret void
}

; A half of 16 bits does not hold the limits: by way of single precision. A signed zero stands for NaN.
; CHECK-LABEL: define spir_kernel void @short(
; CHECK: %[[X:.*]] = fpext <4 x half> %{{.*}} to <4 x float>
; CHECK: %[[NUMBER:.*]] = fcmp ord <4 x float> %[[X]], zeroinitializer
; CHECK: select <4 x i1> %[[NUMBER]], <4 x float> %[[X]], <4 x float> zeroinitializer
; CHECK: fcmp ogt <4 x float> %{{.*}}, splat (float -3.276800e+04)
; CHECK: fcmp olt <4 x float> %{{.*}}, splat (float 3.276700e+04)
; CHECK: %[[INT:.*]] = fptosi <4 x float> %{{.*}} to <4 x i32>
; CHECK: trunc <4 x i32> %[[INT]] to <4 x i16>
; CHECK-LABEL: define internal spir_func void @short.short(
define spir_kernel void @short(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr half, ptr addrspace(1) %a, i64 %lid
  %x = load half, ptr addrspace(1) %p, align 2
  %y = call i16 @llvm.fptosi.sat.i16.f16(half %x)
  %q = getelementptr i16, ptr addrspace(1) %b, i64 %lid
  store i16 %y, ptr addrspace(1) %q, align 2
  ret void
}

; CHECK-LABEL: define spir_kernel void @int(
; CHECK: %[[HIGH:.*]] = fcmp oge <4 x float> %[[X:.*]], splat (float 0x41E0000000000000)
; CHECK: %[[LOW:.*]] = fcmp olt <4 x float> %[[X]], splat (float 0xC1E0000000000000)
; CHECK: %[[SAFE:.*]] = select <4 x i1> %{{.*}}, <4 x float> %[[X]], <4 x float> zeroinitializer
; CHECK: %[[INT:.*]] = fptosi <4 x float> %[[SAFE]] to <4 x i32>
; CHECK: %[[MOST:.*]] = select <4 x i1> %[[HIGH]], <4 x i32> splat (i32 2147483647), <4 x i32> %[[INT]]
; CHECK: select <4 x i1> %[[LOW]], <4 x i32> splat (i32 -2147483648), <4 x i32> %[[MOST]]
; CHECK-LABEL: define internal spir_func void @int.short(
define spir_kernel void @int(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %lid
  %x = load float, ptr addrspace(1) %p, align 4
  %y = call i32 @llvm.fptosi.sat.i32.f32(float %x)
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %lid
  store i32 %y, ptr addrspace(1) %q, align 4
  ret void
}

; CHECK-LABEL: define spir_kernel void @ulong(
; CHECK: %[[HIGH:.*]] = fcmp oge <4 x double> %[[X:.*]], splat (double 0x43F0000000000000)
; CHECK: fcmp ogt <4 x double> %[[X]], splat (double -1.000000e+00)
; CHECK: %[[SAFE:.*]] = select <4 x i1> %{{.*}}, <4 x double> %[[X]], <4 x double> zeroinitializer
; CHECK: %[[INT:.*]] = fptoui <4 x double> %[[SAFE]] to <4 x i64>
; CHECK: select <4 x i1> %[[HIGH]], <4 x i64> splat (i64 -1), <4 x i64> %[[INT]]
; CHECK-LABEL: define internal spir_func void @ulong.short(
; CHECK-NOT: call {{.*}}.sat.
define spir_kernel void @ulong(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr double, ptr addrspace(1) %a, i64 %lid
  %x = load double, ptr addrspace(1) %p, align 8
  %y = call i64 @llvm.fptoui.sat.i64.f64(double %x)
  %q = getelementptr i64, ptr addrspace(1) %b, i64 %lid
  store i64 %y, ptr addrspace(1) %q, align 8
  ret void
}

; What need not saturate goes by way of 32 bits, too, when it is narrow.
; CHECK-LABEL: define spir_kernel void @plain(
; CHECK: %[[INT:.*]] = fptosi <4 x float> %{{.*}} to <4 x i32>
; CHECK: trunc <4 x i32> %[[INT]] to <4 x i8>
define spir_kernel void @plain(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %lid
  %x = load float, ptr addrspace(1) %p, align 4
  %y = fptoui float %x to i8
  %q = getelementptr i8, ptr addrspace(1) %b, i64 %lid
  store i8 %y, ptr addrspace(1) %q, align 1
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
