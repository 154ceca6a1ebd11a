// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/vectorise/prefetch_strided_loads.hpp"

#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/marks.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <array>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::Loop;
using llvm::ScalarEvolution;
using llvm::SCEV;
using llvm::Value;

constexpr std::uint64_t kLine = 64; ///< bytes that a lane loads at once
/// Two registers of floats in vectors of four, so that sums need not wait for each other. Memory hands out 4 or 8 rows
/// of 512 bytes at once at 0.95 of the speed of one stream, 16 at 0.8 (Zen 4).
constexpr unsigned kLanes = 8;
/// Bytes; twice and half as many are as good.
constexpr std::uint64_t kAhead = 16 << 10;
/// Rows that lie apart.
constexpr std::uint64_t kRowsAhead = 16;

/// What it loads is used as short vectors, of which few lanes fill a register.
bool isOfShortVectors(const llvm::LoadInst& load) {
  return llvm::all_of(load.users(), [](const llvm::User* user) {
    const auto* part = llvm::dyn_cast<llvm::ShuffleVectorInst>(user);
    return part != nullptr && llvm::cast<llvm::FixedVectorType>(part->getType())->getNumElements() >= 4;
  });
}

/// The strided load by which lanes go along rows, when it is the only one.
llvm::LoadInst* loadOfRows(const Loop& loop, const LaneShapes& shapes, ScalarEvolution& evolution) {
  llvm::LoadInst* found = nullptr;
  for (BasicBlock* block : loop.blocks())
    for (llvm::Instruction& instruction : *block) {
      if (instruction.mayWriteToMemory()) return nullptr;
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load == nullptr) continue;
      Value* pointer = load->getPointerOperand();
      if (shapes.of(pointer).isUniform()) continue;
      if (found != nullptr || load->getParent() != loop.getHeader() || shapes.of(pointer).isAffine() ||
          !shapes.isLinear(pointer) || load->getDataLayout().getTypeStoreSize(load->getType()) != kLine ||
          !isOfShortVectors(*load))
        return nullptr;
      const auto* address = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(pointer));
      if (address == nullptr || address->getLoop() != &loop || !address->isAffine()) return nullptr;
      const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(address->getStepRecurrence(evolution));
      if (step == nullptr || step->getAPInt() != kLine) return nullptr;
      found = load;
    }
  return found;
}

/// An address for one lane. Work-items have a local id where no loop goes over sub-groups yet.
class OfLane : public llvm::SCEVRewriteVisitor<OfLane> {
 public:
  OfLane(ScalarEvolution& evolution, Value* firstLane, unsigned lane)
      : SCEVRewriteVisitor(evolution), firstLane_(firstLane), lane_(lane) {}
  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method): that is how visitors are made
  const SCEV* visitUnknown(const llvm::SCEVUnknown* unknown) {
    const SCEV* lane = SE.getConstant(unknown->getType(), lane_);
    if (isIntrinsic(unknown->getValue(), Intrinsic::LaneId) ||
        isIntrinsic(unknown->getValue(), Intrinsic::SubGroupLane))
      return lane;
    if (isIntrinsic(unknown->getValue(), Intrinsic::LocalId, 0)) return SE.getAddExpr(SE.getUnknown(firstLane_), lane);
    return unknown;
  }

 private:
  Value* firstLane_;
  unsigned lane_;
};

void prefetch(IRBuilder<>& builder, Value* from, Value* distance) {
  Value* address = builder.CreateGEP(builder.getInt8Ty(), from, distance);
  builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                          {address, builder.getInt32(0), builder.getInt32(2), builder.getInt32(1)});
}

