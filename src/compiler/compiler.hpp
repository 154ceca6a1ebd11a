// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/row_length.hpp"
#include "base/claims.hpp"
#include "compiler/code_version.hpp"
#include "compiler/footprint.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The compiler as the runtime sees it: plain data in, plain data out, without LLVM types. The implementation in
/// `client.cpp` talks to another process (docs/architecture/compiler-process.md).
namespace clotho {

/// How a kernel argument is passed; decides what clSetKernelArg accepts and what the argument block holds.
enum class ArgKind : std::uint8_t {
  Value,  ///< by value: `size` bytes are copied into the block
  Buffer, ///< global or constant pointer: an 8-byte address in the block
  Local,  ///< local pointer: an 8-byte byte offset into the work-group's local memory in the block
  Image,
  Sampler,
  Pipe,
  Queue,
};

enum class AddressQualifier : std::uint8_t { Private, Global, Constant, Local };
enum class AccessQualifier : std::uint8_t { None, ReadOnly, WriteOnly, ReadWrite };

/// One kernel argument, with what clGetKernelArgInfo reports (OpenCL 3.0, section 5.9.4).
struct ArgInfo {
  static constexpr std::uint32_t kConst = 1, kRestrict = 2, kVolatile = 4, kPipe = 8; // = CL_KERNEL_ARG_TYPE_*

  ArgKind kind = ArgKind::Value;
  AddressQualifier address = AddressQualifier::Private;
  AccessQualifier access = AccessQualifier::None;
  std::uint32_t typeQualifiers = 0;
  std::uint32_t size = 0;      ///< bytes that clSetKernelArg expects; 8 for pointers
  std::uint32_t alignment = 1; ///< Alignment of the value, or of the pointee of a local pointer
  std::uint32_t offset = 0;    ///< Offset in the argument block
  std::string name;            ///< empty without -cl-kernel-arg-info
  std::string typeName;
  std::uint32_t imageType = 0; ///< cl_mem_object_type of an image; unsupported kinds have one that no image has
  bool isDepth = false;        ///< an image whose channel order is CL_DEPTH
  std::uint32_t maxBytes = 0;  ///< Most bytes of memory that may be given for it (MaxByteOffset of SPIR-V); 0: any

  bool operator==(const ArgInfo&) const = default;
};

/// Sub-group size if neither the kernel nor an option sets one. 16 floats fill an AVX-512 register, or two of AVX2;
/// kernels tuned for other devices mostly expect 16 or 32.
inline constexpr std::uint32_t kDefaultSubGroupSize = 16;
/// Most work-items that any kernel's code runs at once.
inline constexpr std::uint32_t kMostLanes = 256;
/// Sub-group sizes that a kernel may require (cl_intel_required_subgroup_size).
inline constexpr std::uint32_t kSubGroupSizes[] = {8, 16, 32};

/// Origin of a kernel's launches.
enum class KernelRole : std::uint8_t {
  Entry, ///< The application launches it; only these kernels have kernel objects
  Block, ///< Other kernels launch it, by enqueuing the block
  /// The runtime launches it before all other kernels of the program (OpenCL 2.2, section 3.2). A program has at most
  /// one, which has no arguments.
  Initialiser,
  /// The runtime launches it when the program is no longer used. A program has at most one, which has no arguments.
  CleanUp,
};

/// Properties of a kernel that are the same on every target.
struct KernelInfo {
  std::string name;
  std::string attributes; ///< CL_KERNEL_ATTRIBUTES: the source's attributes, space-separated
  std::vector<ArgInfo> args;
  std::uint32_t argBlockSize = 0;
  std::uint32_t requiredLocalSize[3] = {0, 0, 0}; ///< reqd_work_group_size, or zeros
  std::uint32_t requiredSubGroupSize = 0;         ///< intel_reqd_sub_group_size, or zero
  std::uint32_t requiredSubGroups = 0;            ///< SubgroupsPerWorkgroup of SPIR-V, or zero
  std::uint32_t largestLocalSize[3] = {0, 0, 0};  ///< MaxWorkgroupSizeINTEL of SPIR-V, or zeros
  std::uint32_t mostDimensions = 3;               ///< MaxWorkDimINTEL of SPIR-V; 0: launches have one work-item
  bool refusesOffset = false;                     ///< NoGlobalOffsetINTEL of SPIR-V
  bool hasArgInfo = false;                        ///< built with -cl-kernel-arg-info
  bool flushesDenormals = false;                  ///< results that are denormal become zero
  bool enqueues = false;                          ///< its work-items may use queues or events of the device
  KernelRole role = KernelRole::Entry;
  std::uint32_t blockNumber = 0; ///< Number of the block, from 1 on; 0: the kernel is not a block
  bool allowsNonUniform = false; ///< a global size need not be a multiple of the local size

