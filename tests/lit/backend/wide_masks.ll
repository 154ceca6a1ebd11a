; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=wide-masks %s | %check
; Masks that live longer than a block are vectors of integers as wide as what they choose from.

; The mask of a divergent loop: no vector of i1 goes from block to block.
; CHECK-LABEL: define <8 x float> @loop(
; CHECK: %[[START:.*]] = sext <8 x i1> %start to <8 x i32>
; CHECK: [[MASK:%.*]] = phi <8 x i32> [ %[[START]], %entry ], [ [[NEXT:%.*]], %loop ]
; CHECK: %small = fcmp olt <8 x float> %grown, splat (float 4.000000e+00)
; CHECK: [[SMALL:%.*]] = sext <8 x i1> %small to <8 x i32>
; CHECK: [[LIVE:%.*]] = icmp slt <8 x i32> [[MASK]], zeroinitializer
; CHECK: select <8 x i1> [[LIVE]], <8 x float> %grown, <8 x float> %x
; CHECK: [[FROZEN:%.*]] = freeze <8 x i32> [[SMALL]]
; CHECK: [[NEXT]] = and <8 x i32> [[MASK]], [[FROZEN]]
; CHECK-NOT: phi <8 x i1>
define <8 x float> @loop(<8 x float> %a, <8 x i32> %n) {
entry:
  %start = icmp sgt <8 x i32> %n, zeroinitializer
  br label %loop

loop:
  %live = phi <8 x i1> [ %start, %entry ], [ %next, %loop ]
  %x = phi <8 x float> [ %a, %entry ], [ %chosen, %loop ]
  %grown = fmul <8 x float> %x, %x
  %small = fcmp olt <8 x float> %grown, splat (float 4.0)
  %chosen = select <8 x i1> %live, <8 x float> %grown, <8 x float> %x
  %next = select <8 x i1> %live, <8 x i1> %small, <8 x i1> zeroinitializer
  %bits = bitcast <8 x i1> %next to i8
  %any = icmp ne i8 %bits, 0
  br i1 %any, label %loop, label %end

end:
  ret <8 x float> %chosen
}

; Half as many lanes of doubles.
; CHECK-LABEL: define <4 x double> @doubles(
; CHECK: sext <4 x i1> %mask to <4 x i64>
define <4 x double> @doubles(<4 x double> %a, <4 x double> %b, i1 %way) {
  %mask = fcmp olt <4 x double> %a, %b
  br i1 %way, label %then, label %end

then:
  %least = select <4 x i1> %mask, <4 x double> %a, <4 x double> %b
  ret <4 x double> %least

end:
  ret <4 x double> %a
}

; Lanes that move; where the truths do not come from a comparison and of constants, too.
; CHECK-LABEL: define <8 x i32> @moved(
; CHECK: [[WIDE:%.*]] = sext <8 x i1> %given to <8 x i32>
; CHECK: [[MOVED:%.*]] = shufflevector <8 x i32> [[WIDE]], <8 x i32> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
; CHECK: [[EITHER:%.*]] = xor <8 x i32> [[MOVED]], <i32 -1, i32 0, i32 -1, i32 0, i32 -1, i32 0, i32 -1, i32 0>
; CHECK: icmp slt <8 x i32> [[EITHER]], zeroinitializer
define <8 x i32> @moved(<8 x i1> %given, <8 x i32> %a, <8 x i32> %b) {
  %moved = shufflevector <8 x i1> %given, <8 x i1> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
  %either = xor <8 x i1> %moved, <i1 1, i1 0, i1 1, i1 0, i1 1, i1 0, i1 1, i1 0>
  %chosen = select <8 x i1> %either, <8 x i32> %a, <8 x i32> %b
  ret <8 x i32> %chosen
}

; Masks are bytes if most of their uses are bytes: four registers would be one.
; CHECK-LABEL: define <32 x i32> @bytes(
; CHECK: phi <32 x i8>
; CHECK-NOT: phi <32 x i32> [ %{{[0-9]+}}
define <32 x i32> @bytes(ptr %p, <32 x i8> %first, <32 x i8> %letter, <32 x i32> %a, <32 x i32> %b) {
entry:
  %start = icmp eq <32 x i8> %first, %letter
  br label %loop

loop:
  %live = phi <32 x i1> [ %start, %entry ], [ %next, %loop ]
  %text = load volatile <32 x i8>, ptr %p
  %same = icmp eq <32 x i8> %text, %letter
  %next = and <32 x i1> %live, %same
  %bits = bitcast <32 x i1> %next to i32
  %any = icmp ne i32 %bits, 0
  br i1 %any, label %loop, label %end

end:
  %chosen = select <32 x i1> %live, <32 x i32> %a, <32 x i32> %b
  ret <32 x i32> %chosen
}

; What stays within a block stays as it is.
; CHECK-LABEL: define <8 x i32> @short(
; CHECK: select <8 x i1> %both, <8 x i32> %a, <8 x i32> %b
define <8 x i32> @short(<8 x i32> %a, <8 x i32> %b) {
  %less = icmp slt <8 x i32> %a, %b
  %positive = icmp sgt <8 x i32> %a, zeroinitializer
  %both = and <8 x i1> %less, %positive
  %chosen = select <8 x i1> %both, <8 x i32> %a, <8 x i32> %b
  ret <8 x i32> %chosen
}
