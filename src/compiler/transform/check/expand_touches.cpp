// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/checks.hpp"
#include "compiler/ir/group_facts.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/transform/check/check_races.hpp"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

using llvm::IRBuilder;
using llvm::Value;

enum class Touch { Read, Write, Atomic, AtomicLoad };

/// The operands of a mark (RaceChecks::mark).
enum Operand : unsigned { kCell, kRecord, kFirst, kSpan, kGroupIsOff, kOthersAreOff, kSite, kOffset };

class Expansion {
 public:
  Expansion(llvm::CallInst& mark, Checker& checker) : mark_(mark), checker_(checker), builder_(&mark) {
    llvm::StringRef name = mark.getCalledFunction()->getName();
    name.consume_front(kTouchPrefix);
    const auto [kind, rest] = name.split('.');
    const auto [space, count] = rest.split('.');
    touch_ = llvm::StringSwitch<Touch>(kind)
                 .Case("read", Touch::Read)
                 .Case("write", Touch::Write)
                 .Case("atomic", Touch::Atomic)
                 .Default(Touch::AtomicLoad);
    isLocal_ = space == "local";
    count.getAsInteger(10, cells_);
  }

  void run() {
    record_ = operand(kRecord);
    if (!isLocal_) {
      Value* launch = createIntrinsic(builder_, Intrinsic::Checks);
      Value* first = loadConstant(builder_, builder_.getInt64Ty(), launch, offsetof(CheckedLaunch, firstPhase));
      begin_ = builder_.CreateShl(first, kCellPhaseShift);
    }
    Value *bad = nullptr, *seen = nullptr;
    for (unsigned i = 0; i < cells_; ++i) {
      const auto [isRace, cell] = touchCell(i);
      seen = bad != nullptr ? builder_.CreateSelect(isRace, cell, seen) : cell;
      bad = bad != nullptr ? builder_.CreateOr(bad, isRace) : isRace;
    }
    if (bad != nullptr)
      checker_.reportIf(bad, mark_, *llvm::cast<llvm::Constant>(operand(kSite)), seen, operand(kOffset));
    mark_.eraseFromParent();
  }

 private:
  Value* operand(Operand which) const { return mark_.getArgOperand(which); }
  Value* number(std::uint64_t value) { return builder_.getInt64(value); }
  Value* isAny(Value* cell, std::uint64_t flags) { return builder_.CreateIsNotNull(builder_.CreateAnd(cell, flags)); }
  Value* allow(Value* race, Operand isOff) { return builder_.CreateAnd(race, builder_.CreateNot(operand(isOff))); }

  /// Whether the group that runs has made the record.
  Value* isOfGroup(Value* cell) {
    return builder_.CreateICmpULT(builder_.CreateSub(cell, operand(kFirst)), operand(kSpan));
  }

