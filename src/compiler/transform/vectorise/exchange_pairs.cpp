// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/vectorise/exchange_pairs.hpp"

#include "compiler/analysis/work_item_uniformity.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include <optional>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kGlobalSpace = 1;

/// What all lanes do, if they do the kernel up to here.
bool isReachedByAll(BasicBlock& block, const llvm::PostDominatorTree& ends, const WorkItemUniformity& uniformity) {
  llvm::SmallSetVector<BasicBlock*, 16> dependent;
  dependent.insert(&block);
  for (unsigned i = 0; i < dependent.size(); ++i)
    for (BasicBlock& branch : *block.getParent()) {
      if (ends.properlyDominates(dependent[i], &branch) ||
          !llvm::any_of(llvm::successors(&branch), [&](BasicBlock* to) { return ends.dominates(dependent[i], to); }))
        continue;
      if (uniformity.hasDivergentBranch(branch)) return false;
      dependent.insert(&branch);
    }
  return true;
}

class PairExchange {
 public:
  PairExchange(const LanePair& pair, const llvm::PostDominatorTree& ends, const WorkItemUniformity& uniformity)
      : pair_(pair), ends_(ends), uniformity_(uniformity) {}

  bool find() {
    return findRegion() && isReachedByAll(*branch_->getParent(), ends_, uniformity_) &&
           llvm::all_of(instructions_, [&](Instruction* instruction) { return mayBeDoneByBoth(*instruction); }) &&
           findPairs();
  }

  void write() {
    llvm::IRBuilder<> builder(branch_);
    llvm::Type* type = pair_.lane->getType();
    Value* partner = builder.CreateXor(pair_.lane, llvm::ConstantInt::get(type, pair_.stride->getZExtValue()));
    Value* isAsked = builder.CreateICmp(asks_, partner, pair_.lane);
    partner = builder.CreateZExtOrTrunc(partner, builder.getInt32Ty());
    for (const Both& loads : loads_)
      writeLoad(loads, isAsked, partner);
    for (const Both& stores : stores_)
      writeStore(stores, isAsked);
    Value* asked = branch_->getCondition();
    if (also_ != nullptr) {
      branch_->setCondition(builder.CreateFreeze(also_)); // where it has not been asked before
    } else {
      llvm::BranchInst::Create(region_.front(), branch_->getIterator());
      branch_->eraseFromParent();
    }
    llvm::RecursivelyDeleteTriviallyDeadInstructions(asked);
  }

 private:
  struct Address {
    const Value* base;
    bool isOwn;
    std::optional<Instruction::CastOps> extension;
    llvm::Type* element;
    bool isBesides(const Address& other) const {
      return base == other.base && isOwn != other.isOwn && extension == other.extension && element == other.element;
    }
  };
  /// Accesses of the own element and of the partner's.
  struct Both {
    Instruction *own, *partner;
    bool ownIsFirst;
  };

  /// By the question alone, or by something else that is the same in all lanes, too.
  bool findBranch() {
    using namespace llvm::PatternMatch;
    if (!pair_.isAsked->hasOneUse()) return false;
    auto* user = llvm::cast<Instruction>(pair_.isAsked->user_back());
    branch_ = llvm::dyn_cast<llvm::BranchInst>(user);
    if (branch_ != nullptr) return true;
    alsoFalse_ = match(user, m_c_LogicalOr(m_Specific(pair_.isAsked), m_Value(also_)));
    if (!user->hasOneUse() || (!alsoFalse_ && !match(user, m_c_LogicalAnd(m_Specific(pair_.isAsked), m_Value(also_)))))
      return false;
    branch_ = llvm::dyn_cast<llvm::BranchInst>(user->user_back());
    return branch_ != nullptr && isSameInAll(also_);
  }

  /// What lanes do that have been asked, until all are together again.
  bool findRegion() {
    if (!findBranch()) return false;
    const auto* node = ends_.getNode(branch_->getParent());
    BasicBlock* meeting = node != nullptr && node->getIDom() != nullptr ? node->getIDom()->getBlock() : nullptr;
    if (meeting == nullptr || !meeting->phis().empty()) return false;
    const auto goesOn = [&](unsigned i) {
      const BasicBlock* next = branch_->getSuccessor(i);
      return next == meeting || (next->size() == 1 && next->getSingleSuccessor() == meeting);
    };
    if (goesOn(0) == goesOn(1) || (also_ != nullptr && goesOn(0) != alsoFalse_)) return false;
    asks_ = goesOn(1) ? pair_.asks : llvm::CmpInst::getInversePredicate(pair_.asks);
    region_.insert(branch_->getSuccessor(goesOn(1) ? 0 : 1));
    for (unsigned i = 0; i < region_.size(); ++i)
      for (BasicBlock* next : llvm::successors(region_[i]))
        if (next != meeting) region_.insert(next);
    for (BasicBlock* block : region_) {
      for (BasicBlock* from : llvm::predecessors(block))
        if (block == region_.front() ? from != branch_->getParent() : !region_.contains(from)) return false;
      for (Instruction& instruction : *block)
        instructions_.push_back(&instruction);
    }
    return true;
  }

