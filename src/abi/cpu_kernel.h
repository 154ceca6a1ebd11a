// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CLOTHO_ABI_CPU_KERNEL_H
#define CLOTHO_ABI_CPU_KERNEL_H

#include "abi/checks.h"
#include "abi/device_queue.h"
#include "abi/printf.h"
#include "abi/types.h"

/* The contract between compiled kernels and the CPU device that runs them. Code generation builds these structs' fields
   by offset, so a change here changes `kKernelAbiVersion`. */

#ifdef __cplusplus
namespace clotho::cpu {
#endif

enum { kKernelAbiVersion = 18 };

/// The unit of LaunchParams::nonTemporalFrom is a byte's part of this size: work-items store few bytes each.
enum { kNonTemporalUnits = 16 };

/// Threads count by themselves in the place of buffers of so many bytes at most (LaunchParams::counterBytes), each in
/// so many copies, one of which begins so many bytes after the other. The distance is no power of two, which processors
/// take for the same address at first sight.
enum { kMostCounterBytes = 4096, kCounterCopies = 4, kCounterStride = kMostCounterBytes + 192 };

/// One launch, or what of it has work-groups of one size: a box of up to eight, each with the work-groups at the upper
/// end, where the local size does not divide the global size, of some dimensions, and with all others of the rest.
typedef struct LaunchParams {
  const abi_byte* args; ///< argument block (KernelInfo::args[i].offset), 128-byte aligned
  PrintfBuffer* printf; ///< null when the kernel does not print
  abi_u64 globalOffset[3];
  abi_u64 globalSize[3]; ///< where CpuKernelFacts::countsRows, that of dimension 2 is how many work-items there are
  abi_u64 localSize[3];  ///< of the box
  abi_u64 numGroups[3];  ///< of the launch
  abi_u32 workDim;
  /// Work-groups that are neighbours along dimension 0 and may be run as one, by a kernel that cannot tell; 0 is 1.
  abi_u32 mergedGroups;
  // For programs whose launches may be cut into several boxes. Others find all that they need above.
  abi_u64 enqueuedLocalSize[3];
  abi_u64 firstGroup[3]; ///< of the box
  abi_u64 endGroup[3];
  /// Kernels that store as much a work-item, one next to the other's, had better not fill the caches with it. In
  /// kNonTemporalUnits a byte.
  abi_u64 nonTemporalFrom;
  /// How many neighbours along dimension 0 are interleaved, for kernels whose work-groups can be; at least 1. The frame
  /// of each comes `interleavedStride` bytes (a multiple of 128) after the one before.
  abi_u64 interleavedGroups;
  abi_u64 interleavedStride;
  /// No memory that an argument points to is another argument's too. Told to kernels with CpuKernelFacts::directSize
  /// or asksApart alone.
  abi_u64 argumentsApart;
  /// Bytes of the largest buffer among the arguments. Indices of 32 bits may wrap around between work-items where it is
  /// very large.
  abi_u64 largestMemory;
  /// Bytes of the buffer that CpuKernelFacts::counters names, if threads may count in memory of their own in its place;
  /// otherwise 0.
  abi_u64 counterBytes;
  CheckedLaunch* checks; ///< null unless the kernel is checked
} LaunchParams;

struct SubGroupServices;

/// Memory of the thread that runs work-groups.
typedef struct WorkerContext {
  abi_byte* localMemory; ///< of the running work-group: kernel's own first, then arguments'; 128-byte aligned
  abi_byte* frame;       ///< barrier frame: frameBytesPerItem * work-items, 128-byte aligned; or several
  abi_u64 currentGroup;  ///< linear index, stored before each work-group starts: names the group in fault reports
  // These say where the memories end, so that a generic pointer tells by its address what it points into. Past the ends
  // of local memory and of the frame comes nothing of others, so a pointer just past an object is told rightly, too.
  abi_byte* localEnd;
  abi_byte* frameEnd;
  abi_byte* stackBegin; ///< of the stack that the work-groups run on
  abi_byte* stackEnd;
  abi_u64 currentGroups; ///< how many work-groups were started as one; 0 is 1
  const struct SubGroupServices* subGroups;
  void* subGroupState;  ///< of the services, which are the device's; null unless the kernel's sub-groups run in turn
  Enqueuing* enqueuing; ///< null unless the kernel may enqueue others
  CheckedGroup* checks; ///< null unless the kernel is checked
} WorkerContext;

#ifndef __OPENCL_C_VERSION__ /* which has no pointers to functions */

/// Runs one sub-group of a work-group, of which the arguments tell.
typedef void SubGroupFunction(void* arguments, abi_u64 index);

/// For kernels whose sub-groups run in turn (CpuKernelFacts::subGroupStackBytes).
typedef struct SubGroupServices {
  /// Calls `function(arguments, i)` for each i < count, each on a stack of its own; returns when all have returned.
  void (*run)(WorkerContext*, SubGroupFunction* function, void* arguments, abi_u64 count);
  // From within such a function:
  void (*yield)(WorkerContext*);   ///< lets the others run
  void (*barrier)(WorkerContext*); ///< returns when all that have not returned are in it
} SubGroupServices;

/// Runs the work-groups with linear indices [first, end) of the box; index = (z * count.y + y) * count.x + x, where
/// count is endGroup - firstGroup, and x, y and z are counted from firstGroup on.
/// The object exports it under CpuKernelFacts::symbol.
typedef void WorkGroupFunction(const LaunchParams*, WorkerContext*, abi_u64 first, abi_u64 end);

#endif

#ifdef __cplusplus
} // namespace clotho::cpu
#endif

#endif
