// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/groups/interchange_columns.hpp"

#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/marks.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <functional>
#include <optional>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kRowsAtOnce = 8;
constexpr std::uint64_t kSubGroupsAtOnce = 8; ///< Most sub-groups of a tile; kMostSumBytes may allow fewer
constexpr unsigned kMostInstructions = 40;    ///< Most instructions of an iteration, which is copied for each sub-group
constexpr std::uint64_t kMostSumBytes = 8192; ///< Most bytes of the sums of a tile
constexpr std::uint64_t kCacheLine = 64;
/// Least number of rows and least distance between them, in bytes, for which the interchange gains.
constexpr std::uint64_t kFewRows = 16, kFarApart = 2048;

/// The loop over sub-groups, with the counter `own`, and the loop over matrix rows inside it.
struct Nest {
  llvm::Loop* outer;
  llvm::Loop* inner;
  llvm::PHINode* own;
  Value* step;
  Value* next; ///< value of `own` in the next iteration
  Value* limit;
  /// Conditions under which sub-groups reach the inner loop, and the value that each must have. They must hold for all
  /// sub-groups.
  llvm::SmallVector<std::pair<Value*, bool>, 4> conditions;
  llvm::SmallVector<BasicBlock*, 4> before,
      after; ///< blocks of the outer loop before and after the inner one, in order
  llvm::SmallVector<llvm::PHINode*, 2> sums;
  llvm::SmallVector<std::pair<llvm::PHINode*, Value*>, 2> counters; ///< each with its increment
  std::uint64_t subGroups;                                          ///< Number of sub-groups of a tile
  const llvm::SCEV* backedgesTaken;                                 ///< trip count less one
  Value* address;                                                   ///< Address of what is loaded from a row
};

/// Whether the instruction is a masked load or a gather.
bool isMaskedLoad(const Instruction& instruction) {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return intrinsic != nullptr && (intrinsic->getIntrinsicID() == llvm::Intrinsic::masked_gather ||
                                  intrinsic->getIntrinsicID() == llvm::Intrinsic::masked_load);
}

class NestMatcher {
 public:
  NestMatcher(llvm::Loop& inner, llvm::DominatorTree& dominators, llvm::ScalarEvolution& evolution)
      : dominators_(dominators), evolution_(evolution) {
    nest_.inner = &inner;
    nest_.outer = inner.getParentLoop();
  }

  std::optional<Nest> run() {
    if (nest_.outer == nullptr || nest_.outer->getSubLoops().size() != 1 || nest_.inner->getNumBlocks() != 1 ||
        !matchOuter() || !matchWayIn() || !matchWayOut() || !matchBody() || !matchUses())
      return std::nullopt;
    return std::move(nest_);
  }

 private:
  bool isFixed(const Value* value) const { return nest_.outer->isLoopInvariant(value); }

