// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/simplify/narrow_arithmetic.hpp"

#include "compiler/ir/run_pass.hpp"
#include "compiler/transform/simplify/integer_sums.hpp"

#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/ConstantFold.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Local.h>

namespace clotho::compiler {
namespace {

constexpr unsigned kWide = 32, kNarrow = 16;
/// Cost of an extension or truncation at the border, in operations on half of the lanes: as much as one operation on
/// both halves.
constexpr int kBorder = 2;

bool isWide(const llvm::Value* value) { return value->getType()->isIntOrIntVectorTy(kWide); }

/// Whether the value is an extension from 16 bits or fewer.
bool isNarrowExtension(const llvm::Value* value) {
  const auto* cast = llvm::dyn_cast<llvm::CastInst>(value);
  return cast != nullptr && isWide(cast) && (llvm::isa<llvm::ZExtInst>(cast) || llvm::isa<llvm::SExtInst>(cast)) &&
         cast->getSrcTy()->getScalarSizeInBits() > 1 && cast->getSrcTy()->getScalarSizeInBits() <= kNarrow;
}

class Narrowing {
 public:
  Narrowing(llvm::Function& function, SmallRanges& ranges) : function_(function), ranges_(ranges) {}

  bool run() {
    find();
    choose();
    if (chosen_.empty()) return false;
    llvm::SmallVector<llvm::Instruction*, 32> replaced;
    for (llvm::Instruction* candidate : candidates_)
      if (isChosen(candidate)) {
        narrow_[candidate] = compute(*candidate);
        replaced.push_back(candidate);
      }
    // The remaining uses of old values are in operations that stay wide.
    for (llvm::Instruction* old : replaced)
      release(*old);
    llvm::SmallVector<llvm::WeakTrackingVH, 32> dead(replaced.begin(), replaced.end());
    llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
    return true;
  }

 private:
  bool fits(const llvm::Value* value) { return ranges_.fitsSigned(value) || ranges_.fitsUnsigned(value); }
  bool bothFitSigned(const llvm::Instruction& of) {
    return ranges_.fitsSigned(of.getOperand(0)) && ranges_.fitsSigned(of.getOperand(1));
  }
  bool bothFitUnsigned(const llvm::Instruction& of) {
    return ranges_.fitsUnsigned(of.getOperand(0)) && ranges_.fitsUnsigned(of.getOperand(1));
  }
  static bool isSmallShift(const llvm::Value* amount) {
    const auto* constant = llvm::dyn_cast<llvm::Constant>(amount);
    const auto* integer = constant == nullptr                 ? nullptr
                          : constant->getType()->isVectorTy() ? constant->getSplatValue()
                                                              : constant;
    const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(integer);
    return number != nullptr && number->getValue().ult(kNarrow);
  }

  /// Whether 16 bits of each operand determine the result, which must fit into 16 bits or be a comparison.
  bool isCandidate(const llvm::Instruction& instruction) {
    if (llvm::isa<llvm::ICmpInst>(instruction))
      return isWide(instruction.getOperand(0)) && (bothFitSigned(instruction) || bothFitUnsigned(instruction));
    if (!isWide(&instruction) || !fits(&instruction)) return false;
    switch (instruction.getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Mul:
    case llvm::Instruction::And:
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor:
    case llvm::Instruction::Select: return true;
    case llvm::Instruction::Shl: return isSmallShift(instruction.getOperand(1));
    case llvm::Instruction::LShr:
      return isSmallShift(instruction.getOperand(1)) && ranges_.fitsUnsigned(instruction.getOperand(0));
    case llvm::Instruction::AShr:
      return isSmallShift(instruction.getOperand(1)) && ranges_.fitsSigned(instruction.getOperand(0));
    default: break;
    }
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call == nullptr) return false;
    switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::smax: return bothFitSigned(instruction) || bothFitUnsigned(instruction);
    case llvm::Intrinsic::umin:
    case llvm::Intrinsic::umax: return bothFitUnsigned(instruction);
    case llvm::Intrinsic::abs: return ranges_.fitsSigned(call) && ranges_.fitsSigned(call->getArgOperand(0));
    default: return false;
    }
  }

