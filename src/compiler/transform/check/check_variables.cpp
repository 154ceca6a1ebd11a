// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/check/check_variables.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>

namespace clotho::compiler {
namespace {

using llvm::IRBuilder;
using llvm::Value;

constexpr llvm::StringLiteral kShadowName = "clotho.written";
/// Metadata of variables whose checks are there.
constexpr llvm::StringLiteral kFollowed = "clotho.followed";

/// Marks of reads, until it is known which bytes were written. Operands: whether some were not (i1), how many are read,
/// and where. Its metadata of this name is the variable's name.
constexpr llvm::StringLiteral kReadMark = "clotho.read_of_variable";

/// A use of a variable at a known offset.
struct Use {
  llvm::Instruction* at;
  std::uint64_t offset;
  bool isTarget; ///< of a store or a copy
};

struct Variable {
  llvm::AllocaInst* memory;
  std::uint64_t bytes = 0;
  llvm::SmallVector<Use, 8> uses;
  llvm::AllocaInst* shadow = nullptr;
};

std::uint64_t storeBytes(const llvm::Instruction& at, llvm::Type* type) {
  return at.getDataLayout().getTypeStoreSize(type).getFixedValue();
}

/// Collects the uses of a variable; false if it is used in a way that is not followed.
bool collectUses(Value& pointer, std::uint64_t offset, Variable& variable) {
  const llvm::DataLayout& layout = variable.memory->getDataLayout();
  for (llvm::Use& use : pointer.uses()) {
    auto* user = llvm::cast<llvm::Instruction>(use.getUser());
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      if (!load->isSimple()) return false;
      variable.uses.push_back({user, offset, false});
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      if (!store->isSimple() || store->getValueOperand() == &pointer) return false;
      variable.uses.push_back({user, offset, true});
    } else if (auto* fill = llvm::dyn_cast<llvm::MemIntrinsic>(user)) {
      if (!llvm::isa<llvm::ConstantInt>(fill->getLength()) || fill->isVolatile()) return false;
      variable.uses.push_back({user, offset, use.getOperandNo() == 0});
    } else if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
      llvm::APInt distance(64, offset);
      if (!address->accumulateConstantOffset(layout, distance) || distance.uge(variable.bytes)) return false;
      if (!collectUses(*address, distance.getZExtValue(), variable)) return false;
    } else if (llvm::isa<llvm::AddrSpaceCastInst>(user)) {
      if (!collectUses(*user, offset, variable)) return false;
    } else if (!user->isLifetimeStartOrEnd()) {
      return false;
    }
  }
  return true;
}

std::uint64_t numberIn(const llvm::CallInst& call, unsigned operand) {
  return llvm::cast<llvm::ConstantInt>(call.getArgOperand(operand))->getZExtValue();
}

/// Simplifies what a mark's condition is computed from, which was loaded from shadows.
void simplifyCondition(llvm::CallInst& mark) {
  const llvm::SimplifyQuery query(mark.getDataLayout());
  llvm::SmallVector<llvm::Instruction*, 8> open;
  llvm::SmallPtrSet<const Value*, 8> seen;
  const auto enter = [&](Value* value) {
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (instruction != nullptr && !instruction->mayReadOrWriteMemory() && seen.insert(value).second)
      open.push_back(instruction);
  };
  enter(mark.getArgOperand(0));
  for (std::size_t i = 0; i < open.size(); ++i) // grows
    for (Value* operand : open[i]->operands())
      enter(operand);
  // Operands mostly come behind their users.
  for (llvm::Instruction* instruction : llvm::reverse(open))
    if (Value* simpler = llvm::simplifyInstruction(instruction, query)) instruction->replaceAllUsesWith(simpler);
}

/// Whether the block in which the variable begins to live writes all of it first.
bool isWrittenFirst(const Variable& variable) {
  const llvm::BasicBlock* block = variable.memory->getParent();
  for (const llvm::User* user : variable.memory->users())
    if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(user);
        call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::lifetime_start)
      block = call->getParent();
  const Use* first = nullptr;
  for (const Use& use : variable.uses)
    if (use.at->getParent() == block && (first == nullptr || use.at->comesBefore(first->at))) first = &use;
  if (first == nullptr || !first->isTarget || first->offset != 0) return false;
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(first->at))
    return storeBytes(*store, store->getValueOperand()->getType()) >= variable.bytes;
  const auto* fill = llvm::cast<llvm::MemIntrinsic>(first->at);
  return llvm::cast<llvm::ConstantInt>(fill->getLength())->getZExtValue() >= variable.bytes;
}

class VariableChecks {
 public:
  explicit VariableChecks(llvm::Function& function) : function_(function) {}

