; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=direct-kernels %s | %check
; Work-items that read a tile transposed are exchanged with those that filled it.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

@tile = internal addrspace(3) global [8 x [9 x i32]] undef
@flat = internal addrspace(3) global [64 x i32] undef

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.global_id(i32) #0
declare i64 @clotho.group_id(i32) #0
declare void @clotho.barrier() #1

define spir_kernel void @plain(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %col = call i64 @clotho.global_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %col
  %e = load i32, ptr addrspace(1) %p, align 4
  %f = getelementptr [8 x [9 x i32]], ptr addrspace(3) @tile, i64 0, i64 %y, i64 %x
  store i32 %e, ptr addrspace(3) %f, align 4
  call void @clotho.barrier()
  %g = getelementptr [8 x [9 x i32]], ptr addrspace(3) @tile, i64 0, i64 %x, i64 %y
  %v = load i32, ptr addrspace(3) %g, align 4
  %group = call i64 @clotho.group_id(i32 1)
  %base = shl i64 %group, 3
  %at = add i64 %base, %x
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %at
  store i32 %v, ptr addrspace(1) %q, align 4
  ret void
}

; The element is there if the work-item that would have stored it came so far.
define spir_kernel void @bounded(ptr addrspace(1) %out, ptr addrspace(1) %in, i64 %w, ptr addrspace(3) %memory) {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %col = call i64 @clotho.global_id(i32 0)
  %in.x = icmp ult i64 %col, %w
  br i1 %in.x, label %fill, label %next

fill:
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %col
  %e = load i32, ptr addrspace(1) %p, align 4
  %row = mul i64 %y, 9
  %i = add i64 %row, %x
  %f = getelementptr i32, ptr addrspace(3) %memory, i64 %i
  store i32 %e, ptr addrspace(3) %f, align 4
  br label %next

next:
  call void @clotho.barrier()
  %row2 = mul i64 %x, 9
  %i2 = add i64 %row2, %y
  %g = getelementptr i32, ptr addrspace(3) %memory, i64 %i2
  %v = load i32, ptr addrspace(3) %g, align 4
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %col
  store i32 %v, ptr addrspace(1) %q, align 4
  ret void
}

; What the tile holds would be computed twice.
define spir_kernel void @read_twice(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %col = call i64 @clotho.global_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %col
  %e = load i32, ptr addrspace(1) %p, align 4
  %f = getelementptr [8 x [9 x i32]], ptr addrspace(3) @tile, i64 0, i64 %y, i64 %x
  store i32 %e, ptr addrspace(3) %f, align 4
  call void @clotho.barrier()
  %g = getelementptr [8 x [9 x i32]], ptr addrspace(3) @tile, i64 0, i64 %x, i64 %y
  %v = load i32, ptr addrspace(3) %g, align 4
  %w = load i32, ptr addrspace(3) %f, align 4
  %sum = add i32 %v, %w
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %col
  store i32 %sum, ptr addrspace(1) %q, align 4
  ret void
}

; The tile is read in each iteration of a loop.
define spir_kernel void @read_in_loop(ptr addrspace(1) %out, ptr addrspace(1) %in, i64 %n) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %col = call i64 @clotho.global_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %col
  %e = load i32, ptr addrspace(1) %p, align 4
  %f = getelementptr [8 x [9 x i32]], ptr addrspace(3) @tile, i64 0, i64 %y, i64 %x
  store i32 %e, ptr addrspace(3) %f, align 4
  call void @clotho.barrier()
  br label %round

round:
  %k = phi i64 [ 0, %entry ], [ %k.next, %round ]
  %sum = phi i32 [ 0, %entry ], [ %added, %round ]
  %g = getelementptr [8 x [9 x i32]], ptr addrspace(3) @tile, i64 0, i64 %y, i64 %k
  %v = load i32, ptr addrspace(3) %g, align 4
  %added = add i32 %sum, %v
  %k.next = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %k.next, 8
  br i1 %more, label %round, label %end

end:
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %col
  store i32 %added, ptr addrspace(1) %q, align 4
  ret void
}