  bool operator==(const KernelInfo&) const = default;
};

/// Most arguments with values for which a build may pay (GroupLimits::wantedValues). Longer loops than kMostKnownTrips
/// iterations are not unrolled, and divisions by such numbers are rare.
inline constexpr unsigned kMostWantedValues = 4;
inline constexpr std::uint64_t kMostKnownTrips = 1024;

/// Properties of a kernel's code that every target reports, and that queries return.
struct GroupLimits {
  std::uint32_t subGroupSize = 1; ///< W
  bool usesSubGroups = false;     ///< Whether work-items can see their division: queries then return W
  std::uint64_t localBytes = 0;   ///< local variables of the kernel; dynamic local memory comes after
  std::uint64_t privateBytes = 0; ///< private variables of a work-item
  bool wantsLocalSize = false;    ///< Whether code for one local size is worth a build (CodeVersion::local)
  bool mayChangeWidth = false;    ///< Whether code of another width gives the same bits, and no option sets the width
  bool mayOnlyWiden = false;      ///< Whether that width must be larger, since work-items may rely on running in step
  /// The width to try first, if an estimate exists: 1 if scalar code may be faster; 2 if the work-items' own vectors
  /// fill registers and the code is scalar. Else 0.
  std::uint32_t widthToTry = 0;
  /// Length of the rows into which the kernel divides its ids, if known: launches with such rows are worth a build
  /// (CodeVersion::rows).
  RowLength rows;
  std::uint64_t wantedValues = 0; ///< One bit an argument: code for one value of it is worth a build
  bool lacksFaster = false; ///< Whether code of CodeScope::Needed may be faster than this code of CodeScope::First
  bool hasOneCode = false;  ///< Whether other code must not be built: arithmetic is relaxed, so results may differ

  bool operator==(const GroupLimits&) const = default;
};

/// A number that each launch has.
struct WorkFactor {
  enum class Kind : std::uint8_t {
    Argument,   ///< the integer argument `number`
    GlobalSize, ///< along dimension `number`, as the other sizes
    LocalSize,
    Groups,
  };
  Kind kind = Kind::Argument;
  std::uint32_t number = 0;

  auto operator<=>(const WorkFactor&) const = default;
};

/// A part of a sum: a number times some numbers that the launch has, each of which may occur more than once.
struct WorkTerm {
  double coefficient = 0;
  std::vector<WorkFactor> factors;

  bool operator==(const WorkTerm&) const = default;
};

/// Work of a kernel's average work-item, for traces: sums of such terms, or nothing if that is not known.
struct KernelWork {
  std::optional<std::vector<WorkTerm>> flops; ///< floating-point operations; a fused one counts twice
  std::optional<std::vector<WorkTerm>> bytes; ///< of global memory, each access counted

  bool operator==(const KernelWork&) const = default;
};

/// A kernel, compiled for one target.
struct BuiltKernel {
  KernelInfo info;
  GroupLimits limits;
  /// Facts for devices of the target's kind, in a form that only they and their backend read: for CPUs
  /// abi/cpu_facts.hpp.
  std::string facts;
  CodeVersion version; ///< what its code is for; its width is the one that was asked for
  KernelWork work;
  KernelFootprint footprint; ///< in the terms of the program, the same on every target

  bool operator==(const BuiltKernel&) const = default;
};

/// A printf format string of a program; records in the printf buffer refer to it by its index (abi/printf.h).
struct PrintfFormat {
  std::string format;
  std::vector<std::uint32_t> argSizes; ///< bytes of each argument as stored; vectors are one argument
  std::vector<std::string> strings;    ///< reserved for literal %s arguments: index i is the text of string id i

  bool operator==(const PrintfFormat&) const = default;
};

/// Kinds of devices that have a backend.
enum class TargetKind : std::uint8_t {
  Cpu,
  Nvptx, ///< NVIDIA GPUs, by PTX; `Target::cpu` is the architecture (sm_90), `Target::features` the version of PTX
  /// Devices of other processes, which have compilers of their own: checks and the portable module, no code. Each
  /// kernel's facts are the rest of the request (compiler/portable_build.hpp).
  Portable,
};

/// Target of a program's device code: builds with equal targets give interchangeable code.
struct Target {
  TargetKind kind = TargetKind::Cpu;
  std::string cpu;         ///< LLVM CPU name; empty: the host's
  std::string features;    ///< LLVM feature string; empty: those of the CPU
  std::uint32_t width = 0; ///< work-items run at once: 1, 4, 8, 16, 32 or 64; 0: chosen for each kernel
  std::uint32_t subGroupSize = kDefaultSubGroupSize; ///< Size if neither `width` nor the kernel sets it: 8, 16 or 32
  std::string skippedPasses = {}; ///< names with commas between, of optional passes that the build leaves out
};

/// Whether kernels may have assembly in them. NVIDIA's programs do, in PTX; work-items in the lanes of vectors cannot.
inline bool mayAssemble(const Target& target) { return target.kind == TargetKind::Nvptx; }

struct Header {
  std::string name; ///< Name as in `#include`
  std::string text;
};

/// A value for a specialisation constant of SPIR-V.
struct SpecConstant {
  std::uint32_t id = 0; ///< what its decoration SpecId says
  std::string bytes;    ///< The constant's value as in memory; a boolean has one byte, 0 or 1

