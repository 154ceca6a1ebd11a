// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CLOTHO_ABI_PRINTF_H
#define CLOTHO_ABI_PRINTF_H

#include "abi/types.h"

#ifdef __cplusplus
namespace clotho {
#endif

/// Printf records go here. Kernel code reserves `n` bytes with an atomic addition to `used`; when the sum would pass
/// `capacity`, the record is dropped and printf returns -1. A record is: u32 total bytes (a multiple of 8), u32 format
/// index, then each argument at 8-byte alignment. A char* argument (%s) is stored as its 8-byte address, of a literal
/// in the object's read-only data.
typedef struct PrintfBuffer {
  abi_u64 used;
  abi_u64 capacity;
  abi_byte data[];
} PrintfBuffer;

#ifdef __cplusplus
} // namespace clotho
#endif

#endif
