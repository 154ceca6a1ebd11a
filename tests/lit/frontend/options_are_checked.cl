// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %compile %s --options "-cl-mad-enabled" 2>&1 | %check --check-prefix=UNKNOWN
// UNKNOWN: The option '-cl-mad-enabled' is not known.
// RUN: not %compile %s --options "-cl-std=CL9.9" 2>&1 | %check --check-prefix=STD
// STD: The option '-cl-std=CL9.9' names a language version that is not supported.
// RUN: not %compile %s --options "-I" 2>&1 | %check --check-prefix=OPERAND
// OPERAND: The option '-I' needs an argument.
// RUN: not %compile %s --options "-create-library" 2>&1 | %check --check-prefix=LINKER
// LINKER: The option '-create-library' is a linker option.
// RUN: not %compile %s --options "-D 'A" 2>&1 | %check --check-prefix=QUOTE
// QUOTE: The build options end inside a quotation.
// RUN: %compile %s --options "-cl-single-precision-constant -cl-denorms-are-zero -cl-opt-disable -cl-strict-aliasing -cl-mad-enable -cl-no-signed-zeros -cl-unsafe-math-optimizations -cl-finite-math-only -cl-fast-relaxed-math -cl-uniform-work-group-size -cl-no-subgroup-ifp -cl-fp32-correctly-rounded-divide-sqrt -w -Werror -cl-kernel-arg-info -g -clotho-report" -o /dev/null
kernel void k(global float* a) { a[0] = a[1] * a[2] + 1; }
