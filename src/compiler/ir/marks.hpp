// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// The names by which passes tell later ones what they found out about modules, instructions and loops. What each name
/// means is written here and nowhere else. Facts of whole kernels are in ir/kernel_facts.hpp, and the functions that
/// kernels become in ir/variants.hpp.
namespace clotho::compiler {

// --- Flags of modules ---

/// All work-groups of a launch have one size, for the program, or a part that was linked into it, is of OpenCL C 1.x or
/// built with -cl-uniform-work-group-size (OpenCL 2.2, section 5.10). The flag travels with portable modules.
inline constexpr const char* kUniformGroupsFlag = "clotho.uniform-work-groups";

/// Work-items are told what is wrong with a kernel that they enqueue, since the program was built with -g (OpenCL
/// C 3.0, section 6.15.18). The flag travels, too.
inline constexpr const char* kTellsWhyFlag = "clotho.enqueue-tells-why";

// --- Attributes of arguments ---

/// The argument of a kernel is an image's descriptor (abi/image.h), and no buffer.
inline constexpr const char* kImageArgument = "clotho-image";
/// Format of an argument that is an image, if known: the text of a CodeVersion::Format.
inline constexpr const char* kImageFormat = "clotho-image-format";
/// The argument of a kernel is a pipe (abi/pipe.h), and no buffer.
inline constexpr const char* kPipeArgument = "clotho-pipe";

// --- Attributes of kernels ---

/// The runtime launches the kernel by itself, in the role that the value says: one of those that follow
/// (transform/lower/program_scope_kernels.hpp).
inline constexpr const char* kRoleAttribute = "clotho-role";
inline constexpr const char* kInitialiserRole = "initialise";
inline constexpr const char* kCleanUpRole = "clean-up";

// --- Attributes of functions ---

/// The function is a loop of a kernel that tries an exchange again, and was moved out of it until the kernel is widened
/// (transform/widen/exchange_calls.hpp).
inline constexpr const char* kExchangeLoop = "clotho-exchange-loop";

// --- Metadata of kernels ---

/// For each argument the bytes that memory given for it may have at most (MaxByteOffset of SPIR-V); 0: any number.
inline constexpr const char* kMaxArgumentBytes = "clotho.max_argument_bytes";

/// Limits of a kernel's launches (MaxWorkgroupSizeINTEL, MaxWorkDimINTEL and NoGlobalOffsetINTEL of SPIR-V): three
/// numbers, one number, and none. The runtime refuses other launches.
inline constexpr const char* kLargestLocalSize = "clotho.largest_local_size";
inline constexpr const char* kMostDimensions = "clotho.most_dimensions";
inline constexpr const char* kRefusesOffset = "clotho.refuses_offset";

/// No launch that runs this code has a global offset.
inline constexpr const char* kNoOffsetName = "clotho.no_offset";
/// Each launch that runs this code has one dimension and rows of the length that KernelFacts::rowLength says. The value
/// is an i1: whether the last row is whole.
inline constexpr const char* kRowsName = "clotho.rows";

// --- Metadata of barriers ---

/// The barrier guards the variables that it lists: work-items are done with them before it, and write them behind it.
inline constexpr const char* kGuardsName = "clotho.guards";
/// Other work-groups may run at this barrier (analysis/interleaving.hpp).
inline constexpr const char* kInterleaveName = "clotho.interleave";
/// Rows of work-items run in ascending order between these barriers.
inline constexpr const char* kSweepName = "clotho.sweep";

// --- Attributes of parameters ---

/// A parameter of a group's function that points to local memory, which address spaces no longer say then.
inline constexpr const char* kLocalParameterName = "clotho-local";

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

/// The launch does not read the line of this store, as far as can be seen. Prefetches for such stores, and for loads
/// beside them, have the mark as well.
inline constexpr const char* kNonTemporalName = "clotho.non_temporal";
/// The masked store is to local memory, which only the thread that runs the work-group sees.
inline constexpr const char* kLocalMemoryName = "clotho.local_memory";
/// A guard of ids (`if (g < n)`) decides which lanes of the masked load or store are live. In whole work-groups none
/// may be, whose addresses are then far from any memory (backend/cpu/lower/skip_far_accesses.hpp).
inline constexpr const char* kFarName = "clotho.far";
/// The freeze keeps the masked load in front of it where it is (backend/cpu/lower/hold_masked_loads.hpp).
inline constexpr const char* kHeldName = "clotho.held";
/// The atomic sum of reals may be added to others first, for the program allows it (-cl-unsafe-math-optimizations).
inline constexpr const char* kAnyOrderName = "clotho.any_order";
/// The lines of this load are asked for in advance already.
inline constexpr const char* kAskedForName = "clotho.asked_for";

} // namespace clotho::compiler
