; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=scalarise-elements %s | %check
; Elements of vectors that are made of scalars are scalars.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.global_id(i32) #0
declare <2 x i32> @llvm.smax.v2i32(<2 x i32>, <2 x i32>)
declare <2 x i32> @llvm.fptosi.sat.v2i32.v2f32(<2 x float>)
declare <2 x float> @llvm.powi.v2f32.i32(<2 x float>, i32)

; in[max(p + 1, 0).y * w + max(p + 1, 0).x]
; CHECK-LABEL: define spir_kernel void @clamped(
; CHECK-NOT: <2 x
; CHECK-DAG: %[[X1:.*]] = add nsw i32 %x, 1
; CHECK-DAG: %[[Y1:.*]] = add nsw i32 %y, 2
; CHECK-DAG: %[[X:.*]] = call i32 @llvm.smax.i32(i32 %[[X1]], i32 0)
; CHECK-DAG: %[[Y:.*]] = call i32 @llvm.smax.i32(i32 %[[Y1]], i32 0)
; CHECK: %row = mul i32 %[[Y]], %w
; CHECK: %index = add i32 %row, %[[X]]
; CHECK-LABEL: }
define spir_kernel void @clamped(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %w) {
  %id = call i64 @clotho.global_id(i32 0)
  %x = trunc i64 %id to i32
  %id1 = call i64 @clotho.global_id(i32 1)
  %y = trunc i64 %id1 to i32
  %p0 = insertelement <2 x i32> poison, i32 %x, i64 0
  %p = insertelement <2 x i32> %p0, i32 %y, i64 1
  %moved = add nsw <2 x i32> %p, <i32 1, i32 2>
  %q = call <2 x i32> @llvm.smax.v2i32(<2 x i32> %moved, <2 x i32> zeroinitializer)
  %qy = extractelement <2 x i32> %q, i64 1
  %row = mul i32 %qy, %w
  %qx = extractelement <2 x i32> %q, i64 0
  %index = add i32 %row, %qx
  %at = sext i32 %index to i64
  %from = getelementptr float, ptr addrspace(1) %in, i64 %at
  %value = load float, ptr addrspace(1) %from
  store float %value, ptr addrspace(1) %out
  ret void
}