  /// Emits the check of one cell and the update. Returns whether there is a race, and what the cell was.
  std::pair<Value*, Value*> touchCell(unsigned index) {
    Value* address =
        index == 0 ? operand(kCell) : builder_.CreateConstGEP1_64(builder_.getInt64Ty(), operand(kCell), index);
    Value* cell = builder_.CreateAlignedLoad(builder_.getInt64Ty(), address, llvm::Align(8));
    Value* difference = builder_.CreateXor(cell, record_);
    Value* isMine = builder_.CreateICmpULT(difference, number(1 << kCellFlagBits));
    Value* isSamePhase = builder_.CreateICmpULT(difference, number(1 << kCellPhaseShift));
    Value* isOther = builder_.CreateAnd(isSamePhase, builder_.CreateNot(isMine));
    Value* isSameGroup = isLocal_ ? nullptr : isOfGroup(cell);
    Value* isOthers =
        isLocal_ ? nullptr : builder_.CreateAnd(builder_.CreateICmpUGE(cell, begin_), builder_.CreateNot(isSameGroup));
    Value *inGroup = nullptr, *between = nullptr;
    switch (touch_) {
    case Touch::Read: {
      // Others of the group may have updated the memory before this work-item did so, too.
      constexpr std::uint64_t kBoth = kCellAtomic | kCellMany;
      Value* isShared = builder_.CreateICmpEQ(builder_.CreateAnd(cell, kBoth), number(kBoth));
      inGroup = builder_.CreateOr(builder_.CreateAnd(isOther, isAny(cell, kCellWrite | kCellAtomic)),
                                  builder_.CreateAnd(isMine, isShared));
      if (!isLocal_) {
        constexpr std::uint64_t kWritten = kCellWrite | kCellAtomic | kCellGroupWrote | kCellGroupAtomic;
        between = builder_.CreateOr(builder_.CreateAnd(isOthers, isAny(cell, kWritten)),
                                    builder_.CreateAnd(isSameGroup, isAny(cell, kCellOthersAtomic)));
      }
      break;
    }
    case Touch::Write:
      inGroup = builder_.CreateOr(isOther, builder_.CreateAnd(isMine, isAny(cell, kCellMany)));
      if (!isLocal_)
        between = builder_.CreateOr(isOthers,
                                    builder_.CreateAnd(isSameGroup, isAny(cell, kCellOthersRead | kCellOthersAtomic)));
      break;
    case Touch::Atomic:
      inGroup = builder_.CreateAnd(
          isOther, builder_.CreateOr(isAny(cell, kCellWrite), builder_.CreateNot(isAny(cell, kCellAtomic))));
      if (!isLocal_) {
        Value* isPlain = builder_.CreateOr(isAny(cell, kCellWrite | kCellGroupWrote),
                                           builder_.CreateNot(isAny(cell, kCellAtomic | kCellGroupAtomic)));
        between = builder_.CreateOr(builder_.CreateAnd(isOthers, isPlain),
                                    builder_.CreateAnd(isSameGroup, isAny(cell, kCellOthersRead)));
      }
      break;
    case Touch::AtomicLoad:
      inGroup = builder_.CreateAnd(isOther, isAny(cell, kCellWrite));
      if (!isLocal_) between = builder_.CreateAnd(isOthers, isAny(cell, kCellWrite | kCellGroupWrote));
      break;
    }
    Value* race = allow(inGroup, kGroupIsOff);
    if (between != nullptr) race = builder_.CreateOr(race, allow(between, kOthersAreOff));
    if (touch_ == Touch::AtomicLoad) return {race, cell};

    Value* updated = updatedCell(cell, isMine, isSamePhase, isSameGroup, isOthers);
    builder_.CreateAlignedStore(updated, address, llvm::Align(8));
    if (touch_ != Touch::Write) return {race, cell};
    // Lanes have looked at the cell before any of them stored: of those that write the same memory, one remains.
    Value* after = builder_.CreateAlignedLoad(builder_.getInt64Ty(), address, llvm::Align(8));
    Value* isReplaced = builder_.CreateICmpUGE(builder_.CreateXor(after, updated), number(1 << kCellFlagBits));
    isReplaced = allow(isReplaced, kGroupIsOff);
    return {builder_.CreateOr(race, isReplaced), builder_.CreateSelect(isReplaced, after, cell)};
  }

  /// The new record, with what is still to be known of earlier accesses.
  Value* updatedCell(Value* cell, Value* isMine, Value* isSamePhase, Value* isSameGroup, Value* isOthers) {
    if (touch_ == Touch::Write) return builder_.CreateOr(record_, number(kCellWrite));
    static_assert(kCellWrite << 3 == kCellGroupWrote && kCellAtomic << 3 == kCellGroupAtomic);
    constexpr std::uint64_t kFlags = (1 << kCellFlagBits) - 1;
    Value* zero = number(0);
    Value* many = builder_.CreateSelect(isSamePhase, number(kCellMany), zero);
    Value* kept = many;
    if (!isLocal_) {
      const std::uint64_t lasting = kCellGroupWrote | kCellGroupAtomic | kCellOthersRead | kCellOthersAtomic;
      Value* ofGroup = builder_.CreateOr(
          many, builder_.CreateOr(builder_.CreateAnd(cell, lasting),
                                  builder_.CreateShl(builder_.CreateAnd(cell, kCellWrite | kCellAtomic), 3)));
      Value* isAtomic = isAny(cell, kCellAtomic | kCellGroupAtomic);
      Value* ofOthers = builder_.CreateSelect(isAtomic, number(kCellOthersAtomic), number(kCellOthersRead));
      kept = builder_.CreateSelect(isSameGroup, ofGroup, builder_.CreateSelect(isOthers, ofOthers, zero));
    }
    kept = builder_.CreateSelect(isMine, builder_.CreateAnd(cell, kFlags), kept);
    if (touch_ == Touch::Atomic) kept = builder_.CreateOr(kept, kCellAtomic);
    return builder_.CreateOr(record_, kept);
  }

  llvm::CallInst& mark_;
  Checker& checker_;
  IRBuilder<> builder_;
  Touch touch_;
  bool isLocal_ = false;
  unsigned cells_ = 0;
  Value* record_ = nullptr;
  Value* begin_ = nullptr; ///< records below are of earlier launches
};

} // namespace

llvm::PreservedAnalyses ExpandTouchesPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  llvm::SmallVector<llvm::CallInst*, 16> marks;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        call != nullptr && call->getCalledFunction() != nullptr &&
        call->getCalledFunction()->getName().starts_with(kTouchPrefix))
      marks.push_back(call);
  Checker checker(*function.getParent());
  for (llvm::CallInst* mark : marks)
    Expansion(*mark, checker).run();
  return marks.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
