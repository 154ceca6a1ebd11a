// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/memory/loop_filled_tiles.hpp"

#include "compiler/analysis/division.hpp"
#include "compiler/analysis/tile_fills.hpp"
#include "compiler/ir/copy_instruction.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/transform/memory/replace_sums.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Function;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kDeepest = 24; ///< Deepest expression of what an element is

/// Replaces loads from tiles by what fills them.
class FillBypass {
 public:
  FillBypass(Function& kernel, Accesses& accesses, llvm::FunctionAnalysisManager& analyses)
      : kernel_(kernel), accesses_(accesses), loops_(analyses.getResult<llvm::LoopAnalysis>(kernel)),
        tiles_(kernel, accesses, analyses) {}

  std::optional<LocalSize> run() {
    const auto size = tiles_.find();
    if (!size) return std::nullopt;
    tiles_.keepRanges();
    for (const TileRead& read : tiles_.reads())
      if (!replace(read)) return std::nullopt;
    finish(*size);
    return size;
  }

 private:
  static Value* emit(const AffineForm& offset, llvm::Type* type, llvm::IRBuilder<>& builder) {
    Value* sum = nullptr;
    for (const AffineForm::Term& term : offset.terms) {
      Value* wide = builder.CreateSExtOrTrunc(term.value, type);
      if (term.scale != 1)
        wide = builder.CreateMul(wide, llvm::ConstantInt::getSigned(type, term.scale), "", /*HasNUW=*/false,
                                 /*HasNSW=*/true);
      sum = sum == nullptr ? wide : builder.CreateAdd(sum, wide, "", /*HasNUW=*/false, /*HasNSW=*/true);
    }
    Value* constant = llvm::ConstantInt::getSigned(type, offset.constant);
    if (sum == nullptr) return constant;
    return offset.constant == 0 ? sum : builder.CreateAdd(sum, constant, "", /*HasNUW=*/false, /*HasNSW=*/true);
  }

  /// Whether the value is the global id of the same dimension as `localId`.
  static bool isIdBeside(const Value& value, const Value& localId) {
    return isIntrinsic(&value, Intrinsic::GlobalId, matchIntrinsic(&localId)->dimension);
  }

