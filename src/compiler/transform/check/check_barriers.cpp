// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/check/check_barriers.hpp"

#include "compiler/ir/group_facts.hpp"
#include "compiler/ir/intrinsics.hpp"

#include <llvm/IR/InstIterator.h>

namespace clotho::compiler {
namespace {

using llvm::IRBuilder;
using llvm::Value;

/// All work-items of a group come here in one phase before any comes to the next.
void meet(llvm::Instruction& at, Checker& checker, const GroupPhases& phases, bool isEnd) {
  IRBuilder<> builder(&at);
  llvm::Type* number = builder.getInt64Ty();
  const CheckDetails details{kFaultBarrier, isEnd ? 1U : 0U};
  Value* site = builder.CreatePtrToInt(checker.site(at, details), number);
  Value* group = builder.CreateIntToPtr(createIntrinsic(builder, Intrinsic::GroupChecks), builder.getPtrTy());
  Value* phaseAddress = fieldAddress(builder, group, offsetof(CheckedGroup, phase));
  Value* siteAddress = fieldAddress(builder, group, offsetof(CheckedGroup, site));
  Value* phase = phases.current(builder);
  Value* other = builder.CreateLoad(number, siteAddress);
  Value* isFirst = builder.CreateICmpNE(builder.CreateLoad(number, phaseAddress), phase);
  builder.CreateStore(phase, phaseAddress);
  builder.CreateStore(builder.CreateSelect(isFirst, site, other), siteAddress);
  Value* differs = builder.CreateAnd(builder.CreateNot(isFirst), builder.CreateICmpNE(other, site));
  CheckDetails found = details;
  found.a = other;
  checker.reportIf(builder.CreateAnd(differs, phases.isCounted(builder)), at, found);
}

} // namespace

void checkBarriers(llvm::Function& kernel, Checker& checker, const GroupPhases& phases,
                   llvm::ArrayRef<llvm::CallInst*> calls) {
  llvm::SmallVector<llvm::Instruction*, 4> ends;
  for (llvm::Instruction& instruction : llvm::instructions(kernel))
    if (llvm::isa<llvm::ReturnInst>(instruction)) ends.push_back(&instruction);
  for (llvm::CallInst* call : calls)
    meet(*call, checker, phases, /*isEnd=*/false);
  for (llvm::Instruction* end : ends)
    meet(*end, checker, phases, /*isEnd=*/true);
}

} // namespace clotho::compiler
