// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/fields.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// Facts about a kernel for the CPU device alone: BuiltKernel::facts of CPUs. Everybody between the two
/// passes it on as it is.
namespace clotho::cpu {

struct CpuKernelFacts {
  std::string symbol;                   ///< the function in the object that runs a range of work-groups (cpu_kernel.h)
  std::uint64_t frameBytesPerItem = 0;  ///< what lives across barriers, of each sub-group
  std::uint64_t stackBytes = 0;         ///< the most that the function takes of its caller's stack; 0: not known
  std::uint64_t subGroupStackBytes = 0; ///< for each sub-group, when one may wait for another and they run in turn
  /// Work-groups may be interleaved, each with a frame of its own and so many bytes behind that; 0: they may not.
  std::uint64_t interleavedState = 0;
  bool usesPrintf = false;
  bool usesBarrier = false;
  /// Neighbouring work-groups may be run as one (LaunchParams::mergedGroups), until rows are this long; 0: may not.
  std::uint32_t mergedRow = 0;
  /// The local size, of dimensions 0 and 1, with which alone that is so, and only where there is no global offset and
  /// LaunchParams::argumentsApart says so; zeros: with any, and anyway.
  std::uint32_t directSize[2] = {0, 0};
  /// Rows of work-items lie along this dimension of the program's: the code, these facts and LaunchParams name it 0,
  /// and dimension 0 by its number.
  std::uint32_t laneDimension = 0;
  /// The local size that code and LaunchParams count by, if not the launch's. It has as many work-items, in the same
  /// order. Such code runs launches only whose work-groups have all one size.
  std::uint32_t shape[3] = {0, 0, 0};
  /// A launch in one dimension is counted by rows (GroupLimits::rows): along them in dimension 0, over them in
  /// dimension 1, before dimensions are exchanged.
  bool countsRows = false;
  bool areRowsWhole = false;    ///< the code takes launches only whose last row is whole
  std::uint32_t rowsAtOnce = 1; ///< of a work-group: it is quickest with a multiple of so many
  /// Neighbouring work-groups along dimension 1 may be run as one that is larger, so that it has so many rows.
  bool isStackable = false;
  bool asksApart = false; ///< LaunchParams::argumentsApart, of any launch
  /// The code has no exact variant: launches for which `largestMemory`, `idsFit`, `rowMultiple` or `asksApart` does not
  /// hold run other code of the kernel.
  bool lacksExact = false;
  std::uint64_t largestMemory = UINT64_MAX; ///< bytes of the largest memory that an argument may point to
  bool idsFit = false;                      ///< there are at most kMostIds global ids of dimension 0
  /// Rows of work-groups have a multiple of so many work-items, unless the work-group is one row; 0: any number.
  std::uint32_t rowMultiple = 0;
  /// The argument that a launch may count in as LaunchParams::counterBytes says.
  std::uint32_t counters = kNoArgument;
  std::uint32_t counterSize = 0; ///< bytes of a counter: 4 or 8
  static constexpr std::uint32_t kNoArgument = UINT32_MAX;
  std::uint32_t checkSites = 0;    ///< places of a checked kernel that can report a fault; 0: it is not checked
  std::uint64_t phasesOfGroup = 0; ///< that a checked work-group counts (abi/checks.h); 0: none
  std::uint32_t granule = 0;       ///< bytes of global memory for which there is a cell; 0: races are not looked for
  std::uint64_t written = 0; ///< bits for the first 64 arguments: a checked kernel may write to the memory of these
  // Bits for the arguments that are buffers, in order:
  std::uint64_t outputs = 0; ///< stores may go past the caches to these, which are not read
  std::uint64_t changed = 0; ///< these are read and written
};

template <Of<CpuKernelFacts> Type, class Visit> void visitFields(Type& facts, Visit&& visit) {
  auto& [symbol, frameBytesPerItem, stackBytes, subGroupStackBytes, interleavedState, usesPrintf, usesBarrier,
         mergedRow, directSize, laneDimension, shape, countsRows, areRowsWhole, rowsAtOnce, isStackable, asksApart,
         lacksExact, largestMemory, idsFit, rowMultiple, counters, counterSize, checkSites, phasesOfGroup, granule,
         written, outputs, changed] = facts;
  visitEach(visit, symbol, frameBytesPerItem, stackBytes, subGroupStackBytes, interleavedState, usesPrintf, usesBarrier,
            mergedRow, directSize, laneDimension, shape, countsRows, areRowsWhole, rowsAtOnce, isStackable, asksApart,
            lacksExact, largestMemory, idsFit, rowMultiple, counters, counterSize, checkSites, phasesOfGroup, granule,
            written, outputs, changed);
}

/// Exchanges what has a value for each dimension from the program's order to the code's, or back.
template <class Values> void exchangeDimensions(const CpuKernelFacts& facts, Values& values) {
  std::swap(values[0], values[facts.laneDimension]);
}

inline std::string encodeFacts(const CpuKernelFacts& facts) {
  ByteWriter out;
  FieldWriter{out}(facts);
  return out.take();
}

/// Nothing when the bytes are no such facts; what they say may still be impossible.
inline std::optional<CpuKernelFacts> decodeFacts(std::string_view bytes) {
  ByteReader in(bytes);
  CpuKernelFacts facts;
  FieldReader{in}(facts);
  if (!in.finished()) return std::nullopt;
  return facts;
}

} // namespace clotho::cpu
