// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The switch to a kernel's stack and back; guarded_call.hpp says for whom.
#if defined(__x86_64__) && !defined(CLOTHO_PORTABLE_GUARD)

// The frame, from rbp downwards: rbx, r12 to r15, then the floating-point control words at rbp - 48. The frame pointer
// stays in rbp while the kernel runs, as every callee keeps it: debuggers unwind from the kernel into the caller by it.
        .text
        .globl  clothoGuardedCall
        .hidden clothoGuardedCall
        .type   clothoGuardedCall, @function
        .p2align 4
clothoGuardedCall:      // rdi frame, rsi stack top or null, rdx function, rcx params, r8 context, r9 first, [rsp + 8] end
        .cfi_startproc
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        pushq   %rbx
        .cfi_offset %rbx, -24
        pushq   %r12
        .cfi_offset %r12, -32
        pushq   %r13
        .cfi_offset %r13, -40
        pushq   %r14
        .cfi_offset %r14, -48
        pushq   %r15
        .cfi_offset %r15, -56
        subq    $8, %rsp
        stmxcsr -48(%rbp)
        fnstcw  -44(%rbp)
        movq    %rbp, (%rdi)
        movq    %rdx, %rax
        movq    16(%rbp), %r10
        movq    %rcx, %rdi
        testq   %rsi, %rsi
        cmovneq %rsi, %rsp      // this stack is aligned as well
        movq    %r8, %rsi
        movq    %r9, %rdx
        movq    %r10, %rcx
        callq   *%rax
.Lback:
        leaq    -40(%rbp), %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
        .size   clothoGuardedCall, . - clothoGuardedCall

        .globl  clothoGuardedResume
        .hidden clothoGuardedResume
        .type   clothoGuardedResume, @function
        .p2align 4
clothoGuardedResume:    // rdi frame
        .cfi_startproc
        .cfi_undefined %rip
        movq    (%rdi), %rbp
        cld
        ldmxcsr -48(%rbp)
        fldcw   -44(%rbp)
        jmp     .Lback
        .cfi_endproc
        .size   clothoGuardedResume, . - clothoGuardedResume

#endif
        .section .note.GNU-stack, "", @progbits
