// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CLOTHO_ABI_CUDA_KERNEL_H
#define CLOTHO_ABI_CUDA_KERNEL_H

#include "abi/types.h"

/* The contract between kernels compiled to PTX and the CUDA device that launches them. Code generation reads this
   struct's fields by offset, so a change here changes `kCudaAbiVersion`.

   A kernel has two parameters, both by value: a CudaLaunch, and the argument block (KernelInfo::args[i].offset), which
   is missing if the block is empty. Its local memory is the dynamic shared memory of the launch from kLocalBegin on:
   the kernel's own variables first, then those of its arguments, whose offsets are from there. */

#ifdef __cplusplus
namespace clotho::cuda {
#endif

enum { kCudaAbiVersion = 4 };

/// Bytes of dynamic shared memory that no object lies in, since address 0 may be there: that of a null pointer.
enum { kLocalBegin = 128 };

/// One grid: work-groups of one size, a box of those of the launch. Grid and block have the dimensions of the launch:
/// the group's id is that of the block and `firstGroup`.
typedef struct CudaLaunch {
  abi_u64 globalOffset[3];
  abi_u64 globalSize[3];
  abi_u64 numGroups[3]; ///< of the launch
  abi_u64 firstGroup[3];
  abi_u64 firstItem[3]; ///< global id of the first work-item of the first group
  abi_u64 printf;       ///< address of a PrintfBuffer; 0 when the kernel does not print
  abi_u32 enqueuedLocalSize[3];
  abi_u32 workDim;
  abi_u32 zeroedLocal; ///< bytes of local memory that each work-group sets to 0 before it begins
  abi_u32 unused;
  abi_u64 enqueuing; ///< address of an Enqueuing (abi/device_queue.h); 0 when the kernel enqueues no others
} CudaLaunch;

/// Most bytes of an argument block: CUDA allows 4 KiB of parameters. A kernel that sees the whole launch of which it is
/// a part has up to 12 part arguments, too.
enum { kMostPartArgumentBytes = 12 * 8, kMostArgumentBytes = 4096 - sizeof(CudaLaunch) - kMostPartArgumentBytes };

#ifdef __cplusplus
} // namespace clotho::cuda
#endif

#endif
