// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/work_item_order.hpp"

#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/pipe_functions.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>

namespace clotho::compiler {
namespace {

/// Whether the result of the call depends on the order of work-items, or on their division into sub-groups.
bool tellsOrder(const llvm::Instruction& instruction) {
  if (matchSubGroupCall(&instruction)) return true;
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
    if (const llvm::Function* callee = call->getCalledFunction(); callee != nullptr && isPipeFunction(*callee))
      return true;
  const auto call = matchIntrinsic(&instruction);
  if (!call || isIdOrSize(call->intrinsic)) return false;
  switch (call->intrinsic) {
  case Intrinsic::LocalBegin:
  case Intrinsic::LocalEnd:
  case Intrinsic::FrameBegin:
  case Intrinsic::FrameEnd:
  case Intrinsic::StackBegin:
  case Intrinsic::StackEnd:
  case Intrinsic::Enqueuing:
  case Intrinsic::Barrier: return false;
  default: return true;
  }
}

} // namespace

bool knowsOrder(const llvm::Function& kernel) {
  return requiredSubGroupSize(kernel) != 0 || kernel.getMetadata(kRequiredSubGroups) != nullptr ||
         llvm::any_of(llvm::instructions(kernel), tellsOrder);
}

} // namespace clotho::compiler