  void run() {
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
      if (memory == nullptr || isShadow(*memory) || memory->hasMetadata(kFollowed)) continue;
      const auto size = memory->getAllocationSize(function_.getDataLayout());
      if (!size || size->isZero()) continue;
      Variable variable{memory, size->getFixedValue(), {}};
      if (collectUses(*memory, 0, variable) && !isWrittenFirst(variable) && isRead(variable))
        variables_.push_back(std::move(variable));
    }
    for (Variable& variable : variables_) {
      variable.memory->setMetadata(kFollowed, llvm::MDNode::get(function_.getContext(), {}));
      variable.shadow = createShadow(*variable.memory);
      shadows_[variable.memory] = variable.shadow;
    }
    // Stores of elements into vectors, which load the vector first, pass on which elements were written.
    for (const Variable& variable : variables_)
      for (const Use& use : variable.uses)
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(use.at)) findWritten(variable, *load, use.offset);
    for (const Variable& variable : variables_)
      for (const Use& use : variable.uses)
        if (use.isTarget) write(variable, use);
    for (const Check& check : checks_)
      mark(check);
  }

 private:
  struct Check {
    llvm::Instruction* at;
    llvm::AllocaInst* variable;
    Value* bad;
    std::uint64_t bytes, offset;
  };

  /// Adds a call that reportUnwritten replaces.
  void mark(const Check& check) {
    llvm::LLVMContext& context = function_.getContext();
    IRBuilder<> builder(check.at);
    auto* type = llvm::FunctionType::get(builder.getVoidTy(),
                                         {builder.getInt1Ty(), builder.getInt64Ty(), builder.getInt64Ty()}, false);
    auto* marker = llvm::cast<llvm::Function>(function_.getParent()->getOrInsertFunction(kReadMark, type).getCallee());
    marker->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
    marker->setDoesNotThrow();
    marker->setWillReturn();
    llvm::CallInst* call =
        builder.CreateCall(marker, {check.bad, builder.getInt64(check.bytes), builder.getInt64(check.offset)});
    call->setMetadata(kReadMark,
                      llvm::MDNode::get(context, llvm::MDString::get(context, nameOfVariable(*check.variable))));
  }

  static bool isRead(const Variable& variable) {
    return llvm::any_of(variable.uses, [](const Use& use) { return llvm::isa<llvm::LoadInst>(use.at); });
  }

  static Value* shadowAt(IRBuilder<>& builder, const Variable& variable, std::uint64_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), variable.shadow, offset);
  }

  /// Integers of the size of a type's elements.
  static llvm::Type* bitsOf(IRBuilder<>& builder, const llvm::Instruction& at, llvm::Type* type) {
    if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
      return llvm::FixedVectorType::get(
          builder.getIntNTy(static_cast<unsigned>(8 * storeBytes(at, vector->getElementType()))),
          vector->getNumElements());
    return builder.getIntNTy(static_cast<unsigned>(8 * storeBytes(at, type)));
  }

  void findWritten(const Variable& variable, llvm::LoadInst& load, std::uint64_t offset) {
    IRBuilder<> builder(&load);
    llvm::Type* bits = bitsOf(builder, load, load.getType());
    Value* written = builder.CreateAlignedLoad(bits, shadowAt(builder, variable, offset), llvm::Align(1));
    const std::uint64_t bytes = storeBytes(load, load.getType());
    if (bits->isVectorTy() && !load.getType()->getScalarType()->isIntegerTy(1))
      follow(load, written, variable, bytes, offset);
    else
      require(load, written, variable, bytes, offset);
  }

  /// Reports before `at` unless all of it is written.
  void require(llvm::Instruction& at, Value* written, const Variable& variable, std::uint64_t bytes,
               std::uint64_t offset) {
    IRBuilder<> builder(&at);
    Value* isLacking = builder.CreateICmpNE(written, llvm::Constant::getAllOnesValue(written->getType()));
    if (isLacking->getType()->isVectorTy()) isLacking = builder.CreateOrReduce(isLacking);
    checks_.push_back({&at, variable.memory, isLacking, bytes, offset});
  }

  /// Follows a vector through element operations to where its elements are needed.
  void follow(llvm::Instruction& value, Value* written, const Variable& variable, std::uint64_t bytes,
              std::uint64_t offset) {
    written_[&value] = written;
    for (const llvm::Use& use : value.uses()) {
      auto* next = llvm::cast<llvm::Instruction>(use.getUser());
      if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(next)) {
        require(*phi->getIncomingBlock(use)->getTerminator(), written, variable, bytes, offset);
        continue;
      }
      IRBuilder<> builder(next);
      if (auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(next)) {
        require(*next, builder.CreateExtractElement(written, extract->getIndexOperand()), variable,
                storeBytes(*next, next->getType()), offset);
      } else if (auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(next);
                 insert != nullptr && insert->getOperand(0) == &value) {
        Value* one = llvm::Constant::getAllOnesValue(written->getType()->getScalarType());
        follow(*next, builder.CreateInsertElement(written, one, insert->getOperand(2)), variable, bytes, offset);
      } else if (auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(next);
                 shuffle != nullptr && !written_.contains(shuffle)) {
        const auto part = [&](Value* operand) -> Value* {
          const auto found = written_.find(operand);
          return found != written_.end() ? found->second : llvm::Constant::getAllOnesValue(written->getType());
        };
        // Elements of no operand are never needed.
        Value* both = builder.CreateShuffleVector(part(shuffle->getOperand(0)), part(shuffle->getOperand(1)),
                                                  shuffle->getShuffleMask());
        follow(*next, orUnused(builder, both, shuffle->getShuffleMask()), variable, bytes, offset);
      } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(next); store != nullptr && isFollowed(*store)) {
        continue;
      } else if (!llvm::isa<llvm::ShuffleVectorInst>(next)) {
        require(*next, written, variable, bytes, offset);
      }
    }
  }

  static Value* orUnused(IRBuilder<>& builder, Value* written, llvm::ArrayRef<int> mask) {
    llvm::SmallVector<llvm::Constant*, 16> unused;
    llvm::Type* element = written->getType()->getScalarType();
    for (const int from : mask)
      unused.push_back(from < 0 ? llvm::Constant::getAllOnesValue(element) : llvm::Constant::getNullValue(element));
    // Poison in an element that nothing needs would spread.
    return builder.CreateOr(builder.CreateFreeze(written), llvm::ConstantVector::get(unused));
  }

  bool isFollowed(const llvm::StoreInst& store) const {
    return llvm::any_of(variables_, [&](const Variable& variable) {
      return llvm::any_of(variable.uses, [&](const Use& use) { return use.at == &store; });
    });
  }

  void write(const Variable& variable, const Use& use) {
    IRBuilder<> builder(use.at);
    Value* target = shadowAt(builder, variable, use.offset);
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(use.at)) {
      Value* value = store->getValueOperand();
      const auto found = written_.find(value);
      Value* written = found != written_.end()
                           ? found->second
                           : llvm::Constant::getAllOnesValue(bitsOf(builder, *store, value->getType()));
      builder.CreateAlignedStore(written, target, llvm::Align(1));
      return;
    }
    auto* fill = llvm::cast<llvm::MemIntrinsic>(use.at);
    if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(fill))
      if (llvm::AllocaInst* from = shadows_.lookup(copy->getSource())) {
        builder.CreateMemCpy(target, llvm::Align(1), from, llvm::Align(1), copy->getLength());
        return;
      }
    builder.CreateMemSet(target, builder.getInt8(0xff), fill->getLength(), llvm::Align(1));
  }

  llvm::Function& function_;
  std::vector<Variable> variables_;
  llvm::DenseMap<const Value*, llvm::AllocaInst*> shadows_;
  llvm::DenseMap<const Value*, Value*> written_; ///< of vectors: integers of all ones for elements that are
  std::vector<Check> checks_;
};

} // namespace

