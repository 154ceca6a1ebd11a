// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/specialise.hpp"

#include "compiler/analysis/division.hpp"
#include "compiler/analysis/speculation.hpp"
#include "compiler/ir/copy_instruction.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/loop_marks.hpp"
#include "compiler/ir/marks.hpp"
#include "compiler/ir/replace_calls.hpp"
#include "compiler/ir/variants.hpp"
#include "compiler/transform/widen/version_butterflies.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned kMostConditions = 128;
constexpr unsigned kMostInstructions = 160; ///< most instructions that evaluate the assumptions

/// Computes values of the first lane at the beginning of a sub-group.
class FirstLane {
 public:
  FirstLane(llvm::IRBuilder<>& builder, const llvm::ValueToValueMapTy& arguments, Value* id, unsigned rows)
      : builder_(builder), arguments_(arguments), id_(id), most_(kMostInstructions * rows) {}

  /// Null if the value is unknown before the kernel runs, or takes too many instructions.
  Value* evaluate(Value* value) {
    if (llvm::isa<llvm::Constant>(value)) return value;
    if (llvm::isa<llvm::Argument>(value)) return arguments_.lookup(value);
    if (const auto known = known_.find(value); known != known_.end()) return known->second;
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction == nullptr) return nullptr;
    Value* made = make(*instruction);
    known_[value] = made;
    return made;
  }
  /// Replaces the instruction by the value in later evaluations; null: its value is unknown.
  void replace(Value* instruction, Value* value) { known_[instruction] = value; }

 private:
  Value* make(Instruction& instruction) {
    if (const auto call = matchIntrinsic(&instruction)) {
      if (call->intrinsic == Intrinsic::LocalId && call->dimension == 0) return id_;
      return createIntrinsic(builder_, call->intrinsic, call->dimension);
    }
    if (!isSimple(instruction) || ++count_ > most_) return nullptr;
    Instruction* copy = copyInstruction(builder_, instruction, [&](Value* operand) { return evaluate(operand); });
    if (copy == nullptr) return nullptr;
    // Poison-generating flags may not hold here.
    copy->dropPoisonGeneratingAnnotations();
    copy->setDebugLoc({});
    return copy;
  }

  static bool isSimple(const Instruction& instruction) {
    if (instruction.isShift()) return llvm::isa<llvm::ConstantInt>(instruction.getOperand(1));
    if (instruction.isBinaryOp()) return instruction.getType()->isIntegerTy() && !instruction.isIntDivRem();
    if (llvm::isa<llvm::MinMaxIntrinsic, llvm::ICmpInst, llvm::FreezeInst, llvm::TruncInst, llvm::SExtInst,
                  llvm::ZExtInst, llvm::SelectInst>(instruction))
      return instruction.getType()->isIntegerTy();
    return isFieldOfArgument(instruction);
  }

  /// Whether the instruction loads or addresses a field of a struct passed by value, or of an image's descriptor: both
  /// are read-only.
  static bool isFieldOfArgument(const Instruction& instruction) {
    const Value* pointer = nullptr;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load != nullptr && load->isSimple())
      pointer = load->getPointerOperand();
    if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
        address != nullptr && address->hasAllConstantIndices())
      pointer = address;
    const auto* argument =
        pointer != nullptr ? llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(pointer)) : nullptr;
    return argument != nullptr && (argument->hasByValAttr() || argument->hasAttribute(kImageArgument));
  }

  llvm::IRBuilder<>& builder_;
  const llvm::ValueToValueMapTy& arguments_;
  Value* id_; ///< get_local_id(0) of the first lane
  unsigned most_;
  llvm::DenseMap<Value*, Value*> known_;
  unsigned count_ = 0;
};

