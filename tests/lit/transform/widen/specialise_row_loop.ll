; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; The version in which lanes agree runs the rest of a row. It asks for eight sub-groups at once, and if that fails for
; one; so many then run without being asked again. One that does not agree is left to the predicated variant, and the
; row goes on after it. The answer is the guard of all of them, and private variables are outside of the loops.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK-NOT: masked
; CHECK: sub_group:
; CHECK-NEXT: alloca [64 x <4 x i32>]
; CHECK: entry:
; CHECK-NEXT: %[[FIRST:.*]] = call {{.*}}i64 @clotho.local_id(i32 0)
; CHECK-NEXT: br label %row
; CHECK: row:
; CHECK-NEXT: %[[X:.*]] = phi i64 [ %[[FIRST]], %entry ], [ %[[REACHED:.*]], %next.row_crit_edge ]
; CHECK-NEXT: br label %agree
; CHECK: agree:
; CHECK-NEXT: %[[LANES:.*]] = phi i64 [ 32, %row ], [ 4, %smaller.agree_crit_edge ]
; CHECK-NEXT: %[[END:.*]] = add i64 %[[X]], %[[LANES]]
; CHECK-NEXT: %[[ROW:.*]] = call i64 @clotho.row_end()
; CHECK-NEXT: icmp ule i64 %[[END]], %[[ROW]]
; CHECK: %[[LESS:.*]] = icmp ult i64 %[[X]], %n
; CHECK: br i1 %{{.*}}, label %agree.then, label %agree.else
; CHECK: smaller:
; CHECK-NEXT: %[[WAS_ONE:.*]] = icmp eq i64 %[[LANES]], 4
; CHECK-NEXT: br i1 %[[WAS_ONE]], label %smaller.then, label %smaller.else
; CHECK: smaller.agree_crit_edge:
; CHECK-NEXT: br label %agree
; CHECK: fallback:
; CHECK-NEXT: %[[Y:.*]] = call {{.*}}i64 @clotho.local_id(i32 1)
; CHECK-NEXT: %[[Z:.*]] = call {{.*}}i64 @clotho.local_id(i32 2)
; CHECK-NEXT: call void @k.fallback(i64 %[[X]], i64 %[[Y]], i64 %[[Z]], ptr addrspace(1) %a, i64 %n)
; CHECK-NEXT: %[[AFTER_REST:.*]] = add nuw nsw i64 %[[X]], 4
; CHECK-NEXT: br label %next{{$}}
; CHECK: begin:
; CHECK-NEXT: %[[OWN:.*]] = phi i64 [ %[[X]], %begin.preheader ], [ %[[AFTER:.*]], %body.next.begin_crit_edge ]
; CHECK-NEXT: %[[ID:.*]] = add i64 %[[OWN]], 0
; CHECK: br i1 %[[LESS]], label %begin.then, label %begin.else
; CHECK: begin.body.next_crit_edge:
; CHECK-NEXT: br label %body.next{{$}}
; CHECK: then:
; CHECK: getelementptr i32, ptr addrspace(1) %a, i64 %[[ID]]
; CHECK-NEXT: store <4 x i32> %
; CHECK-NEXT: br label %body.next{{$}}
; CHECK: body.next:
; CHECK-NEXT: %[[AFTER]] = add nuw nsw i64 %[[OWN]], 4
; CHECK-NEXT: %[[MORE:.*]] = icmp ult i64 %[[AFTER]], %[[END]]
; CHECK-NEXT: br i1 %[[MORE]], label %body.next.then, label %body.next.else
; CHECK: next:
; CHECK-NEXT: %[[REACHED]] = phi i64 [ %[[AFTER]], %next.loopexit ], [ %[[AFTER_REST]], %fallback ]
; CHECK-NEXT: %[[ON:.*]] = icmp ult i64 %[[REACHED]], %[[ROW]]
; CHECK-NEXT: br i1 %[[ON]], label %next.then, label %next.else
; CHECK: ret void
; CHECK: agree.then:
; CHECK-NEXT: br label %begin.preheader
; CHECK: agree.else:
; CHECK-NEXT: br label %smaller{{$}}
; CHECK: smaller.then:
; CHECK-NEXT: br label %fallback{{$}}
; CHECK: smaller.else:
; CHECK-NEXT: br label %smaller.agree_crit_edge
; CHECK: body.next.then:
; CHECK-NEXT: br label %body.next.begin_crit_edge
; CHECK: body.next.else:
; CHECK-NEXT: br label %next.loopexit
; CHECK: next.then:
; CHECK-NEXT: br label %next.row_crit_edge
; CHECK-NOT: masked
; CHECK-LABEL: define internal spir_func void @k.predicated(
; The predicated variant runs one sub-group.
; CHECK-NOT: agree
; CHECK: masked.store
; CHECK-NOT: agree
define spir_kernel void @k(ptr addrspace(1) %a, i64 %n) {
  %private = alloca [64 x i32], align 4
  %lid = call i64 @clotho.local_id(i32 0)
  %low = and i64 %n, 63
  %less = icmp ult i64 %lid, %n
  br i1 %less, label %then, label %end

then:
  %slot = getelementptr i32, ptr %private, i64 %low
  store i32 7, ptr %slot, align 4
  %other = getelementptr i32, ptr %private, i64 3
  %x = load i32, ptr %other, align 4
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  store i32 %x, ptr addrspace(1) %p, align 4
  br label %end

end:
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
