// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/propagate_local_id.hpp"

#include "compiler/analysis/work_item_uniformity.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernels.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/InstSimplifyFolder.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;
using namespace llvm::PatternMatch;
using Builder = llvm::IRBuilder<llvm::InstSimplifyFolder, llvm::IRBuilderCallbackInserter>;

constexpr unsigned kIdBits = 64;
constexpr unsigned kLocalIdBits = 31; ///< Local ids have no more.
constexpr unsigned kDeepest = 12;     ///< The limit for expressions of addresses.

/// The id along dimension 0 that has, in as many of its lower bits as `value` has, that value.
struct KnownId {
  Intrinsic id;
  Value* value;
};

unsigned bitsOf(const Value& value) { return value.getType()->getIntegerBitWidth(); }

class EqualIds {
 public:
  EqualIds(llvm::Function& kernel, const llvm::DominatorTree& dominators, const llvm::LoopInfo& loops)
      : kernel_(kernel), dominators_(dominators), loops_(loops), uniformity_(kernel, UniformityScope::SubGroup) {}

  bool run() {
    llvm::SmallVector<Instruction*, 16> accesses;
    for (Instruction& instruction : llvm::instructions(kernel_)) {
      const Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
      if (pointer != nullptr && !instruction.isVolatile() && !instruction.isAtomic() && !isUniform(*pointer) &&
          dominators_.isReachableFromEntry(instruction.getParent()))
        accesses.push_back(&instruction);
    }
    bool changed = false;
    for (Instruction* access : accesses)
      changed |= makeUniform(*access);
    return changed;
  }

 private:
  bool isUniform(const Value& value) const {
    const auto* instruction = llvm::dyn_cast<Instruction>(&value);
    return instruction == nullptr || uniformity_.isUniform(*instruction);
  }

  /// A value that is uniform in a loop no longer is behind it, where lanes leave the loop in different rounds.
  bool isUniformAt(const Value& value, const Instruction& access) const {
    const auto* instruction = llvm::dyn_cast<Instruction>(&value);
    const llvm::Loop* loop = instruction == nullptr ? nullptr : loops_.getLoopFor(instruction->getParent());
    return isUniform(value) && (loop == nullptr || loop->contains(&access));
  }

  /// Takes the nearest branch that tells enough.
  bool makeUniform(Instruction& access) {
    BasicBlock* block = access.getParent();
    for (auto* node = dominators_.getNode(block)->getIDom(); node != nullptr; node = node->getIDom()) {
      Value* condition = nullptr;
      BasicBlock *then = nullptr, *otherwise = nullptr;
      if (!match(node->getBlock()->getTerminator(), m_Br(m_Value(condition), then, otherwise)) || then == otherwise)
        continue;
      for (const bool isTrue : {true, false})
        if (dominators_.dominates({node->getBlock(), isTrue ? then : otherwise}, block) &&
            makeUniform(access, *condition, isTrue))
          return true;
    }
    return false;
  }

