// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/memory/direct_kernels.hpp"

#include "compiler/analysis/mergeable_groups.hpp"
#include "compiler/analysis/tile_accesses.hpp"
#include "compiler/analysis/work_item_uniformity.hpp"
#include "compiler/ir/copy_instruction.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/replace_calls.hpp"
#include "compiler/ir/run_pass.hpp"
#include "compiler/ir/sub_group_operations.hpp"
#include "compiler/ir/unroll_short_loops.hpp"
#include "compiler/ir/variants.hpp"
#include "compiler/transform/memory/loop_filled_tiles.hpp"
#include "compiler/transform/memory/replace_sums.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/DomTreeUpdater.h>
#include <llvm/Analysis/IteratedDominanceFrontier.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/ConstraintElimination.h>
#include <llvm/Transforms/Scalar/CorrelatedValuePropagation.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

namespace clotho::compiler {
namespace {

using llvm::Function;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kLocalSpace = 3;
constexpr unsigned kDeepest = 48;              ///< Deepest expression of what a tile holds
constexpr std::size_t kMostInstructions = 600; ///< Most instructions of a kernel that is worth a second version
constexpr unsigned kMostValues = 24;           ///< Most values in the expression of what a tile holds

/// Finds the dimensions of a tile that is declared with one dimension, from the address to which work-items store.
bool findSides(const Value& memory, Tile& tile, const llvm::DataLayout& layout) {
  if (tile.columns != 0) return true;
  const auto offset = offsetInTile(*tile.store->getPointerOperand(), layout);
  if (!offset || offset->terms.size() != 2) return false;
  const std::int64_t rowBytes = std::max(offset->terms[0].scale, offset->terms[1].scale);
  if (rowBytes <= 0 || rowBytes % static_cast<std::int64_t>(tile.elementBytes) != 0) return false;
  tile.columns = static_cast<std::uint64_t>(rowBytes) / tile.elementBytes;
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&memory))
    tile.rows =
        layout.getTypeAllocSize(variable->getValueType()).getFixedValue() / static_cast<std::uint64_t>(rowBytes);
  return tile.columns > 1;
}

/// The element of the tile to which a pointer points.
std::optional<TileElement> elementOf(const Tile& tile, const Value* pointer, const llvm::DataLayout& layout) {
  const auto offset = offsetInTile(*pointer, layout);
  if (!offset) return std::nullopt;
  const std::uint64_t rowBytes = tile.columns * tile.elementBytes;
  const std::uint64_t rows = tile.rows != 0 ? tile.rows : tile.columns;
  const auto bytes = static_cast<std::uint64_t>(offset->constant);
  if (bytes >= rows * rowBytes || bytes % tile.elementBytes != 0) return std::nullopt;
  TileElement element{{nullptr, bytes / rowBytes}, {nullptr, bytes % rowBytes / tile.elementBytes}};
  for (const AffineForm::Term& term : offset->terms) {
    const auto size = static_cast<std::uint64_t>(term.scale);
    Index* index = size == rowBytes ? &element.row : size == tile.elementBytes ? &element.column : nullptr;
    if (index == nullptr || index->variable != nullptr) return std::nullopt;
    index->variable = withoutCasts(term.value, kSideBits);
  }
  return element;
}