/// Writes into the loop: if rows lie one behind the other, prefetch(first row + ahead + W * offset + 64 * lane), else
/// prefetch(first row + stride * (rows ahead + lane) + offset), for what is `offset` bytes behind the row's beginning.
bool write(Loop& loop, llvm::LoadInst& load, ScalarEvolution& evolution) {
  llvm::LLVMContext& context = load.getContext();
  llvm::Type* i64 = llvm::Type::getInt64Ty(context);
  const auto* address = llvm::cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(load.getPointerOperand()));
  const SCEV* rounds = evolution.getBackedgeTakenCount(&loop);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(rounds) || rounds->getType()->getIntegerBitWidth() > 64) return false;
  const SCEV* count = evolution.getAddExpr(evolution.getNoopOrZeroExtend(rounds, i64), evolution.getOne(i64));
  const SCEV* bytes = evolution.getMulExpr(count, evolution.getConstant(i64, kLine));
  IRBuilder<> builder(loop.getLoopPreheader()->getTerminator());
  llvm::CallInst* firstLane = createIntrinsic(builder, Intrinsic::FirstLane);
  const SCEV *first = OfLane(evolution, firstLane, 0).visit(address->getStart()),
             *second = OfLane(evolution, firstLane, 1).visit(address->getStart());
  const SCEV* stride = evolution.getMinusSCEV(evolution.removePointerBase(second), evolution.removePointerBase(first));
  BasicBlock *before = loop.getLoopPreheader(), *header = loop.getHeader();
  llvm::SCEVExpander expander(evolution, "strided");
  const bool isSafe = llvm::all_of(std::array{bytes, first, stride}, [&](const SCEV* each) {
    return expander.isSafeToExpandAt(each, before->getTerminator());
  });
  // No stride is found if lanes differ by something that is not known here.
  if (!isSafe || stride->isZero()) {
    firstLane->eraseFromParent();
    return false;
  }

  const auto expand = [&](const SCEV* each) {
    return expander.expandCodeFor(each, each->getType(), before->getTerminator()->getIterator());
  };
  Value *rowBytes = expand(bytes), *firstRow = expand(first), *rowStride = expand(stride);
  builder.SetInsertPoint(before->getTerminator());
  Value *lanes = createIntrinsic(builder, Intrinsic::LaneCount), *lane = createIntrinsic(builder, Intrinsic::LaneId);
  Value* isOneStream = builder.CreateICmpEQ(rowStride, rowBytes, "is_one_stream");
  Value* line = builder.CreateAdd(builder.CreateMul(lane, builder.getInt64(kLine)), builder.getInt64(kAhead));
  Value* row = builder.CreateMul(builder.CreateAdd(lane, builder.getInt64(kRowsAhead)), rowStride);

  builder.SetInsertPoint(header, header->begin());
  llvm::PHINode* offset = builder.CreatePHI(i64, 2, "offset");
  offset->addIncoming(builder.getInt64(0), before);
  builder.SetInsertPoint(loop.getLoopLatch()->getTerminator());
  offset->addIncoming(builder.CreateAdd(offset, builder.getInt64(kLine), "", /*HasNUW=*/true, /*HasNSW=*/true),
                      loop.getLoopLatch());
  BasicBlock* rest = llvm::SplitBlock(header, header->getFirstNonPHIIt());
  BasicBlock* ofStream = BasicBlock::Create(context, "ahead", header->getParent(), rest);
  BasicBlock* ofRows = BasicBlock::Create(context, "rows_ahead", header->getParent(), rest);
  header->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(header);
  builder.CreateCondBr(isOneStream, ofStream, ofRows);
  builder.SetInsertPoint(ofStream);
  prefetch(builder, firstRow, builder.CreateAdd(builder.CreateMul(offset, lanes), line));
  builder.CreateBr(rest);
  builder.SetInsertPoint(ofRows);
  prefetch(builder, firstRow, builder.CreateAdd(offset, row));
  builder.CreateBr(rest);
  load.setMetadata(kAskedForName, llvm::MDNode::get(context, {}));
  return true;
}

} // namespace

bool prefetchStridedLoads(llvm::Function& kernel, const LaneShapes& shapes, const SubGroupFlow& flow,
                          llvm::FunctionAnalysisManager& analyses) {
  for (Loop* loop : flow.loops().getLoopsInPreorder()) {
    if (!loop->isInnermost() || flow.isDivergent(*loop) || !loop->isLoopSimplifyForm() ||
        !shapes.isRunByAllLanes(*loop->getHeader()))
      continue;
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(kernel);
    llvm::LoadInst* load = loadOfRows(*loop, shapes, evolution);
    if (load == nullptr || !write(*loop, *load, evolution)) continue;
    changeFacts(kernel, [](KernelFacts& facts) { facts.mostLanes = kLanes; });
    // Results of analyses of the kernel's loops do not hold any more.
    analyses.invalidate(kernel, llvm::PreservedAnalyses::none());
    return true;
  }
  return false;
}

} // namespace clotho::compiler
