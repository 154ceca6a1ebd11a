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

/// What passes find out about a kernel and later passes want to know. It is kept with the function, as one node of
/// metadata, `!clotho.facts`, which is a list of keys and values: !{!"width", i32 16, !"rows", i32 4}. What is as at
/// first is left out. Copies of a function have a copy of its facts, and bitcode keeps them. LLVM's passes look at
/// none, so none is an attribute.
namespace clotho::compiler {

/// What a bound is where no memory that may be reached is too large for it.
inline constexpr std::uint64_t kAnyMemory = std::numeric_limits<std::uint64_t>::max();

/// What must hold of a launch, so that an analysis of its kernel does.
struct LaunchFacts {
  std::uint64_t largestMemory = kAnyMemory; ///< no buffer among the arguments is larger
  bool idsFit = false;                      ///< global ids of dimension 0 fit into an int
  bool argumentsApart = false;              ///< no memory that an argument points to is another argument's too
  /// This argument is a small buffer and apart from others, and integers of so many bits are counted in it.
  std::optional<std::uint32_t> counters = std::nullopt;
  std::uint32_t counterBits = 0;

  bool areNone() const { return largestMemory == kAnyMemory && !idsFit && !argumentsApart && !counters; }
  void add(const LaunchFacts& other) {
    largestMemory = std::min(largestMemory, other.largestMemory);
    idsFit = idsFit || other.idsFit;
    argumentsApart = argumentsApart || other.argumentsApart;
    if (!counters) {
      counters = other.counters;
      counterBits = other.counterBits;
    }
  }
};

/// What is known in the end, of the function that runs a range of a kernel's work-groups.
struct RangeFacts {
  std::string kernel;                   ///< its name
  std::vector<Variant> variants;        ///< of which the range is made, beside the kernel itself
  std::uint64_t localBytes = 0;         ///< of the kernel's local variables
  std::uint64_t frameBytesPerItem = 0;  ///< what lives across barriers, of each sub-group
  std::uint64_t privateBytes = 0;       ///< of a work-item's variables
  std::uint64_t subGroupStackBytes = 0; ///< for each sub-group, if they run in turn; otherwise 0
  /// Bytes of state behind each work-group's frame, if work-groups may be interleaved (analysis/interleaving.hpp);
  /// otherwise 0.
  std::uint64_t interleavedState = 0;
  bool usesBarrier = false;
  bool usesPrintf = false;
  bool usesGroupIds = false; ///< beside local ids
};

struct KernelFacts {
  Variant variant = Variant::Original;

  // From the front end, which portable modules say, and from the first passes.

  /// The kernel was built with -cl-denorms-are-zero. LLVM's own attribute would keep builtins, which lack it, from
  /// being inlined.
  bool flushesDenormals = false;
  /// The kernel's sub-groups need not make progress while another waits (-cl-no-subgroup-ifp).
  bool needsNoProgress = false;
  /// The kernel's work-items can tell how they are divided into sub-groups.
  bool usesSubGroups = false;
  /// How long the rows of neighbouring work-groups that are run as one should be, in work-items. Zero: the kernel can
  /// tell whether groups are run so.
  std::uint32_t mergedRow = 0;
  /// Nor can it tell whether groups that are neighbours along dimension 1 are. Of kernels that have rows.
  bool isStackable = false;
  /// Bits for the arguments that are outputs, to which non-temporal stores go, and for those that are changed in place,
  /// by their number among the arguments that are buffers.
  std::uint64_t outputs = 0;
  std::uint64_t changed = 0;
  /// How much of the caches each work-item takes by storing to outputs, in units of cpu::kNonTemporalUnits a byte. The
  /// bytes are those stored, and up to ten sevenths of them if much is read as well: loads evict stored lines before
  /// these are read again.
  std::uint64_t nonTemporalUnits = 0;
  /// The program's dimension that is dimension 0 here, while the program's dimension 0 has its number; 0: all are as
  /// the program says.
  std::uint32_t laneDimension = 0;
  /// The local size that the code counts by, which has as many work-items as the launch's, in the same order. Nothing:
  /// the launch's.
  std::optional<LocalSize> shape;

  /// By what the kernel divides its global ids, if it can tell nothing else of how its launch is divided.
  RowLength rowLength;
  /// Code for one local size can do more, whatever else it does.
  bool wantsLocalSize = false;
  /// A bit for each argument whose value is worth code of its own.
  std::uint64_t wantedValues = 0;
  /// The code counts a launch by such rows: along them in dimension 0, and over them in dimension 1.
  bool countsRows = false;
  bool areRowsWhole = false; ///< and the last one has all of its work-items

  // Facts of vectorised kernels and their variants.

  std::uint32_t width = 1; ///< of sub-groups
  /// The size of sub-groups that the program is told, where work-groups are shorter than one and `width` is less
  /// therefore; 0: `width`.
  std::uint32_t subGroupSize = 0;
  std::uint32_t rows = 1; ///< that run at once
  /// This width was not asked for, and with any other the kernel does the same to the bit.
  bool mayChangeWidth = false;
  bool mayOnlyWiden = false;    ///< as of GroupLimits
  std::uint32_t widthToTry = 0; ///< by an estimate, as of GroupLimits
  /// What must hold of a launch, so that the exact variant need not be used.
  LaunchFacts assumes;
  bool lacksExact = false;  ///< there is no such variant: launches of which that does not hold run other code
  bool lacksFaster = false; ///< as of GroupLimits
  /// The local size for which a direct kernel stands for the kernel.
  std::optional<LocalSize> directSize;
  /// The function runs what other variants leave, so that its build time counts for more than its speed.
  bool isSeldomRun = false;
  /// Lanes follow the linear local id (kernels that use sub-groups): get_local_id(0) goes from 0 to the work-group's
  /// size, and no other id is left.
  bool isLinear = false;
  /// The local size that a linear kernel requires, if it does: its metadata says how many work-items that are.
  std::optional<LocalSize> linearOf;

  // Facts of work-group functions.

  /// The bits of those of the first 64 parameters that point to local memory, if the function runs a work-group from
  /// its beginning to its end; otherwise 0.
  std::uint64_t localParameters = 0;
  /// Facts of a function that runs a range of work-groups; nothing for other functions.
  std::optional<RangeFacts> range;
};

KernelFacts factsOf(const llvm::Function& function);
void setFacts(llvm::Function& function, const KernelFacts& facts);

/// Calls `change` with the function's facts, and keeps what it makes of them.
template <class Change> void changeFacts(llvm::Function& function, Change&& change) {
  KernelFacts facts = factsOf(function);
  change(facts);
  setFacts(function, facts);
}

/// Why a variant of the kernel exists whose range function has these facts.
std::string reasonFor(Variant variant, const KernelFacts& facts);

} // namespace clotho::compiler
