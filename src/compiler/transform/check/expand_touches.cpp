// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/checks.hpp"
#include "compiler/ir/group_facts.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/sub_group_operations.hpp"
#include "compiler/transform/check/check_races.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace clotho::compiler {
namespace {

using llvm::IRBuilder;
using llvm::Value;

enum class Touch { Read, Write, Atomic, AtomicLoad };

/// The operands of a mark (RaceChecks::mark).
enum Operand : unsigned { kCell, kPhase, kItem, kFirst, kSpan, kGroupIsOff, kOthersAreOff, kSite, kOffset };

/// A race that an access is part of.
struct Race {
  Value* isRace; ///< i1
  Value* cell;   ///< the record of the other access
};

/// Replaces a mark. Most accesses are the first one of their memory in the launch, or one more of those that only read
/// in their phase. Lanes vote for a shorter way that these may take.
class Expansion {
 public:
  Expansion(llvm::CallInst& mark, Checker& checker) : mark_(mark), at_(&mark), checker_(checker), builder_(&mark) {
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
    unsigned cells = 0;
    count.getAsInteger(10, cells);
    addresses_.resize(cells);
  }

  void run() {
    record_ = builder_.CreateOr(operand(kPhase), operand(kItem));
    if (!isLocal_) {
      Value* launch = createIntrinsic(builder_, Intrinsic::Checks);
      Value* first = loadConstant(builder_, builder_.getInt64Ty(), launch, offsetof(CheckedLaunch, firstPhase));
      begin_ = builder_.CreateShl(first, kCellPhaseShift);
    }
    for (const auto& [i, address] : llvm::enumerate(addresses_)) {
      address = i == 0 ? operand(kCell) : builder_.CreateConstGEP1_64(builder_.getInt64Ty(), operand(kCell), i);
      cells_.push_back(load(address));
    }
    if (touch_ == Touch::Read) enterIf(isNews());
    const Race race = look();
    if (touch_ == Touch::Write) {
      finishWrite(race);
    } else {
      report(race);
      if (touch_ != Touch::AtomicLoad) finishRead();
    }
    mark_.eraseFromParent();
  }

 private:
  Value* operand(Operand which) const { return mark_.getArgOperand(which); }
  Value* number(std::uint64_t value) { return builder_.getInt64(value); }
  Value* load(Value* address) { return builder_.CreateAlignedLoad(builder_.getInt64Ty(), address, llvm::Align(8)); }
  Value* isAny(Value* cell, std::uint64_t flags) { return builder_.CreateIsNotNull(builder_.CreateAnd(cell, flags)); }
  Value* allow(Value* race, Operand isOff) { return builder_.CreateAnd(race, builder_.CreateNot(operand(isOff))); }
  /// Records are not negative: processors compare numbers with signs more quickly.
  Value* isBelow(Value* record, Value* bound) { return builder_.CreateICmpSLT(record, bound); }
  Value* either(Value* a, Value* b) { return a != nullptr ? builder_.CreateOr(a, b) : b; }

  /// Whether it holds for any lane of those that are here.
  Value* any(Value* condition) {
    return createSubGroupCall(builder_, {SubGroupOperation::Reduce, Combination::Or},
                              {condition, builder_.getInt32(0)});
  }

  /// Goes on in a block that is run if the condition holds.
  void enterIf(Value* condition) {
    at_ = llvm::SplitBlockAndInsertIfThen(condition, at_->getIterator(), /*Unreachable=*/false);
    at_->setDebugLoc(mark_.getDebugLoc());
    builder_.SetInsertPoint(at_);
  }

  /// Whether the record is not one that this work-item has made in this phase, or has flags besides these.
  Value* isForeign(Value* cell, std::uint64_t flags) {
    return builder_.CreateIsNotNull(builder_.CreateAnd(builder_.CreateXor(cell, record_), ~flags));
  }

  /// Whether a read of any lane may change a cell or be a race: not if several work-items read in this phase and none
  /// wrote, nor if this one accessed it last.
  Value* isNews() {
    constexpr std::uint64_t kItems = ((std::uint64_t{1} << kCellItemBits) - 1) << kCellFlagBits;
    Value* known = builder_.CreateOr(operand(kPhase), number(kCellMany));
    constexpr std::uint64_t kOwn = kCellWrite | kCellMany | kCellGroupWrote | kCellGroupAtomic | kCellOthersRead;
    Value* isNews = nullptr;
    for (Value* cell : cells_) {
      Value* isUnknown = builder_.CreateICmpNE(builder_.CreateAnd(cell, ~kItems), known);
      isNews = either(isNews, builder_.CreateAnd(isUnknown, isForeign(cell, kOwn)));
    }
    return any(isNews);
  }

