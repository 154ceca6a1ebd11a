; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Two rows of three loads each have two in common: these are loaded once. The rows go together where both are there, go
; the same way, and are clamped nowhere; else the kernel runs what is left of each. Where lanes do not agree, the
; predicated variant runs the sub-group, of one row and of the other.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK-NOT: @k.row_fallback
; CHECK-COUNT-3: load <4 x i32>
; CHECK-NOT: load <4 x i32>
; CHECK-LABEL: define internal spir_func void @k.predicated(
; CHECK-LABEL: define internal spir_func void @k.rows(
; CHECK: %[[Y:.*]] = call i64 @clotho.local_id(i32 1)
; CHECK: %[[END:.*]] = add i64 %[[Y]], 2
; CHECK: %[[THERE:.*]] = icmp ule i64 %[[END]], %{{.*}}
; CHECK: br i1 %[[THERE]],
; CHECK: agree:
; CHECK: %[[NEXT:.*]] = add i64 %[[Y]], 1
; CHECK: %[[OTHER:.*]] = icmp ult i64 %[[NEXT]], %h
; CHECK: %[[ONE:.*]] = icmp ult i64 %[[Y]], %h
; CHECK: %[[SAME:.*]] = icmp eq i1 %[[OTHER]], %[[ONE]]
; CHECK: %[[CLAMPED:.*]] = call i64 @llvm.umax.i64(i64 %[[Y]], i64 1)
; CHECK: %[[MOVES:.*]] = icmp eq i64 %[[CLAMPED]], %[[Y]]
; CHECK: %[[TOGETHER:.*]] = and i1 %[[SAME]], %[[MOVES]]
; CHECK: fallback:
; CHECK: call void @k.fallback(i64 %[[FROM:.*]], i64 %[[Y]],
; CHECK: call void @k.fallback(i64 %[[FROM]], i64 %[[NEXT]],
; CHECK: together:
; CHECK: br i1 %[[TOGETHER]],
; CHECK-NOT: umax
; CHECK-COUNT-4: load <4 x i32>
; CHECK-NOT: load <4 x i32>
; CHECK-COUNT-2: store <4 x i32>
; CHECK: row_fallback:
; CHECK: call void @k.row_fallback(i64 %[[FROM:.*]], i64 %[[Y]],
; CHECK: call void @k.row_fallback(i64 %[[FROM]],
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %w, i64 %h) {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %within = icmp ult i64 %y, %h
  br i1 %within, label %then, label %end

then:
  %above = call i64 @llvm.umax.i64(i64 %y, i64 1)
  %row0 = add i64 %above, -1
  %at0 = mul i64 %row0, %w
  %i0 = add i64 %at0, %x
  %p0 = getelementptr i32, ptr addrspace(1) %a, i64 %i0
  %v0 = load i32, ptr addrspace(1) %p0, align 4
  %at1 = mul i64 %w, %y
  %i1 = add i64 %x, %at1
  %p1 = getelementptr i32, ptr addrspace(1) %a, i64 %i1
  %v1 = load i32, ptr addrspace(1) %p1, align 4
  %i2 = add i64 %i1, %w
  %p2 = getelementptr i32, ptr addrspace(1) %a, i64 %i2
  %v2 = load i32, ptr addrspace(1) %p2, align 4
  %s = add i32 %v0, %v1
  %t = mul i32 %s, %v2
  %t2 = xor i32 %t, %v0
  %t3 = mul i32 %t2, %s
  %t4 = xor i32 %t3, %v1
  %t5 = mul i32 %t4, %t
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %i1
  store i32 %t5, ptr addrspace(1) %q, align 4
  br label %end

end:
  ret void
}

; Rows that look at something only if they have loaded another thing, which the next row has loaded anyhow.
; CHECK-LABEL: define internal spir_func void @chooses.rows(
; CHECK-NOT: masked
; CHECK-COUNT-4: load <4 x i32>
; CHECK-NOT: load
; CHECK: select <4 x i1>
; CHECK-COUNT-2: store <4 x i32>
; CHECK-NOT: masked
; CHECK-LABEL: }
define spir_kernel void @chooses(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %w) {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %at = mul i64 %y, %w
  %i = add i64 %at, %x
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %i2 = add i64 %i, %w
  %i3 = add i64 %i2, %w
  %p3 = getelementptr i32, ptr addrspace(1) %a, i64 %i3
  %v3 = load i32, ptr addrspace(1) %p3, align 4
  %less = icmp slt i32 %v, %v3
  br i1 %less, label %then, label %end

then:
  %p2 = getelementptr i32, ptr addrspace(1) %a, i64 %i2
  %v2 = load i32, ptr addrspace(1) %p2, align 4
  br label %end

end:
  %result = phi i32 [ %v, %0 ], [ %v2, %then ]
  %r2 = xor i32 %result, %v
  %r3 = mul i32 %r2, %result
  %r4 = xor i32 %r3, %v
  %r5 = mul i32 %r4, %r2
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %i
  store i32 %r5, ptr addrspace(1) %q, align 4
  ret void
}

; Rows with nothing in common, rows that decide by what they have loaded, and rows that write what others may count on.
; CHECK-NOT: define {{.*}}@copy.rows(
; CHECK-NOT: define {{.*}}@decides.rows(
; CHECK-NOT: define {{.*}}@counts.rows(
; And rows with patterns in local memory, which are known for sub-groups that begin at multiples of the width.
; CHECK-NOT: define {{.*}}@local.rows(
define spir_kernel void @copy(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %w) {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %at = mul i64 %y, %w
  %i = add i64 %at, %x
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %i
  store i32 %v, ptr addrspace(1) %q, align 4
  ret void
}

define spir_kernel void @decides(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %w) {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %at = mul i64 %y, %w
  %i = add i64 %at, %x
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %i2 = add i64 %i, %w
  %p2 = getelementptr i32, ptr addrspace(1) %a, i64 %i2
  %v2 = load i32, ptr addrspace(1) %p2, align 4
  %less = icmp slt i32 %v, %v2
  br i1 %less, label %then, label %end

then:
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %i
  store i32 %v, ptr addrspace(1) %q, align 4
  br label %end

end:
  ret void
}

define spir_kernel void @counts(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %w) {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %x
  %v = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %y
  %old = atomicrmw add ptr addrspace(1) %q, i32 %v monotonic
  ret void
}

define spir_kernel void @local(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(3) %l, i64 %w) {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %at = mul i64 %y, %w
  %i = add i64 %at, %x
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %i2 = add i64 %i, %w
  %p2 = getelementptr i32, ptr addrspace(1) %a, i64 %i2
  %v2 = load i32, ptr addrspace(1) %p2, align 4
  %s = add i32 %v, %v2
  %o = getelementptr i32, ptr addrspace(3) %l, i64 %i
  store i32 %s, ptr addrspace(3) %o, align 4
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %i
  store i32 %s, ptr addrspace(1) %q, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