  bool operator==(const SpecConstant&) const = default;
};

/// How much code a build makes.
enum class CodeScope : std::uint8_t {
  All,    ///< whatever a launch may run
  Needed, ///< what launches need soon: kernels may lack exact variants, long programs all code
          ///< (BuildResult::isDeferred)
  First,  ///< what is needed and no more: no variants that are only faster, no loops written out
};

enum class BuildKind : std::uint8_t {
  Build,
  Compile,
  Link,
  Check, ///< whether `il` is well-formed: no code, but a status and a log
  Spirv, ///< SPIR-V of `source`, for tools
};

struct BuildRequest {
  BuildKind kind = BuildKind::Build;
  std::string source;               ///< OpenCL C, or C++ for OpenCL (Build, Compile, Spirv)
  std::string il;                   ///< SPIR-V in either byte order; if there is any, there is no source
  std::string options;              ///< verbatim, as passed to clBuildProgram
  std::string workingDirectory;     ///< include paths are relative to it
  std::vector<Header> headers;      ///< embedded headers of clCompileProgram
  std::vector<std::string> modules; ///< portable modules (Link; or Build from a binary's portable module)
  Target target;
  std::uint32_t openclVersion = 300;        ///< Version of the device: __OPENCL_VERSION__
  Claims claims = Claims::of(claims::kCpu); ///< Claims of the device: macros of OpenCL C
  std::string kernel;                       ///< the only one that code is wanted for; empty: all
  CodeVersion version;                      ///< Version of that kernel; its width overrides the target's
  std::vector<SpecConstant> specConstants;  ///< Sorted by id; constants of `il` that are not here keep their own value
  CodeScope scope = CodeScope::All;
  bool makesParts = false; ///< launches may be split: kernels that look at the launch get part arguments
};

enum class BuildStatus : std::uint8_t {
  Success,
  InvalidOptions, ///< CL_INVALID_BUILD_OPTIONS, _COMPILER_OPTIONS or _LINKER_OPTIONS
  Failure,        ///< the source is at fault, or the compiler died; the log says which
  Unavailable,    ///< no compiler process could be started: CL_COMPILER_NOT_AVAILABLE
  IllFormed,      ///< Result of a check: the IL is at fault, as the log says
};

/// A file that the build has read, by which the cache notices changes, or one that it did not find.
struct Dependency {
  std::string path;
  std::uint64_t hash[2] = {0, 0}; ///< XXH3-128 of the contents; zero: there was no such file

  bool isAbsence() const { return hash[0] == 0 && hash[1] == 0; }
};

/// How long a part of a build took.
struct BuildStage {
  std::string name;
  double seconds = 0;
};

struct BuildResult {
  BuildStatus status = BuildStatus::Failure;
  std::string log;
  std::vector<BuiltKernel> kernels;
  std::vector<PrintfFormat> printfFormats;
  std::uint64_t globalVariableBytes = 0; ///< CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE
  bool hasProgramScopeVariables = false; ///< writable ones: every program needs an object of its own
  bool isDeferred = false;               ///< there is no object: each kernel is built when a launch needs it
  std::string object;                    ///< shared object (Build, Link); empty otherwise
  std::string objectPath;                ///< a file of ours that should begin with `object`; empty: there is none
  std::string portable;                  ///< portable module, LLVM bitcode; of BuildKind::Spirv the SPIR-V
  std::vector<Dependency> dependencies;
  double seconds = 0; ///< that the compiler took; 0 for what the folder of builds or a binary had. Never kept
  std::vector<BuildStage> stages; ///< of those seconds, in order; not kept either

  /// Whether a device that has loaded this result may use it in place of the other: code and metadata are equal. In
  /// binaries the object alone is not enough, since any program may have changed the rest.
  bool isSameCode(const BuildResult& other) const {
    return object == other.object && kernels == other.kernels && printfFormats == other.printfFormats &&
           hasProgramScopeVariables == other.hasProgramScopeVariables && isDeferred == other.isDeferred;
  }
};

} // namespace clotho
