// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/ir/intrinsics.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

/// Large functions that a program calls often stay calls in checked kernels, which would take minutes to build
/// otherwise. They access private memory and constants alone. Behind their own parameters they have what their checks
/// need: the launch, the memory of the work-group, the work-item's global ids, and for each pointer of their own the
/// offset and the size that PointerExtents tells of it.
namespace clotho::compiler {

/// Leaves a function that computes values alone, with nothing in it to check, to LLVM's inliner, which looks at it when
/// it is simplified. Call it as keepIfLarge. `checks`: a set of Check.
void leaveIfPure(llvm::Function& function, unsigned checks, llvm::FunctionAnalysisManager& analyses);

/// Marks a function to be kept if it is large, has many calls, and what it does allows that. Call it for callees first,
/// when the function's own calls are inlined, and values of all functions are in registers as far as that goes.
void keepIfLarge(llvm::Function& function);

/// Gives all functions that are kept their further parameters. Calls pass them what does not depend on a pointer.
void extendKeptFunctions(llvm::Module& module);

/// Whether a function stays a call.
bool isKept(const llvm::Function& function);

/// A pointer among the program's own parameters of a function that is kept.
struct KeptPointer {
  unsigned parameter; ///< its number
  unsigned at;        ///< number of the parameter that has its offset; the next one has the size
};
llvm::SmallVector<KeptPointer, 4> keptPointers(const llvm::Function& function);

/// The launch (Intrinsic::Checks), the work-group's memory (Intrinsic::GroupChecks) or a global id, where the builder
/// is: by intrinsics, or by parameters of a function that is kept.
llvm::Value* createCheckIntrinsic(llvm::IRBuilder<>& builder, Intrinsic which, unsigned dimension = 0);

} // namespace clotho::compiler
