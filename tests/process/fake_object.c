// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__attribute__((visibility("default"))) int fakeKernel(void) { return 42; }
