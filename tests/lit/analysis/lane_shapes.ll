; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes='print<lane-shapes>' %s -o /dev/null 2>&1 | %check
; What each value is across the lanes of a sub-group.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.group_base(i32) #0

; CHECK-LABEL: lane-shapes of 'arithmetic':
; CHECK: uniform: %row = call i64 @clotho.local_id(i32 1)
; CHECK: affine 1: %lid = call i64 @clotho.local_id(i32 0)
; CHECK: affine 3: %triple = mul i64 %lid, 3
; CHECK: affine -3: %down = sub i64 %n, %triple
; CHECK: affine 16: %shifted = shl i64 %lid, 4
; CHECK: uniform: %same = sub i64 %lid, %lid
; CHECK: varying: %square = mul i64 %lid, %lid
; CHECK: varying, usually 1: %masked = and i64 %lid, %n
; CHECK: varying, linear: %rows = mul i64 %lid, %n
; CHECK: varying, usually 1: %clamped = call i64 @llvm.umin.i64(i64 %lid, i64 %n)
; CHECK: affine 12: %p = getelementptr float
; CHECK: varying: %x = load float
; CHECK: uniform: %y = load float
; CHECK: varying: %less = icmp ult i64 %lid, %n
; CHECK: affine 3: %chosen = select i1 %all, i64 %triple, i64 %other
; CHECK: varying, usually 3: %picked = select i1 %less, i64 %triple, i64 %other
define spir_kernel void @arithmetic(ptr addrspace(1) %a, i64 %n, i1 %all) {
  %row = call i64 @clotho.local_id(i32 1)
  %lid = call i64 @clotho.local_id(i32 0)
  %triple = mul i64 %lid, 3
  %down = sub i64 %n, %triple
  %shifted = shl i64 %lid, 4
  %same = sub i64 %lid, %lid
  %square = mul i64 %lid, %lid
  %masked = and i64 %lid, %n
  %rows = mul i64 %lid, %n
  %clamped = call i64 @llvm.umin.i64(i64 %lid, i64 %n)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %triple
  %x = load float, ptr addrspace(1) %p
  %y = load float, ptr addrspace(1) %a
  %less = icmp ult i64 %lid, %n
  %other = add i64 %triple, %n
  %chosen = select i1 %all, i64 %triple, i64 %other
  %picked = select i1 %less, i64 %triple, i64 %other
  ret void
}

; A conversion of 32 bits that may wrap around is affine as an address of memory that is not too large.
; CHECK-LABEL: lane-shapes of 'index':
; CHECK: affine 1: %i = trunc i64 %lid to i32
; CHECK: affine 1: %exact = zext i32 %i to i64
; CHECK: affine 1: %j = add i32 %i, %n
; CHECK: affine 1, told by the last lane: %wide = zext i32 %j to i64
; CHECK: varying, usually 1: %kept = zext i32 %j to i64
; CHECK: needs: no buffer of more than 16911433728 bytes
define spir_kernel void @index(ptr addrspace(1) %a, i32 %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  %i = trunc i64 %lid to i32
  %exact = zext i32 %i to i64
  %j = add i32 %i, %n
  %wide = zext i32 %j to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %wide
  store i32 1, ptr addrspace(1) %p
  %kept = zext i32 %j to i64
  store i64 %kept, ptr addrspace(1) %a
  ret void
}

; Without a sign a factor of -3 is one near 2^32, with which no product wraps around for two lanes.
; CHECK-LABEL: lane-shapes of 'negative_factor':
; CHECK: affine -3: %index = zext i32 %far to i64
; CHECK: needs: no buffer of more than 4227858432 bytes
define spir_kernel void @negative_factor(ptr addrspace(1) %a) {
  %lid = call i64 @clotho.local_id(i32 0)
  %i = trunc i64 %lid to i32
  %far = mul nuw i32 %i, -3
  %index = zext i32 %far to i64
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %index
  %x = load i8, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: lane-shapes of 'global_id_as_int':
; CHECK: affine 1: %wide = sext i32 %i to i64
; CHECK: needs: global ids that fit into an int
define spir_kernel void @global_id_as_int(ptr addrspace(1) %a, i64 %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  %base = call i64 @clotho.group_base(i32 0)
  %id = add i64 %lid, %base
  %i = trunc i64 %id to i32
  %wide = sext i32 %i to i64
  %back = sub i64 %n, %wide
  %p = getelementptr float, ptr addrspace(1) %a, i64 %back
  store float 0.0, ptr addrspace(1) %p
  ret void
}

; At a join a value is affine only if all lanes arrive together.
; CHECK-LABEL: lane-shapes of 'joins':
; CHECK: affine 1: %together = phi
; CHECK: varying: %parted = phi
define spir_kernel void @joins(i64 %n, i1 %all) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %more = add i64 %lid, 5
  br i1 %all, label %first, label %meet
first:
  br label %meet
meet:
  %together = phi i64 [ %lid, %entry ], [ %more, %first ]
  %less = icmp ult i64 %lid, %n
  br i1 %less, label %second, label %end
second:
  br label %end
end:
  %parted = phi i64 [ %lid, %meet ], [ %more, %second ]
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }

; Known bits bound the value in all lanes, so neither a flag nor a test of the launch is needed.
; CHECK-LABEL: lane-shapes of 'small':
; CHECK: affine 1: %index = or disjoint i32 %row, %i
; CHECK: affine 1: %exact = zext nneg i32 %index to i64
; CHECK-NOT: needs
define spir_kernel void @small(ptr addrspace(1) %a, i32 %n) {
  %lid = call range(i64 0, 16) i64 @clotho.local_id(i32 0)
  %i = trunc nuw nsw i64 %lid to i32
  %y = call range(i64 0, 16) i64 @clotho.local_id(i32 1)
  %j = trunc nuw nsw i64 %y to i32
  %row = shl nuw nsw i32 %j, 4
  %index = or disjoint i32 %row, %i
  %exact = zext nneg i32 %index to i64
  ret void
}

; Lanes are in one row most often, unless it is short.
; CHECK-LABEL: lane-shapes of 'rows':
; CHECK: varying, usually 1: %x = urem i64 %lid, 18
; CHECK: varying, usually 0: %y = udiv i64 %lid, 18
; CHECK: varying, usually 0: %first = mul i64 %y, %n
; CHECK: varying, usually 1: %at = add i64 %first, %x
; CHECK: varying, usually 1: %some = srem i64 %lid, %n
; CHECK: varying: %short = urem i64 %lid, 5
define spir_kernel void @rows(ptr addrspace(1) %a, i64 %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  %x = urem i64 %lid, 18
  %y = udiv i64 %lid, 18
  %first = mul i64 %y, %n
  %at = add i64 %first, %x
  %some = srem i64 %lid, %n
  %short = urem i64 %lid, 5
  ret void
}

; What LLVM makes of a global id as an int that a branch has found to be positive.
; CHECK-LABEL: lane-shapes of 'positive':
; CHECK: affine 1: %own = and i64 %lid, 2147483647
; CHECK: affine 1: %i = and i64 %id, 2147483647
; CHECK: varying, usually 1: %shown = and i64 %id, 2147483647
; CHECK: varying, usually 1: %other = and i64 %id, 1073741823
; CHECK: needs: global ids that fit into an int
define spir_kernel void @positive(ptr addrspace(1) %a) {
  %lid = call i64 @clotho.local_id(i32 0)
  %base = call i64 @clotho.group_base(i32 0)
  %id = add i64 %base, %lid
  %own = and i64 %lid, 2147483647
  %i = and i64 %id, 2147483647
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  store float 0.0, ptr addrspace(1) %p
  %shown = and i64 %id, 2147483647
  %q = getelementptr i64, ptr addrspace(1) %a, i64 0
  store i64 %shown, ptr addrspace(1) %q
  %other = and i64 %id, 1073741823
  %r = getelementptr float, ptr addrspace(1) %a, i64 %other
  store float 0.0, ptr addrspace(1) %r
  ret void
}