  bool isInRegion(const Instruction& instruction) const {
    return region_.contains(const_cast<BasicBlock*>(instruction.getParent()));
  }

  /// Perhaps it was computed a second time where it is used.
  bool isOwn(const Value* value) const {
    const auto *own = llvm::dyn_cast<Instruction>(pair_.own), *other = llvm::dyn_cast<Instruction>(value);
    return value == pair_.own ||
           (own != nullptr && other != nullptr && llvm::isa<llvm::CastInst>(own) && other->isIdenticalTo(own));
  }
  bool isIndex(const Value* value) const { return isOwn(value) || value == pair_.partner; }

  const Value* indexOf(const Value* value, std::optional<Instruction::CastOps>& extension) const {
    if (llvm::isa<llvm::SExtInst, llvm::ZExtInst>(value)) {
      extension = llvm::cast<llvm::CastInst>(value)->getOpcode();
      value = llvm::cast<llvm::CastInst>(value)->getOperand(0);
    }
    return isIndex(value) ? value : nullptr;
  }

  /// Address of an element of the pair; nothing for other pointers.
  std::optional<Address> addressOf(const Value* pointer) const {
    const auto* address = llvm::dyn_cast_or_null<llvm::GetElementPtrInst>(pointer);
    if (address == nullptr || address->getNumIndices() != 1 || address->getPointerAddressSpace() != kGlobalSpace ||
        !isSameInAll(address->getPointerOperand()))
      return std::nullopt;
    std::optional<Instruction::CastOps> extension;
    const Value* index = indexOf(address->getOperand(1), extension);
    if (index == nullptr) return std::nullopt;
    return Address{address->getPointerOperand(), isOwn(index), extension, address->getSourceElementType()};
  }

  bool isSameInAll(const Value* value) const {
    if (llvm::isa<llvm::Constant, llvm::Argument>(value)) return true;
    const auto* instruction = llvm::dyn_cast<Instruction>(value);
    return instruction != nullptr && !isInRegion(*instruction) && uniformity_.isUniform(*instruction);
  }

  /// Nothing but an address of one of the two, or made to be part of one.
  bool isAddress(const Instruction& instruction) const {
    std::optional<Instruction::CastOps> extension;
    const bool isAddress = addressOf(&instruction).has_value();
    if (!isAddress && (!llvm::isa<llvm::CastInst>(instruction) || indexOf(&instruction, extension) == nullptr))
      return false;
    return llvm::all_of(instruction.users(), [&](const llvm::User* user) {
      const auto& where = *llvm::cast<Instruction>(user);
      return isAddress ? llvm::getLoadStorePointerOperand(&where) == &instruction &&
                             !(llvm::isa<llvm::StoreInst>(where) && where.getOperand(0) == &instruction)
                       : addressOf(&where) || (llvm::isa<llvm::CastInst>(where) && this->isAddress(where));
    });
  }