/// Emits the run-time checks for `lanes` work-items from local id `first` on.
class Questions {
 public:
  Questions(llvm::IRBuilder<>& builder, const llvm::ValueToValueMapTy& map, Value* first, Value* lanes, Value* width,
            unsigned rows)
      : rowsAgree(builder.getTrue()), builder_(builder), map_(map), lanes_(lanes), width_(width),
        first_(builder, map, first, rows) {
    ask(builder.CreateICmpULE(builder.CreateAdd(first, lanes), createIntrinsic(builder, Intrinsic::RowEnd)));
  }

  /// Emits the check and rewrites the copy as assumed; nothing if that is impossible.
  void ask(const Assumption& assumption) {
    if (assumption.kind == Assumption::Kind::Butterfly) return askForRow(assumption);
    Value *first = first_.evaluate(assumption.moving), *resting = first_.evaluate(assumption.resting);
    if (first == nullptr || resting == nullptr || count_ >= kMostConditions)
      return first_.replace(assumption.instruction, nullptr);
    llvm::Type* type = first->getType();
    Value* lanes = builder_.CreateTrunc(lanes_, type);
    Value* span = builder_.CreateMul(builder_.CreateSub(lanes, llvm::ConstantInt::get(type, 1)),
                                     llvm::ConstantInt::getSigned(type, assumption.stride));
    auto* copy = llvm::cast<Instruction>(map_.lookup(assumption.instruction));
    if (assumption.kind == Assumption::Kind::NoneEqual) {
      // Compares the unsigned distance from the first lane, so that wrapping around does not matter.
      Value* distance = assumption.stride > 0 ? builder_.CreateSub(resting, first) : builder_.CreateSub(first, resting);
      Value* reach = assumption.stride > 0 ? span : builder_.CreateNeg(span);
      ask(builder_.CreateICmpUGT(distance, reach));
      return replace(assumption, *copy, builder_.getInt1(assumption.value));
    }
    if (assumption.stride == 0) { // The comparison is the same in all lanes.
      Value* holds = builder_.CreateICmp(assumption.predicate, first, resting);
      ask(assumption.value ? holds : builder_.CreateNot(holds));
      return replace(assumption, *copy, builder_.getInt1(assumption.value));
    }
    Value* last = builder_.CreateAdd(first, span);
    const bool isSigned = llvm::CmpInst::isSigned(assumption.predicate);
    // Nothing wraps around, so an outcome that the first and the last lane share holds for all between.
    ask(builder_.CreateICmp(isSigned ? llvm::CmpInst::ICMP_SLE : llvm::CmpInst::ICMP_ULE,
                            assumption.stride > 0 ? first : last, assumption.stride > 0 ? last : first));
    if (assumption.kind == Assumption::Kind::Exact) return;
    if (assumption.kind == Assumption::Kind::Quotient) return askForQuotient(assumption, *copy, first, last);
    Value* ofFirst = builder_.CreateICmp(assumption.predicate, first, resting);
    Value* ofLast = builder_.CreateICmp(assumption.predicate, last, resting);
    switch (assumption.kind) {
    case Assumption::Kind::Fits:
      ask(ofLast); // The last lane has the largest value.
      copy->setHasNoUnsignedWrap(true);
      copy->setHasNoSignedWrap(true);
      return;
    case Assumption::Kind::Same:
      ask(ofFirst);
      ask(ofLast);
      return replace(assumption, *copy, map_.lookup(assumption.moving), first);
    case Assumption::Kind::Known:
      ask(assumption.value ? ofFirst : builder_.CreateNot(ofFirst));
      ask(assumption.value ? ofLast : builder_.CreateNot(ofLast));
      return replace(assumption, *copy, builder_.getInt1(assumption.value));
    case Assumption::Kind::AllAlike:
      ask(builder_.CreateICmpEQ(ofFirst, ofLast));
      return replace(assumption, *copy, ofFirst);
    case Assumption::Kind::NoneEqual:
    case Assumption::Kind::Exact:
    case Assumption::Kind::Butterfly:
    case Assumption::Kind::Quotient: break;
    }
  }