  /// Matches `do { ...; own += step; } while (own < limit)`.
  bool matchOuter() {
    BasicBlock* latch = nest_.outer->getLoopLatch();
    if (nest_.outer->getLoopPreheader() == nullptr || latch == nullptr || nest_.outer->getExitingBlock() != latch ||
        nest_.outer->getExitBlock() == nullptr || !llvm::hasSingleElement(nest_.outer->getHeader()->phis()) ||
        llvm::findOptionMDForLoop(nest_.outer, kIndependentLoopName) == nullptr)
      return false;
    nest_.own = &*nest_.outer->getHeader()->phis().begin();
    auto* end = llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator());
    auto* next = llvm::dyn_cast<llvm::BinaryOperator>(nest_.own->getIncomingValueForBlock(latch));
    if (end == nullptr || next == nullptr || next->getOpcode() != Instruction::Add ||
        next->getOperand(0) != nest_.own || !next->getType()->isIntegerTy(64))
      return false;
    const auto* step = llvm::dyn_cast<llvm::ConstantInt>(next->getOperand(1));
    if (step == nullptr || step->getValue().slt(1)) return false;
    auto* more = llvm::dyn_cast<llvm::ICmpInst>(end->getCondition());
    if (more == nullptr || more->getPredicate() != llvm::CmpInst::ICMP_ULT || more->getOperand(0) != next ||
        !isFixed(more->getOperand(1)) || end->getSuccessor(0) != nest_.outer->getHeader())
      return false;
    nest_.next = next;
    nest_.step = next->getOperand(1);
    nest_.limit = more->getOperand(1);
    return true;
  }

  /// The blocks before the inner loop run again in each tile, so they must have no side effects.
  bool matchWayIn() {
    BasicBlock* end = nest_.inner->getLoopPreheader();
    if (end == nullptr) return false;
    for (BasicBlock* block = nest_.outer->getHeader();;) {
      for (const Instruction& instruction : *block)
        if (!instruction.isTerminator() && (instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects()))
          return false;
      nest_.before.push_back(block);
      if (block != nest_.outer->getHeader() && !block->phis().empty()) return false;
      if (block == end) return true;
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      if (branch == nullptr) return false;
      unsigned way = 0;
      if (branch->isConditional()) {
        if (!isFixed(branch->getCondition())) return false;
        while (way < 2 && !dominators_.dominates(branch->getSuccessor(way), end))
          ++way;
        if (way == 2) return false;
        nest_.conditions.emplace_back(branch->getCondition(), way == 0);
      }
      block = branch->getSuccessor(way);
      if (!nest_.outer->contains(block)) return false;
    }
  }

  bool matchWayOut() {
    BasicBlock* block = nest_.inner->getExitBlock();
    if (block == nullptr || !nest_.outer->contains(block)) return false;
    for (BasicBlock* latch = nest_.outer->getLoopLatch();;) {
      nest_.after.push_back(block);
      if (block == latch) return true;
      block = block->getUniqueSuccessor();
      if (block == nullptr || !nest_.outer->contains(block) || llvm::is_contained(nest_.after, block)) return false;
    }
  }

  bool matchBody() {
    BasicBlock* body = nest_.inner->getHeader();
    BasicBlock* before = nest_.inner->getLoopPreheader();
    const llvm::DataLayout& layout = body->getDataLayout();
    std::uint64_t bytes = 0;
    for (llvm::PHINode& phi : body->phis()) {
      Value* start = phi.getIncomingValueForBlock(before);
      Value* next = phi.getIncomingValueForBlock(body);
      if (!isFixed(start) && !phi.getType()->isVectorTy()) return false;
      if (phi.getType()->isVectorTy()) {
        nest_.sums.push_back(&phi);
        bytes += layout.getTypeAllocSize(phi.getType()).getFixedValue();
        continue;
      }
      auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(next);
      if (!phi.getType()->isIntegerTy() || phi.getType()->getIntegerBitWidth() > 64 || sum == nullptr ||
          sum->getOpcode() != Instruction::Add || sum->getOperand(0) != &phi || !isFixed(sum->getOperand(1)))
        return false;
      nest_.counters.emplace_back(&phi, sum->getOperand(1));
    }
    nest_.backedgesTaken = evolution_.getBackedgeTakenCount(nest_.inner);
    if (nest_.sums.empty()) return false;
    nest_.subGroups = std::min(kSubGroupsAtOnce, kMostSumBytes / bytes);
    if (nest_.subGroups < 2 || body->size() > kMostInstructions ||
        llvm::isa<llvm::SCEVCouldNotCompute>(nest_.backedgesTaken) || !isAvailable(nest_.backedgesTaken) ||
        nest_.backedgesTaken->getType()->getIntegerBitWidth() > 64)
      return false;
    nest_.address = nullptr;
    for (Instruction& instruction : *body) {
      if (instruction.isTerminator() || llvm::isa<llvm::PHINode>(instruction)) continue;
      if (instruction.mayHaveSideEffects()) return false;
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load == nullptr && instruction.mayReadOrWriteMemory() && !isMaskedLoad(instruction)) return false;
      if (load != nullptr && !load->isSimple()) return false;
      if (load != nullptr && load->getType()->isVectorTy() && nest_.address == nullptr &&
          !isFixed(load->getPointerOperand()) && isComputed(*load->getPointerOperand()))
        nest_.address = load->getPointerOperand();
    }
    return nest_.address != nullptr;
  }

  /// Whether the value depends on the counters alone, so that it can be computed before the loops.
  bool isComputed(const Value& value, unsigned depth = 0) const {
    constexpr unsigned kDepthLimit = 12;
    if (isFixed(&value) || &value == nest_.own) return true;
    if (llvm::any_of(nest_.counters, [&](const auto& counter) { return counter.first == &value; })) return true;
    const auto& instruction = llvm::cast<Instruction>(value);
    return depth < kDepthLimit && !llvm::isa<llvm::PHINode>(instruction) && !instruction.mayReadOrWriteMemory() &&
           llvm::isSafeToSpeculativelyExecute(&instruction) && !instruction.isIntDivRem() &&
           llvm::all_of(
               instruction.operands(), [&](const llvm::Use& operand) { return isComputed(*operand.get(), depth + 1); });
  }

  /// Whether the value can be expanded before the outer loop.
  bool isAvailable(const llvm::SCEV* value) {
    llvm::SCEVExpander expander(evolution_, "available");
    Instruction* point = nest_.outer->getLoopPreheader()->getTerminator();
    return evolution_.isLoopInvariant(value, nest_.outer) && expander.isSafeToExpandAt(value, point);
  }

  /// Whether only the inner loop's sums are used outside it, and only the outer loop's counter.
  bool matchUses() {
    BasicBlock* body = nest_.inner->getHeader();
    for (Instruction& instruction : *body)
      for (const llvm::User* user : instruction.users()) {
        if (llvm::cast<Instruction>(user)->getParent() == body) continue;
        const bool isSum = llvm::any_of(
            nest_.sums, [&](const llvm::PHINode* sum) { return sum->getIncomingValueForBlock(body) == &instruction; });
        if (!isSum || !nest_.outer->contains(llvm::cast<Instruction>(user))) return false;
      }
    for (const llvm::PHINode& phi : nest_.outer->getExitBlock()->phis()) {
      const Value* value = phi.getIncomingValueForBlock(nest_.outer->getLoopLatch());
      if (value != nest_.next && !isFixed(value)) return false;
    }
    for (BasicBlock* block : nest_.outer->blocks())
      for (const Instruction& instruction : *block)
        for (const llvm::User* user : instruction.users())
          if (const auto* outside = llvm::cast<Instruction>(user);
              !nest_.outer->contains(outside) &&
              (!llvm::isa<llvm::PHINode>(outside) || outside->getParent() != nest_.outer->getExitBlock()))
            return false;
    return true;
  }

  llvm::DominatorTree& dominators_;
  llvm::ScalarEvolution& evolution_;
  Nest nest_;
};