; any(p > (int2)(3, 4)) and all(p < limit), of an argument, which are asked of bits.
; CHECK-LABEL: define spir_kernel void @questions(
; CHECK-DAG: %[[LIMIT0:.*]] = extractelement <2 x i32> %limit, i64 0
; CHECK-DAG: %[[LIMIT1:.*]] = extractelement <2 x i32> %limit, i64 1
; CHECK-DAG: %[[A0:.*]] = icmp sgt i32 %x, 3
; CHECK-DAG: %[[A1:.*]] = icmp sgt i32 %x, 4
; CHECK-DAG: %[[ANY:.*]] = or i1 %[[A0]], %[[A1]]
; CHECK-DAG: %[[B0:.*]] = icmp slt i32 %x, %[[LIMIT0]]
; CHECK-DAG: %[[B1:.*]] = icmp slt i32 %x, %[[LIMIT1]]
; CHECK-DAG: %[[ALL:.*]] = and i1 %[[B0]], %[[B1]]
; CHECK: %[[NOT:.*]] = xor i1 %[[ALL]], true
; CHECK: %both = select i1 %[[ANY]], i1 %[[NOT]], i1 false
define spir_kernel void @questions(ptr addrspace(1) %out, <2 x i32> %limit) {
  %id = call i64 @clotho.global_id(i32 0)
  %x = trunc i64 %id to i32
  %p0 = insertelement <2 x i32> poison, i32 %x, i64 0
  %p = shufflevector <2 x i32> %p0, <2 x i32> poison, <2 x i32> zeroinitializer
  %more = icmp sgt <2 x i32> %p, <i32 3, i32 4>
  %more.bits = bitcast <2 x i1> %more to i2
  %any = icmp ne i2 %more.bits, 0
  %less = icmp slt <2 x i32> %p, %limit
  %less.bits = bitcast <2 x i1> %less to i2
  %some.not = icmp ne i2 %less.bits, -1
  %both = select i1 %any, i1 %some.not, i1 false
  store i1 %both, ptr addrspace(1) %out
  ret void
}

; By floats: what remains of them is taken from the same scalars. An operand that all elements share stays as it is.
; CHECK-LABEL: define spir_kernel void @scaled(
; CHECK-NOT: <2 x
; CHECK: %[[F:.*]] = sitofp i32 %x to float
; CHECK: %[[P:.*]] = call float @llvm.powi.f32.i32(float %[[F]], i32 %power)
; CHECK: %[[I:.*]] = call i32 @llvm.fptosi.sat.i32.f32(float %[[P]])
; CHECK: %[[R:.*]] = fsub float %[[P]], %[[F]]
; CHECK: store i32 %[[I]]
; CHECK: store float %[[R]]
define spir_kernel void @scaled(ptr addrspace(1) %out, i32 %power) {
  %id = call i64 @clotho.global_id(i32 0)
  %x = trunc i64 %id to i32
  %p0 = insertelement <2 x i32> poison, i32 %x, i64 0
  %p = insertelement <2 x i32> %p0, i32 7, i64 1
  %f = sitofp <2 x i32> %p to <2 x float>
  %power.of = call <2 x float> @llvm.powi.v2f32.i32(<2 x float> %f, i32 %power)
  %q = call <2 x i32> @llvm.fptosi.sat.v2i32.v2f32(<2 x float> %power.of)
  %rest = fsub <2 x float> %power.of, %f
  %i = extractelement <2 x i32> %q, i64 0
  %r = extractelement <2 x float> %rest, i64 0
  store i32 %i, ptr addrspace(1) %out
  store float %r, ptr addrspace(1) %out
  ret void
}

; What is loaded as a vector stays one, and floats that lead to no integer.
; CHECK-LABEL: define spir_kernel void @loaded(
; CHECK: mul <2 x i32>
; CHECK: fadd <2 x float>
; CHECK-LABEL: }
define spir_kernel void @loaded(ptr addrspace(1) %out, float %x) {
  %v = load <2 x i32>, ptr addrspace(1) %out
  %twice = mul <2 x i32> %v, splat (i32 2)
  %first = extractelement <2 x i32> %twice, i64 0
  %p0 = insertelement <2 x float> poison, float %x, i64 0
  %p = insertelement <2 x float> %p0, float 1.0, i64 1
  %sum = fadd <2 x float> %p, splat (float 2.0)
  %second = extractelement <2 x float> %sum, i64 1
  store i32 %first, ptr addrspace(1) %out
  store float %second, ptr addrspace(1) %out
  ret void
}

; Nor is anything known of elements of an expression.
@x = addrspace(2) constant i32 3
; CHECK-LABEL: define spir_kernel void @expression(
; CHECK: add <2 x i32>
define spir_kernel void @expression(ptr addrspace(1) %out, i32 %i) {
  %p = insertelement <2 x i32> zeroinitializer, i32 %i, i64 0
  %sum = add <2 x i32> %p, bitcast (i64 ptrtoint (ptr addrspace(2) @x to i64) to <2 x i32>)
  %first = extractelement <2 x i32> %sum, i64 0
  store i32 %first, ptr addrspace(1) %out
  ret void
}

; Two sums that a compiler has put into a vector are two sums again.
; CHECK-LABEL: define spir_kernel void @sums(
; CHECK-NOT: <2 x float>
; CHECK: %[[A:.*]] = phi float [ 0.000000e+00, %entry ], [ %[[A1:.*]], %loop ]
; CHECK: %[[B:.*]] = phi float [ 1.000000e+00, %entry ], [ %[[B1:.*]], %loop ]
; CHECK: %[[A1]] = fadd float %[[A]], %x
; CHECK: %[[B1]] = fadd float %[[B]], %y
; CHECK: fadd float %[[A1]], %[[B1]]
; CHECK-NOT: <2 x float>
; CHECK-LABEL: }
define spir_kernel void @sums(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %both = phi <2 x float> [ <float 0.0, float 1.0>, %entry ], [ %more, %loop ]
  %p = getelementptr float, ptr addrspace(1) %in, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %p, i64 8
  %y = load float, ptr addrspace(1) %q, align 4
  %v0 = insertelement <2 x float> poison, float %x, i64 0
  %v = insertelement <2 x float> %v0, float %y, i64 1
  %more = fadd <2 x float> %both, %v
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  %other = shufflevector <2 x float> %more, <2 x float> poison, <2 x i32> <i32 1, i32 poison>
  %whole = fadd <2 x float> %more, %other
  %sum = extractelement <2 x float> %whole, i64 0
  store float %sum, ptr addrspace(1) %out, align 4
  ret void
}

; Vectors that are the program's stay: one is stored, the other made before the loop.
; CHECK-LABEL: define spir_kernel void @vectors(
; CHECK: phi <2 x float>
; CHECK: phi <2 x float>
; CHECK-LABEL: }
define spir_kernel void @vectors(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %n, float %first) {
entry:
  %u0 = insertelement <2 x float> poison, float %first, i64 0
  %u = insertelement <2 x float> %u0, float %first, i64 1
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %both = phi <2 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %power = phi <2 x float> [ %u, %entry ], [ %higher, %loop ]
  %p = getelementptr float, ptr addrspace(1) %in, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  %v0 = insertelement <2 x float> poison, float %x, i64 0
  %v = insertelement <2 x float> %v0, float %x, i64 1
  %more = fadd <2 x float> %both, %v
  %higher = fmul <2 x float> %power, %u
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <2 x float> %more, ptr addrspace(1) %out, align 8
  %one = extractelement <2 x float> %higher, i64 0
  %o = getelementptr float, ptr addrspace(1) %out, i64 2
  store float %one, ptr addrspace(1) %o, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
