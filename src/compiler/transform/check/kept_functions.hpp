// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/ir/intrinsics.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

/// Large functions that a program calls often stay calls in checked kernels, which would take minutes to build
/// otherwise. They access private memory and constants alone. Behind their own parameters they have what their checks
/// need: the launch, the memory of the work-group, the work-item's global ids, and for each pointer of their own the
/// offset and the size that PointerExtents tells of it.
namespace clotho::compiler {

/// Marks the functions to keep (KeptFunctions::mark), one after the other, callees first.
class KeptFunctions {
 public:
  /// Marks a function whose own calls are inlined, if it is large for the number of its calls, and what it does lets it
  /// be kept. Values of all functions are in registers as far as that goes.
  static void mark(llvm::Function& function);
  /// Gives all marked functions their further parameters, and the calls those that do not depend on a pointer.
  static void extend(llvm::Module& module);
};

/// Whether a function stays a call.
bool isKept(const llvm::Function& function);

/// The function's parameters that pointers of the program are passed for. `at`: of the first number among the
/// parameters, of the offset; that of the size follows.
struct KeptPointer {
  unsigned parameter;
  unsigned at;
};
llvm::SmallVector<KeptPointer, 4> keptPointers(const llvm::Function& function);

/// The launch (Intrinsic::Checks), the work-group's memory (Intrinsic::GroupChecks) or a global id, where the builder
/// is: by intrinsics, or by parameters of a function that is kept.
llvm::Value* createCheckIntrinsic(llvm::IRBuilder<>& builder, Intrinsic which, unsigned dimension = 0);

} // namespace clotho::compiler