  bool makeUniform(Instruction& access, Value& condition, bool isTrue) {
    Value *one = nullptr, *other = nullptr;
    if (match(&condition, m_Not(m_Value(one)))) return makeUniform(access, *one, !isTrue);
    if (isTrue ? match(&condition, m_LogicalAnd(m_Value(one), m_Value(other)))
               : match(&condition, m_LogicalOr(m_Value(one), m_Value(other))))
      return makeUniform(access, *one, isTrue) || makeUniform(access, *other, isTrue);
    const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&condition);
    if (comparison == nullptr || !comparison->getOperand(0)->getType()->isIntegerTy() ||
        comparison->getPredicate() != (isTrue ? llvm::CmpInst::ICMP_EQ : llvm::CmpInst::ICMP_NE))
      return false;
    one = comparison->getOperand(0);
    other = comparison->getOperand(1);
    if (isUniform(*one)) std::swap(one, other);
    if (isUniform(*one) || !isUniformAt(*other, access)) return false;
    llvm::SmallVector<Instruction*, 16> inserted;
    const auto note = [&](Instruction* instruction) { inserted.push_back(instruction); };
    Builder builder(access.getContext(), llvm::InstSimplifyFolder(access.getDataLayout()),
                    llvm::IRBuilderCallbackInserter(note));
    builder.SetInsertPoint(&access);
    made_.clear();
    const unsigned operand = llvm::isa<llvm::LoadInst>(access) ? llvm::LoadInst::getPointerOperandIndex()
                                                               : llvm::StoreInst::getPointerOperandIndex();
    const auto known = solve(*one, other, builder);
    Value* pointer = known ? substitute(*access.getOperand(operand), *known, builder, 0) : nullptr;
    if (pointer != nullptr) {
      access.setOperand(operand, pointer);
      return true;
    }
    for (Instruction* instruction : llvm::reverse(inserted))
      instruction->eraseFromParent();
    return false;
  }

  /// The id for which `varying`, a sum of it and of what is uniform, is `value`.
  std::optional<KnownId> solve(Value& varying, Value* value, Builder& builder) const {
    for (Value* left = &varying;;) {
      if (const auto call = matchLowerBits(left))
        return isId(*call) ? std::optional(KnownId{call->intrinsic, value}) : std::nullopt;
      Value *one = nullptr, *other = nullptr;
      if (match(left, m_ZExtOrSExt(m_Value(one)))) {
        value = builder.CreateTrunc(value, one->getType());
        left = one;
      } else if (match(left, m_AddLike(m_Value(one), m_Value(other)))) {
        if (isUniform(*one)) std::swap(one, other);
        if (!isUniform(*other)) return std::nullopt;
        value = builder.CreateSub(value, other);
        left = one;
      } else if (match(left, m_Sub(m_Value(one), m_Value(other))) && isUniform(*other)) {
        value = builder.CreateAdd(value, other);
        left = one;
      } else {
        return std::nullopt;
      }
    }
  }

  static bool isId(const IntrinsicCall& call) {
    return call.dimension == 0 && (call.intrinsic == Intrinsic::LocalId || call.intrinsic == Intrinsic::GlobalId);
  }

  /// Computes the value from the known id, without anything that differs between lanes; null if it is made of other
  /// things.
  Value* substitute(Value& value, const KnownId& known, Builder& builder, unsigned depth) {
    if (isUniform(value)) return isUniformAt(value, *builder.GetInsertPoint()) ? &value : nullptr;
    auto& instruction = llvm::cast<Instruction>(value);
    if (const auto made = made_.find(&value); made != made_.end()) return made->second;
    if (const auto call = matchLowerBits(&value); call && isId(*call))
      return made_[&value] = idOf(*call, bitsOf(value), known, builder);
    // Another freeze may give another value than the one that has been compared.
    if (depth == kDeepest || llvm::isa<llvm::PHINode, llvm::FreezeInst>(instruction) ||
        instruction.mayReadOrWriteMemory() || matchIntrinsic(&instruction) ||
        !llvm::isSafeToSpeculativelyExecute(&instruction))
      return nullptr;
    llvm::SmallVector<Value*, 4> operands;
    for (Value* operand : instruction.operands()) {
      operands.push_back(substitute(*operand, known, builder, depth + 1));
      if (operands.back() == nullptr) return made_[&value] = nullptr;
    }
    Instruction* copy = instruction.clone();
    for (auto [operand, of] : llvm::zip_equal(copy->operands(), operands))
      operand.set(of);
    return made_[&value] = builder.Insert(copy, instruction.getName());
  }

  /// The lower bits of an id along dimension 0.
  static Value* idOf(const IntrinsicCall& call, unsigned bits, const KnownId& known, Builder& builder) {
    llvm::Type* type = builder.getIntNTy(bits);
    const unsigned knownBits = bitsOf(*known.value);
    if (call.intrinsic == known.id && bits <= knownBits) return builder.CreateTrunc(known.value, type);
    // A kernel that asks for global ids only does not come to ask for its group.
    if (knownBits < kLocalIdBits || (call.intrinsic == known.id && known.id == Intrinsic::GlobalId)) return nullptr;
    // What the lower bits of a local id are, all of it is.
    Value* local = known.value;
    if (known.id == Intrinsic::GlobalId) {
      Value* base = createIntrinsic(builder, Intrinsic::GroupBase);
      local = builder.CreateSub(local, builder.CreateTrunc(base, local->getType()));
    }
    local = builder.CreateZExtOrTrunc(local, builder.getIntNTy(kIdBits));
    if (call.intrinsic == Intrinsic::GlobalId)
      local = builder.CreateAdd(createIntrinsic(builder, Intrinsic::GroupBase), local);
    return builder.CreateTrunc(local, type);
  }

  llvm::Function& kernel_;
  const llvm::DominatorTree& dominators_;
  const llvm::LoopInfo& loops_;
  const WorkItemUniformity uniformity_; ///< It knows what was there at first.
  llvm::DenseMap<const Value*, Value*> made_;
};

} // namespace

llvm::PreservedAnalyses PropagateLocalIdPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (!isKernel(function)) return llvm::PreservedAnalyses::all();
  if (!EqualIds(function, analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                analyses.getResult<llvm::LoopAnalysis>(function))
           .run())
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace clotho::compiler
