// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/row_length.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/variants.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class Function;
} // namespace llvm

/// Facts that passes find out about a kernel for later passes. They are stored with the function as one metadata node,
/// `!clotho.facts`, a list of keys and values: !{!"width", i32 16, !"rows", i32 4}. Defaults are left out. Copies of a
/// function copy the facts, and bitcode keeps them. They are metadata rather than attributes since LLVM's passes do not
/// read them.
/// A row is a run of work-items along dimension 0 of a work-group.
namespace clotho::compiler {

/// Bound that memory of any size meets.
inline constexpr std::uint64_t kAnyMemory = std::numeric_limits<std::uint64_t>::max();

/// Assumptions about a launch under which an analysis of its kernel holds.
struct LaunchFacts {
  std::uint64_t largestMemory = kAnyMemory; ///< no buffer among the arguments is larger
  bool idsFit = false;                      ///< global ids of dimension 0 fit into an int
  bool argumentsApart = false;              ///< No two arguments share memory.
  /// The argument with this number is a small buffer of counters that shares no memory with others; its elements are
  /// integers of `counterBits` bits.
  std::optional<std::uint32_t> counters = std::nullopt;
  std::uint32_t counterBits = 0;
  /// Work-groups of several rows have rows of a multiple of so many work-items; 0: of any length.
  std::uint32_t rowMultiple = 0;

  bool areNone() const {
    return largestMemory == kAnyMemory && !idsFit && !argumentsApart && !counters && rowMultiple == 0;
  }
  void add(const LaunchFacts& other) {
    largestMemory = std::min(largestMemory, other.largestMemory);
    idsFit = idsFit || other.idsFit;
    argumentsApart = argumentsApart || other.argumentsApart;
    if (!counters) {
      counters = other.counters;
      counterBits = other.counterBits;
    }
    rowMultiple = std::max(rowMultiple, other.rowMultiple);
  }
};

/// Facts of a kernel that is checked (docs/checking.md).
struct CheckFacts {
  std::uint64_t phases = 0;  ///< that a work-group counts (abi/checks.h); 0: none
  std::uint32_t granule = 0; ///< bytes of global memory for which there is a cell; 0: races are not looked for
  /// Bit mask of the arguments among the first 64 to whose memory the kernel may write.
  std::uint64_t written = 0;
};

/// Facts of a finished range function, which runs a range of a kernel's work-groups.
struct RangeFacts {
  std::string kernel;                   ///< Name of the kernel
  std::vector<Variant> variants;        ///< other functions than the kernel itself that may run parts of the range
  std::uint64_t localBytes = 0;         ///< size of the kernel's local variables
  std::uint64_t frameBytesPerItem = 0;  ///< size of the values of a sub-group that live across barriers
  std::uint64_t privateBytes = 0;       ///< size of a work-item's private variables
  std::uint64_t subGroupStackBytes = 0; ///< Stack of each sub-group, if they run in turn; otherwise 0
  /// Bytes of state after each work-group's context array, if work-groups may be interleaved
  /// (analysis/interleaving.hpp); otherwise 0.
  std::uint64_t interleavedState = 0;
  bool usesBarrier = false;
  bool usesPrintf = false;
  bool usesGroupIds = false; ///< It uses group ids, not only local ids.
};

struct KernelFacts {
  Variant variant = Variant::Original;

  // Facts from the front end, which portable modules keep, and from the first passes.

  /// The kernel was built with -cl-denorms-are-zero. LLVM's own attribute would keep builtins, which lack it, from
  /// being inlined.
  bool flushesDenormals = false;
  /// The kernel's sub-groups need not make progress while another waits (-cl-no-subgroup-ifp).
  bool needsNoProgress = false;
  /// The kernel's results depend on its division into sub-groups.
  bool usesSubGroups = false;
  /// Wanted length, in work-items, of rows that are merged from neighbouring work-groups. 0: the kernel's results
  /// depend on the division into groups, so rows are not merged.
  std::uint32_t mergedRow = 0;
  /// Work-groups that are neighbours along dimension 1 may be merged as well.
  bool isStackable = false;
  /// Bit masks over the arguments that are buffers: those that are outputs, to which non-temporal stores go, and those
  /// that are updated in place.
  std::uint64_t outputs = 0;
  std::uint64_t changed = 0;
  /// Cache space that each work-item's stores to outputs take, in 1 / cpu::kNonTemporalUnits of a byte. Up to ten
  /// sevenths of the stored bytes count if much is read as well: loads evict stored lines before these are read again.
  std::uint64_t nonTemporalUnits = 0;
  CheckFacts checks;
  /// The program's dimension that was exchanged with dimension 0, so that lanes lie along it; 0: none.
  std::uint32_t laneDimension = 0;
  /// Logical local size that the code uses: as many work-items as the launch's local size, in the same order. Nothing:
  /// the launch's local size.
  std::optional<LocalSize> shape;

  /// The divisor of the kernel's global ids, if its results depend on the division of the launch in no other way.
  RowLength rowLength;
  /// A build for one known local size can optimise more.
  bool wantsLocalSize = false;
  /// Bit mask of arguments for whose values a build of its own may pay.
  std::uint64_t wantedValues = 0;
  /// The code counts the launch in rows of length `rowLength`: ids of dimension 0 are columns, ids of dimension 1 rows.
  bool countsRows = false;
  bool areRowsWhole = false; ///< The last row, too, has all of its work-items.

  // Facts of vectorised kernels and their variants.

  std::uint32_t width = 1; ///< Width of sub-groups
  /// Sub-group size that the program sees, if work-groups are shorter than that and `width` is therefore less; 0:
  /// `width`.
  std::uint32_t subGroupSize = 0;
  std::uint32_t rows = 1; ///< number of rows that run at once
  /// The width was not requested, and the kernel's results are bitwise the same at any other.
  bool mayChangeWidth = false;
  bool mayOnlyWiden = false;    ///< See GroupLimits
  std::uint32_t widthToTry = 0; ///< estimated better width, as in GroupLimits
  /// Assumptions about the launch; if they do not hold, the exact variant runs.
  LaunchFacts assumes;
  bool lacksExact = false;  ///< There is no exact variant: launches that need one run other code.
  bool lacksFaster = false; ///< See GroupLimits
  /// The local size for which the local-memory-eliminated kernel replaces the kernel.
  std::optional<LocalSize> directSize;
  /// The function runs only what other variants leave over, so its build time counts for more than its speed.
  bool isSeldomRun = false;
  /// Lanes follow the linear local id (kernels that use sub-groups): get_local_id(0) goes from 0 to the work-group's
  /// size, and ids of other dimensions are computed from it.
  bool isLinear = false;
  /// The local size that a linear kernel requires, if any; its metadata has the number of work-items instead.
  std::optional<LocalSize> linearOf;

  // Facts of work-group functions.

  /// Bit mask of those among the first 64 parameters that point to local memory, if the function runs a work-group from
  /// its beginning to its end; otherwise 0.
  std::uint64_t localParameters = 0;
  /// Facts of a function that runs a range of work-groups; nothing for other functions.
  std::optional<RangeFacts> range;
};

KernelFacts factsOf(const llvm::Function& function);
void setFacts(llvm::Function& function, const KernelFacts& facts);

/// Lets `change` modify the function's facts and stores them.
template <class Change> void changeFacts(llvm::Function& function, Change&& change) {
  KernelFacts facts = factsOf(function);
  change(facts);
  setFacts(function, facts);
}

/// Text for reports: what this variant is for. `facts`: those of its range function.
std::string reasonFor(Variant variant, const KernelFacts& facts);

} // namespace clotho::compiler