  /// Emits the check; false if it cannot be computed in advance.
  bool ask(const JammedRows::Requirement& requirement) {
    Value *value = first_.evaluate(requirement.value), *equals = first_.evaluate(requirement.equals);
    if (value == nullptr || equals == nullptr) return false;
    rowsAgree = builder_.CreateAnd(rowsAgree, builder_.CreateICmpEQ(value, equals));
    return true;
  }

  /// Butterfly exchanges of aligned rows, whose ids `write` puts into a form that shows the row.
  struct Butterfly {
    RowButterfly row;
    unsigned operand;
    Value* first; ///< first of the lanes for which the assumptions are tested
  };
  llvm::SmallVector<Butterfly, 4> butterflies;
  Value* answer = nullptr; ///< whether all assumptions hold
  Value* rowsAgree;        ///< whether rows that run at once agree

 private:
  void askForRow(const Assumption& assumption) {
    first_.replace(assumption.instruction, nullptr);
    Value* first = first_.evaluate(assumption.moving);
    if (first == nullptr || count_ >= kMostConditions) return;
    Value* within =
        builder_.CreateSub(builder_.CreateTrunc(width_, first->getType()), llvm::ConstantInt::get(first->getType(), 1));
    ask(builder_.CreateIsNull(builder_.CreateAnd(first, within)));
    const unsigned operand = assumption.instruction->getOperand(0) == assumption.moving ? 0 : 1;
    Instruction& copy = copyOf(*assumption.instruction);
    butterflies.push_back({{&copy, copy.getOperand(1 - operand), nullptr, nullptr, {}, {}}, operand, first});
    RowButterfly& row = butterflies.back().row;
    for (llvm::User* user : assumption.instruction->users())
      if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(user);
          compare != nullptr && llvm::is_contained(compare->operands(), assumption.moving))
        row.compares.push_back(&llvm::cast<llvm::ICmpInst>(copyOf(*compare)));
    for (const llvm::Use* bits : assumption.masks)
      row.masks.push_back(&copyOf(*llvm::cast<Instruction>(bits->getUser())).getOperandUse(bits->getOperandNo()));
  }

  void askForQuotient(const Assumption& assumption, Instruction& copy, Value* first, Value* last) {
    const Division division = *matchDivision(copy);
    const bool isSigned = division.isSigned;
    // Quotients are monotonic: those between two values are between theirs.
    const auto quotient = [&](Value* value) {
      if (copy.isShift())
        return builder_.CreateBinOp(llvm::cast<llvm::BinaryOperator>(copy).getOpcode(), value, copy.getOperand(1));
      return isSigned ? builder_.CreateSDiv(value, assumption.resting) : builder_.CreateUDiv(value, assumption.resting);
    };
    Value* ofFirst = quotient(first);
    ask(builder_.CreateICmpEQ(ofFirst, quotient(last)));
    if (!division.isRemainder()) return replace(assumption, copy, ofFirst);
    // The remainder of lanes is their distance from the multiple at which the quotient begins (or ends, below zero).
    Value* begin = builder_.CreateMul(ofFirst, assumption.resting);
    llvm::IRBuilder<> there(&copy);
    // If the divisor is a power of two, both are negative or neither is.
    const bool hasOneSign = isSigned || copy.getOpcode() == Instruction::And;
    replace(assumption, copy, there.CreateSub(copy.getOperand(0), begin, "", /*HasNUW=*/!isSigned, hasOneSign),
            builder_.CreateSub(first, begin));
  }

  Instruction& copyOf(const Instruction& instruction) const {
    return *llvm::cast<Instruction>(map_.lookup(&instruction));
  }

  void ask(Value* condition) {
    answer = answer == nullptr ? condition : builder_.CreateAnd(answer, condition);
    ++count_;
  }

  void replace(const Assumption& assumption, Instruction& copy, Value* with, Value* ofFirst = nullptr) {
    copy.replaceAllUsesWith(with);
    first_.replace(assumption.instruction, ofFirst != nullptr ? ofFirst : with);
  }

  llvm::IRBuilder<>& builder_;
  const llvm::ValueToValueMapTy& map_;
  Value* lanes_;
  Value* width_;
  FirstLane first_;
  unsigned count_ = 0;
};

