// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile %s -o %t.so
// RUN: llvm-nm -D %t.so | %check --check-prefix=NM
// RUN: llvm-readelf -n %t.so | %check --check-prefix=NOTE
// Nothing is undefined and nothing but kernels is visible, whatever names the program uses.
// NM-NOT: {{ U }}
// NM: T clotho_wg_memset
// NM-NEXT: T clotho_wg_strlen
// NM-NOT: {{.}}
// NOTE: Clotho 0x00000016
int memcpy(int x) { return x * 3; }
kernel void memset(global int* a) { for (int i = 0; i < 100; ++i) a[i] = 0; }
kernel void strlen(global int* a) { a[get_global_id(0)] = memcpy(a[0]); }
