; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes='print<footprint>' %s -o /dev/null 2>&1 | %check
; Bytes that a kernel accesses, as expressions in ids, sizes and arguments; and what makes launches run whole.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-G1"

declare i64 @clotho.global_id(i32)
declare i64 @clotho.local_id(i32)
declare i64 @clotho.group_id(i32)
declare i64 @clotho.global_size(i32)

; CHECK-LABEL: footprint of 'element':
; CHECK-NEXT: reads argument 1: 4 bytes at (* 4 (global-id 0))
; CHECK-NEXT: writes argument 0: 4 bytes at (* 4 (global-id 0))
; CHECK-NEXT: launches are split along dimension 0
define void @element(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %i = call i64 @clotho.global_id(i32 0)
  %from = getelementptr float, ptr addrspace(1) %b, i64 %i
  %x = load float, ptr addrspace(1) %from
  %to = getelementptr float, ptr addrspace(1) %a, i64 %i
  store float %x, ptr addrspace(1) %to
  ret void
}

; The index has 32 bits and is extended with its sign, or without.
; CHECK-LABEL: footprint of 'extended':
; CHECK-NEXT: reads argument 1: 4 bytes at (* 4 (zext (trunc (global-id 0) to 32) to 64))
; CHECK-NEXT: writes argument 0: 4 bytes at (* 4 (sext (trunc (global-id 0) to 32) to 64))
; CHECK-NEXT: launches are split along dimension 0
define void @extended(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %id = call i64 @clotho.global_id(i32 0)
  %i = trunc i64 %id to i32
  %u = zext i32 %i to i64
  %s = sext i32 %i to i64
  %from = getelementptr float, ptr addrspace(1) %b, i64 %u
  %x = load float, ptr addrspace(1) %from
  %to = getelementptr float, ptr addrspace(1) %a, i64 %s
  store float %x, ptr addrspace(1) %to
  ret void
}

; Rows of an array, of a width that is an argument; guards by both sizes.
; CHECK-LABEL: footprint of 'guarded':
; CHECK-NEXT: writes argument 0: 4 bytes at {{.*}}argument 1{{.*}} if (trunc (global-id 1) to 32) < signed (argument 2) if (trunc (global-id 0) to 32) < signed (argument 1)
; CHECK-NEXT: launches are split along dimension 1
define void @guarded(ptr addrspace(1) %a, i32 %width, i32 %height) {
entry:
  %id0 = call i64 @clotho.global_id(i32 0)
  %id1 = call i64 @clotho.global_id(i32 1)
  %x = trunc i64 %id0 to i32
  %y = trunc i64 %id1 to i32
  %outside = icmp sge i32 %x, %width
  br i1 %outside, label %exit, label %next
next:
  %inside = icmp slt i32 %y, %height
  br i1 %inside, label %body, label %exit
body:
  %row = mul nsw i32 %y, %width
  %at = add nsw i32 %row, %x
  %index = sext i32 %at to i64
  %to = getelementptr i32, ptr addrspace(1) %a, i64 %index
  store i32 1, ptr addrspace(1) %to
  br label %exit
exit:
  ret void
}

