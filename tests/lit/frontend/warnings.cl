// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warnings are in the log of a build that succeeds, by the name that the user gave the source, and count as asked for.
// RUN: %compile %s --emit=info -o /dev/null 2>&1 | %check --check-prefix=WARN
// WARN: <source>:[[#@LINE+13]]:12: warning: using the result of an assignment
// RUN: %compile %s --options "-clotho-source=folder/program.cl" --emit=info -o /dev/null 2>&1 | %check --check-prefix=NAMED
// NAMED: folder/program.cl:[[#@LINE+11]]:12: warning: using the result of an assignment
// RUN: %compile %s --options "-DLINE" --emit=info -o /dev/null 2>&1 | %check --check-prefix=LINE
// LINE: from_line.cl:102:12: warning: using the result of an assignment
// RUN: %compile %s --options "-w" --emit=info -o /dev/null 2>&1 | %check --check-prefix=QUIET --allow-empty
// QUIET-NOT: warning
// RUN: not %compile %s --options "-Werror" --emit=info -o /dev/null 2>&1 | %check --check-prefix=ERROR
// ERROR: error: using the result of an assignment
kernel void k(global int* a) {
#ifdef LINE
#line 101 "from_line.cl"
#endif
  if (a[0] = 1)
    a[1] = 2;
}