  /// The operands that are narrowed; a select's condition is not.
  static llvm::ArrayRef<llvm::Use> numbers(const llvm::Instruction& of) {
    const llvm::ArrayRef<llvm::Use> all(of.op_begin(), of.getNumOperands());
    if (llvm::isa<llvm::SelectInst>(of)) return all.drop_front();
    if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&of))
      return all.take_front(call->getIntrinsicID() == llvm::Intrinsic::abs ? 1 : 2);
    return all;
  }

  void find() {
    llvm::ReversePostOrderTraversal<llvm::Function*> order(&function_);
    for (llvm::BasicBlock* block : order)
      for (llvm::Instruction& instruction : *block)
        if (isCandidate(instruction)) {
          candidates_.insert(&instruction);
          together_.insert(&instruction);
          for (const llvm::Value* operand : numbers(instruction))
            if (const auto* from = llvm::dyn_cast<llvm::Instruction>(operand);
                from != nullptr && candidates_.contains(const_cast<llvm::Instruction*>(from)))
              together_.unionSets(&instruction, from);
        }
  }

  bool isCandidateValue(const llvm::Value* value) const {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    return instruction != nullptr && candidates_.contains(const_cast<llvm::Instruction*>(instruction));
  }

  bool isChosen(const llvm::Instruction* candidate) const {
    return chosen_.contains(together_.getLeaderValue(candidate));
  }

  /// Finds the groups of candidates that use each other whose narrowing pays. Gains are counted in operations on half
  /// of the lanes.
  void choose() {
    struct Worth {
      int gain = 0;
      bool isOfNarrow = false; ///< some of it is an extension, so it is no address arithmetic
    };
    llvm::DenseMap<const llvm::Instruction*, Worth> worth;
    llvm::DenseMap<const llvm::Value*, llvm::SmallPtrSet<const llvm::Instruction*, 2>> countedFor;
    for (const llvm::Instruction* candidate : candidates_) {
      const llvm::Instruction* leader = together_.getLeaderValue(candidate);
      Worth& mine = worth[leader];
      ++mine.gain;
      for (const llvm::Value* operand : numbers(*candidate)) {
        if (llvm::isa<llvm::Constant>(operand) || isCandidateValue(operand)) continue;
        if (!countedFor[operand].insert(leader).second) continue;
        const bool isExtension = isNarrowExtension(operand);
        mine.isOfNarrow |= isExtension;
        const bool isAllOurs = llvm::all_of(operand->users(), [&](const llvm::User* user) {
          return isCandidateValue(user) && together_.getLeaderValue(llvm::cast<llvm::Instruction>(user)) == leader;
        });
        mine.gain += isExtension ? int(isAllOurs) : -kBorder;
      }
      if (llvm::isa<llvm::ICmpInst>(candidate)) continue;
      bool isWantedWide = false;
      for (const llvm::User* user : candidate->users())
        if (llvm::isa<llvm::TruncInst>(user))
          ++mine.gain;
        else
          isWantedWide |= !isCandidateValue(user);
      if (isWantedWide) mine.gain -= kBorder;
    }
    for (const auto& [leader, its] : worth)
      if (its.isOfNarrow && its.gain > 0) chosen_.insert(leader);
  }

  static llvm::Type* narrowed(const llvm::Type* type) { return type->getWithNewBitWidth(kNarrow); }

  /// The low 16 bits of the value.
  llvm::Value* lowOf(llvm::Value* value) {
    llvm::Type* type = narrowed(value->getType());
    // Constants fold, except for addresses.
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(value))
      if (llvm::Constant* folded = llvm::ConstantFoldCastInstruction(llvm::Instruction::Trunc, constant, type))
        return folded;
    llvm::Value*& low = narrow_[value];
    if (low != nullptr) return low;
    llvm::IRBuilder<> builder(function_.getContext());
    if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(value))
      builder.SetInsertPoint(*instruction->getInsertionPointAfterDef());
    else
      builder.SetInsertPoint(&*function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    if (isNarrowExtension(value)) {
      auto* extension = llvm::cast<llvm::CastInst>(value);
      low = builder.CreateIntCast(extension->getOperand(0), type, llvm::isa<llvm::SExtInst>(extension));
    } else {
      low = builder.CreateTrunc(value, type);
    }
    return low;
  }

  llvm::Value* compute(llvm::Instruction& wide) {
    llvm::SmallVector<llvm::Value*, 3> operands;
    for (llvm::Value* operand : numbers(wide))
      operands.push_back(lowOf(operand));
    llvm::IRBuilder<> builder(&wide);
    if (auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&wide)) {
      // Numbers that fit as signed keep both orders; others keep only the unsigned one.
      const bool keeps = comparison->isEquality() || bothFitSigned(wide);
      return builder.CreateICmp(keeps ? comparison->getPredicate() : comparison->getUnsignedPredicate(), operands[0],
                                operands[1], wide.getName());
    }
    if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(&wide))
      return builder.CreateSelect(choice->getCondition(), operands[0], operands[1], wide.getName());
    if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&wide))
      return builder.CreateBinOp(operation->getOpcode(), operands[0], operands[1], wide.getName());
    auto& call = llvm::cast<llvm::IntrinsicInst>(wide);
    llvm::Intrinsic::ID function = call.getIntrinsicID();
    if (function == llvm::Intrinsic::abs)
      return builder.CreateBinaryIntrinsic(function, operands[0], builder.getFalse());
    if (!bothFitSigned(wide)) { // then signed and unsigned order are the same in 32 bits, and unsigned is right in 16
      if (function == llvm::Intrinsic::smin) function = llvm::Intrinsic::umin;
      if (function == llvm::Intrinsic::smax) function = llvm::Intrinsic::umax;
    }
    return builder.CreateBinaryIntrinsic(function, operands[0], operands[1]);
  }

  /// Gives users that stay wide an extension of the narrow result.
  void release(llvm::Instruction& old) {
    llvm::Value* low = narrow_.lookup(&old);
    if (llvm::isa<llvm::ICmpInst>(old)) {
      old.replaceAllUsesWith(low);
      return;
    }
    llvm::Value* extended = nullptr;
    for (llvm::Use& use : llvm::make_early_inc_range(old.uses())) {
      auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      if (isCandidateValue(user) && isChosen(user)) continue; // It is removed too.
      if (auto* truncation = llvm::dyn_cast<llvm::TruncInst>(user)) {
        llvm::IRBuilder<> builder(truncation);
        llvm::Type* type = truncation->getType(); // perhaps of more than 16 bits
        truncation->replaceAllUsesWith(ranges_.fitsUnsigned(&old) ? builder.CreateZExtOrTrunc(low, type)
                                                                  : builder.CreateSExtOrTrunc(low, type));
        truncation->eraseFromParent();
        continue;
      }
      if (extended == nullptr) {
        llvm::IRBuilder<> builder(old.getParent(), *old.getInsertionPointAfterDef());
        extended = ranges_.fitsUnsigned(&old) ? builder.CreateZExt(low, old.getType(), old.getName())
                                              : builder.CreateSExt(low, old.getType(), old.getName());
      }
      use.set(extended);
    }
  }

  llvm::Function& function_;
  SmallRanges& ranges_;
  llvm::SetVector<llvm::Instruction*> candidates_; ///< each after its operands
  llvm::EquivalenceClasses<const llvm::Instruction*> together_;
  llvm::SmallPtrSet<const llvm::Instruction*, 8> chosen_; ///< leaders of the equivalence classes that are narrowed
  llvm::DenseMap<const llvm::Value*, llvm::Value*> narrow_;
};

} // namespace

llvm::PreservedAnalyses NarrowArithmeticPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& known = analyses.getResult<SmallRangesAnalysis>(function);
  bool changed = Step("integer-sums").run(function, analyses, [&] { return sumAsIntegers(function, known); });
  // Ranges are computed anew: removed values may have left entries at reused addresses.
  SmallRanges anew;
  changed |= Narrowing(function, changed ? anew : known).run();
  return preservedWithEdges(changed);
}

} // namespace clotho::compiler