/// Replaces loads from tiles by the loads with which work-items fill them.
class TileBypass {
 public:
  TileBypass(Function& kernel, Accesses& accesses, llvm::FunctionAnalysisManager& analyses)
      : kernel_(kernel), accesses_(accesses), layout_(kernel.getDataLayout()),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(kernel)),
        loops_(analyses.getResult<llvm::LoopAnalysis>(kernel)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(kernel)) {}

  /// Returns the local size for which the transformed kernel is equivalent; nothing if there is none, and the function
  /// is then to be discarded.
  std::optional<LocalSize> run() {
    const llvm::ReversePostOrderTraversal<const Function*> order(&kernel_);
    if (llvm::containsIrreducibleCFG<const llvm::BasicBlock*>(order, loops_))
      return std::nullopt; // LoopInfo does not know irreducible loops.
    if (!chooseSize()) return std::nullopt;
    replaceSizes(kernel_, size_);
    const WorkItemUniformity uniformity(kernel_);
    for (const Instruction& instruction : llvm::instructions(kernel_))
      if (uniformity.isUniform(instruction)) uniform_.insert(&instruction);
    for (auto& [memory, tile] : accesses_.tiles)
      for (llvm::LoadInst* load : tile.loads)
        if (!bypass(tile, *load)) return std::nullopt;
    if (areTransposed_ == true) transpose();
    for (auto& [memory, tile] : accesses_.tiles)
      tile.store->eraseFromParent();
    for (Instruction* barrier : accesses_.barriers)
      barrier->eraseFromParent();
    for (llvm::BasicBlock& block : kernel_)
      llvm::SimplifyInstructionsInBlock(&block);
    return size_;
  }

 private:
  /// Finds the local size. A tile must be filled completely, once or in each iteration of a loop with a barrier:
  /// work-item (x, y) fills tile[y][x] or tile[x][y]. The last column may be padding against bank conflicts on GPUs.
  bool chooseSize() {
    const auto required = requiredSizes(kernel_);
    for (auto& [memory, tile] : accesses_.tiles) {
      if (tile.store == nullptr || !findSides(*memory, tile, layout_) || tile.rows == 1 || tile.rows > kLongestSide ||
          tile.columns > kLongestSide)
        return false;
      const auto filled = elementOf(tile, tile.store->getPointerOperand(), layout_);
      if (!filled) return false;
      tile.rowDimension = isLocalId(filled->row, 1) ? 1 : 0;
      if (!isLocalId(filled->row, tile.rowDimension) || !isLocalId(filled->column, 1 - tile.rowDimension)) return false;
      llvm::Loop* loop = loops_.getLoopFor(tile.store->getParent());
      // The element would be computed more than once, or not at all.
      if (loop == nullptr && (tile.loads.size() != 1 || loops_.getLoopFor(tile.loads.front()->getParent()) != nullptr))
        return false;
      if (loop != nullptr &&
          (loop->getLoopLatch() == nullptr || !dominators_.dominates(tile.store->getParent(), loop->getLoopLatch()) ||
           !accesses_.hasBarrierIn(*loop, loops_, dominators_)))
        return false;
    }
    const Tile& first = accesses_.tiles.front().second;
    for (const std::uint64_t ofRow : {first.columns, first.columns - 1}) {
      size_[first.rowDimension] = first.rows != 0 ? first.rows : ofRow;
      size_[1 - first.rowDimension] = ofRow;
      size_[2] = 1;
      const bool isFilled = llvm::all_of(accesses_.tiles, [&](const auto& entry) {
        const Tile& tile = entry.second;
        const std::uint64_t columns = size_[1 - tile.rowDimension];
        return (tile.rows == 0 ? columns : tile.rows) == size_[tile.rowDimension] &&
               (tile.columns == columns || tile.columns == columns + 1);
      });
      if (isFilled && required.value_or(size_) == size_ && size_[0] % 4 == 0 && ofRow % 4 == 0) return true;
    }
    return false;
  }

  bool isUniform(const Value& value) const {
    const auto* instruction = llvm::dyn_cast<Instruction>(&value);
    return instruction == nullptr || uniform_.contains(instruction);
  }

  /// Whether the index is within the filled part of the tile.
  bool isFilled(const Index& index, unsigned dimension, const Instruction& at) {
    const std::uint64_t count = size_[dimension];
    if (isLocalId(index, dimension)) return true;
    if (index.variable == nullptr) return index.constant < count;
    if (!isUniform(*index.variable) || index.constant >= count) return false;
    const llvm::SCEV* variable = evolution_.getSCEV(index.variable);
    return evolution_.isKnownPredicateAt(llvm::ICmpInst::ICMP_ULT, variable,
                                         evolution_.getConstant(variable->getType(), count - index.constant), &at);
  }

  /// Whether the element at (x, y) is filled by the work-item at (y, x).
  bool isTransposed() const { return size_[0] == size_[1] && isLocalId(filledBy_[0], 1) && isLocalId(filledBy_[1], 0); }

  struct Guard {
    Value* condition;
    bool holds;
  };

  /// Collects the conditions under which a work-item that reaches the load has reached the store.
  bool findGuards(const Tile& tile, const llvm::LoadInst& load, llvm::SmallVectorImpl<Guard>& guards) const {
    const llvm::BasicBlock* block = tile.store->getParent();
    while (!dominators_.dominates(block, load.getParent())) {
      const llvm::BasicBlock* before = block->getSinglePredecessor();
      const auto* branch = before == nullptr ? nullptr : llvm::dyn_cast<llvm::BranchInst>(before->getTerminator());
      if (branch == nullptr) return false;
      if (branch->isConditional()) guards.push_back({branch->getCondition(), branch->getSuccessor(0) == block});
      block = before;
    }
    std::reverse(guards.begin(), guards.end());
    return !guards.empty();
  }

  /// Whether evaluating the condition may fault. All conditions of a store are evaluated together for another
  /// work-item, although one may guard a load or a division in the next.
  static bool mayFault(const Value& condition) {
    llvm::SmallVector<const Value*, 8> work = {&condition};
    llvm::SmallPtrSet<const Value*, 16> seen;
    while (!work.empty()) {
      const auto* instruction = llvm::dyn_cast<Instruction>(work.pop_back_val());
      if (instruction == nullptr || !seen.insert(instruction).second) continue;
      if (!llvm::isSafeToSpeculativelyExecute(instruction)) return true;
      work.append(instruction->value_op_begin(), instruction->value_op_end());
    }
    return false;
  }

  bool bypass(const Tile& tile, llvm::LoadInst& load) {
    const auto element = elementOf(tile, load.getPointerOperand(), layout_);
    const llvm::Loop* loop = loops_.getLoopFor(tile.store->getParent());
    if (!element || (loop != nullptr && !loop->contains(&load)) || !llvm::isPotentiallyReachable(tile.store, &load))
      return false;
    llvm::SmallVector<Guard, 2> guards;
    if (!dominators_.dominates(tile.store, &load) && (!loops_.empty() || !findGuards(tile, load, guards))) return false;
    filledBy_[tile.rowDimension] = element->row;
    filledBy_[1 - tile.rowDimension] = element->column;
    const bool transposed = loops_.empty() && isTransposed();
    if (areTransposed_.value_or(transposed) != transposed) return false;
    areTransposed_ = transposed;
    if (!transposed && (!isFilled(filledBy_[1], 1, load) || !isFilled(filledBy_[0], 0, load))) return false;
    made_.clear();
    llvm::IRBuilder<> builder(&load);
    Value* isThere = nullptr;
    for (const auto& [condition, holds] : guards) {
      Value* asked = mayFault(*condition) ? nullptr : rebuild(condition, builder, 0);
      if (asked == nullptr) return false;
      if (!holds) asked = builder.CreateNot(asked);
      isThere = isThere == nullptr ? asked : builder.CreateLogicalAnd(isThere, asked);
    }
    if (isThere != nullptr) {
      llvm::DomTreeUpdater updater(dominators_, llvm::DomTreeUpdater::UpdateStrategy::Eager);
      builder.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(isThere, &load, /*Unreachable=*/false, nullptr, &updater));
    }
    Value* value = rebuild(tile.store->getValueOperand(), builder, 0);
    if (value == nullptr) return false;
    if (isThere != nullptr) {
      llvm::BasicBlock *then = builder.GetInsertBlock(), *head = then->getSinglePredecessor();
      llvm::PHINode* either = llvm::IRBuilder<>(&load).CreatePHI(load.getType(), 2);
      either->addIncoming(value, then);
      either->addIncoming(llvm::Constant::getNullValue(load.getType()), head); // no work-item has stored it
      value = either;
    }
    load.replaceAllUsesWith(value);
    load.eraseFromParent();
    return true;
  }

  Value* idOf(const Index& index, llvm::IRBuilder<>& builder) {
    if (index.variable == nullptr) return builder.getInt64(index.constant);
    return builder.CreateAdd(builder.CreateZExtOrTrunc(index.variable, builder.getInt64Ty()),
                             builder.getInt64(index.constant), "", /*HasNUW=*/true, /*HasNSW=*/true);
  }

  Value* factOf(const IntrinsicCall& call, Instruction& fact, llvm::IRBuilder<>& builder) {
    // Reuses the fact if it dominates the new use.
    const auto same = [&]() -> Value* {
      const bool isThere = dominators_.dominates(&fact, &*builder.GetInsertPoint());
      return isThere ? &fact : createIntrinsic(builder, call.intrinsic, call.dimension);
    };
    if (call.intrinsic != Intrinsic::LocalId && call.intrinsic != Intrinsic::GlobalId)
      return isUniform(fact) ? same() : nullptr;
    if (call.dimension == 2) return same(); // Groups have size 1 along dimension 2.
    const Index& index = filledBy_[call.dimension];
    if (isLocalId(index, call.dimension)) return same();
    Value* id = idOf(index, builder);
    if (call.intrinsic == Intrinsic::LocalId) return id;
    return builder.CreateAdd(createIntrinsic(builder, Intrinsic::GroupBase, call.dimension), id, "", /*HasNUW=*/true);
  }

  /// Exchanges the local ids of work-items: (y, x) becomes (x, y). Memory is then read in the order in which the tile
  /// was filled.
  void transpose() {
    replaceIntrinsics(kernel_, [](llvm::CallInst& call, const IntrinsicCall& what) -> Value* {
      const bool isGlobal = what.intrinsic == Intrinsic::GlobalId;
      if (what.dimension == 2 || (!isGlobal && what.intrinsic != Intrinsic::LocalId)) return nullptr;
      llvm::IRBuilder<> builder(&call);
      Value* id = createIntrinsic(builder, Intrinsic::LocalId, 1 - what.dimension);
      return isGlobal ? builder.CreateAdd(createIntrinsic(builder, Intrinsic::GroupBase, what.dimension), id, "",
                                          /*HasNUW=*/true)
                      : id;
    });
  }

  /// Emits the value that the work-item `filledBy_` computes; null if that is impossible.
  Value* rebuild(Value* value, llvm::IRBuilder<>& builder, unsigned depth) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction == nullptr) return value;
    if (Value* made = made_.lookup(value)) return made;
    if (depth == kDeepest || made_.size() > kMostValues) return nullptr;
    Value* result = nullptr;
    if (const auto call = matchIntrinsic(instruction)) {
      result = factOf(*call, *instruction, builder);
    } else if (isUniform(*instruction) && dominators_.dominates(instruction, &*builder.GetInsertPoint())) {
      result = instruction;
    } else {
      const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(instruction);
      const bool isGlobalLoad = llvm::isa<llvm::LoadInst>(instruction) &&
                                instruction->getOperand(0)->getType()->getPointerAddressSpace() != kLocalSpace;
      const bool mayCopy =
          isGlobalLoad || (intrinsic != nullptr && !intrinsic->mayReadOrWriteMemory()) ||
          llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CastInst, llvm::CmpInst, llvm::SelectInst,
                    llvm::GetElementPtrInst, llvm::FreezeInst, llvm::ExtractElementInst, llvm::InsertElementInst,
                    llvm::ShuffleVectorInst>(*instruction);
      if (!mayCopy) return nullptr;
      result =
          copyInstruction(builder, *instruction, [&](Value* operand) { return rebuild(operand, builder, depth + 1); });
      if (result == nullptr) return nullptr;
    }
    made_[value] = result;
    return result;
  }

  Function& kernel_;
  Accesses& accesses_;
  const llvm::DataLayout& layout_;
  llvm::DominatorTree& dominators_;
  llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  llvm::SmallPtrSet<const Instruction*, 32> uniform_; ///< uniform instructions of the unchanged kernel
  LocalSize size_{};
  std::optional<bool> areTransposed_;   ///< all elements that are read, or none
  Index filledBy_[2];                   ///< the work-item's local ids along dimensions 0 and 1
  llvm::DenseMap<Value*, Value*> made_; ///< copies for that work-item
};

