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
  const auto field = [&](std::size_t offset) { return fieldAddress(builder, group, offset); };
  const auto load = [&](std::size_t offset) { return builder.CreateLoad(number, field(offset)); };
  const auto isOfGroup = [&](Value* phase) {
    return builder.CreateICmpULT(builder.CreateSub(phase, phases.first()), builder.getInt64(phases.count()));
  };
  Value *phase = phases.current(builder), *begun = phases.begun(builder);
  Value *last = load(offsetof(CheckedGroup, phase)), *lastSite = load(offsetof(CheckedGroup, site));
  Value *passed = load(offsetof(CheckedGroup, passed)), *passedSite = load(offsetof(CheckedGroup, passedSite));
  // Others of the group have gone on behind a barrier to which this work-item has not come.
  Value* isBehind = builder.CreateAnd(builder.CreateICmpUGT(passed, phase), isOfGroup(passed));
  Value* isSame = builder.CreateICmpEQ(last, phase);
  Value* isFirst = builder.CreateNot(builder.CreateOr(isBehind, isSame));
  Value* furthest = builder.CreateSelect(isOfGroup(passed),
                                         builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, passed, begun), begun);
  const auto store = [&](Value* value, std::size_t offset) { builder.CreateStore(value, field(offset)); };
  store(builder.CreateSelect(isBehind, last, phase), offsetof(CheckedGroup, phase));
  store(builder.CreateSelect(isFirst, site, lastSite), offsetof(CheckedGroup, site));
  store(furthest, offsetof(CheckedGroup, passed));
  store(builder.CreateSelect(builder.CreateICmpEQ(furthest, passed), passedSite, lastSite),
        offsetof(CheckedGroup, passedSite));
  Value* differs = builder.CreateOr(isBehind, builder.CreateAnd(isSame, builder.CreateICmpNE(lastSite, site)));
  Value* other = builder.CreateSelect(isBehind, passedSite, lastSite);
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