  /// Looks for races and computes the new records, `updated_`. Cells that no access of the launch has used yet tell of
  /// no race, and those that this work-item has used tell of none with a write.
  Race look() {
    if (touch_ == Touch::Atomic || touch_ == Touch::AtomicLoad || isLocal_) return lookAtAll();
    Value* isUsed = nullptr;
    for (Value* cell : cells_) {
      Value* its = builder_.CreateICmpSGE(cell, begin_);
      if (touch_ == Touch::Write)
        its = builder_.CreateAnd(its, isForeign(cell, kCellWrite | kCellAtomic | kCellGroupWrote | kCellGroupAtomic));
      isUsed = either(isUsed, its);
    }
    isUsed = any(isUsed);
    llvm::Instruction* after = at_;
    llvm::BasicBlock* before = at_->getParent();
    enterIf(isUsed);
    const Race found = lookAtAll();
    const llvm::SmallVector<Value*, 4> updated = updated_;
    llvm::BasicBlock* looked = at_->getParent();
    at_ = after;
    builder_.SetInsertPoint(at_);
    const auto merge = [&](Value* used, Value* unused) -> Value* {
      llvm::PHINode* phi = llvm::PHINode::Create(used->getType(), 2, "", at_->getParent()->begin());
      phi->addIncoming(used, looked);
      phi->addIncoming(unused, before);
      return phi;
    };
    const Race race{merge(found.isRace, builder_.getFalse()), merge(found.cell, number(0))};
    for (const auto& [i, each] : llvm::enumerate(updated))
      updated_[i] = touch_ == Touch::Write ? builder_.CreateOr(record_, number(kCellWrite)) : merge(each, record_);
    return race;
  }

  Race lookAtAll() {
    Race all{nullptr, nullptr};
    updated_.clear();
    for (Value* cell : cells_) {
      Value* isRace = lookAt(cell);
      all.cell = all.isRace != nullptr ? builder_.CreateSelect(isRace, cell, all.cell) : cell;
      all.isRace = either(all.isRace, isRace);
    }
    return all;
  }

  /// Whether the group that runs has made the record.
  Value* isOfGroup(Value* cell) {
    return builder_.CreateICmpULT(builder_.CreateSub(cell, operand(kFirst)), operand(kSpan));
  }

  /// Whether the access races with that of the cell.
  Value* lookAt(Value* cell) {
    Value* difference = builder_.CreateXor(cell, record_);
    Value* isMine = isBelow(difference, number(1 << kCellFlagBits));
    Value* isSamePhase = isBelow(difference, number(1 << kCellPhaseShift));
    Value* isOther = builder_.CreateAnd(isSamePhase, builder_.CreateNot(isMine));
    Value* isSameGroup = isLocal_ ? nullptr : isOfGroup(cell);
    Value* isOthers =
        isLocal_ ? nullptr : builder_.CreateAnd(builder_.CreateICmpSGE(cell, begin_), builder_.CreateNot(isSameGroup));
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
    updated_.push_back(updatedCell(cell, isMine, isSamePhase, isSameGroup, isOthers));
    Value* race = allow(inGroup, kGroupIsOff);
    return between != nullptr ? builder_.CreateOr(race, allow(between, kOthersAreOff)) : race;
  }

  void report(const Race& race) {
    checker_.reportIf(race.isRace, *at_, *llvm::cast<llvm::Constant>(operand(kSite)), race.cell, operand(kOffset));
    builder_.SetInsertPoint(at_);
  }

  /// Whether another work-item's record is where this one's should be. Lanes have looked at the cell before any of them
  /// stored: of those that access the same memory, one remains.
  Value* isReplaced(Value* after, Value* updated) {
    return builder_.CreateICmpSGE(builder_.CreateXor(after, updated), number(1 << kCellFlagBits));
  }

  /// Stores the new records. Without a barrier, what is loaded then would be taken for what the lane itself has stored.
  void update() {
    for (const auto& [address, updated] : llvm::zip(addresses_, updated_))
      builder_.CreateAlignedStore(updated, address, llvm::Align(8));
    createSubGroupCall(builder_, {SubGroupOperation::Barrier}, {builder_.getFalse()});
  }

  void finishWrite(Race race) {
    update();
    for (const auto& [address, updated] : llvm::zip(addresses_, updated_)) {
      Value* after = load(address);
      Value* isRace = allow(isReplaced(after, updated), kGroupIsOff);
      race = {either(race.isRace, isRace), builder_.CreateSelect(isRace, after, race.cell)};
    }
    report(race);
  }

  /// Lanes that read the same memory are several work-items.
  void finishRead() {
    llvm::SmallVector<Value*, 4> lost;
    Value* isAnyLost = nullptr;
    update();
    if (touch_ != Touch::Read) return;
    for (const auto& [address, updated] : llvm::zip(addresses_, updated_)) {
      lost.push_back(isReplaced(load(address), updated));
      isAnyLost = either(isAnyLost, lost.back());
    }
    enterIf(any(isAnyLost));
    llvm::Instruction* end = at_;
    for (const auto& [isLost, address, updated] : llvm::zip(lost, addresses_, updated_)) {
      enterIf(isLost);
      builder_.CreateAlignedStore(builder_.CreateOr(updated, number(kCellMany)), address, llvm::Align(8));
      at_ = end;
      builder_.SetInsertPoint(at_);
    }
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
  llvm::Instruction* at_; ///< before which code is put
  Checker& checker_;
  IRBuilder<> builder_;
  Touch touch_;
  bool isLocal_ = false;
  llvm::SmallVector<Value*, 4> addresses_, cells_, updated_; ///< of each cell: its address, its content, the new one
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
