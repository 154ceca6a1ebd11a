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

/// What a function's machine code takes of the stack itself, and what it calls.
struct FunctionStack {
  std::uint64_t bytes = 0; ///< with its return address and whatever aligning its frame may cost
  bool isBounded = true;   ///< no more than that: nothing of variable size, no call through a pointer
  llvm::StringSet<> callees;
};
using StackUses = llvm::StringMap<FunctionStack>;

/// Notes the stack use of each function in `uses`.
/// Needs: machine code that is ready to be printed.
llvm::MachineFunctionPass* createStackUsePass(StackUses& uses);

/// The most that a call of the function can take of the stack, what it calls included; 0: that is not known, since it
/// may call itself or has a part without a bound. What `uses` does not list is a run-time helper (builtins/rt.c).
std::uint64_t stackBytesOf(llvm::StringRef function, const StackUses& uses);

} // namespace clotho::compiler
