// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/layout/delinearise.hpp"

#include "compiler/analysis/division.hpp"
#include "compiler/analysis/work_item_order.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/marks.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;
using namespace llvm::PatternMatch;

/// Whether the kernel uses no ids and sizes but global ones, so that its results do not depend on the division of the
/// launch.
bool usesGlobalIdsAlone(const llvm::Function& kernel) {
  return llvm::all_of(llvm::instructions(kernel), [](const Instruction& instruction) {
    const auto call = matchIntrinsic(&instruction);
    if (!call) return true;
    switch (call->intrinsic) {
    case Intrinsic::GlobalId:
    case Intrinsic::GlobalSize:
    case Intrinsic::GlobalOffset:
    case Intrinsic::WorkDim: return true;
    default: return !isIdOrSize(call->intrinsic) && call->intrinsic != Intrinsic::Barrier;
    }
  });
}

/// Whether the condition is false for every possible length of a row.
bool failsForLengths(const Value* condition, const Value* length) {
  const Value *one = nullptr, *other = nullptr;
  const llvm::APInt* number = nullptr;
  if (match(condition, m_LogicalOr(m_Value(one), m_Value(other))))
    return failsForLengths(one, length) && failsForLengths(other, length);
  if (match(condition, m_LogicalAnd(m_Value(one), m_Value(other))))
    return failsForLengths(one, length) || failsForLengths(other, length);
  return match(condition, m_SpecificICmp(llvm::ICmpInst::ICMP_EQ, m_Specific(length), m_APInt(number))) &&
         (number->ult(RowLength::kLeast) || number->isNegative());
}

/// The divisor without the guard that keeps a division from trapping (LowerDivisionPass).
const Value* withoutGuard(const Value* divisor) {
  const Value *condition = nullptr, *value = nullptr;
  if (match(divisor, m_UMax(m_Value(value), m_One())) ||
      (match(divisor, m_Select(m_Value(condition), m_One(), m_Value(value))) && failsForLengths(condition, value)))
    divisor = value;
  if (match(divisor, m_ZExtOrSExt(m_Value(value)))) divisor = value;
  return divisor;
}

/// The row length by which the division divides; nothing if the divisor cannot be one.
std::optional<RowLength> lengthOf(const Division& division) {
  if (division.constant != 0)
    return division.constant >= RowLength::kLeast && division.constant <= RowLength::kMost
               ? std::optional(RowLength{.constant = static_cast<std::uint32_t>(division.constant)})
               : std::nullopt;
  const auto* argument = llvm::dyn_cast<llvm::Argument>(withoutGuard(division.divisor));
  if (argument == nullptr || !(argument->getType()->isIntegerTy(32) || argument->getType()->isIntegerTy(64)))
    return std::nullopt;
  return RowLength{.argument = argument->getArgNo()};
}

/// A quotient or a remainder of a global id.
struct DivisionOfId {
  Instruction* result;
  RowLength length;
  bool isRemainder;
};

/// Global ids of dimension 0 and their truncations to int.
llvm::SmallVector<Instruction*, 4> idsOf(llvm::Function& kernel) {
  llvm::SmallVector<Instruction*, 4> ids;
  for (Instruction& instruction : llvm::instructions(kernel)) {
    if (!isIntrinsic(&instruction, Intrinsic::GlobalId)) continue;
    ids.push_back(&instruction);
    for (llvm::User* user : instruction.users())
      if (llvm::isa<llvm::TruncInst>(user) && user->getType()->isIntegerTy(32))
        ids.push_back(llvm::cast<Instruction>(user));
  }
  return ids;
}

llvm::SmallVector<DivisionOfId, 8> divisionsOf(llvm::ArrayRef<Instruction*> ids) {
  llvm::SmallVector<DivisionOfId, 8> divisions;
  for (Instruction* id : ids)
    for (llvm::User* user : id->users()) {
      const auto division = matchDivision(*user);
      if (!division || division->dividend != id || division->result == Division::Result::Multiple) continue;
      if (const auto length = lengthOf(*division))
        divisions.push_back({llvm::cast<Instruction>(user), *length, division->isRemainder()});
    }
  return divisions;
}

/// The most frequent divisor of remainders. If only quotients are used, uniform lanes are found without rows.
RowLength chooseRows(llvm::ArrayRef<DivisionOfId> divisions) {
  RowLength best;
  std::ptrdiff_t most = 0;
  for (const DivisionOfId& division : divisions) {
    if (!division.isRemainder) continue;
    const auto count =
        llvm::count_if(divisions, [&](const DivisionOfId& other) { return other.length == division.length; });
    if (count <= most) continue;
    most = count;
    best = division.length;
  }
  return best;
}