class Interchanger {
 public:
  Interchanger(const Nest& nest, llvm::ScalarEvolution& evolution)
      : nest_(nest), function_(*nest.own->getFunction()), before_(*nest.outer->getLoopPreheader()),
        exit_(*nest.outer->getExitBlock()), builder_(before_.getTerminator()), evolution_(evolution) {}

  void run() {
    llvm::IRBuilder<> entry(&function_.getEntryBlock(), function_.getEntryBlock().getFirstInsertionPt());
    for (llvm::PHINode* sum : nest_.sums) {
      sumArrays_.push_back(entry.CreateAlloca(sum->getType(), entry.getInt64(nest_.subGroups), "sums"));
      sumArrays_.back()->setAlignment(llvm::Align(kCacheLine));
    }
    Value* isWorthIt = decide();

    BasicBlock* tile = newBlock("tile");
    llvm::Type* type = nest_.own->getType();
    Value* start = nest_.own->getIncomingValueForBlock(&before_);
    before_.getTerminator()->eraseFromParent();
    builder_.SetInsertPoint(&before_);
    builder_.CreateCondBr(isWorthIt, tile, nest_.outer->getHeader());

    builder_.SetInsertPoint(tile);
    llvm::PHINode* first = builder_.CreatePHI(type, 2, "tile");
    first->addIncoming(start, &before_);
    Value* full =
        llvm::ConstantInt::get(type, llvm::cast<llvm::ConstantInt>(nest_.step)->getZExtValue() * nest_.subGroups);
    Value* following = builder_.CreateAdd(first, full, "", /*HasNUW=*/true);
    Value* end = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, following, nest_.limit);