/// Declares a fallback function with the local ids and the kernel's parameters.
llvm::Function* declareFallback(llvm::Function& kernel, llvm::StringRef kernelName, Variant variant) {
  const std::string name = variantName(kernelName, variant);
  if (llvm::Function* declared = kernel.getParent()->getFunction(name)) return declared;
  llvm::SmallVector<llvm::Type*, 16> types(3, llvm::Type::getInt64Ty(kernel.getContext()));
  for (const llvm::Argument& argument : kernel.args())
    types.push_back(argument.getType());
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(kernel.getContext()), types, false);
  auto* fallback = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, kernel.getParent());
  fallback->setDoesNotThrow();
  changeFacts(*fallback, [&](KernelFacts& facts) { facts.variant = variant; });
  return fallback;
}

/// The loop over a row, around a copy of the kernel:
///
///   x = first
///   row:    lanes = kBlock * W
///   agree:  if all checks pass for [x, x + lanes): end = x + lanes; goto body
///           if lanes is W: fallback(x); x += W; goto next
///           lanes = W; goto agree
///   body:   the kernel; x += W; if x < end goto body
///   next:   if x < row end goto row
///
/// If several rows are jammed and their requirements fail, or fewer rows are left, `rowFallback` runs them one by one,
/// from x on.
class RowLoop {
 public:
  /// `jam`: null for one row, and then `rowFallback` is null too.
  RowLoop(llvm::Function& function, llvm::ValueToValueMapTy& map, const JammedRows* jam = nullptr,
          llvm::Function* rowFallback = nullptr)
      : function_(function), map_(map), jam_(jam), rowFallback_(rowFallback), kernelEntry_(function.getEntryBlock()),
        builder_(function.getContext()) {}

