// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/layout/reshape_groups.hpp"

#include "compiler/analysis/division.hpp"
#include "compiler/analysis/linear_id.hpp"
#include "compiler/analysis/work_item_order.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/marks.hpp"
#include "compiler/ir/run_pass.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include <limits>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;
using namespace llvm::PatternMatch;

/// Rows of at most kShortRow work-items leave most lanes of a vector empty; rows of kLongRow nearly fill one.
constexpr std::uint64_t kShortRow = 4, kLongRow = 8;
/// Limit of the ids in launches that such a version runs.
constexpr std::uint64_t kMostItems = std::numeric_limits<std::int32_t>::max();

std::uint64_t itemsOf(const LocalSize& size) { return size[0] * size[1] * size[2]; }

/// Whether some address is a sum with a multiple of the value.
bool reachesAddress(const Instruction& value) {
  llvm::SmallPtrSet<const Instruction*, 16> seen;
  llvm::SmallVector<const Instruction*, 8> work = {&value};
  while (!work.empty()) {
    const Instruction* next = work.pop_back_val();
    if (!seen.insert(next).second) continue;
    for (const llvm::User* user : next->users()) {
      const auto* instruction = llvm::cast<Instruction>(user);
      switch (instruction->getOpcode()) {
      case Instruction::GetElementPtr: return true;
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::Mul:
      case Instruction::Shl:
      case Instruction::Or:
      case Instruction::Trunc:
      case Instruction::SExt:
      case Instruction::ZExt:
      case Instruction::PHI: work.push_back(instruction); break;
      default: break;
      }
    }
  }
  return false;
}

/// An instruction that divides an id of dimension 0, or the lower bits of one, by a constant.
struct DivisionOfId {
  Instruction* instruction;
  bool ofGlobalId;
  Division division;
};

llvm::SmallVector<DivisionOfId, 8> divisionsOf(llvm::Function& kernel) {
  llvm::SmallVector<DivisionOfId, 8> divisions;
  const auto look = [&](Value& id, bool isGlobal) {
    for (llvm::User* user : id.users()) {
      const auto division = matchDivision(*user);
      if (division && division->constant != 0 && division->dividend == &id)
        divisions.push_back({llvm::cast<Instruction>(user), isGlobal, *division});
    }
  };
  for (Instruction& instruction : llvm::instructions(kernel)) {
    const bool isGlobal = isIntrinsic(&instruction, Intrinsic::GlobalId);
    if (!isGlobal && !isIntrinsic(&instruction, Intrinsic::LocalId)) continue;
    look(instruction, isGlobal);
    // Narrower truncations of ids wrap around.
    for (llvm::User* user : instruction.users())
      if (llvm::isa<llvm::TruncInst>(user) && user->getType()->getIntegerBitWidth() >= 32) look(*user, isGlobal);
  }
  return divisions;
}

/// Row length of a group of `size` work-items, from the divisors in addresses; 0: no rows.
std::uint64_t rowOfAddresses(llvm::Function& kernel, std::uint64_t size) {
  std::uint64_t row = 0;
  for (const auto& [instruction, ofGlobalId, division] : divisionsOf(kernel)) {
    const std::uint64_t divisor = division.constant;
    if (divisor < kLongRow || divisor >= size || size % divisor != 0 || !reachesAddress(*instruction)) continue;
    row = row == 0 ? divisor : std::min(row, divisor);
  }
  return row;
}

/// The logical local size; nothing: that of the launch.
std::optional<LocalSize> chooseShape(llvm::Function& kernel, const LocalSize& size) {
  const std::uint64_t items = itemsOf(size);
  if (size[0] <= kShortRow && items > size[0]) return LocalSize{items, 1, 1};
  if (size[0] != items || !callsIntrinsic(kernel, Intrinsic::Barrier)) return std::nullopt;
  const std::uint64_t row = rowOfAddresses(kernel, items);
  if (row == 0) return std::nullopt;
  return LocalSize{row, items / row, 1};
}

/// Whether the value is `local_id(1) * local_size(0) + local_id(0)`.
bool isLinearLocalId(const Value& sum, std::uint64_t row) {
  const auto id = matchLinearId(sum);
  return id && id->high.intrinsic == Intrinsic::LocalId && id->high.dimension == 1 &&
         id->low.intrinsic == Intrinsic::LocalId && id->low.dimension == 0 &&
         (id->size == row || id->sizeDimension == 0U);
}

llvm::CallInst* createBelow(llvm::IRBuilderBase& builder, Intrinsic intrinsic, unsigned dimension, std::uint64_t end) {
  llvm::CallInst* call = createIntrinsic(builder, intrinsic, dimension);
  call->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(64, 0), llvm::APInt(64, end)));
  return call;
}

/// Maps ids and sizes of one local size to those of another.
class Reshaper {
 public:
  Reshaper(llvm::Function& kernel, const LocalSize& from, const LocalSize& to)
      : from_(from), builder_(&*kernel.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()) {
    linear_ = linearId(to);
    const auto part = [&](std::uint64_t divisor, std::uint64_t size) -> Value* {
      if (size == 1) return builder_.getInt32(0);
      Value* quotient = divisor == 1 ? linear_ : builder_.CreateUDiv(linear_, builder_.getInt32(divisor));
      return divisor * size == itemsOf(from_) ? quotient : builder_.CreateURem(quotient, builder_.getInt32(size));
    };
    ids_ = {part(1, from[0]), part(from[0], from[1]), part(from[0] * from[1], from[2])};
    for (Value*& id : ids_)
      id = builder_.CreateZExt(id, builder_.getInt64Ty());
  }