    forSubGroups(first, end, [&](Value& own, llvm::ArrayRef<Value*> addresses) {
      llvm::ValueToValueMapTy map;
      comeTo(own, map);
      for (auto [address, sum] : llvm::zip_equal(addresses, nest_.sums)) {
        Value* start = sum->getIncomingValueForBlock(nest_.inner->getLoopPreheader());
        builder_.CreateAlignedStore(mapped(start, map), address, alignOf(*sum));
      }
    });
    Value* done = severalIterations(first, end);
    oneIteration(first, end, done);
    Value* reached =
        forSubGroups(first, end, [&](Value& own, llvm::ArrayRef<Value*> addresses) { finish(own, addresses); });

    BasicBlock* last = builder_.GetInsertBlock();
    first->addIncoming(following, last);
    for (llvm::PHINode& phi : exit_.phis()) {
      Value* value = phi.getIncomingValueForBlock(nest_.outer->getLoopLatch());
      phi.addIncoming(value == nest_.next ? reached : value, last);
    }
    builder_.CreateCondBr(builder_.CreateICmpULT(following, nest_.limit), tile, &exit_);
  }

 private:
  BasicBlock* newBlock(const char* name) {
    return BasicBlock::Create(function_.getContext(), name, &function_, nest_.outer->getHeader());
  }

  /// Alignment of the array in which the sum is stored.
  static llvm::Align alignOf(const llvm::PHINode& sum) {
    return llvm::commonAlignment(llvm::Align(kCacheLine),
                                 sum.getDataLayout().getTypeAllocSize(sum.getType()).getFixedValue());
  }

  /// Emits the run-time check: several sub-groups, many rows, rows far apart, and all sub-groups reach the inner loop.
  Value* decide() {
    llvm::SCEVExpander expander(evolution_, "columns");
    Instruction* point = before_.getTerminator();
    Value* backedges = expander.expandCodeFor(nest_.backedgesTaken, nullptr, point);
    builder_.SetInsertPoint(point);
    Value* stride = builder_.CreateSub(addressIn(1), addressIn(0), "stride");
    // The values may be poison if the path to them is not taken.
    backedges = builder_.CreateFreeze(backedges);
    stride = builder_.CreateFreeze(stride);
    tripCount_ =
        builder_.CreateAdd(builder_.CreateZExt(backedges, builder_.getInt64Ty()), builder_.getInt64(1), "trip_count");
    Value* distance = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, stride, builder_.getFalse());
    Value* second = builder_.CreateAdd(nest_.own->getIncomingValueForBlock(&before_), nest_.step);
    Value* result = builder_.CreateICmpULT(second, nest_.limit);
    for (const auto& [condition, isTrue] : nest_.conditions)
      result = builder_.CreateLogicalAnd(result, isTrue ? condition : builder_.CreateNot(condition));
    result = builder_.CreateLogicalAnd(result, builder_.CreateICmpUGE(tripCount_, builder_.getInt64(kFewRows)));
    return builder_.CreateLogicalAnd(result, builder_.CreateICmpUGE(distance, builder_.getInt64(kFarApart)),
                                     "far_apart");
  }

  /// Address that the first sub-group accesses in one of the first backedges.
  Value* addressIn(std::uint64_t iteration) {
    llvm::DenseMap<const Value*, Value*> made = {{nest_.own, nest_.own->getIncomingValueForBlock(&before_)}};
    for (const auto& [phi, step] : nest_.counters) {
      Value* start = phi->getIncomingValueForBlock(nest_.inner->getLoopPreheader());
      made[phi] = iteration == 0 ? start : builder_.CreateAdd(start, step);
    }
    const std::function<Value*(Value*)> make = [&](Value* value) -> Value* {
      if (const auto found = made.find(value); found != made.end()) return found->second;
      if (nest_.outer->isLoopInvariant(value)) return value;
      Instruction* copy = llvm::cast<Instruction>(value)->clone();
      copy->dropPoisonGeneratingAnnotations();
      copy->dropUBImplyingAttrsAndMetadata();
      for (llvm::Use& operand : copy->operands())
        operand.set(make(operand.get()));
      return made[value] = builder_.Insert(copy);
    };
    return builder_.CreatePtrToInt(make(nest_.address), builder_.getInt64Ty());
  }

  /// Copies the computations on the path to the inner loop.
  void comeTo(Value& own, llvm::ValueToValueMapTy& map) {
    map[nest_.own] = &own;
    for (BasicBlock* block : nest_.before)
      copy(*block, map);
  }

  static Value* mapped(Value* value, llvm::ValueToValueMapTy& map) {
    const auto found = map.find(value);
    return found != map.end() ? static_cast<Value*>(found->second) : value;
  }

  using Body = llvm::function_ref<void(Value& own, llvm::ArrayRef<Value*> addresses)>;

  /// Emits a loop over the tile's sub-groups, with the stored sums of each. Returns the end of the tile.
  Value* forSubGroups(Value* first, Value* end, Body body) {
    BasicBlock* from = builder_.GetInsertBlock();
    BasicBlock* loop = newBlock("sub_groups");
    BasicBlock* after = newBlock("sub_groups.end");
    builder_.CreateBr(loop);
    builder_.SetInsertPoint(loop);
    llvm::PHINode* own = builder_.CreatePHI(first->getType(), 2, "own");
    llvm::PHINode* number = builder_.CreatePHI(builder_.getInt64Ty(), 2, "number");
    llvm::SmallVector<Value*, 2> addresses;
    for (auto [array, sum] : llvm::zip_equal(sumArrays_, nest_.sums))
      addresses.push_back(builder_.CreateGEP(sum->getType(), array, number));
    body(*own, addresses);
    Value* next = builder_.CreateAdd(own, nest_.step, "", /*HasNUW=*/true);
    own->addIncoming(first, from);
    own->addIncoming(next, builder_.GetInsertBlock());
    number->addIncoming(builder_.getInt64(0), from);
    number->addIncoming(builder_.CreateAdd(number, builder_.getInt64(1), "", true, true), builder_.GetInsertBlock());
    builder_.CreateCondBr(builder_.CreateICmpULT(next, end), loop, after);
    builder_.SetInsertPoint(after);
    return next;
  }

  /// Emits a loop of eight iterations at a time; at least eight are left. Returns the number of iterations done.
  Value* severalIterations(Value* first, Value* end) {
    BasicBlock* from = builder_.GetInsertBlock();
    BasicBlock* loop = newBlock("rows");
    BasicBlock* after = newBlock("rows.end");
    builder_.CreateBr(loop);
    builder_.SetInsertPoint(loop);
    llvm::PHINode* row = builder_.CreatePHI(builder_.getInt64Ty(), 2, "row");
    forSubGroups(first, end,
                 [&](Value& own, llvm::ArrayRef<Value*> addresses) { add(own, addresses, *row, kRowsAtOnce); });
    Value* next = builder_.CreateAdd(row, builder_.getInt64(kRowsAtOnce), "", true, true);
    row->addIncoming(builder_.getInt64(0), from);
    row->addIncoming(next, builder_.GetInsertBlock());
    Value* left = builder_.CreateSub(tripCount_, next);
    builder_.CreateCondBr(builder_.CreateICmpUGE(left, builder_.getInt64(kRowsAtOnce)), loop, after);
    builder_.SetInsertPoint(after);
    return next;
  }

  void oneIteration(Value* first, Value* end, Value* done) {
    BasicBlock* from = builder_.GetInsertBlock();
    BasicBlock* head = newBlock("last_rows");
    BasicBlock* loop = newBlock("last_row");
    BasicBlock* after = newBlock("last_rows.end");
    builder_.CreateBr(head);
    builder_.SetInsertPoint(head);
    llvm::PHINode* row = builder_.CreatePHI(builder_.getInt64Ty(), 2, "row");
    builder_.CreateCondBr(builder_.CreateICmpULT(row, tripCount_), loop, after);
    builder_.SetInsertPoint(loop);
    forSubGroups(first, end, [&](Value& own, llvm::ArrayRef<Value*> addresses) { add(own, addresses, *row, 1); });
    row->addIncoming(done, from);
    row->addIncoming(builder_.CreateAdd(row, builder_.getInt64(1), "", true, true), builder_.GetInsertBlock());
    builder_.CreateBr(head);
    builder_.SetInsertPoint(after);
  }

  /// Emits `count` iterations of one sub-group.
  void add(Value& own, llvm::ArrayRef<Value*> addresses, Value& row, unsigned count) {
    llvm::SmallVector<Value*, 2> sums;
    for (auto [address, sum] : llvm::zip_equal(addresses, nest_.sums))
      sums.push_back(builder_.CreateAlignedLoad(sum->getType(), address, alignOf(*sum)));
    BasicBlock* body = nest_.inner->getHeader();
    llvm::ValueToValueMapTy map;
    comeTo(own, map);
    for (unsigned i = 0; i < count; ++i) {
      for (auto [phi, sum] : llvm::zip_equal(nest_.sums, sums))
        map[phi] = sum;
      for (const auto& [phi, step] : nest_.counters) {
        Value* number = builder_.CreateAdd(&row, builder_.getInt64(i));
        number = builder_.CreateZExtOrTrunc(number, phi->getType());
        Value* start = phi->getIncomingValueForBlock(nest_.inner->getLoopPreheader());
        map[phi] = builder_.CreateAdd(start, builder_.CreateMul(number, step));
      }
      copy(*body, map);
      for (auto [phi, sum] : llvm::zip_equal(nest_.sums, sums)) {
        sum = mapped(phi->getIncomingValueForBlock(body), map);
      }
    }
    for (auto [address, phi, sum] : llvm::zip_equal(addresses, nest_.sums, sums))
      builder_.CreateAlignedStore(sum, address, alignOf(*phi));
  }

  /// Emits the code after the inner loop.
  void finish(Value& own, llvm::ArrayRef<Value*> addresses) {
    llvm::ValueToValueMapTy map;
    comeTo(own, map);
    BasicBlock* from = nest_.inner->getHeader();
    for (auto [address, sum] : llvm::zip_equal(addresses, nest_.sums))
      map[sum->getIncomingValueForBlock(from)] = builder_.CreateAlignedLoad(sum->getType(), address, alignOf(*sum));
    for (BasicBlock* block : nest_.after) {
      for (llvm::PHINode& phi : block->phis()) {
        Value* value = phi.getIncomingValueForBlock(from);
        map[&phi] = mapped(value, map);
      }
      copy(*block, map);
      from = block;
    }
  }

  void copy(BasicBlock& block, llvm::ValueToValueMapTy& map) {
    for (Instruction& instruction : block) {
      if (instruction.isTerminator() || llvm::isa<llvm::PHINode>(instruction)) continue;
      Instruction* made = builder_.Insert(instruction.clone(), instruction.getName());
      llvm::RemapInstruction(made, map, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
      map[&instruction] = made;
    }
  }

  const Nest& nest_;
  llvm::Function& function_;
  BasicBlock& before_;
  BasicBlock& exit_;
  llvm::IRBuilder<> builder_;
  llvm::ScalarEvolution& evolution_;
  llvm::SmallVector<llvm::AllocaInst*, 2> sumArrays_; ///< One alloca a sum, for all sub-groups of a tile
  Value* tripCount_ = nullptr;
};

} // namespace

llvm::PreservedAnalyses InterchangeColumnsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  // Unroll-and-jam already reuses loads across rows.
  if (factsOf(function).rows > 1) return llvm::PreservedAnalyses::all();
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  llvm::SmallVector<Nest, 2> nests;
  for (llvm::Loop* loop : loops.getLoopsInPreorder())
    if (loop->isInnermost())
      if (auto nest = NestMatcher(*loop, dominators, evolution).run()) nests.push_back(std::move(*nest));
  // The nests are disjoint.
  for (const Nest& nest : nests)
    Interchanger(nest, evolution).run();
  return nests.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