  /// Null if a requirement cannot be checked in advance.
  llvm::Function* write(const Speculation& speculation, llvm::Function& fallback) {
    llvm::BasicBlock* entry = block("entry", &kernelEntry_);
    llvm::BasicBlock *row = block("row", &kernelEntry_), *agree = block("agree", &kernelEntry_);
    llvm::BasicBlock *smaller = block("smaller", &kernelEntry_), *begin = block("begin", &kernelEntry_);
    llvm::BasicBlock *bodyNext = block("body.next"), *others = block("fallback"), *next = block("next"),
                     *end = block("end");
    llvm::Type* i64 = builder_.getInt64Ty();
    llvm::SmallVector<llvm::ReturnInst*, 4> returns;
    for (llvm::BasicBlock& each : function_)
      if (auto* back = llvm::dyn_cast_or_null<llvm::ReturnInst>(each.getTerminator())) returns.push_back(back);
    // Allocas must be in the entry block.
    for (Instruction& instruction : llvm::make_early_inc_range(kernelEntry_))
      if (llvm::isa<llvm::AllocaInst>(instruction)) instruction.moveBefore(*entry, entry->end());

    builder_.SetInsertPoint(entry);
    Value* first = createIntrinsic(builder_, Intrinsic::FirstLane);
    Value* width = createIntrinsic(builder_, Intrinsic::LaneCount);
    Value* most = builder_.CreateMul(width, builder_.getInt64(kBlock));
    llvm::PHINode* leftFrom = nullptr;
    if (jam_ == nullptr) {
      builder_.CreateBr(row);
    } else {
      Value* rowsEnd = builder_.CreateAdd(createIntrinsic(builder_, Intrinsic::LocalId, 1), builder_.getInt64(rows()));
      Value* areThere = builder_.CreateICmpULE(rowsEnd, createIntrinsic(builder_, Intrinsic::LocalSize, 1));
      llvm::BasicBlock* leave = block("row_fallback");
      builder_.CreateCondBr(areThere, row, leave);
      leftFrom = writeRowFallback(leave, end);
      leftFrom->addIncoming(first, entry);
    }

    builder_.SetInsertPoint(row);
    llvm::PHINode* x = builder_.CreatePHI(i64, 2, "x");
    x->addIncoming(first, entry);
    builder_.CreateBr(agree);

    builder_.SetInsertPoint(agree);
    llvm::PHINode* lanes = builder_.CreatePHI(i64, 2, "lanes");
    lanes->addIncoming(most, row);
    Questions questions(builder_, map_, x, lanes, width, rows());
    for (const Assumption& assumption : speculation.assumptions)
      questions.ask(assumption);
    if (jam_ != nullptr)
      for (const JammedRows::Requirement& requirement : jam_->requirements)
        if (!questions.ask(requirement)) return nullptr;
    Value* bodyEnd = builder_.CreateAdd(x, lanes);
    llvm::BasicBlock* together = agree;
    if (jam_ != nullptr) {
      together = block("together", &kernelEntry_);
      builder_.CreateCondBr(questions.answer, together, smaller);
      builder_.SetInsertPoint(together);
      builder_.CreateCondBr(questions.rowsAgree, begin, leftFrom->getParent());
      leftFrom->addIncoming(x, together);
    } else {
      builder_.CreateCondBr(questions.answer, begin, smaller);
    }
    builder_.SetInsertPoint(smaller);
    lanes->addIncoming(width, smaller);
    builder_.CreateCondBr(builder_.CreateICmpEQ(lanes, width), others, agree);

    builder_.SetInsertPoint(begin);
    llvm::PHINode* own = builder_.CreatePHI(i64, 2, "own");
    own->addIncoming(x, together);
    Value* id = builder_.CreateAdd(own, createIntrinsic(builder_, Intrinsic::LaneId));
    replaceIntrinsics(function_, [&](llvm::CallInst&, const IntrinsicCall& what) {
      return what.intrinsic == Intrinsic::LocalId && what.dimension == 0 ? id : nullptr;
    });
    llvm::SmallVector<RowButterfly, 4> butterflies;
    for (Questions::Butterfly& butterfly : questions.butterflies) {
      // The addition does not carry: the first is a multiple of the width.
      llvm::Type* type = butterfly.first->getType();
      butterfly.row.begin = builder_.CreateAdd(butterfly.first, builder_.CreateTrunc(builder_.CreateSub(own, x), type));
      butterfly.row.lane = builder_.CreateTrunc(createIntrinsic(builder_, Intrinsic::LaneId), type);
      butterfly.row.exclusiveOr->setOperand(
          butterfly.operand, builder_.CreateOr(butterfly.row.begin, butterfly.row.lane, "", /*IsDisjoint=*/true));
      butterflies.push_back(butterfly.row);
    }
    builder_.CreateBr(&kernelEntry_);
    for (llvm::ReturnInst* each : returns) {
      llvm::BranchInst::Create(bodyNext, each->getIterator());
      each->eraseFromParent();
    }
    builder_.SetInsertPoint(bodyNext);
    Value* after = builder_.CreateAdd(own, width, "", /*HasNUW=*/true, /*HasNSW=*/true);
    own->addIncoming(after, bodyNext);
    // The widened loop keeps the mark.
    setLoopProperty(*builder_.CreateCondBr(builder_.CreateICmpULT(after, bodyEnd), begin, next), kIndependentLoopName);

    builder_.SetInsertPoint(others);
    for (unsigned i = 0; i < rows(); ++i)
      call(fallback, x, rowId(i));
    Value* afterRest = builder_.CreateAdd(x, width, "", /*HasNUW=*/true, /*HasNSW=*/true);
    builder_.CreateBr(next);

    builder_.SetInsertPoint(next);
    llvm::PHINode* reached = builder_.CreatePHI(i64, 2, "reached");
    reached->addIncoming(after, bodyNext);
    reached->addIncoming(afterRest, others);
    x->addIncoming(reached, next);
    builder_.CreateCondBr(builder_.CreateICmpULT(reached, createIntrinsic(builder_, Intrinsic::RowEnd)), row, end);
    llvm::ReturnInst::Create(function_.getContext(), end);
    versionButterflies(butterflies, *begin, *next);
    return &function_;
  }

