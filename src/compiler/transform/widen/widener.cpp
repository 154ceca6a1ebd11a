// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/widener.hpp"

#include "compiler/ir/intrinsics.hpp"

#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

namespace clotho::compiler {

using llvm::BasicBlock;
using llvm::Value;

Widener::Widener(const Plan& plan, llvm::Function& target, VectorisationReport* report)
    : plan_(plan), target_(target), report_(report), layout_(target.getDataLayout()), builder_(target.getContext()) {}

Widener::~Widener() = default;

BasicBlock* Widener::newBlock(const llvm::Twine& name) {
  return BasicBlock::Create(target_.getContext(), name, &target_);
}

llvm::AllocaInst* Widener::newVariable(llvm::Type* type, const llvm::Twine& name) {
  Builder entry(entry_, entry_->begin());
  variables_.push_back(entry.CreateAlloca(type, nullptr, name));
  return variables_.back();
}

namespace {

/// Makes all accesses to the variable volatile, so that it stays in memory. Masks are stored as integers, since not
/// every processor stores vectors of bits.
void keepInMemory(llvm::AllocaInst& variable) {
  llvm::Type* type = variable.getAllocatedType();
  llvm::Type* bits = nullptr;
  if (type->isIntOrIntVectorTy(1)) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    constexpr unsigned kByte = 8;
    bits = llvm::Type::getIntNTy(type->getContext(), vector != nullptr ? vector->getNumElements() : 1);
    variable.setAllocatedType(llvm::Type::getIntNTy(type->getContext(), std::max(bits->getIntegerBitWidth(), kByte)));
    variable.setAlignment(llvm::Align(kByte));
  }
  for (llvm::User* user : llvm::make_early_inc_range(variable.users())) {
    auto* access = llvm::cast<llvm::Instruction>(user);
    llvm::IRBuilder<> builder(access);
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(access)) {
      Value* value = store->getValueOperand();
      if (!llvm::isa<llvm::UndefValue>(value)) {
        if (bits != nullptr)
          value = builder.CreateZExt(builder.CreateBitCast(value, bits), variable.getAllocatedType());
        builder.CreateAlignedStore(value, &variable, variable.getAlign(), /*isVolatile=*/true);
      }
    } else {
      Value* value = builder.CreateAlignedLoad(variable.getAllocatedType(), &variable, variable.getAlign(),
                                               /*isVolatile=*/true);
      if (bits != nullptr) value = builder.CreateBitCast(builder.CreateTrunc(value, bits), type);
      access->replaceAllUsesWith(value);
    }
    access->eraseFromParent();
  }
}

} // namespace

/// Keeps variables with long live ranges in memory if there are too many. As a register, each variable is a phi in
/// about as many blocks as are between its first and last, and all are live at once: a switch of hundreds of cases that
/// fall through has as many masks, and register allocation would take minutes.
void Widener::keepFarVariables() {
  constexpr std::size_t kMostBlocks = 8000; // over all variables; the kernels of bench/ come to a thousand
  constexpr unsigned kFar = 16;
  std::size_t total = 0;
  for (const auto& [variable, span] : spans_)
    total += span;
  if (total <= kMostBlocks) return;
  llvm::erase_if(variables_, [&](llvm::AllocaInst* variable) {
    if (spans_.lookup(variable) <= kFar) return false;
    keepInMemory(*variable);
    return true;
  });
}

/// Turns variables into values. For each variable PromoteMemToReg looks at all blocks that a store of it dominates,
/// which may be the rest of the function. In functions of many blocks, what is reset near its use is therefore followed
/// backwards from its loads.
void Widener::promoteVariables() {
  constexpr std::size_t kManyBlocks = 1000;
  if (target_.size() > kManyBlocks)
    llvm::erase_if(variables_, [&](llvm::AllocaInst* variable) {
      if (!spans_.contains(variable)) return false;
      llvm::SmallVector<llvm::Instruction*, 16> accesses;
      for (llvm::User* user : variable->users())
        accesses.push_back(llvm::cast<llvm::Instruction>(user));
      llvm::SSAUpdater values;
      llvm::LoadAndStorePromoter(accesses, values, variable->getName()).run(accesses);
      variable->eraseFromParent();
      return true;
    });
  llvm::DominatorTree dominators(target_);
  llvm::PromoteMemToReg(variables_, dominators);
}

void Widener::run() {
  entry_ = newBlock("sub_group");
  builder_.SetInsertPoint(entry_);
  for (llvm::Argument& argument : plan_.kernel.args()) {
    target_.getArg(argument.getArgNo())->setName(argument.getName());
    defineUniform(&argument, target_.getArg(argument.getArgNo()));
  }
  BasicBlock& first = plan_.kernel.getEntryBlock();
  masks_[&first] = nullptr;
  if (plan_.masked) {
    // Lanes that are within the row; 32 bits suffice for a row's length.
    Value* left = builder_.CreateSub(createIntrinsic(builder_, Intrinsic::RowEnd),
                                     createIntrinsic(builder_, Intrinsic::LocalId, 0));
    Value* count = splat(builder_.CreateTrunc(left, builder_.getInt32Ty()));
    masks_[&first] = builder_.CreateICmpULT(laneNumbers(builder_.getInt32Ty(), 1), count, "row");
  }
  createPrivateMemory();
  for (BasicBlock* block : plan_.flow.order())
    begins_[block] = newBlock(block->getName());
  for (BasicBlock* block : plan_.flow.order()) {
    beginBlock(*block);
    for (llvm::Instruction& instruction : *block)
      if (!llvm::isa<llvm::PHINode>(instruction) && !instruction.isTerminator()) widen(instruction);
    endBlock(*block);
  }
  llvm::BranchInst::Create(begins_[&first], entry_);
  keepFarVariables();
  promoteVariables();
}

} // namespace clotho::compiler