  /// The result of a division by the length of a row, if one row becomes several.
  Value* resultOf(const DivisionOfId& of) {
    const Division& division = of.division;
    llvm::Type* type = of.instruction->getType();
    Value* quotient = own_[1];
    if (of.ofGlobalId) {
      llvm::CallInst* group = createBelow(builder_, Intrinsic::GroupId, 0, kMostItems / from_[0] + 1);
      Value* before = builder_.CreateMul(group, builder_.getInt64(from_[0] / division.constant), "", true, true);
      quotient = builder_.CreateAdd(before, quotient, "", /*HasNUW=*/true, /*HasNSW=*/true);
    }
    Value* result = division.isRemainder() ? own_[0] : quotient;
    if (division.result == Division::Result::Multiple)
      result = builder_.CreateMul(result, builder_.getInt64(division.constant), "", /*HasNUW=*/true, /*HasNSW=*/true);
    return builder_.CreateZExtOrTrunc(result, type);
  }

  /// The linear id as an integer of that type.
  Value* linearId(llvm::Type* type) { return builder_.CreateZExtOrTrunc(linear_, type); }

  /// Replacement for a call of an intrinsic that depends on the local size; null: the call itself.
  Value* replacementOf(const IntrinsicCall& call) {
    const unsigned dimension = call.dimension;
    const auto times = [&](Intrinsic count) {
      return builder_.CreateMul(createBelow(builder_, count, dimension, kMostItems / from_[dimension] + 1),
                                builder_.getInt64(from_[dimension]), "", /*HasNUW=*/true, /*HasNSW=*/true);
    };
    switch (call.intrinsic) {
    case Intrinsic::LocalId: return ids_[dimension];
    case Intrinsic::GlobalId:
      return builder_.CreateAdd(times(Intrinsic::GroupId), ids_[dimension], "", /*HasNUW=*/true, /*HasNSW=*/true);
    case Intrinsic::GroupBase: return times(Intrinsic::GroupId);
    case Intrinsic::GlobalSize: return times(Intrinsic::NumGroups);
    case Intrinsic::LocalSize:
    case Intrinsic::EnqueuedSize: return builder_.getInt64(from_[dimension]);
    case Intrinsic::GlobalOffset: return builder_.getInt64(0);
    default: return nullptr;
    }
  }

 private:
  Value* linearId(const LocalSize& shape) {
    Value* sum = nullptr;
    for (unsigned dimension = 3; dimension-- > 0;) {
      if (shape[dimension] == 1) continue;
      own_[dimension] = createBelow(builder_, Intrinsic::LocalId, dimension, shape[dimension]);
      Value* id = builder_.CreateTrunc(own_[dimension], builder_.getInt32Ty(), "", /*IsNUW=*/true, /*IsNSW=*/true);
      if (sum != nullptr) {
        sum = builder_.CreateMul(sum, builder_.getInt32(shape[dimension]), "", /*HasNUW=*/true, /*HasNSW=*/true);
        id = builder_.CreateAdd(sum, id, "", /*HasNUW=*/true, /*HasNSW=*/true);
      }
      sum = id;
    }
    return sum;
  }

  LocalSize from_;
  llvm::IRBuilder<> builder_;
  Value* linear_ = nullptr;     ///< the local id in one dimension, of 32 bits
  std::array<Value*, 3> own_{}; ///< local ids in the code's shape; null along dimensions of size 1
  std::array<Value*, 3> ids_{}; ///< local ids in the launch's shape
};

void reshape(llvm::Function& kernel, const LocalSize& from, const LocalSize& to) {
  llvm::SmallVector<std::pair<llvm::CallInst*, IntrinsicCall>, 16> calls;
  for (Instruction& instruction : llvm::instructions(kernel))
    if (const auto call = matchIntrinsic(&instruction))
      calls.emplace_back(llvm::cast<llvm::CallInst>(&instruction), *call);
  llvm::SmallVector<Instruction*, 4> sums;
  if (from[1] > 1 && from[2] == 1)
    for (Instruction& instruction : llvm::instructions(kernel))
      if (instruction.getType()->isIntegerTy() && isLinearLocalId(instruction, from[0])) sums.push_back(&instruction);
  const auto divisions = divisionsOf(kernel);
  Reshaper reshaper(kernel, from, to);
  if (to[1] > 1)
    for (const DivisionOfId& of : divisions)
      if (of.division.constant == to[0]) of.instruction->replaceAllUsesWith(reshaper.resultOf(of));
  for (Instruction* sum : sums)
    sum->replaceAllUsesWith(reshaper.linearId(sum->getType()));
  llvm::SmallVector<llvm::CallInst*, 16> replaced;
  for (const auto& [old, call] : calls)
    if (Value* value = reshaper.replacementOf(call)) {
      old->replaceAllUsesWith(value);
      replaced.push_back(old);
    }
  for (llvm::CallInst* old : replaced) // The new calls stand before one of these.
    old->eraseFromParent();
  setRequiredSizes(kernel, to);
  kernel.setMetadata("work_group_size_hint", nullptr);
  changeFacts(kernel, [&](KernelFacts& facts) { facts.shape = to; });
}

} // namespace

llvm::PreservedAnalyses ReshapeGroupsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  const auto size = requiredSizes(function);
  if (!isKernel(function) || !function.hasMetadata(kNoOffsetName) || !size || knowsOrder(function))
    return llvm::PreservedAnalyses::all();
  const auto shape = chooseShape(function, *size);
  if (!shape) return llvm::PreservedAnalyses::all();
  reshape(function, *size, *shape);
  return preservedWithEdges(true);
}

} // namespace clotho::compiler
