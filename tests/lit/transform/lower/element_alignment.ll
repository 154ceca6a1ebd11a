; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=element-alignment %s | %check
; Accesses to vectors assume the alignment of an element; what attributes have asked for beyond the vector's stays.

; Local memory that is a kernel's argument is placed by the argument's alignment.
; CHECK: define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(3) align 16 %l, ptr byval({ <4 x float> }) align 16 %s)
define spir_kernel void @k(ptr addrspace(1) align 16 %a, ptr addrspace(3) align 16 %l, ptr byval({<4 x float>}) align 16 %s) !kernel_arg_addr_space !0 {
  ; CHECK-NEXT: load <4 x float>, ptr addrspace(1) %a, align 4
  %x = load <4 x float>, ptr addrspace(1) %a, align 16
  ; CHECK-NEXT: store <4 x float> %x, ptr addrspace(3) %l, align 4
  store <4 x float> %x, ptr addrspace(3) %l, align 16
  ; CHECK-NEXT: load <16 x i8>, ptr addrspace(1) %a, align 1
  %bytes = load <16 x i8>, ptr addrspace(1) %a, align 16
  ; CHECK-NEXT: load <3 x double>, ptr addrspace(1) %a, align 8
  %three = load <3 x double>, ptr addrspace(1) %a, align 32
  ; CHECK-NEXT: load { <2 x i16>, float }, ptr addrspace(1) %a, align 2
  %pair = load {<2 x i16>, float}, ptr addrspace(1) %a, align 4
  ; CHECK-NEXT: load <4 x float>, ptr addrspace(1) %a, align 32
  %aligned = load <4 x float>, ptr addrspace(1) %a, align 32
  ; CHECK-NEXT: load <4 x float>, ptr addrspace(1) %a, align 1
  %packed = load <4 x float>, ptr addrspace(1) %a, align 1
  ; CHECK-NEXT: load double, ptr addrspace(1) %a, align 8
  %scalar = load double, ptr addrspace(1) %a, align 8
  ; CHECK-NEXT: call void @f(ptr addrspace(1) %a)
  call void @f(ptr addrspace(1) align 16 %a)
  ; A copy is of the type that one of its places says.
  ; CHECK-NEXT: call void @llvm.memcpy.p1.p3.i64(ptr addrspace(1) align 1 %a, ptr addrspace(3) align 1 %l, i64 32, i1 false)
  call void @llvm.memcpy.p1.p3.i64(ptr addrspace(1) align 16 %a, ptr addrspace(3) align 8 %l, i64 32, i1 false)
  ; CHECK-NEXT: %bytes.at
  ; CHECK-NEXT: call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 16 %l, ptr addrspace(1) align 1 %bytes.at, i64 2, i1 false)
  %bytes.at = getelementptr {<2 x i8>}, ptr addrspace(1) %a, i64 7
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 16 %l, ptr addrspace(1) align 2 %bytes.at, i64 2, i1 false)
  ; CHECK-NEXT: %words.at
  ; CHECK-NEXT: call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 16 %l, ptr addrspace(1) align 4 %words.at, i64 8, i1 false)
  %words.at = getelementptr {i32, i16}, ptr addrspace(1) %a, i64 7
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 16 %l, ptr addrspace(1) align 4 %words.at, i64 8, i1 false)
  ret void
}

; A part of a variable has the elements of its type. Bytes may be anything.
; CHECK-LABEL: @parts(
define void @parts(ptr addrspace(1) %a) {
  %floats = alloca [8 x [4 x float]], align 16
  %vectors = alloca [8 x <4 x float>], align 16
  %bytes = alloca [64 x i8], align 16
  %row = getelementptr i8, ptr %floats, i64 16
  ; CHECK: call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 4 %a, ptr align 4 %row, i64 32, i1 false)
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 4 %a, ptr align 4 %row, i64 32, i1 false)
  ; CHECK: call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 1 %a, ptr align 1 %row, i64 32, i1 false)
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 16 %a, ptr align 16 %row, i64 32, i1 false)
  ; CHECK: call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 4 %a, ptr align 4 %vectors, i64 32, i1 false)
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 16 %a, ptr align 16 %vectors, i64 32, i1 false)
  ; CHECK: call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 1 %a, ptr align 1 %bytes, i64 32, i1 false)
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 4 %a, ptr align 4 %bytes, i64 32, i1 false)
  ret void
}

; CHECK: declare void @f(ptr addrspace(1))
declare void @f(ptr addrspace(1) align 16)

!0 = !{i32 1}
