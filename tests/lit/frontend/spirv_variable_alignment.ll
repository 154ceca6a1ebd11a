; A variable is as aligned as its accesses claim, although its decoration promises less.
; RUN: %compile %spirv/module_variables.spv --emit portable -o - | %check
; CHECK: addrspace(1) global [16 x i8] zeroinitializer, align 16
; A private variable that is only read is a constant.
; CHECK: addrspace(2) constant i32 40
; CHECK: store <4 x i32> {{.*}}, align 16
