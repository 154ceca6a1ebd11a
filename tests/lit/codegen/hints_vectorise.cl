// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %report %S/../../kernels/control_flow/hints.cl | %check --implicit-check-not="one lane after the other"
// What is expected of a value is said by weights of branches, not by a call that goes from lane to lane.
// CHECK: kernel sums:
