// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CLOTHO_ABI_TYPES_H
#define CLOTHO_ABI_TYPES_H

/* The types of the headers in this folder, which describe what compiled kernels, the devices that run them and the
   builtin library have in common. They are written in the common subset of C++, C and OpenCL C, so that each layout is
   said once. A pointer has 8 bytes in all three. */

#if defined(__OPENCL_C_VERSION__)
typedef uint abi_u32;
typedef ulong abi_u64;
typedef uchar abi_byte;
#elif defined(__cplusplus)
#include <cstddef>
#include <cstdint>
namespace clotho {
using abi_u32 = std::uint32_t;
using abi_u64 = std::uint64_t;
using abi_byte = std::byte;
} // namespace clotho
#else
#include <stdint.h>
typedef uint32_t abi_u32;
typedef uint64_t abi_u64;
typedef char abi_byte;
#endif

#endif