/// Whether all work-items reach the barriers. One that has returned has filled no part of a tile, perhaps because
/// memory has no element for it. OpenCL requires that all reach them, but programs return early all the same.
bool doAllMeet(Function& kernel, const Accesses& accesses) {
  llvm::PostDominatorTree postDominators(kernel);
  llvm::SmallPtrSet<llvm::BasicBlock*, 8> barriers;
  for (Instruction* barrier : accesses.barriers)
    barriers.insert(barrier->getParent());
  llvm::SmallVector<llvm::BasicBlock*, 16> decide;
  llvm::ReverseIDFCalculator frontier(postDominators);
  frontier.setDefiningBlocks(barriers);
  frontier.calculate(decide);
  const WorkItemUniformity uniformity(kernel);
  return llvm::all_of(decide, [&](const llvm::BasicBlock* block) {
    return llvm::all_of(block->getTerminator()->operands(),
                        [&](const Value* operand) { return uniformity.isUniform(operand); });
  });
}

/// Cheap tests before the kernel is cloned.
bool mayBeWorthwhile(const Function& kernel) {
  if (!isKernel(kernel) || kernel.isDeclaration() || variantOf(kernel) == Variant::Remainder || usesSubGroups(kernel) ||
      kernel.getInstructionCount() > kMostInstructions || !callsIntrinsic(kernel, Intrinsic::Barrier))
    return false;
  const auto isArray = [](const llvm::GlobalVariable& variable) {
    return variable.getAddressSpace() == kLocalSpace && variable.getValueType()->isArrayTy();
  };
  const auto isLocal = [](const llvm::Argument& argument) {
    return argument.getType()->isPointerTy() && argument.getType()->getPointerAddressSpace() == kLocalSpace;
  };
  return llvm::any_of(kernel.getParent()->globals(), isArray) || llvm::any_of(kernel.args(), isLocal);
}