; The tile is never read.
define spir_kernel void @not_read(ptr addrspace(1) %in) {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %e = load i32, ptr addrspace(1) %in, align 4
  %f = getelementptr [8 x [9 x i32]], ptr addrspace(3) @tile, i64 0, i64 %y, i64 %x
  store i32 %e, ptr addrspace(3) %f, align 4
  call void @clotho.barrier()
  ret void
}

; What is read before it is stored is what was there before.
define spir_kernel void @read_before(ptr addrspace(1) %out, ptr addrspace(1) %in, i64 %w) {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %col = call i64 @clotho.global_id(i32 0)
  %g = getelementptr [8 x [9 x i32]], ptr addrspace(3) @tile, i64 0, i64 %x, i64 %y
  %v = load i32, ptr addrspace(3) %g, align 4
  call void @clotho.barrier()
  %in.x = icmp ult i64 %col, %w
  br i1 %in.x, label %fill, label %next

fill:
  %f = getelementptr [8 x [9 x i32]], ptr addrspace(3) @tile, i64 0, i64 %y, i64 %x
  store i32 1, ptr addrspace(3) %f, align 4
  br label %next

next:
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %col
  store i32 %v, ptr addrspace(1) %q, align 4
  ret void
}

; A sum of sums that are each looked at twice takes no time.
define spir_kernel void @sums(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %s2 = add i64 %x, %y
  %s3 = add i64 %y, %s2
  %s4 = add i64 %s2, %s3
  %s5 = add i64 %s3, %s4
  %s6 = add i64 %s4, %s5
  %s7 = add i64 %s5, %s6
  %s8 = add i64 %s6, %s7
  %s9 = add i64 %s7, %s8
  %s10 = add i64 %s8, %s9
  %s11 = add i64 %s9, %s10
  %s12 = add i64 %s10, %s11
  %s13 = add i64 %s11, %s12
  %s14 = add i64 %s12, %s13
  %s15 = add i64 %s13, %s14
  %s16 = add i64 %s14, %s15
  %s17 = add i64 %s15, %s16
  %s18 = add i64 %s16, %s17
  %s19 = add i64 %s17, %s18
  %s20 = add i64 %s18, %s19
  %s21 = add i64 %s19, %s20
  %s22 = add i64 %s20, %s21
  %s23 = add i64 %s21, %s22
  %s24 = add i64 %s22, %s23
  %s25 = add i64 %s23, %s24
  %s26 = add i64 %s24, %s25
  %s27 = add i64 %s25, %s26
  %s28 = add i64 %s26, %s27
  %s29 = add i64 %s27, %s28
  %s30 = add i64 %s28, %s29
  %s31 = add i64 %s29, %s30
  %s32 = add i64 %s30, %s31
  %s33 = add i64 %s31, %s32
  %s34 = add i64 %s32, %s33
  %s35 = add i64 %s33, %s34
  %s36 = add i64 %s34, %s35
  %s37 = add i64 %s35, %s36
  %s38 = add i64 %s36, %s37
  %s39 = add i64 %s37, %s38
  %s40 = add i64 %s38, %s39
  %s41 = add i64 %s39, %s40
  %s42 = add i64 %s40, %s41
  %s43 = add i64 %s41, %s42
  %s44 = add i64 %s42, %s43
  %s45 = add i64 %s43, %s44
  %s46 = add i64 %s44, %s45
  %s47 = add i64 %s45, %s46
  %s48 = add i64 %s46, %s47
  %s49 = add i64 %s47, %s48
  %s50 = add i64 %s48, %s49
  %s51 = add i64 %s49, %s50
  %s52 = add i64 %s50, %s51
  %s53 = add i64 %s51, %s52
  %s54 = add i64 %s52, %s53
  %s55 = add i64 %s53, %s54
  %s56 = add i64 %s54, %s55
  %s57 = add i64 %s55, %s56
  %s58 = add i64 %s56, %s57
  %s59 = add i64 %s57, %s58
  %s60 = add i64 %s58, %s59
  %s61 = add i64 %s59, %s60
  %e = load i32, ptr addrspace(1) %in, align 4
  %f = getelementptr [64 x i32], ptr addrspace(3) @flat, i64 0, i64 %s61
  store i32 %e, ptr addrspace(3) %f, align 4
  call void @clotho.barrier()
  %v = load i32, ptr addrspace(3) %f, align 4
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %x
  store i32 %v, ptr addrspace(1) %q, align 4
  ret void
}