/// Rewrites the kernel's ids by rows. All numbers are below 2^31.
class Delinearised {
 public:
  Delinearised(llvm::Function& kernel, const RowLength& rows)
      : builder_(&*kernel.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()) {
    const auto create = [&](Intrinsic intrinsic, unsigned dimension) {
      llvm::CallInst* call = createIntrinsic(builder_, intrinsic, dimension);
      call->addRangeRetAttr(
          llvm::ConstantRange(llvm::APInt(64, 0), llvm::APInt(64, std::uint64_t{RowLength::kMost} + 1)));
      return call;
    };
    column_ = create(Intrinsic::GlobalId, 0);
    row_ = create(Intrinsic::GlobalId, 1);
    Value* length =
        rows.isArgument() ? static_cast<Value*>(kernel.getArg(rows.argument)) : builder_.getInt64(rows.constant);
    Value* wide = builder_.CreateZExtOrTrunc(length, builder_.getInt64Ty());
    Value* narrow = builder_.CreateZExtOrTrunc(length, builder_.getInt32Ty());
    id_ = linearId(wide, column_, row_);
    int_ = linearId(narrow, toInt(column_), toInt(row_));
    // In a launch by rows the size along dimension 2 is the number of work-items, and no other code reads it.
    size_ = create(Intrinsic::GlobalSize, 2);
  }

  /// Returns early for work-items that the last row lacks. Call last.
  void endEarly() {
    Value* isMissing = builder_.CreateICmpUGE(id_, size_);
    auto* at = llvm::SplitBlockAndInsertIfThen(isMissing, &*builder_.GetInsertPoint(), /*Unreachable=*/false);
    llvm::ReplaceInstWithInst(at, llvm::ReturnInst::Create(at->getContext()));
  }

  Value* resultOf(const DivisionOfId& division) {
    Value* result = division.isRemainder ? column_ : row_;
    return division.result->getType()->isIntegerTy(64) ? result : toInt(result);
  }

  /// Replacement for a call of an intrinsic; null: the call itself.
  Value* replacementOf(const IntrinsicCall& call) {
    switch (call.intrinsic) {
    case Intrinsic::GlobalId: return call.dimension == 0 ? id_ : builder_.getInt64(0);
    case Intrinsic::GlobalSize: return call.dimension == 0 ? size_ : builder_.getInt64(1);
    case Intrinsic::GlobalOffset: return builder_.getInt64(0);
    default: return nullptr;
    }
  }

  Value* id() { return id_; }
  Value* intId() { return int_; }

 private:
  Value* toInt(Value* value) { return builder_.CreateTrunc(value, builder_.getInt32Ty(), "", true, true); }

  Value* linearId(Value* length, Value* column, Value* row) {
    Value* before = builder_.CreateMul(row, length, "", /*HasNUW=*/true, /*HasNSW=*/true);
    return builder_.CreateAdd(before, column, "", /*HasNUW=*/true, /*HasNSW=*/true);
  }

  llvm::IRBuilder<> builder_;
  Value *column_ = nullptr, *row_ = nullptr; ///< Column and row as 64-bit numbers
  Value *id_ = nullptr, *int_ = nullptr, *size_ = nullptr;
};

void countRows(llvm::Function& kernel, llvm::ArrayRef<Instruction*> ids, llvm::ArrayRef<DivisionOfId> divisions,
               const RowLength& rows, bool areWhole) {
  llvm::SmallVector<std::pair<llvm::CallInst*, IntrinsicCall>, 8> calls;
  for (Instruction& instruction : llvm::instructions(kernel))
    if (const auto call = matchIntrinsic(&instruction))
      calls.emplace_back(llvm::cast<llvm::CallInst>(&instruction), *call);
  Delinearised made(kernel, rows);
  for (const DivisionOfId& division : divisions)
    if (division.length == rows) division.result->replaceAllUsesWith(made.resultOf(division));
  for (Instruction* id : ids) {
    if (llvm::isa<llvm::TruncInst>(id)) {
      id->replaceAllUsesWith(made.intId());
      continue;
    }
    // The mask is redundant, since ids have at most 32 bits.
    for (llvm::User* user : llvm::make_early_inc_range(id->users()))
      if (match(user, m_And(m_Specific(id), m_SpecificInt(0xFFFF'FFFF)))) user->replaceAllUsesWith(made.id());
  }
  llvm::SmallVector<llvm::CallInst*, 8> replaced;
  for (const auto& [old, call] : calls)
    if (Value* value = made.replacementOf(call)) {
      old->replaceAllUsesWith(value);
      replaced.push_back(old);
    }
  if (!areWhole) made.endEarly();
  for (llvm::CallInst* old : replaced)
    old->eraseFromParent();
  changeFacts(kernel, [&](KernelFacts& facts) {
    facts.countsRows = true;
    facts.areRowsWhole = areWhole;
  });
}

} // namespace

llvm::PreservedAnalyses DelinearisePass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  if (!isKernel(function) || function.isDeclaration() || requiredSizes(function) || knowsOrder(function) ||
      !usesGlobalIdsAlone(function))
    return llvm::PreservedAnalyses::all();
  const auto ids = idsOf(function);
  const auto divisions = divisionsOf(ids);
  const RowLength rows = chooseRows(divisions);
  if (!rows.isKnown()) return llvm::PreservedAnalyses::all();
  changeFacts(function, [&](KernelFacts& facts) { facts.rowLength = rows; });
  const llvm::MDNode* wanted = function.getMetadata(kRowsName);
  if (wanted == nullptr) return llvm::PreservedAnalyses::all();
  const bool areWhole = llvm::mdconst::extract<llvm::ConstantInt>(wanted->getOperand(0))->isOne();
  countRows(function, ids, divisions, rows, areWhole);
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
