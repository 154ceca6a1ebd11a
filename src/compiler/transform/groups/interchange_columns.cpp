// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/groups/interchange_columns.hpp"

#include "compiler/analysis/column_nests.hpp"
#include "compiler/ir/kernel_facts.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <functional>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kRowsAtOnce = 8;
constexpr std::uint64_t kCacheLine = 64;
/// Least number of rows and least distance between them, in bytes, for which the interchange gains.
constexpr std::uint64_t kFewRows = 16, kFarApart = 2048;

class Interchanger {
 public:
  Interchanger(const ColumnNest& nest, llvm::ScalarEvolution& evolution)
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

  /// Address that the first sub-group accesses in the inner loop's first (0) or second (1) iteration.
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

  const ColumnNest& nest_;
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
  llvm::SmallVector<ColumnNest, 2> nests;
  for (llvm::Loop* loop : loops.getLoopsInPreorder())
    if (loop->isInnermost())
      if (auto nest = columnNestOf(*loop, dominators, evolution)) nests.push_back(std::move(*nest));
  // The nests are disjoint.
  for (const ColumnNest& nest : nests)
    Interchanger(nest, evolution).run();
  return nests.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
