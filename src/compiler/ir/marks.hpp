// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// The names by which passes tell later ones what they found out: attributes of functions, metadata of instructions and
/// loops, suffixes of the names of a kernel's versions. Whoever looks for what a name means finds it here, and nowhere
/// else.
namespace clotho::compiler {

// --- Flags of modules ---

/// All work-groups of a launch have one size, for the program, or a part that was linked into it, is of OpenCL C 1.x or
/// built with -cl-uniform-work-group-size (OpenCL 2.2, section 5.10). The flag travels with portable modules.
inline constexpr const char* kUniformGroupsFlag = "clotho.uniform-work-groups";

// --- Attributes of kernels, from the front end and the first passes ---

/// The kernel was built with -cl-denorms-are-zero. LLVM's own attribute would keep builtins, which lack it, from being
/// inlined.
inline constexpr const char* kFlushDenormalsAttribute = "clotho-flush-denormals";
/// The kernel's sub-groups need not make progress while another waits (-cl-no-subgroup-ifp).
inline constexpr const char* kNoForwardProgressAttribute = "clotho-no-forward-progress";
/// The kernel's work-items can tell how they are divided into sub-groups.
inline constexpr const char* kSubGroupsAttribute = "clotho-sub-groups";
/// The kernel cannot tell whether neighbouring work-groups are run as one. The value is how long the rows of such
/// groups should be, in work-items.
inline constexpr const char* kMergeableAttribute = "clotho-merged-row";
/// Loops may go through what the work-items of a group share in a cache, so that the group's shape matters.
inline constexpr const char* kMergedRowWithLoops = "256";
/// A kernel without loops reads and writes memory from one end to the other.
inline constexpr const char* kMergedRowWithoutLoops = "16384";
/// The kernel's lanes each read along a row of short vectors. The value is how many lanes to have at most.
inline constexpr const char* kWalkWidthAttribute = "clotho-walk-width";
/// Bits for the arguments that are outputs, to which non-temporal stores go, and for those that are changed in place,
/// by their number among the arguments that are buffers. Kernels have them, and their work-group functions.
inline constexpr const char* kOutputsAttribute = "clotho-outputs";
inline constexpr const char* kChangedAttribute = "clotho-changed";
/// How much of the caches each work-item takes by storing to outputs, in units of cpu::kStreamUnits a byte. That is the
/// bytes stored, and up to ten sevenths of them where much is read beside, since that takes the place of what is stored
/// before anyone reads it. Kernels have it, and their work-group functions.
inline constexpr const char* kStreamedAttribute = "clotho-streamed";

// --- Versions of a kernel: suffixes of their names, and attributes that only they have ---

/// The version with any local size, for a kernel that requires one.
inline constexpr const char* kRemainderSuffix = ".remainder";
/// The version that assumes nothing of the launch (transform/vectorise/vectorise_kernels.hpp).
inline constexpr const char* kExactSuffix = ".exact";
/// A kernel that has such a version: what must hold of a launch, so that it need not be used (LaunchFacts).
inline constexpr const char* kLargestMemoryAttribute = "clotho-largest-memory";
inline constexpr const char* kIdsFitAttribute = "clotho-ids-fit";
/// The version that reads what a tile of local memory would hold from where the tile would be filled.
inline constexpr const char* kDirectSuffix = ".direct";
/// The local size for which such a version stands for the kernel, `x,y`.
inline constexpr const char* kDirectSizeAttribute = "clotho-direct-size";
/// The predicated version of a vectorised kernel, which masks lanes.
inline constexpr const char* kTwinSuffix = ".short";
/// The version that runs half as many work-items at once.
inline constexpr const char* kNarrowSuffix = ".narrow";
/// The name by which a vectorised kernel calls its predicated version for a sub-group that it does not run itself. The
/// parameters are the local ids of the sub-group's first work-item and the kernel's own.
inline constexpr const char* kRestSuffix = ".rest";
/// The version that runs several rows at once (jam_rows.hpp), and the name by which it calls the kernel itself for a
/// row, or what is left of it, with parameters as above.
inline constexpr const char* kRowsSuffix = ".rows";
inline constexpr const char* kApartSuffix = ".apart";
/// How many rows such a version runs.
inline constexpr const char* kRowsAttribute = "clotho-rows";
/// The predicated version runs what other versions leave, so that its build time counts for more than its speed.
inline constexpr const char* kSeldomAttribute = "clotho-seldom";
/// Each row may have sub-groups for such a version at both ends.
inline constexpr const char* kEdgesAttribute = "clotho-edges";
/// The predicated version's lanes follow the linear local id (kernels that use sub-groups): its get_local_id(0) goes
/// from 0 to the work-group's size, and no other id is left.
inline constexpr const char* kLinearAttribute = "clotho-linear";

// --- Attributes of work-group functions: what is known of the kernel in the end ---

inline constexpr const char* kKernelAttribute = "clotho-kernel"; ///< the kernel's name
inline constexpr const char* kLocalBytesAttribute = "clotho-local-bytes";
inline constexpr const char* kFrameBytesAttribute = "clotho-frame-bytes-per-item";
inline constexpr const char* kPrivateBytesAttribute = "clotho-private-bytes";
inline constexpr const char* kBarrierAttribute = "clotho-uses-barrier";
inline constexpr const char* kSubGroupStackAttribute = "clotho-sub-group-stack"; ///< bytes; sub-groups run in turn
inline constexpr const char* kPrintfAttribute = "clotho-uses-printf";
inline constexpr const char* kWidthAttribute = "clotho-width"; ///< of its sub-groups; also what kernels come with
/// Bytes of state behind each group's frame in a kernel's range function (KernelInfo::interleavedState).
inline constexpr const char* kInterleavedStateAttribute = "clotho-interleaved-state";
/// The function runs a work-group of few sub-groups and of a size that is known. The value is the number of the
/// kernel's local variables, which are parameters from kFirstOwn on. The frame of such a function is a variable.
inline constexpr const char* kWholeGroupAttribute = "clotho-whole-group";

// --- Metadata of barriers ---

/// Work-items run the region behind the barrier from the last to the first.
inline constexpr const char* kDescendingName = "clotho.descending";
/// Before the barrier nobody needs the variables that it lists any more; behind it they are written.
inline constexpr const char* kGuardsName = "clotho.guards";
/// Other work-groups may run at this barrier (analysis/interleaving.hpp).
inline constexpr const char* kInterleaveName = "clotho.interleave";
/// Rows of work-items run in ascending order between these barriers.
inline constexpr const char* kSweepName = "clotho.sweep";

// --- Metadata of loops ---

/// The loop goes over the sub-groups of a row, and the value is their width: its counter, the local id of a sub-group's
/// first work-item, is a multiple of that, not negative, and small.
inline constexpr const char* kSubGroupLoopName = "clotho.sub_groups";
/// The loop goes over rows of such loops, or over slices of rows.
inline constexpr const char* kRowsLoopName = "clotho.rows";
/// The loop goes along a row, and each round is another sub-group's or work-item's: what one loads is not what another
/// has stored, unless the program has a race. Its counter goes up.
inline constexpr const char* kIndependentLoopName = "clotho.independent";

// --- Metadata of memory accesses ---

/// Nobody reads the line of this store in this launch, as far as can be seen. Prefetches for such stores, and for loads
/// beside them, have the mark as well.
inline constexpr const char* kStreamedName = "clotho.streamed";
/// The lines of this load are asked for in advance already.
inline constexpr const char* kAskedForName = "clotho.asked_for";

} // namespace clotho::compiler
