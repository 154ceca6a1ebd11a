// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// For what runs in a process that the sanitizers know nothing of, and that may lose the stack protector's secret.
#if defined(__clang__)
#define CLOTHO_UNINSTRUMENTED __attribute__((no_sanitize("address", "thread", "undefined"), no_stack_protector))
#else
#define CLOTHO_UNINSTRUMENTED                                                                                          \
  __attribute__((no_sanitize_address, no_sanitize_thread, no_sanitize_undefined, no_stack_protector))
#endif
