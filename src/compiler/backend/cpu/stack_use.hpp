// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/ADT/StringSet.h>

#include <cstdint>

namespace llvm {
class MachineFunctionPass;
}

namespace clotho::compiler {

/// Stack use of one function's machine code, and the functions that it calls.
struct FunctionStack {
  std::uint64_t bytes = 0; ///< size with the return address and padding for alignment
  bool isBounded = true;   ///< `bytes` is a bound: there is no VLA and no indirect call
  llvm::StringSet<> callees;
};
using StackUses = llvm::StringMap<FunctionStack>;

/// Notes the stack use of each function in `uses`.
/// Needs: machine code that is ready to be printed.
llvm::MachineFunctionPass* createStackUsePass(StackUses& uses);

/// Largest stack use of a call of the function, including its callees; 0 if unknown, since the function may be
/// recursive or has an unbounded part. Functions that `uses` does not list are run-time helpers (builtins/rt.c).
std::uint64_t stackBytesOf(llvm::StringRef function, const StackUses& uses);

} // namespace clotho::compiler
