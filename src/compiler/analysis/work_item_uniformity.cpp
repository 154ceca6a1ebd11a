// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/work_item_uniformity.hpp"

#include "compiler/ir/group_results.hpp"
#include "compiler/ir/primitives.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/Analysis/TargetTransformInfoImpl.h>
#include <llvm/IR/IntrinsicInst.h>

namespace clotho::compiler {
namespace {

constexpr unsigned kConstantSpace = 2;

/// Answers LLVM's two questions about uniformity; all else is the default of a target that knows nothing.
class UniformityRules final : public llvm::TargetTransformInfoImplBase {
 public:
  UniformityRules(const llvm::DataLayout& layout, UniformityScope scope)
      : TargetTransformInfoImplBase(layout), scope_(scope) {}

  bool hasBranchDivergence(const llvm::Function*) const override { return true; }

  llvm::InstructionUniformity getInstructionUniformity(const llvm::Value* value) const override {
    using llvm::InstructionUniformity;
    if (const auto call = matchPrimitive(value)) {
      if (call->primitive == Primitive::LaneId || call->primitive == Primitive::SubGroupLane)
        return InstructionUniformity::NeverUniform;
      if (call->primitive == Primitive::SubGroupBase)
        return scope_ == UniformityScope::SubGroup ? InstructionUniformity::AlwaysUniform
                                                   : InstructionUniformity::NeverUniform;
      const bool differs = (call->primitive == Primitive::LocalId || call->primitive == Primitive::GlobalId) &&
                           (scope_ == UniformityScope::WorkGroup || call->dimension == 0);
      return differs ? InstructionUniformity::NeverUniform : InstructionUniformity::AlwaysUniform;
    }
    if (const auto call = matchSubGroupCall(value))
      return scope_ == UniformityScope::SubGroup &&
                     isUniformOperation(*llvm::cast<llvm::CallInst>(value), call->operation)
                 ? InstructionUniformity::AlwaysUniform
                 : InstructionUniformity::NeverUniform;
    if (llvm::isa<llvm::AllocaInst>(value)) return InstructionUniformity::NeverUniform;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(value))
      return load->isSimple() && (scope_ == UniformityScope::SubGroup ||
                                  load->getPointerAddressSpace() == kConstantSpace || isGroupResult(*load))
                 ? InstructionUniformity::Default
                 : InstructionUniformity::NeverUniform;
    if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(value)) return InstructionUniformity::NeverUniform;
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(value))
      return call->doesNotAccessMemory() && !call->isConvergent() ? InstructionUniformity::Default
                                                                  : InstructionUniformity::NeverUniform;
    return InstructionUniformity::Default;
  }

 private:
  UniformityScope scope_;
};

} // namespace

WorkItemUniformity::WorkItemUniformity(llvm::Function& kernel, UniformityScope scope)
    : dominators_(kernel), rules_(std::make_unique<UniformityRules>(kernel.getDataLayout(), scope)) {
  cycles_.compute(kernel);
  info_.emplace(dominators_, cycles_, &rules_);
  info_->compute();
}

bool WorkItemUniformity::isUniform(const llvm::Instruction& instruction) const {
  if (info_->isDivergent(&instruction)) return false;
  for (const llvm::Use& use : instruction.uses())
    if (info_->isDivergentUse(use)) return false; // work-items left a loop in different rounds
  return true;
}

bool WorkItemUniformity::isUniformValue(const llvm::Instruction& instruction) const {
  return !info_->isDivergent(&instruction);
}

bool WorkItemUniformity::hasDivergentBranch(const llvm::BasicBlock& block) const {
  return info_->hasDivergentTerminator(block);
}

} // namespace clotho::compiler