 private:
  /// Number of sub-groups that are checked together, since most are far from every edge.
  static constexpr unsigned kBlock = 8;

  llvm::BasicBlock* block(const char* name, llvm::BasicBlock* before = nullptr) {
    return llvm::BasicBlock::Create(function_.getContext(), name, &function_, before);
  }

  unsigned rows() const { return jam_ == nullptr ? 1 : jam_->rows; }

  Value* rowId(unsigned row) {
    Value* y = createIntrinsic(builder_, Intrinsic::LocalId, 1);
    return row == 0 ? y : builder_.CreateAdd(y, builder_.getInt64(row), "", /*HasNUW=*/true, /*HasNSW=*/true);
  }

  void call(llvm::Function& function, Value* x, Value* y) {
    llvm::SmallVector<Value*, 16> arguments = {x, y, createIntrinsic(builder_, Intrinsic::LocalId, 2)};
    for (llvm::Argument& argument : function_.args())
      arguments.push_back(&argument);
    builder_.CreateCall(&function, arguments);
  }

  /// Calls `rowFallback` for each of the existing rows. Returns the position in the row at which to begin.
  llvm::PHINode* writeRowFallback(llvm::BasicBlock* leave, llvm::BasicBlock* end) {
    builder_.SetInsertPoint(leave);
    llvm::PHINode* x = builder_.CreatePHI(builder_.getInt64Ty(), 2, "x");
    for (unsigned i = 0; i < rows(); ++i) {
      Value* y = rowId(i);
      if (i != 0) {
        llvm::BasicBlock* more = block("row_fallback.next");
        builder_.CreateCondBr(builder_.CreateICmpULT(y, createIntrinsic(builder_, Intrinsic::LocalSize, 1)), more, end);
        builder_.SetInsertPoint(more);
      }
      call(*rowFallback_, x, y);
    }
    builder_.CreateBr(end);
    return x;
  }

  llvm::Function& function_;
  llvm::ValueToValueMapTy& map_;
  const JammedRows* jam_;
  llvm::Function* rowFallback_;
  llvm::BasicBlock& kernelEntry_;
  llvm::IRBuilder<> builder_;
};

} // namespace

bool isCallOfFallback(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration()) return false;
  const Variant variant = variantOf(*callee);
  return variant == Variant::Fallback || variant == Variant::RowFallback;
}

llvm::Function* specialise(llvm::Function& kernel, const Speculation& speculation, bool rowsAreFull) {
  if (rowsAreFull && speculation.assumptions.empty()) return nullptr;
  llvm::ValueToValueMapTy map;
  llvm::Function* copy = llvm::CloneFunction(&kernel, map);
  return RowLoop(*copy, map).write(speculation, *declareFallback(kernel, kernel.getName(), Variant::Fallback));
}

llvm::Function* specialise(const JammedRows& jam, llvm::StringRef name, const LaneShapes& shapes,
                           const SubGroupFlow& flow) {
  Speculation speculation(shapes, flow);
  for (const JammedRows::Requirement& requirement : jam.requirements)
    if (!requirement.value || !requirement.equals || !speculation.isSettled(requirement.value) ||
        !speculation.isSettled(requirement.equals))
      return nullptr;
  llvm::ValueToValueMapTy map;
  llvm::Function* copy = llvm::CloneFunction(jam.function, map);
  llvm::Function* rowFallback = declareFallback(*jam.function, name, Variant::RowFallback);
  RowLoop loop(*copy, map, &jam, rowFallback);
  if (loop.write(speculation, *declareFallback(*jam.function, name, Variant::Fallback)) != nullptr) return copy;
  copy->eraseFromParent();
  rowFallback->eraseFromParent();
  return nullptr;
}

} // namespace clotho::compiler
