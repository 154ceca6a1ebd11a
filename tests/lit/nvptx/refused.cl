// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %compile --gpu sm_90 --emit asm %s 2>&1 | %check --check-prefix=UNDEFINED
// RUN: not %compile --gpu sm_60 --emit asm %s 2>&1 | %check --check-prefix=OLD
// RUN: not %compile --gpu sm_90a --emit asm %s 2>&1 | %check --check-prefix=BOUND
// RUN: not %compile --gpu x86-64 --emit asm %s 2>&1 | %check --check-prefix=UNKNOWN
// RUN: not %compile --gpu sm_90 --emit asm --options -DLARGE %s 2>&1 | %check --check-prefix=LARGE
#ifdef LARGE
// LARGE: error: the arguments of kernel 'large' take 4008 bytes, more than 3840
typedef struct { int a[1000]; } Large;
kernel void large(global int* p, Large s) { *p = s.a[1]; }
#else
// UNDEFINED: error: the function 'missing' is used but not defined
// OLD: error: there is no code generator for the GPU 'sm_60'
// BOUND: error: there is no code generator for the GPU 'sm_90a'
// UNKNOWN: error: there is no code generator for the GPU 'x86-64'
int missing(int);
kernel void calls(global int* p) { *p = missing(1); }
#endif
