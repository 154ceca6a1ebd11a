// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/work_item_uniformity.hpp"

#include "compiler/ir/group_results.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/pipe_functions.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/ADT/GenericUniformityImpl.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/TargetTransformInfoImpl.h>
#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>

#include <optional>

namespace clotho::compiler {
namespace {

constexpr unsigned kConstantSpace = 2;

/// Answers LLVM's two queries about uniformity; everything else is the default of TargetTransformInfoImplBase.
class UniformityRules final : public llvm::TargetTransformInfoImplBase {
 public:
  UniformityRules(const llvm::DataLayout& layout, UniformityScope scope, unsigned dimension)
      : TargetTransformInfoImplBase(layout), scope_(scope), dimension_(dimension) {}

  bool hasBranchDivergence(const llvm::Function*) const override { return true; }

  llvm::InstructionUniformity getInstructionUniformity(const llvm::Value* value) const override {
    using llvm::InstructionUniformity;
    if (const auto call = matchIntrinsic(value)) {
      if (call->intrinsic == Intrinsic::LaneId || call->intrinsic == Intrinsic::SubGroupLane)
        return InstructionUniformity::NeverUniform;
      if (call->intrinsic == Intrinsic::SubGroupBase)
        return scope_ != UniformityScope::WorkGroup ? InstructionUniformity::AlwaysUniform
                                                    : InstructionUniformity::NeverUniform;
      const bool differs = (call->intrinsic == Intrinsic::LocalId || call->intrinsic == Intrinsic::GlobalId) &&
                           (scope_ != UniformityScope::SubGroup || call->dimension == dimension_);
      return differs ? InstructionUniformity::NeverUniform : InstructionUniformity::AlwaysUniform;
    }
    if (const auto call = matchSubGroupCall(value))
      return scope_ != UniformityScope::WorkGroup &&
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
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(value); call != nullptr && runsOnce(*call))
      return scope_ != UniformityScope::WorkGroup ? InstructionUniformity::AlwaysUniform
                                                  : InstructionUniformity::NeverUniform;
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(value))
      return call->doesNotAccessMemory() && !call->isConvergent() ? InstructionUniformity::Default
                                                                  : InstructionUniformity::NeverUniform;
    return InstructionUniformity::Default;
  }

 private:
  UniformityScope scope_;
  unsigned dimension_;
};

} // namespace

struct WorkItemUniformity::Data {
  Data(llvm::Function& kernel, UniformityScope scope, unsigned dimension)
      : dominators(kernel), rules(std::make_unique<UniformityRules>(kernel.getDataLayout(), scope, dimension)) {
    cycles.compute(kernel);
    info.emplace(dominators, cycles, &rules);
    info->compute();
  }

  llvm::DominatorTree dominators;
  llvm::CycleInfo cycles;
  llvm::TargetTransformInfo rules;
  std::optional<llvm::UniformityInfo> info;
};

llvm::AnalysisKey WorkGroupUniformityAnalysis::Key;
llvm::AnalysisKey SubGroupUniformityAnalysis::Key;

WorkItemUniformity::WorkItemUniformity(llvm::Function& kernel, UniformityScope scope, unsigned dimension)
    : data_(std::make_unique<Data>(kernel, scope, dimension)) {}
WorkItemUniformity::WorkItemUniformity(WorkItemUniformity&&) noexcept = default;
WorkItemUniformity::~WorkItemUniformity() = default;

bool WorkItemUniformity::isUniform(const llvm::Instruction& instruction) const {
  if (data_->info->isDivergent(&instruction)) return false;
  for (const llvm::Use& use : instruction.uses())
    if (data_->info->isDivergentUse(use)) return false; // Work-items left a loop in different iterations.
  return true;
}

bool WorkItemUniformity::isUniform(const llvm::Value* value) const {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  return instruction == nullptr || isUniform(*instruction);
}

bool WorkItemUniformity::isUniformValue(const llvm::Instruction& instruction) const {
  return !data_->info->isDivergent(&instruction);
}

bool WorkItemUniformity::hasDivergentBranch(const llvm::BasicBlock& block) const {
  return data_->info->hasDivergentTerminator(block);
}

} // namespace clotho::compiler
