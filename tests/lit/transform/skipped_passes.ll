; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=lower-division,instcombine %s | %check
; RUN: %opt --passes=lower-division,instcombine --skip-passes=instcombine %s | FileCheck --check-prefix=SKIPPED %s
; RUN: not %opt --passes=instcombine --skip-passes=no-such-pass %s 2>&1 | FileCheck --check-prefix=WRONG %s

; CHECK-LABEL: @f
; CHECK-NEXT: ret i32 %x
; SKIPPED-LABEL: @f
; SKIPPED-NEXT: add i32 %x, 0
; WRONG: there is no pass 'no-such-pass'
define i32 @f(i32 %x) {
  %y = add i32 %x, 0
  ret i32 %y
}
