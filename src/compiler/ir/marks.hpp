// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Names of flags, attributes and metadata by which passes tell later ones what they found out about modules,
/// instructions and loops. Each name is described here only. Facts of whole kernels are in ir/kernel_facts.hpp, and the
/// functions that kernels become in ir/variants.hpp.
namespace clotho::compiler {

// --- Flags of modules ---

/// All work-groups of a launch have one size, since the program, or a part that was linked into it, is of OpenCL C 1.x
/// or was built with -cl-uniform-work-group-size (OpenCL 2.2, section 5.10). Portable modules keep the flag.
inline constexpr const char* kUniformGroupsFlag = "clotho.uniform-work-groups";

/// Functions that enqueue kernels return the exact error, since the program was built with -g (OpenCL C 3.0, section
/// 6.15.18). Portable modules keep the flag.
inline constexpr const char* kTellsWhyFlag = "clotho.enqueue-tells-why";

// --- Attributes of arguments ---

/// The argument is an image's descriptor (abi/image.h), not a buffer.
inline constexpr const char* kImageArgument = "clotho-image";
/// Format of an image argument, if known: the text of a CodeVersion::Format.
inline constexpr const char* kImageFormat = "clotho-image-format";
/// The argument is a pipe (abi/pipe.h), not a buffer.
inline constexpr const char* kPipeArgument = "clotho-pipe";

// --- Attributes of kernels ---

/// The runtime launches the kernel on its own, in the role that the value names
/// (transform/lower/program_scope_kernels.hpp).
inline constexpr const char* kRoleAttribute = "clotho-role";
inline constexpr const char* kInitialiserRole = "initialise";
inline constexpr const char* kCleanUpRole = "clean-up";

// --- Attributes of functions ---

/// The function is a loop that retries an exchange. It was outlined from a kernel until the kernel is widened
/// (transform/widen/exchange_calls.hpp).
inline constexpr const char* kExchangeLoop = "clotho-exchange-loop";

// --- Attributes of calls ---

/// Not all lanes of the sub-group need to reach the sub-group operation: it is of those that do.
inline constexpr const char* kActiveLanes = "clotho-active-lanes";
/// The sub-group operation is of whole warps of a GPU, whatever size of sub-groups the kernel requires.
inline constexpr const char* kWholeWarps = "clotho-whole-warps";

// --- Metadata of kernels ---

/// Most bytes that the memory of each argument may have (MaxByteOffset of SPIR-V); 0: no limit.
inline constexpr const char* kMaxArgumentBytes = "clotho.max_argument_bytes";

/// Limits of a kernel's launches (MaxWorkgroupSizeINTEL, MaxWorkDimINTEL and NoGlobalOffsetINTEL of SPIR-V), as three
/// numbers, one number and none. The runtime rejects other launches.
inline constexpr const char* kLargestLocalSize = "clotho.largest_local_size";
inline constexpr const char* kMostDimensions = "clotho.most_dimensions";
inline constexpr const char* kRefusesOffset = "clotho.refuses_offset";

/// No launch that runs this code has a global offset.
inline constexpr const char* kNoOffsetName = "clotho.no_offset";
/// Each launch that runs this code has one dimension and rows of length KernelFacts::rowLength. The i1 value says
/// whether the last row is complete.
inline constexpr const char* kRowsName = "clotho.rows";

// --- Metadata of barriers ---

/// Other work-groups may be interleaved at this barrier (analysis/interleaving.hpp).
inline constexpr const char* kInterleaveName = "clotho.interleave";
/// Rows of work-items run in ascending order between these barriers.
inline constexpr const char* kAscendingRowsName = "clotho.ascending_rows";

// --- Attributes of parameters ---

/// The parameter of a work-group function points to local memory. Its address space no longer says so.
inline constexpr const char* kLocalParameterName = "clotho-local";

// --- Metadata of loops ---

/// The loop goes over the sub-groups of a row. The value is the sub-group width. The counter is the local id of a
/// sub-group's first work-item: a multiple of the width, not negative, and small.
inline constexpr const char* kSubGroupLoopName = "clotho.sub_groups";
/// The loop goes along a row, with another sub-group or work-item in each iteration. No iteration loads what another
/// one stores, unless the program has a race. The counter increases.
inline constexpr const char* kIndependentLoopName = "clotho.independent";

// --- Metadata of memory accesses ---

/// The launch, as far as can be seen, does not read the cache line of this store again.
inline constexpr const char* kNonTemporalName = "clotho.non_temporal";
/// The masked store is to local memory, which only one thread accesses.
inline constexpr const char* kLocalMemoryName = "clotho.local_memory";
/// A guard on ids (`if (g < n)`) computes the mask of the load or store. In whole work-groups no lane may be active,
/// and then the addresses are far from any memory (backend/cpu/lower/skip_far_accesses.hpp).
inline constexpr const char* kFarName = "clotho.far";
/// The freeze keeps the masked load before it in its place (backend/cpu/lower/hold_masked_loads.hpp).
inline constexpr const char* kHeldName = "clotho.held";

} // namespace clotho::compiler