/// Replaces `group * size + local`, also within larger sums and in any form, by the global id, for launches without an
/// offset. Returns whether the kernel uses group ids.
bool nameGlobalIds(Function& kernel, const LocalSize& size) {
  bool changed = false;
  for (const unsigned dimension : {0U, 1U}) {
    const auto asks = [&](const Instruction& instruction) {
      return isIntrinsic(&instruction, Intrinsic::GroupId, dimension);
    };
    if (llvm::none_of(llvm::instructions(kernel), asks)) continue;
    llvm::IRBuilder<> builder(&*kernel.getEntryBlock().getFirstInsertionPt());
    Value* global = createIntrinsic(builder, Intrinsic::GlobalId, dimension);
    Value* group = createIntrinsic(builder, Intrinsic::GroupId, dimension);
    Value* local = createIntrinsic(builder, Intrinsic::LocalId, dimension);
    replaceIntrinsics(kernel, [&](llvm::CallInst& call, const IntrinsicCall& what) -> Value* {
      Value* own = what.intrinsic == Intrinsic::GroupId   ? group
                   : what.intrinsic == Intrinsic::LocalId ? local
                                                          : nullptr;
      return what.dimension == dimension && own != &call ? own : nullptr;
    });
    replaceSums(kernel, {*group, size[dimension], *local}, *global);
    changed = true;
  }
  return changed;
}