; The loop leaves before the access in its last iteration.
; CHECK-LABEL: footprint of 'counted':
; CHECK-NEXT: writes argument 0: 4 bytes at (counter (* {{.*}}) 4 below
; CHECK-NEXT: launches are split along dimension 0
define void @counted(ptr addrspace(1) %a, i64 %n) {
entry:
  %i = call i64 @clotho.global_id(i32 0)
  %begin = mul i64 %i, %n
  br label %header
header:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %goes = icmp ult i64 %k, %n
  br i1 %goes, label %body, label %exit
body:
  %at = add i64 %begin, %k
  %to = getelementptr i32, ptr addrspace(1) %a, i64 %at
  store i32 1, ptr addrspace(1) %to
  %next = add i64 %k, 1
  br label %header
exit:
  ret void
}

; An index from memory may be any; that does no harm to what is only read.
; CHECK-LABEL: footprint of 'gather':
; CHECK-NEXT: reads argument 1: 4 bytes at (* 4 (global-id 0))
; CHECK-NEXT: reads argument 1: 4 bytes at (* 4 (sext -2147483648..2147483647 to 64))
; CHECK-NEXT: writes argument 0: 4 bytes at (* 4 (global-id 0))
; CHECK-NEXT: launches are split along dimension 0
define void @gather(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %i = call i64 @clotho.global_id(i32 0)
  %place = getelementptr i32, ptr addrspace(1) %b, i64 %i
  %at = load i32, ptr addrspace(1) %place
  %index = sext i32 %at to i64
  %from = getelementptr i32, ptr addrspace(1) %b, i64 %index
  %x = load i32, ptr addrspace(1) %from
  %to = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 %x, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: footprint of 'scatter':
; CHECK: launches run whole: parts may write the same bytes
define void @scatter(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %i = call i64 @clotho.global_id(i32 0)
  %place = getelementptr i32, ptr addrspace(1) %b, i64 %i
  %at = load i32, ptr addrspace(1) %place
  %index = sext i32 %at to i64
  %to = getelementptr i32, ptr addrspace(1) %a, i64 %index
  store i32 1, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: footprint of 'in_place':
; CHECK: launches run whole: a part may write what another one reads in the kernel
define void @in_place(ptr addrspace(1) %a) {
  %i = call i64 @clotho.global_id(i32 0)
  %j = add i64 %i, 1
  %from = getelementptr i32, ptr addrspace(1) %a, i64 %j
  %x = load i32, ptr addrspace(1) %from
  %to = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 %x, ptr addrspace(1) %to
  ret void
}

; Each part writes what it reads, and nothing of the others.
; CHECK-LABEL: footprint of 'changes':
; CHECK: launches are split along dimension 0
define void @changes(ptr addrspace(1) %a) {
  %i = call i64 @clotho.global_id(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %at
  %y = add i32 %x, 1
  store i32 %y, ptr addrspace(1) %at
  ret void
}

; All work-items write one place.
; CHECK-LABEL: footprint of 'one_place':
; CHECK: launches run whole: parts may write the same bytes
define void @one_place(ptr addrspace(1) %a) {
  store i32 1, ptr addrspace(1) %a
  ret void
}

; CHECK-LABEL: footprint of 'groups':
; CHECK-NEXT: writes argument 0: 4 bytes at (* 4 (group-id 0))
; CHECK-NEXT: sees the launch along dimension 0
; CHECK-NEXT: launches are split along dimension 0
define void @groups(ptr addrspace(1) %a) {
  %i = call i64 @clotho.group_id(i32 0)
  %to = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 1, ptr addrspace(1) %to
  ret void
}

; Sizes along another dimension do not matter.
; CHECK-LABEL: footprint of 'width_of_launch':
; CHECK: sees the launch along dimension 0
; CHECK-NEXT: launches are split along dimension 1
define void @width_of_launch(ptr addrspace(1) %a) {
  %x = call i64 @clotho.global_id(i32 0)
  %y = call i64 @clotho.global_id(i32 1)
  %width = call i64 @clotho.global_size(i32 0)
  %row = mul i64 %y, %width
  %i = add i64 %row, %x
  %to = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 1, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: footprint of 'atomic':
; CHECK-NEXT: unknown: it changes global memory by an atomic operation
define void @atomic(ptr addrspace(1) %a) {
  %old = atomicrmw add ptr addrspace(1) %a, i32 1 monotonic
  ret void
}

; CHECK-LABEL: footprint of 'atomic_load':
; CHECK-NEXT: unknown: it makes an atomic access
define void @atomic_load(ptr addrspace(1) %a) {
  %x = load atomic i32, ptr addrspace(1) %a monotonic, align 4
  ret void
}

; Local memory is the group's own.
; CHECK-LABEL: footprint of 'local_atomic':
; CHECK-NEXT: launches are split along dimension 0
define void @local_atomic(ptr addrspace(3) %a) {
  %old = atomicrmw add ptr addrspace(3) %a, i32 1 monotonic
  ret void
}

; CHECK-LABEL: footprint of 'volatile':
; CHECK-NEXT: unknown: it makes a volatile access
define void @volatile(ptr addrspace(1) %a) {
  %x = load volatile i32, ptr addrspace(1) %a
  ret void
}

; CHECK-LABEL: footprint of 'loaded_pointer':
; CHECK-NEXT: unknown: it uses a pointer that is no argument
define void @loaded_pointer(ptr addrspace(1) %a) {
  %to = load ptr addrspace(1), ptr addrspace(1) %a
  store i32 1, ptr addrspace(1) %to
  ret void
}

@counter = addrspace(1) global i32 0
@table = addrspace(2) constant [2 x i32] [i32 1, i32 2]

; CHECK-LABEL: footprint of 'variable':
; CHECK-NEXT: unknown: it uses a variable at program scope
define void @variable(ptr addrspace(1) %a) {
  %x = load i32, ptr addrspace(1) @counter
  store i32 %x, ptr addrspace(1) %a
  ret void
}

; CHECK-LABEL: footprint of 'constant':
; CHECK-NEXT: writes argument 0: 4 bytes at (* 4 (global-id 0))
define void @constant(ptr addrspace(1) %a) {
  %i = call i64 @clotho.global_id(i32 0)
  %x = load i32, ptr addrspace(2) @table
  %to = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 %x, ptr addrspace(1) %to
  ret void
}

; One of two arguments: any bytes of both.
; CHECK-LABEL: footprint of 'either':
; CHECK-DAG: reads argument 1: any bytes
; CHECK-DAG: reads argument 2: any bytes
; CHECK: launches are split along dimension 0
define void @either(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i32 %which) {
  %i = call i64 @clotho.global_id(i32 0)
  %is = icmp eq i32 %which, 0
  %from = select i1 %is, ptr addrspace(1) %b, ptr addrspace(1) %c
  %x = load i32, ptr addrspace(1) %from
  %to = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 %x, ptr addrspace(1) %to
  ret void
}

declare void @elsewhere(ptr addrspace(1))

; CHECK-LABEL: footprint of 'calls':
; CHECK-NEXT: unknown: it calls 'elsewhere', which is not inlined
define void @calls(ptr addrspace(1) %a) {
  call void @elsewhere(ptr addrspace(1) %a)
  ret void
}

define i32 @reader(ptr addrspace(1) %from) {
  %x = load i32, ptr addrspace(1) %from
  ret i32 %x
}

; CHECK-LABEL: footprint of 'passes':
; CHECK-NEXT: reads argument 1: any bytes
; CHECK-NEXT: writes argument 0: 4 bytes
define void @passes(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %i = call i64 @clotho.global_id(i32 0)
  %x = call i32 @reader(ptr addrspace(1) %b)
  %to = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 %x, ptr addrspace(1) %to
  ret void
}

define void @writer(ptr addrspace(1) %to) {
  store i32 1, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: footprint of 'passes_to_writer':
; CHECK-NEXT: unknown: it passes a pointer to 'writer', which is not inlined
define void @passes_to_writer(ptr addrspace(1) %a) {
  call void @writer(ptr addrspace(1) %a)
  ret void
}

; Elements of a vector argument, and a pointer to any address space.
; CHECK-LABEL: footprint of 'vectors':
; CHECK-NEXT: writes argument 0: 16 bytes at {{.*}}(argument 1 at 4)
define void @vectors(ptr addrspace(1) %a, <2 x i32> %sizes) {
  %i = call i64 @clotho.global_id(i32 0)
  %pitch = extractelement <2 x i32> %sizes, i32 1
  %stride = sext i32 %pitch to i64
  %at = mul i64 %i, %stride
  %generic = addrspacecast ptr addrspace(1) %a to ptr addrspace(4)
  %to = getelementptr <4 x float>, ptr addrspace(4) %generic, i64 %at
  store <4 x float> zeroinitializer, ptr addrspace(4) %to
  ret void
}

declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)

; CHECK-LABEL: footprint of 'sets':
; CHECK-NEXT: writes argument 0: 64 bytes at (* 64 (global-id 0))
define void @sets(ptr addrspace(1) %a) {
  %i = call i64 @clotho.global_id(i32 0)
  %to = getelementptr [64 x i8], ptr addrspace(1) %a, i64 %i
  call void @llvm.memset.p1.i64(ptr addrspace(1) %to, i8 0, i64 64, i1 false)
  ret void
}

; CHECK-LABEL: footprint of 'remainder':
; CHECK-NEXT: writes argument 0: 4 bytes at {{.*}}(urem (global-id 0) 10)
; CHECK-NEXT: launches run whole: parts may write the same bytes
define void @remainder(ptr addrspace(1) %a) {
  %i = call i64 @clotho.global_id(i32 0)
  %at = urem i64 %i, 10
  %to = getelementptr i8, ptr addrspace(1) %a, i64 %at
  store i32 1, ptr addrspace(1) %to
  ret void
}

; Texels are read behind an address of the image's descriptor.
; CHECK-LABEL: footprint of 'reads_image':
; CHECK-NEXT: writes argument 1: 4 bytes at (* 4 (global-id 0))
; CHECK-NEXT: launches are split along dimension 0
define void @reads_image(ptr addrspace(2) "clotho-image" %image, ptr addrspace(1) %a) {
  %i = call i64 @clotho.global_id(i32 0)
  %place = getelementptr i8, ptr addrspace(2) %image, i64 128
  %base = load i64, ptr addrspace(2) %place
  %texels = inttoptr i64 %base to ptr addrspace(2)
  %from = getelementptr i32, ptr addrspace(2) %texels, i64 %i
  %x = load i32, ptr addrspace(2) %from
  %to = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 %x, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: footprint of 'writes_image':
; CHECK-NEXT: unknown: it writes an image
define void @writes_image(ptr addrspace(2) "clotho-image" %image) {
  %i = call i64 @clotho.global_id(i32 0)
  %place = getelementptr i8, ptr addrspace(2) %image, i64 128
  %base = load i64, ptr addrspace(2) %place
  %texels = inttoptr i64 %base to ptr addrspace(1)
  %to = getelementptr i32, ptr addrspace(1) %texels, i64 %i
  store i32 1, ptr addrspace(1) %to
  ret void
}

; An address from memory of a buffer is none of an image.
; CHECK-LABEL: footprint of 'computed_address':
; CHECK-NEXT: unknown: it uses a pointer that is no argument
define void @computed_address(ptr addrspace(1) %a) {
  %base = load i64, ptr addrspace(1) %a
  %to = inttoptr i64 %base to ptr addrspace(1)
  %x = load i32, ptr addrspace(1) %to
  store i32 %x, ptr addrspace(1) %a
  ret void
}

; An offset from null is any address.
; CHECK-LABEL: footprint of 'from_null':
; CHECK-NEXT: unknown: it uses a pointer that is no argument
define void @from_null(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %i = call i64 @clotho.global_id(i32 0)
  %base = ptrtoint ptr addrspace(1) %b to i64
  %at = add i64 %base, %i
  %from = getelementptr i8, ptr addrspace(1) null, i64 %at
  %x = load i8, ptr addrspace(1) %from
  %to = getelementptr i8, ptr addrspace(1) %a, i64 %i
  store i8 %x, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: footprint of 'from_null_in_loop':
; CHECK-NEXT: unknown: it uses a pointer that is no argument
define void @from_null_in_loop(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) {
entry:
  %base = ptrtoint ptr addrspace(1) %b to i64
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = phi ptr addrspace(1) [ null, %entry ], [ %q, %loop ]
  %q = getelementptr i8, ptr addrspace(1) %p, i64 %base
  %x = load i8, ptr addrspace(1) %q
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; CHECK-LABEL: footprint of 'atomic_from_null':
; CHECK-NEXT: unknown: it changes global memory by an atomic operation
define void @atomic_from_null(ptr addrspace(1) %b) {
  %base = ptrtoint ptr addrspace(1) %b to i64
  %at = getelementptr i8, ptr addrspace(1) null, i64 %base
  %old = atomicrmw add ptr addrspace(1) %at, i32 1 monotonic
  ret void
}

define i8 @reads_from_null(i64 %base) noinline {
  %from = getelementptr i8, ptr addrspace(1) null, i64 %base
  %x = load i8, ptr addrspace(1) %from
  ret i8 %x
}

; CHECK-LABEL: footprint of 'calls_reader_from_null':
; CHECK-NEXT: unknown: it calls 'reads_from_null', which is not inlined
define void @calls_reader_from_null(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %base = ptrtoint ptr addrspace(1) %b to i64
  %x = call i8 @reads_from_null(i64 %base)
  ret void
}

define i32 @passes_an_address(i64 %base) {
  %from = inttoptr i64 %base to ptr addrspace(1)
  %x = call i32 @reader(ptr addrspace(1) %from)
  ret i32 %x
}

; CHECK-LABEL: footprint of 'calls_what_passes_an_address':
; CHECK-NEXT: unknown: it calls 'passes_an_address', which is not inlined
define void @calls_what_passes_an_address(ptr addrspace(1) %b) {
  %base = ptrtoint ptr addrspace(1) %b to i64
  %x = call i32 @passes_an_address(i64 %base)
  ret void
}

; CHECK-LABEL: footprint of 'assembly':
; CHECK-NEXT: unknown: it has inline assembly
define void @assembly(ptr addrspace(1) %a) {
  %x = call i32 asm "ld.global.u32 $0, [$1];", "=r,l"(ptr addrspace(1) %a) memory(none)
  ret void
}

; It does nothing.
; CHECK-LABEL: footprint of 'empty_assembly':
; CHECK-NEXT: launches are split along dimension 0
define void @empty_assembly(ptr addrspace(1) %a) {
  call void asm sideeffect "", "~{memory}"()
  ret void
}

; Programs may say of functions that read that they access nothing.
define i32 @claims_nothing(ptr addrspace(1) %from) memory(none) {
  %x = load i32, ptr addrspace(1) %from
  ret i32 %x
}

; CHECK-LABEL: footprint of 'calls_const':
; CHECK-NEXT: reads argument 1: any bytes
; CHECK-NEXT: writes argument 0: 4 bytes at (* 4 (global-id 0))
define void @calls_const(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %i = call i64 @clotho.global_id(i32 0)
  %x = call i32 @claims_nothing(ptr addrspace(1) %b)
  %to = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 %x, ptr addrspace(1) %to
  ret void
}

define i32 @claims_nothing_of_variable() memory(none) {
  %x = load i32, ptr addrspace(1) @counter
  ret i32 %x
}

; CHECK-LABEL: footprint of 'calls_const_of_variable':
; CHECK-NEXT: unknown: it calls 'claims_nothing_of_variable', which is not inlined
define void @calls_const_of_variable(ptr addrspace(1) %a) {
  %x = call i32 @claims_nothing_of_variable()
  ret void
}

; CHECK-LABEL: footprint of 'sets_volatile':
; CHECK-NEXT: unknown: it makes a volatile access
define void @sets_volatile(ptr addrspace(1) %a) {
  call void @llvm.memset.p1.i64(ptr addrspace(1) %a, i8 0, i64 64, i1 true)
  ret void
}

declare void @llvm.memcpy.element.unordered.atomic.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i32)

; CHECK-LABEL: footprint of 'copies_atomic':
; CHECK-NEXT: unknown: it makes an atomic access
define void @copies_atomic(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  call void @llvm.memcpy.element.unordered.atomic.p1.p1.i64(ptr addrspace(1) align 4 %a, ptr addrspace(1) align 4 %b, i64 64, i32 4)
  ret void
}

@initialised = addrspace(2) global i32 0

; An initialiser may fill it, on one device.
; CHECK-LABEL: footprint of 'initialised_constant':
; CHECK-NEXT: unknown: it uses a variable at program scope
define void @initialised_constant(ptr addrspace(1) %a) {
  %x = load i32, ptr addrspace(2) @initialised
  store i32 %x, ptr addrspace(1) %a
  ret void
}
