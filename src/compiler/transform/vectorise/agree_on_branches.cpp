// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/vectorise/agree_on_branches.hpp"

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

constexpr unsigned kDeepest = 4;        ///< conditions made of others
constexpr std::size_t kMostCopied = 40; ///< instructions of a block
constexpr unsigned kMostBranches = 8;   ///< of a function

class Agreement {
 public:
  Agreement(llvm::Function& function, const LaneShapes& shapes, const SubGroupFlow& flow)
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
  /// Where a branch goes to a block that is nowhere else come to, and which is left to where others come, too.
  struct Way {
    BasicBlock *from, *to;
  };

  std::optional<Way> wayFrom(BasicBlock& block) const {
    Value* condition = nullptr;
    BasicBlock *then = nullptr, *otherwise = nullptr;
    if (!flow_.parts(block) || !match(block.getTerminator(), m_Br(m_Value(condition), then, otherwise)) ||
        !comparesPlaces(*condition, 0))
      return std::nullopt;
    for (BasicBlock* to : {then, otherwise})
      if (isWorthIt(*to)) return Way{&block, to};
    return std::nullopt;
  }

  /// Lanes that are beside each other mostly agree on it.
  bool comparesPlaces(const Value& condition, unsigned depth) const {
    if (shapes_.of(&condition).isUniform()) return true;
    if (depth == kDeepest) return false;
    const Value *one = nullptr, *other = nullptr;
    if (match(&condition, m_LogicalOp(m_Value(one), m_Value(other))))
      return comparesPlaces(*one, depth + 1) && comparesPlaces(*other, depth + 1);
    if (match(&condition, m_Not(m_Value(one)))) return comparesPlaces(*one, depth + 1);
    const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&condition);
    return comparison != nullptr && comparison->isRelational() &&
           llvm::all_of(comparison->operands(), [&](const Value* operand) { return shapes_.of(operand).isAffine(); });
  }

  bool isWorthIt(const BasicBlock& block) const {
    if (block.getSinglePredecessor() == nullptr || block.getSingleSuccessor() == nullptr ||
        flow_.isLoopHeader(&block) || flow_.isLoopHeader(block.getSingleSuccessor()) || block.size() > kMostCopied)
      return false;
    bool isMasked = false;
    for (const Instruction& instruction : block) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call != nullptr && (call->isConvergent() || matchIntrinsic(call) || !call->onlyReadsMemory())) return false;
      isMasked |= isRowOfVectors(instruction);
    }
    return isMasked;
  }

  /// A row of short vectors: their elements have a mask that is made of the lanes'.
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
    BasicBlock* apart = way.from->splitBasicBlock(branch->getIterator(), way.from->getName() + ".apart");
    llvm::ValueToValueMapTy map;
    BasicBlock* together = llvm::CloneBasicBlock(way.to, map, ".together", &function_);
    together->moveBefore(apart);
    for (Instruction& instruction : *together)
      llvm::RemapInstruction(&instruction, map, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
    for (llvm::PHINode& phi : way.to->phis()) // of one value
      llvm::cast<llvm::PHINode>(map.lookup(&phi))->replaceIncomingBlockWith(apart, way.from);
    for (llvm::PHINode& phi : target.phis()) {
      Value* value = phi.getIncomingValueForBlock(way.to);
      Value* copy = map.lookup(value);
      phi.addIncoming(copy != nullptr ? copy : value, together);
    }
    way.from->getTerminator()->eraseFromParent();
    llvm::IRBuilder<> builder(way.from);
    builder.SetCurrentDebugLocation(branch->getDebugLoc());
    if (branch->getSuccessor(0) != way.to) condition = builder.CreateNot(condition);
    Value* all =
        createSubGroupCall(builder, {SubGroupOperation::Reduce, Combination::And}, {condition, builder.getInt32(0)});
    builder.CreateCondBr(all, together, apart);
  }

  llvm::Function& function_;
  const LaneShapes& shapes_;
  const SubGroupFlow& flow_;
};

} // namespace

bool agreeOnBranches(llvm::Function& function, const LaneShapes& shapes, const SubGroupFlow& flow) {
  return Agreement(function, shapes, flow).run();
}

} // namespace clotho::compiler