/// Rewrites a loop variable as its start plus a variable that begins at zero, if only the start differs between
/// work-items. Its value for another work-item is known then.
void countFromZero(Function& kernel, const llvm::LoopInfo& loops) {
  const WorkItemUniformity uniformity(kernel);
  llvm::SmallVector<std::pair<llvm::PHINode*, llvm::BinaryOperator*>, 4> variables;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (loop->getLoopPredecessor() == nullptr || loop->getLoopLatch() == nullptr) continue;
    for (llvm::PHINode& phi : loop->getHeader()->phis()) {
      auto* next = llvm::dyn_cast<llvm::BinaryOperator>(phi.getIncomingValueForBlock(loop->getLoopLatch()));
      if (phi.getType()->isIntegerTy() && !uniformity.isUniform(phi) && next != nullptr &&
          next->getOpcode() == Instruction::Add && next->getOperand(0) == &phi &&
          llvm::isa<llvm::Constant, llvm::Argument>(next->getOperand(1)))
        variables.push_back({&phi, next});
    }
  }
  for (const auto& [phi, next] : variables) {
    llvm::IRBuilder<> builder(phi);
    auto* counter = llvm::cast<llvm::PHINode>(builder.Insert(phi->clone()));
    builder.SetInsertPoint(next);
    Value* step = builder.CreateAdd(counter, next->getOperand(1));
    Value* first = nullptr;
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      const bool isAgain = phi->getIncomingValue(i) == next;
      counter->setIncomingValue(i, isAgain ? step : llvm::Constant::getNullValue(phi->getType()));
      if (!isAgain) first = phi->getIncomingValue(i);
    }
    builder.SetInsertPoint(phi->getParent(), phi->getParent()->getFirstInsertionPt());
    phi->replaceAllUsesWith(builder.CreateAdd(first, counter));
    phi->eraseFromParent();
  }
}

