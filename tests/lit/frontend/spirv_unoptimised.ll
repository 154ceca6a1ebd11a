; A program in which kernels ask not to be inlined has not been optimised, and asks for nothing; another one's functions
; are not inlined if they ask for it.
; RUN: %compile %spirv/unoptimised.spv --emit portable -o - | %check --check-prefix=ALL
; RUN: %compile %spirv/dont_inline.spv --emit portable -o - | %check --check-prefix=ONE
; ALL: define internal spir_func i32 @
; ALL-NOT: noinline
; ONE: define internal spir_func i32 @{{.*}} #[[NO:[0-9]+]] {
; ONE: attributes #[[NO]] = {{.*}} noinline