llvm::AllocaInst* createShadow(llvm::AllocaInst& variable) {
  IRBuilder<> builder(&variable);
  auto* shadow = builder.CreateAlloca(variable.getAllocatedType(), variable.getArraySize(), kShadowName);
  shadow->setAlignment(variable.getAlign());
  const std::uint64_t bytes = variable.getAllocationSize(variable.getDataLayout())->getFixedValue();
  const auto clear = [&](llvm::BasicBlock::iterator at) {
    builder.SetInsertPoint(at->getParent(), at);
    builder.CreateMemSet(shadow, builder.getInt8(0), bytes, shadow->getAlign());
  };
  llvm::SmallVector<llvm::Instruction*, 4> starts;
  for (llvm::User* user : variable.users())
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(user);
        call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::lifetime_start)
      starts.push_back(call);
  clear(variable.getFunction()->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  for (llvm::Instruction* start : starts)
    clear(std::next(start->getIterator()));
  return shadow;
}

bool isShadow(const llvm::AllocaInst& variable) { return variable.getName().starts_with(kShadowName); }

void markReadsOfVariables(llvm::Function& function) { VariableChecks(function).run(); }

void reportUnwritten(llvm::Function& function, Checker& checker) {
  llvm::Function* marker = function.getParent()->getFunction(kReadMark);
  if (marker == nullptr) return;
  llvm::SmallVector<llvm::CallInst*, 16> marks;
  for (llvm::User* user : marker->users())
    if (auto* mark = llvm::cast<llvm::CallInst>(user); mark->getFunction() == &function) marks.push_back(mark);
  // Their order in the list of users is the reverse of that in which they were made.
  for (llvm::CallInst* mark : llvm::reverse(marks)) {
    simplifyCondition(*mark);
    CheckDetails details{kFaultUninitialised, numberIn(*mark, 1), nullptr, mark->getArgOperand(2)};
    details.name = llvm::cast<llvm::MDString>(mark->getMetadata(kReadMark)->getOperand(0))->getString();
    checker.reportIf(mark->getArgOperand(0), *mark, details);
    auto* condition = llvm::dyn_cast<llvm::Instruction>(mark->getArgOperand(0));
    mark->eraseFromParent();
    if (condition != nullptr) llvm::RecursivelyDeleteTriviallyDeadInstructions(condition);
  }
  marker->eraseFromParent();
}

} // namespace clotho::compiler