/// Simplifies sums, since sizes have become constants.
void simplifySums(Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  runPass(llvm::InstCombinePass(), kernel, analyses);
  analyses.clear(kernel, kernel.getName());
}

/// Simplifies the kernel. Conditions around the store are often implied by those around the load.
void simplify(Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  analyses.clear(kernel, kernel.getName());
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::CorrelatedValuePropagationPass());
  passes.addPass(llvm::ConstraintEliminationPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.run(kernel, analyses);
}

/// Whether the transformation pays. Without local memory, kernels with loops are faster only if groups can be merged.
bool isWorthIt(Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  analyses.clear(kernel, kernel.getName());
  if (isMergeable(kernel)) return true;
  unrollShortLoops(kernel, analyses);
  return analyses.getResult<llvm::LoopAnalysis>(kernel).empty();
}

} // namespace

llvm::PreservedAnalyses DirectKernelsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager& moduleAnalyses) {
  auto& analyses = moduleAnalyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  if (!module.debug_compile_units().empty()) return llvm::PreservedAnalyses::all();
  llvm::SmallVector<Function*, 4> kernels;
  for (Function& function : module)
    if (mayBeWorthwhile(function)) kernels.push_back(&function);
  bool changed = false;
  for (Function* kernel : kernels) {
    const auto before = findAccesses(*kernel);
    if (!before || !doAllMeet(*kernel, *before)) continue;
    for (const bool inLoops : {false, true}) {
      Function* copy = cloneVariant(*kernel, *kernel, Variant::Direct);
      if (!inLoops) { // else variables that begin with an id are what is looked for
        countFromZero(*copy, analyses.getResult<llvm::LoopAnalysis>(*copy));
        analyses.clear(*copy, copy->getName());
      }
      if (inLoops && copy->getMetadata("reqd_work_group_size") != nullptr) simplifySums(*copy, analyses);
      auto accesses = findAccesses(*copy);
      const auto size =
          inLoops ? bypassLoopFilledTiles(*copy, *accesses, analyses) : TileBypass(*copy, *accesses, analyses).run();
      if (size && (nameGlobalIds(*copy, *size) || inLoops)) simplify(*copy, analyses);
      const bool isMade = size && isWorthIt(*copy, analyses);
      analyses.clear(*copy, copy->getName());
      if (!isMade) {
        copy->eraseFromParent();
        continue;
      }
      changed = true;
      changeFacts(*copy, [&](KernelFacts& facts) { facts.directSize = *size; });
      copy->setMetadata("reqd_work_group_size", nullptr);
      break;
    }
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
