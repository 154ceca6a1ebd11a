// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

/// Names that the passes of checked kernels share (docs/checking.md).
namespace clotho::compiler {

/// Module flag: the number of places that can report a fault.
inline constexpr const char* kCheckSitesFlag = "clotho.check-sites";
/// Module flag of portable modules: the set of Check that the program was compiled with.
inline constexpr const char* kChecksFlag = "clotho.checks";

/// Functions of this prefix are called where a check has failed. Their first argument says so again, for each lane.
inline constexpr llvm::StringLiteral kFailedCheckPrefix = "clotho.check.";
inline bool isFailedCheck(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee != nullptr && callee->getName().starts_with(kFailedCheckPrefix);
}
/// Among these functions, the one that only reports. The others also do what lanes do whose check has not failed.
inline constexpr llvm::StringLiteral kReportFunction = "clotho.check.report";
/// Declarations of this prefix stand for accesses in which races are looked for, until they are expanded.
inline constexpr llvm::StringLiteral kTouchPrefix = "clotho.touch.";

} // namespace clotho::compiler
