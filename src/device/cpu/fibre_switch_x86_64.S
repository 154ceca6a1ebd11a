// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the stack of one sub-group to that of another; fibres.hpp says for whom.
#if defined(__x86_64__) && !defined(CLOTHO_PORTABLE_GUARD)

// Vector and mask registers are the caller's to save, and the floating-point control words are the same everywhere.
        .text
        .globl  clothoSwitchFibre
        .hidden clothoSwitchFibre
        .type   clothoSwitchFibre, @function
        .p2align 4
clothoSwitchFibre:      // rdi where to save the stack pointer, rsi the stack pointer to go on with
        .cfi_startproc
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbx, 0
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r12, 0
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r13, 0
        pushq   %r14
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r14, 0
        pushq   %r15
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r15, 0
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        popq    %r15
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r15
        popq    %r14
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r14
        popq    %r13
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r13
        popq    %r12
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r12
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbx
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbp
        ret
        .cfi_endproc
        .size   clothoSwitchFibre, . - clothoSwitchFibre

        .globl  clothoBeginFibre
        .hidden clothoBeginFibre
        .type   clothoBeginFibre, @function
        .p2align 4
clothoBeginFibre:       // r12 the argument, r13 the function, which never returns
        .cfi_startproc
        .cfi_undefined %rip
        movq    %r12, %rdi
        callq   *%r13
        ud2
        .cfi_endproc
        .size   clothoBeginFibre, . - clothoBeginFibre

#endif
        .section .note.GNU-stack, "", @progbits
