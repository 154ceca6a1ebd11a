// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/compiler.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clotho::compiler {

/// Versions of OpenCL C, and of C++ for OpenCL: 1.0 is based on OpenCL C 2.0, 2021 on OpenCL C 3.0.
enum class OpenclStd : std::uint8_t { CL1_0, CL1_1, CL1_2, CL2_0, CL3_0, CL3_1, Cpp1_0, Cpp2021 };

constexpr bool isCpp(OpenclStd std) { return std >= OpenclStd::Cpp1_0; }

/// Kinds of faults that checked kernels look for, as bits (docs/checking.md).
enum Check : unsigned { kCheckMemory = 1, kCheckRace = 2, kCheckBarrier = 4, kCheckValue = 8, kCheckLoop = 16 };
inline constexpr unsigned kAllChecks = 31;

/// Parsed build options of the specification (OpenCL 3.0, sections 5.8.6 and 5.8.7).
struct BuildOptions {
  OpenclStd std = OpenclStd::CL1_2;      // without -cl-std the highest 1.x, also on a 3.0 device
  std::vector<std::string> preprocessor; ///< -D and -I in the order given, each as clang takes it
  bool singlePrecisionConstant = false;
  bool correctlyRoundedDivideSqrt = false;
  bool denormsAreZero = false;
  bool optDisable = false;
  bool strictAliasing = false; ///< no memory is looked at through two types
  bool madEnable = false;
  bool noSignedZeros = false;
  bool unsafeMath = false;
  bool finiteMathOnly = false;
  bool fastRelaxedMath = false;
  bool uniformWorkGroupSize = false;
  bool noForwardProgress = false; ///< Sub-groups need not progress while another one waits (-cl-no-subgroup-ifp)
  bool suppressWarnings = false;
  bool warningsAreErrors = false;
  bool kernelArgInfo = false;
  bool debugInfo = false;
  bool createLibrary = false;
  bool enableLinkOptions = false;
  bool initializePrivate = false;      ///< Set private variables without an initialiser to zero
  bool report = false;                 ///< Write to the log what the vectoriser did
  bool validate = false;               ///< Write the errors of SPIRV-Tools' validator to the log
  std::string sourceName = "<source>"; ///< Name of the source in messages and for debuggers
  unsigned width = 0;                  ///< Width of sub-groups; 0: chosen for each kernel
  unsigned checks = 0;                 ///< Set of Check
};

/// Nothing if an option is unknown, incomplete, or not allowed for `kind`, or names a language version that a device of
/// `openclVersion` (310 is 3.1) does not have; `why` then has a sentence about it.
std::optional<BuildOptions> parseBuildOptions(std::string_view text, BuildKind kind, std::uint32_t openclVersion,
                                              std::string& why);

/// Splits at white space; quotes group, and a backslash takes the next quote, backslash or space literally. Nothing if
/// a quote is not closed.
std::optional<std::vector<std::string>> splitOptions(std::string_view text);

} // namespace clotho::compiler
