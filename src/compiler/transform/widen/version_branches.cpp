// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/version_branches.hpp"

#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;
using namespace llvm::PatternMatch;

constexpr unsigned kDeepest = 4;        ///< The limit for conditions that are made of others.
constexpr std::size_t kMostCopied = 40; ///< A block has no more instructions than that.
constexpr unsigned kMostBranches = 8;   ///< A function has no more versions than that.

class BranchVersions {
 public:
  BranchVersions(llvm::Function& function, const LaneShapes& shapes, const SubGroupFlow& flow)
      : function_(function), shapes_(shapes), flow_(flow) {}

  bool run() {
    llvm::SmallVector<Way, kMostBranches> ways;
    for (BasicBlock* block : flow_.order())
      if (const auto way = wayFrom(*block); way && ways.size() < kMostBranches) ways.push_back(*way);
    for (const Way& way : ways)
      write(way);
    return !ways.empty();
  }

 private:
  /// A branch, and its successor that gets a copy.
  struct Way {
    BasicBlock *from, *to;
  };

  std::optional<Way> wayFrom(BasicBlock& block) const {
    Value* condition = nullptr;
    BasicBlock *then = nullptr, *otherwise = nullptr;
    if (!flow_.parts(block) || !match(block.getTerminator(), m_Br(m_Value(condition), then, otherwise)) ||
        !comparesPositions(*condition, 0))
      return std::nullopt;
    for (BasicBlock* to : {then, otherwise})
      if (hasWay(block, *to) && isWorthIt(*to)) return Way{&block, to};
    return std::nullopt;
  }

  /// Whether the condition compares positions, so that it is uniform in most sub-groups.
  bool comparesPositions(const Value& condition, unsigned depth) const {
    if (shapes_.of(&condition).isUniform()) return true;
    if (depth == kDeepest) return false;
    const Value *one = nullptr, *other = nullptr;
    if (match(&condition, m_LogicalOp(m_Value(one), m_Value(other))))
      return comparesPositions(*one, depth + 1) && comparesPositions(*other, depth + 1);
    if (match(&condition, m_Not(m_Value(one)))) return comparesPositions(*one, depth + 1);
    const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&condition);
    return comparison != nullptr && comparison->isRelational() &&
           llvm::all_of(comparison->operands(), [&](const Value* operand) { return shapes_.of(operand).isAffine(); });
  }

  /// Whether `from` is the only predecessor of `to`, and `to` joins other paths immediately: values of `to` are then
  /// used only in it, or by phis of its successor. Not across loops, where lanes come from several iterations.
  bool hasWay(const BasicBlock& from, const BasicBlock& to) const {
    const BasicBlock* next = to.getSingleSuccessor();
    return to.getSinglePredecessor() == &from && next != nullptr && next->getSinglePredecessor() == nullptr &&
           !flow_.isLoopHeader(&to) && !flow_.isLoopHeader(next) &&
           flow_.loops().getLoopFor(&from) == flow_.loops().getLoopFor(&to);
  }

  bool isWorthIt(const BasicBlock& block) const {
    if (block.size() > kMostCopied) return false;
    bool hasRow = false;
    for (const Instruction& instruction : block) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call != nullptr && (call->isConvergent() || matchIntrinsic(call) || !call->onlyReadsMemory())) return false;
      hasRow |= isRowOfVectors(instruction);
    }
    return hasRow;
  }

  bool isRowOfVectors(const Instruction& instruction) const {
    const Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (pointer == nullptr || instruction.isVolatile() || instruction.isAtomic()) return false;
    const LaneShape shape = shapes_.of(pointer);
    llvm::Type* type = llvm::getLoadStoreType(&instruction);
    const auto bytes = function_.getDataLayout().getTypeStoreSize(type);
    return type->isVectorTy() && shape.isAffine() && shape.stride() == static_cast<std::int64_t>(bytes.getFixedValue());
  }

  void write(const Way& way) {
    BasicBlock& target = *way.to->getSingleSuccessor();
    auto* branch = llvm::cast<llvm::BranchInst>(way.from->getTerminator());
    Value* condition = branch->getCondition();
    BasicBlock* divergent = way.from->splitBasicBlock(branch->getIterator(), way.from->getName() + ".divergent");
    BasicBlock* uniform = copyFor(way, *divergent);
    for (llvm::PHINode& phi : target.phis()) {
      Value* value = phi.getIncomingValueForBlock(way.to);
      const auto copy = copies_.find(value);
      phi.addIncoming(copy != copies_.end() ? static_cast<Value*>(copy->second) : value, uniform);
    }
    way.from->getTerminator()->eraseFromParent();
    llvm::IRBuilder<> builder(way.from);
    builder.SetCurrentDebugLocation(branch->getDebugLoc());
    if (branch->getSuccessor(0) != way.to) condition = builder.CreateNot(condition);
    llvm::CallInst* all =
        createSubGroupCall(builder, {SubGroupOperation::Reduce, Combination::And}, {condition, builder.getInt32(0)});
    // The branch was undefined for poison, so the call may be as well; facts about the comparison's operands are
    // preserved.
    all->addParamAttr(0, llvm::Attribute::NoUndef);
    builder.CreateCondBr(all, uniform, divergent);
  }

  BasicBlock* copyFor(const Way& way, BasicBlock& divergent) {
    copies_.clear();
    BasicBlock* copy = llvm::CloneBasicBlock(way.to, copies_, ".uniform", &function_);
    copy->moveBefore(&divergent);
    const llvm::RemapFlags flags = llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals;
    for (Instruction& instruction : *copy) {
      llvm::RemapInstruction(&instruction, copies_, flags);
      llvm::RemapDbgRecordRange(function_.getParent(), instruction.getDbgRecordRange(), copies_, flags);
    }
    for (llvm::PHINode& phi : copy->phis()) // They have one incoming edge.
      phi.replaceIncomingBlockWith(&divergent, way.from);
    return copy;
  }

  llvm::Function& function_;
  const LaneShapes& shapes_;
  const SubGroupFlow& flow_;
  llvm::ValueToValueMapTy copies_; ///< copies of the block's values
};

} // namespace

bool versionBranches(llvm::Function& function, const LaneShapes& shapes, const SubGroupFlow& flow) {
  return BranchVersions(function, shapes, flow).run();
}

} // namespace clotho::compiler