  /// Whether both of a pair get the same of it, once they have loaded the same; or it is an access that will be seen
  /// to.
  bool mayBeDoneByBoth(Instruction& instruction) {
    if (llvm::any_of(instruction.users(),
                     [&](const llvm::User* user) { return !isInRegion(*llvm::cast<Instruction>(user)); }))
      return false;
    if (isAddress(instruction)) return true;
    if (const Value* pointer = llvm::getLoadStorePointerOperand(&instruction); pointer && addressOf(pointer)) {
      accesses_.push_back(&instruction);
      llvm::Type* type = llvm::getLoadStoreType(&instruction);
      const bool isScalar = type->isIntegerTy() || type->isFloatingPointTy();
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load != nullptr) return load->isSimple() && isScalar;
      const auto& store = llvm::cast<llvm::StoreInst>(instruction);
      return store.isSimple() && isScalar && isSameInBoth(store.getValueOperand());
    }
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load != nullptr && !load->isSimple())
      return false;
    if (instruction.mayWriteToMemory() || instruction.mayThrow() ||
        (llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction)))
      return false;
    return llvm::all_of(instruction.operands(), [&](const llvm::Use& operand) {
      return llvm::isa<BasicBlock>(operand) || isSameInBoth(operand);
    });
  }

  bool isSameInBoth(const Value* value) const {
    const auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction != nullptr && isInRegion(*instruction)) return !isAddress(*instruction) && !isIndex(instruction);
    return isSameInAll(value);
  }

  /// Each access of an element has one of the partner's beside it.
  bool findPairs() {
    for (unsigned i = 0; i < accesses_.size(); i += 2) {
      if (i + 1 == accesses_.size()) return false;
      Instruction *first = accesses_[i], *second = accesses_[i + 1];
      const Address one = *addressOf(llvm::getLoadStorePointerOperand(first));
      const Address other = *addressOf(llvm::getLoadStorePointerOperand(second));
      if (first->getOpcode() != second->getOpcode() || first->getParent() != second->getParent() ||
          !one.isBesides(other) || llvm::getLoadStoreType(first) != llvm::getLoadStoreType(second))
        return false;
      const bool isLoad = llvm::isa<llvm::LoadInst>(first);
      for (const Instruction* between = first->getNextNode(); between != second; between = between->getNextNode())
        if (isLoad ? between->mayWriteToMemory() : between->mayReadOrWriteMemory()) return false;
      const Both both = one.isOwn ? Both{first, second, true} : Both{second, first, false};
      (isLoad ? loads_ : stores_).push_back(both);
    }
    return !loads_.empty() && !stores_.empty();
  }

  /// An access of the own element, whose address may be computed later only.
  void bringForward(Instruction& access, Instruction& before) const {
    auto* address = llvm::cast<llvm::GetElementPtrInst>(llvm::getLoadStorePointerOperand(&access));
    llvm::IRBuilder<> builder(&before);
    Value* index = pair_.own;
    if (const auto* extension = llvm::dyn_cast<llvm::CastInst>(address->getOperand(1)); extension && !isOwn(extension))
      index = builder.CreateCast(extension->getOpcode(), index, extension->getType());
    Instruction* copy = builder.Insert(address->clone());
    copy->setOperand(1, index);
    access.setOperand(llvm::isa<llvm::LoadInst>(access) ? 0 : 1, copy);
    access.moveBefore(before.getIterator());
  }

  /// What is true of the access where it is asked for need not be elsewhere.
  template <class Access> static void widenTo(Access& own, const Access& partner) {
    own.setAlignment(std::min(own.getAlign(), partner.getAlign()));
    own.dropUBImplyingAttrsAndMetadata();
  }

  void writeLoad(const Both& loads, Value* isAsked, Value* partner) const {
    if (!loads.ownIsFirst) bringForward(*loads.own, *loads.partner);
    widenTo(*llvm::cast<llvm::LoadInst>(loads.own), *llvm::cast<llvm::LoadInst>(loads.partner));
    llvm::IRBuilder<> builder(loads.own->getNextNode());
    Value* other = createSubGroupCall(builder, {SubGroupOperation::Shuffle}, {loads.own, partner});
    auto* first = llvm::cast<Instruction>(builder.CreateSelect(isAsked, loads.own, other));
    Value* second = builder.CreateSelect(isAsked, other, loads.own);
    loads.own->replaceUsesWithIf(first, [&](const llvm::Use& use) {
      return use.getUser() != other && use.getUser() != first && use.getUser() != second;
    });
    loads.partner->replaceAllUsesWith(second);
    loads.partner->eraseFromParent();
  }

  void writeStore(const Both& stores, Value* isAsked) const {
    auto *own = llvm::cast<llvm::StoreInst>(stores.own), *partner = llvm::cast<llvm::StoreInst>(stores.partner);
    if (stores.ownIsFirst) bringForward(*own, *partner); // what it stores may be computed later
    widenTo(*own, *partner);
    llvm::IRBuilder<> builder(own);
    own->setOperand(0, builder.CreateSelect(isAsked, own->getValueOperand(), partner->getValueOperand()));
    partner->eraseFromParent();
  }

  const LanePair& pair_;
  const llvm::PostDominatorTree& ends_;
  const WorkItemUniformity& uniformity_;
  llvm::BranchInst* branch_ = nullptr;
  llvm::CmpInst::Predicate asks_{}; ///< of lanes that exchange
  Value* also_ = nullptr;           ///< what else must be true, or
  bool alsoFalse_ = false;          ///< false
  llvm::SmallSetVector<BasicBlock*, 8> region_;
  llvm::SmallVector<Instruction*, 32> instructions_;
  llvm::SmallVector<Instruction*, 8> accesses_; ///< of elements of pairs, as they stand
  llvm::SmallVector<Both, 4> loads_, stores_;
};

} // namespace

void exchangePairs(llvm::Function& function, llvm::ArrayRef<LanePair> pairs) {
  if (pairs.empty()) return;
  const llvm::PostDominatorTree ends(function);
  const WorkItemUniformity uniformity(function, UniformityScope::SubGroup);
  llvm::SmallVector<PairExchange, 4> found;
  for (const LanePair& pair : pairs) {
    PairExchange exchange(pair, ends, uniformity);
    if (exchange.find()) found.push_back(std::move(exchange));
  }
  for (PairExchange& exchange : found)
    exchange.write();
}

} // namespace clotho::compiler
