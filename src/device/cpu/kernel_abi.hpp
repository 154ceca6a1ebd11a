// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

/// The contract between compiled kernels and the CPU device that runs them. Code generation builds these
/// structs' fields by offset (src/compiler/backend/cpu), so a change here changes `kKernelAbiVersion`.
namespace clotho::cpu {

inline constexpr std::uint32_t kKernelAbiVersion = 9;

/// Of LaunchParams::streamFrom, in a byte: work-items store few bytes each.
inline constexpr std::uint64_t kStreamUnits = 16;

/// Where printf records go. Kernel code reserves `n` bytes with an atomic add on `used`; when the sum would
/// pass `capacity`, the record is dropped and printf returns -1. A record is:
/// u32 total bytes (multiple of 8), u32 format index, then each argument at 8-byte alignment.
/// A char* argument (%s) is stored as its 8-byte address (a literal in the object's read-only data).
struct PrintfBuffer {
  std::uint64_t used;
  std::uint64_t capacity;
  std::byte data[];
};

/// One launch, or what of it has work-groups of one size: a box of up to eight, each with the work-groups at the upper
/// end, where the local size does not divide the global size, of some dimensions, and with all others of the rest.
struct LaunchParams {
  const std::byte* args; ///< argument block (KernelInfo::args[i].offset), 128-byte aligned
  PrintfBuffer* printf;  ///< null when the kernel does not print
  std::uint64_t globalOffset[3];
  std::uint64_t globalSize[3];
  std::uint64_t localSize[3]; ///< of the box
  std::uint64_t numGroups[3]; ///< of the launch
  std::uint32_t workDim;
  /// Work-groups that are neighbours along dimension 0 and may be run as one, by a kernel that cannot tell; 0 is 1.
  std::uint32_t mergedGroups;
  // For programs whose launches may be cut into several boxes. Others find all that they need above.
  std::uint64_t enqueuedLocalSize[3];
  std::uint64_t firstGroup[3]; ///< of the box
  std::uint64_t endGroup[3];
  /// Kernels that store as much a work-item, one next to the other's, had better not fill the caches with it. In
  /// kStreamUnits a byte.
  std::uint64_t streamFrom;
  /// How many work-groups that are neighbours along dimension 0 take turns, for kernels that can; at least 1. The frame
  /// of each comes `interleavedStride` bytes (a multiple of 128) after the one before.
  std::uint64_t interleavedGroups;
  std::uint64_t interleavedStride;
  /// No memory that an argument points to is another argument's too. Told to kernels with CpuKernelFacts::directSize
  /// alone.
  std::uint64_t argumentsApart;
  /// What the launch writes is soon changed in place, and its lines are still in the caches from the last time: what it
  /// reads beside had better not take their room. Otherwise 0.
  std::uint64_t keepsOutput;
  /// Bytes of the largest buffer among the arguments. Indices of 32 bits may wrap around between work-items where it is
  /// very large.
  std::uint64_t largestMemory;
};

struct WorkerContext;

/// Runs one sub-group of a work-group, of which the arguments tell.
using SubGroupFunction = void(void* arguments, std::uint64_t index);

/// For kernels whose sub-groups run in turn (CpuKernelFacts::subGroupStackBytes).
struct SubGroupServices {
  /// Calls `function(arguments, i)` for each i < count, each on a stack of its own; returns when all have returned.
  void (*run)(WorkerContext*, SubGroupFunction*, void* arguments, std::uint64_t count);
  // From within such a function:
  void (*yield)(WorkerContext*);   ///< lets the others run
  void (*barrier)(WorkerContext*); ///< returns when all that have not returned are in it
};

class Fibres;

/// Memory of the thread that runs work-groups.
struct WorkerContext {
  std::byte* local; ///< local memory of the running work-group: kernel's own first, then arguments'; 128-byte aligned
  std::byte* frame; ///< barrier frame: frameBytesPerItem * work-items, 128-byte aligned; or several
  std::uint64_t currentGroup; ///< linear index, stored before each work-group starts: names the group in fault reports
  // Where the memories end, so that a generic pointer tells by its address what it points into. Past the ends of local
  // memory and of the frame comes nothing of others, so a pointer just past an object is told rightly, too.
  std::byte* localEnd;
  std::byte* frameEnd;
  std::byte* stackBegin; ///< of the stack that the work-groups run on
  std::byte* stackEnd;
  std::uint64_t currentGroups; ///< how many work-groups were started as one; 0 is 1
  const SubGroupServices* subGroups;
  Fibres* fibres; ///< for the services; null unless the kernel's sub-groups run in turn
};

/// Runs the work-groups with linear indices [first, end) of the box; index = (z * count.y + y) * count.x + x, where
/// count is endGroup - firstGroup, and x, y and z are counted from firstGroup on.
/// The object exports it under CpuKernelFacts::symbol.
using WorkGroupFunction = void(const LaunchParams*, WorkerContext*, std::uint64_t first, std::uint64_t end);

} // namespace clotho::cpu