; What LLVM knows of a phi holds for lanes that come by that way, and lane 0 may not.
; CHECK-LABEL: lane-shapes of 'leaves':
; CHECK: affine 1, told by the last lane: %z = zext nneg i32 %i to i64
; CHECK: needs:
define spir_kernel void @leaves(ptr addrspace(1) %a, ptr addrspace(1) %o) {
entry:
  %lid = call range(i64 0, 2147483648) i64 @clotho.local_id(i32 0)
  %l = trunc nuw nsw i64 %lid to i32
  %within = icmp ult i32 %l, 64
  br i1 %within, label %loop, label %end

loop:
  %i = phi i32 [ %l, %entry ], [ %dec, %loop ]
  %z = zext nneg i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %z
  store i32 1, ptr addrspace(1) %p
  %dec = add i32 %i, -1
  %c = icmp ult i32 %dec, 64
  br i1 %c, label %loop, label %end

end:
  ret void
}

; An index by one of two ways.
; CHECK-LABEL: lane-shapes of 'ways':
; CHECK: affine 1: %x = sext i32 %j to i64
; CHECK: affine 1: %y = sext i32 %k to i64
; CHECK: affine 1: %index = phi i64
; CHECK: varying, usually 1: %moved = add nsw i32 %i, %bit
; CHECK: needs: no buffer of more than
define spir_kernel void @ways(ptr addrspace(1) %a, i32 %n, i32 %m, i1 %c) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %i = trunc i64 %lid to i32
  %j = add i32 %i, %n
  %x = sext i32 %j to i64
  br i1 %c, label %other, label %end

other:
  %k = add i32 %j, %m
  %y = sext i32 %k to i64
  br label %end

end:
  %index = phi i64 [ %x, %entry ], [ %y, %other ]
  %p = getelementptr inbounds float, ptr addrspace(1) %a, i64 %index
  store float 0.0, ptr addrspace(1) %p
  %is = icmp ne i32 %i, %n
  %bit = zext i1 %is to i32
  %moved = add nsw i32 %i, %bit
  ret void
}

; A global id that fits with room to spare may be moved by small constants that nothing is promised of: not by large
; ones, not below zero as an unsigned number, and not where it is more than an address.
; CHECK-LABEL: lane-shapes of 'moved':
; CHECK: affine 1: %near = sext i32 %before to i64
; CHECK: affine 1: %own = sext i32 %behind to i64
; CHECK: varying, usually 1: %away = sext i32 %far to i64
; CHECK: varying, usually 1: %unsigned = zext i32 %before to i64
; CHECK: varying, usually 1: %shown = sext i32 %before to i64
; CHECK: needs: global ids that fit into an int
define spir_kernel void @moved(ptr addrspace(1) %loaded) {
  %a = load ptr addrspace(1), ptr addrspace(1) %loaded
  %lid = call i64 @clotho.local_id(i32 0)
  %base = call i64 @clotho.group_base(i32 0)
  %id = add i64 %base, %lid
  %i = trunc i64 %id to i32
  %first = add i32 %i, -2
  %before = sub i32 %first, 3
  %near = sext i32 %before to i64
  %p = getelementptr inbounds float, ptr addrspace(1) %a, i64 %near
  store float 0.0, ptr addrspace(1) %p
  %l = trunc i64 %lid to i32
  %behind = add i32 %l, 5
  %own = sext i32 %behind to i64
  store i64 %own, ptr addrspace(1) %loaded
  %far = add i32 %i, 33554432
  %away = sext i32 %far to i64
  %q = getelementptr inbounds float, ptr addrspace(1) %a, i64 %away
  store float 0.0, ptr addrspace(1) %q
  %unsigned = zext i32 %before to i64
  %r = getelementptr inbounds float, ptr addrspace(1) %a, i64 %unsigned
  store float 0.0, ptr addrspace(1) %r
  %shown = sext i32 %before to i64
  store i64 %shown, ptr addrspace(1) %loaded
  ret void
}
