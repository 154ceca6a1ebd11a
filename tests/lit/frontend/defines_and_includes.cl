// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile %s --options "-DA -D B=2 -DC='x y' -I %S/Inputs" --emit=info | %check
// CHECK: reads {{.*}}Inputs/header.h
#include "header.h"
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#if A != 1 || B != 2 || FROM_HEADER != 5
#error "options did not arrive"
#endif
constant char text[] = TEXT(C);
kernel void k(global int* a) { a[sizeof(text) == 4 ? 0 : -1] = 1; }
