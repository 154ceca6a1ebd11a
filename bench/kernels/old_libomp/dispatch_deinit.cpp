// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clang++ 22 ends each loop with a dynamic schedule by a call that OpenMP libraries before LLVM 19 do not have and do
// not need. Linked only where the library is such a one.
extern "C" __attribute__((visibility("default"))) void __kmpc_dispatch_deinit(void* /*location*/, int /*thread*/) {}
