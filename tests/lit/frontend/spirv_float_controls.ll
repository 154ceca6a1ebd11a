; With FloatControls2 a decoration, or else the entry point's default, says all that arithmetic may do. No function has
; a sum and a product that may both be contracted; flags remain in what is reordered anyway.
; RUN: %compile %spirv/float_controls.spv --emit portable -o - | %check
; CHECK-LABEL: define internal spir_func float @0(
; CHECK: = fadd float
; CHECK-LABEL: define internal spir_func void @1(
; CHECK: = fmul float
; CHECK: = fadd nsz float
; CHECK-LABEL: define internal spir_func void @2(
; CHECK: = fmul reassoc contract float
; CHECK: = fadd float
; CHECK-LABEL: define internal spir_func void @3(
; CHECK: = fmul float
; CHECK: = fadd float
; CHECK: = fdiv float {{.*}}!fpmath ![[ERROR:[0-9]+]]
; CHECK: ![[ERROR]] = !{float 4.000000e+00}