; One condition may keep a work-item from an address that another condition reads.
define spir_kernel void @asks_memory(ptr addrspace(1) %out, ptr addrspace(1) %in, i64 %w) {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %col = call i64 @clotho.global_id(i32 0)
  %in.x = icmp ult i64 %col, %w
  br i1 %in.x, label %ask, label %next

ask:
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %col
  %e = load i32, ptr addrspace(1) %p, align 4
  %some = icmp ne i32 %e, 0
  br i1 %some, label %fill, label %next

fill:
  %f = getelementptr [8 x [9 x i32]], ptr addrspace(3) @tile, i64 0, i64 %y, i64 %x
  store i32 %e, ptr addrspace(3) %f, align 4
  br label %next

next:
  call void @clotho.barrier()
  %g = getelementptr [8 x [9 x i32]], ptr addrspace(3) @tile, i64 0, i64 %x, i64 %y
  %v = load i32, ptr addrspace(3) %g, align 4
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %col
  store i32 %v, ptr addrspace(1) %q, align 4
  ret void
}

; In 16 bits sums of a tile's places may wrap around.
define spir_kernel void @narrow(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %x16 = trunc i64 %x to i16
  %y16 = trunc i64 %y to i16
  %col = call i64 @clotho.global_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %col
  %e = load i32, ptr addrspace(1) %p, align 4
  %row = shl i16 %y16, 3
  %i = add i16 %row, %x16
  %i64 = zext i16 %i to i64
  %f = getelementptr i32, ptr addrspace(3) @flat, i64 %i64
  store i32 %e, ptr addrspace(3) %f, align 4
  call void @clotho.barrier()
  %row2 = shl i16 %x16, 3
  %i2 = add i16 %row2, %y16
  %i264 = zext i16 %i2 to i64
  %g = getelementptr i32, ptr addrspace(3) @flat, i64 %i264
  %v = load i32, ptr addrspace(3) %g, align 4
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %col
  store i32 %v, ptr addrspace(1) %q, align 4
  ret void
}

; CHECK-LABEL: define spir_kernel void @plain.direct(
; CHECK-NOT: @clotho.barrier
; CHECK-NOT: addrspace(3)
; CHECK-DAG: %[[X:.*]] = call {{.*}}i64 @clotho.local_id(i32 0)
; CHECK-DAG: %[[BASE:.*]] = call i64 @clotho.group_base(i32 0)
; CHECK-DAG: %[[P:.*]] = getelementptr i32, ptr addrspace(1) %in, i64 %[[BASE]]
; CHECK-DAG: %[[Q:.*]] = getelementptr i32, ptr addrspace(1) %[[P]], i64 %[[X]]
; CHECK-DAG: load i32, ptr addrspace(1) %[[Q]]
; Without an offset group_id(1) * 8 + local_id(1) is the global id.
; CHECK-DAG: %[[ID:.*]] = call i64 @clotho.global_id(i32 1)
; CHECK-DAG: getelementptr i32, ptr addrspace(1) %out, i64 %[[ID]]
; CHECK: ret void
; CHECK-LABEL: define spir_kernel void @bounded.direct(
; CHECK: next:
; CHECK: %[[THERE:.*]] = icmp ult i64 %[[COL:.*]], %w
; CHECK: br i1 %[[THERE]], label %[[THEN:.*]], label %[[AFTER:.*]]
; CHECK: [[THEN]]:
; CHECK: %[[P:.*]] = getelementptr i32, ptr addrspace(1) %in, i64 %[[COL]]
; CHECK: %[[E:.*]] = load i32, ptr addrspace(1) %[[P]]
; CHECK: [[AFTER]]:
; CHECK: phi i32 [ %[[E]], %[[THEN]] ], [ 0, %{{.*}} ]
; CHECK-NOT: .direct(

attributes #0 = { nounwind willreturn speculatable memory(none) }
attributes #1 = { convergent nounwind }