  /// The value that `value` has for the element that is read, computed from its index and uniform values; null if that
  /// is impossible.
  Value* outside(Value* value, const TileRead& read, llvm::ValueToValueMapTy& made, llvm::IRBuilder<>& builder,
                 unsigned depth) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction == nullptr) return value;
    if (!read.fill->outermost->contains(instruction) && tiles_.isUniform(*instruction)) return value;
    if (const auto found = made.find(value); found != made.end()) return found->second;
    if (depth == kDeepest) return nullptr;
    Value* result = nullptr;
    for (const auto& [side, index] : llvm::zip_equal(read.fill->sides, read.indices))
      if (side.index == value)
        result = emit(index, value->getType(), builder);
      else if (side.loop == nullptr && isIdBeside(*value, *side.index))
        result = builder.CreateAdd(createIntrinsic(builder, Intrinsic::GroupBase, matchIntrinsic(value)->dimension),
                                   emit(index, value->getType(), builder), "", /*HasNUW=*/true);
    if (result == nullptr) result = quotient(*instruction, read, builder);
    if (result == nullptr) {
      if (llvm::isa<llvm::PHINode>(instruction) || instruction->mayReadOrWriteMemory() ||
          (matchIntrinsic(instruction) && !tiles_.isUniform(*instruction)))
        return nullptr;
      result = copyInstruction(builder, *instruction, [&](Value* operand) {
        return llvm::isa<Function>(operand) ? operand : outside(operand, read, made, builder, depth + 1);
      });
      if (result == nullptr) return nullptr;
    }
    made[value] = result;
    return result;
  }

  /// Emits the quotient of an element's index by a constant; null for other instructions, or if it has no simple form.
  Value* quotient(const Instruction& instruction, const TileRead& read, llvm::IRBuilder<>& builder) {
    const auto division = matchDivision(instruction);
    if (!division || division->constant == 0 || division->constant > kMostTileElements ||
        division->result == Division::Result::Multiple)
      return nullptr;
    for (const auto& [side, index] : llvm::zip_equal(read.fill->sides, read.indices)) {
      if (withoutCasts(division->dividend) != side.index) continue;
      if (const auto split = tiles_.divide(index, static_cast<std::int64_t>(division->constant), *read.at))
        return emit(division->isRemainder() ? split->remainder : split->quotient, instruction.getType(), builder);
    }
    return nullptr;
  }

  /// Whether the instruction costs more than a tile if it remains: a division.
  static bool isCostly(const Instruction& instruction) { return instruction.isIntDivRem(); }

  bool replace(const TileRead& read) {
    llvm::LoadInst* load = read.load;
    llvm::IRBuilder<> builder(load);
    llvm::ValueToValueMapTy made;
    for (BasicBlock* block : read.fill->blocks)
      for (Instruction& instruction : *block)
        if (Value* of = quotient(instruction, read, builder)) made[&instruction] = of;
    const llvm::SmallPtrSet<BasicBlock*, 8> inside(read.fill->blocks.begin(), read.fill->blocks.end());
    const auto isCopied = [&](const Instruction& of) {
      return inside.contains(of.getParent()) && made.count(&of) == 0;
    };
    for (BasicBlock* block : read.fill->blocks)
      for (Instruction& instruction : *block) {
        if (block == read.fill->store->getParent() && !instruction.comesBefore(read.fill->store)) break;
        if (made.count(&instruction) != 0) continue;
        if (isCostly(instruction) || (matchIntrinsic(&instruction) && !tiles_.isUniform(instruction))) return false;
        for (Value* operand : instruction.operands()) {
          auto* of = llvm::dyn_cast<Instruction>(operand);
          if (of == nullptr || isCopied(*of) || made.count(of) != 0) continue;
          Value* stands = outside(of, read, made, builder, 0);
          if (stands == nullptr) return false;
          made[of] = stands;
        }
      }
    Value* value = read.fill->store->getValueOperand();
    if (auto* of = llvm::dyn_cast<Instruction>(value); of != nullptr && !isCopied(*of) && made.count(of) == 0) {
      Value* stands = outside(of, read, made, builder, 0);
      if (stands == nullptr) return false;
      made[of] = stands;
    }
    BasicBlock *const head = load->getParent(), *const tail = llvm::SplitBlock(head, load);
    copyBlocks(read, made, *head, *tail);
    const auto found = made.find(value);
    load->replaceAllUsesWith(found == made.end() ? value : static_cast<Value*>(found->second));
    load->eraseFromParent();
    return true;
  }

  void copyBlocks(const TileRead& read, llvm::ValueToValueMapTy& made, BasicBlock& head, BasicBlock& tail) {
    const llvm::ValueToValueMapTy& known = made;
    llvm::SmallVector<BasicBlock*, 8> copies;
    llvm::SmallVector<std::pair<const Instruction*, Value*>, 4> kept;
    for (BasicBlock* block : read.fill->blocks)
      for (Instruction& instruction : *block)
        if (const auto found = known.find(&instruction); found != known.end())
          kept.push_back({&instruction, found->second});
    BasicBlock* entry = nullptr;
    for (BasicBlock* block : read.fill->blocks) {
      BasicBlock* copy = llvm::CloneBasicBlock(block, made, ".read", &kernel_);
      copy->moveBefore(&tail);
      made[block] = copy;
      copies.push_back(copy);
      if (llvm::is_contained(llvm::predecessors(block), loops_.getLoopFor(block)->getHeader())) entry = copy;
      if (block != read.fill->store->getParent()) continue;
      auto* store = llvm::cast<Instruction>(static_cast<Value*>(made.lookup(read.fill->store)));
      while (&copy->back() != store)
        copy->back().eraseFromParent();
      store->eraseFromParent();
      llvm::BranchInst::Create(&tail, copy);
    }
    for (const auto& [instruction, value] : kept)
      made[instruction] = value;
    for (BasicBlock* copy : copies)
      for (Instruction& instruction : *copy)
        llvm::RemapInstruction(&instruction, made, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
    head.getTerminator()->setSuccessor(0, entry);
  }

  void finish(const LocalSize& size) {
    for (const TileFill& fill : tiles_.fills()) {
      auto* branch = llvm::cast<llvm::BranchInst>(fill.outermost->getHeader()->getTerminator());
      const bool staysIfTrue = fill.outermost->contains(branch->getSuccessor(0));
      branch->setCondition(llvm::ConstantInt::getBool(kernel_.getContext(), !staysIfTrue));
      fill.store->eraseFromParent();
    }
    for (Instruction* barrier : accesses_.barriers)
      barrier->eraseFromParent();
    replaceSizes(kernel_, size);
    for (BasicBlock& block : kernel_)
      llvm::ConstantFoldTerminator(&block, /*DeleteDeadConditions=*/true);
    llvm::EliminateUnreachableBlocks(kernel_);
    for (BasicBlock& block : kernel_)
      llvm::SimplifyInstructionsInBlock(&block);
  }

  Function& kernel_;
  Accesses& accesses_;
  llvm::LoopInfo& loops_; ///< loops of the unchanged kernel
  TileFills tiles_;
};

} // namespace

std::optional<LocalSize> bypassLoopFilledTiles(Function& kernel, Accesses& accesses,
                                               llvm::FunctionAnalysisManager& analyses) {
  for (auto& [memory, tile] : accesses.tiles)
    if (tile.store != nullptr) makeIndexInductive(*tile.store);
  return FillBypass(kernel, accesses, analyses).run();
}

} // namespace clotho::compiler
