// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/memory/spread_counters.hpp"

#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernels.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kLocalSpace = 3;
constexpr unsigned kCopies = 4;
/// Bytes of an array that gets copies, at most: they are to stay in the first cache beside the data and to cost little
/// to add up.
constexpr std::uint64_t kMostBytes = 2048;
/// Bytes of a kernel's local memory with the copies, at most: every device has as much, so that no launch fails for
/// them.
constexpr std::uint64_t kMostLocalBytes = std::uint64_t{32} << 10;
/// A loop of fewer rounds does not pay for clearing and adding up.
constexpr unsigned kLeastRounds = 32;

/// A local array, what counts in it, and all other instructions that access it.
struct Counters {
  llvm::GlobalVariable* array;
  llvm::IntegerType* type = nullptr; ///< of a count
  llvm::SetVector<llvm::AtomicRMWInst*> additions;
  llvm::SmallPtrSet<const Instruction*, 8> others;
};

class CounterSpreader {
 public:
  CounterSpreader(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses)
      : kernel_(kernel), loops_(analyses.getResult<llvm::LoopAnalysis>(kernel)),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(kernel)),
        ends_(analyses.getResult<llvm::PostDominatorTreeAnalysis>(kernel)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(kernel)) {}

  /// The array of copies that takes the array's place, after which the analyses no longer hold; null if it stays.
  llvm::GlobalVariable* spread(llvm::GlobalVariable& array) {
    Counters counters{.array = &array, .additions = {}, .others = {}};
    if (!findAccesses(array, counters, /*isElement=*/false)) return nullptr;
    counters.additions.remove_if([&](llvm::AtomicRMWInst* addition) {
      if (isRepeated(*addition)) return false;
      counters.others.insert(addition);
      return true;
    });
    if (counters.additions.empty() || !fits(counters)) return nullptr;
    llvm::SmallSetVector<Instruction*, 4> ends;
    if (!findEnds(counters, ends)) return nullptr;
    Instruction* begin = findBegin(counters, ends.getArrayRef());
    return begin != nullptr ? rewrite(counters, *begin, ends.getArrayRef()) : nullptr;
  }

 private:
  /// Everything that is done with the pointer is known.
  bool findAccesses(Value& pointer, Counters& counters, bool isElement) const {
    for (llvm::User* user : pointer.users()) {
      if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
        if (!findAccesses(*address, counters, isElement || !address->hasAllConstantIndices())) return false;
        continue;
      }
      auto* instruction = llvm::dyn_cast<Instruction>(user);
      if (instruction == nullptr) return false;
      // The kernel for smaller work-groups, which goes on with the first copy.
      if (instruction->getFunction() != &kernel_) continue;
      if (auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(instruction);
          change != nullptr && change->getPointerOperand() == &pointer) {
        if (isElement && isCount(*change, counters))
          counters.additions.insert(change);
        else
          counters.others.insert(change);
      } else if (llvm::getLoadStorePointerOperand(instruction) == &pointer) {
        counters.others.insert(instruction);
      } else {
        return false;
      }
    }
    return true;
  }

  /// Whether the change counts in the same type as the others. Sums that leave the type's range wrap around as a single
  /// one does.
  static bool isCount(const llvm::AtomicRMWInst& change, Counters& counters) {
    const auto operation = change.getOperation();
    auto* type = llvm::dyn_cast<llvm::IntegerType>(change.getType());
    if (type == nullptr || !change.use_empty() ||
        (operation != llvm::AtomicRMWInst::Add && operation != llvm::AtomicRMWInst::Sub))
      return false;
    if (counters.type == nullptr) counters.type = type;
    return counters.type == type;
  }

  bool isRepeated(const llvm::AtomicRMWInst& addition) const {
    for (const llvm::Loop* loop = loops_.getLoopFor(addition.getParent()); loop != nullptr;
         loop = loop->getParentLoop())
      if (const unsigned rounds = evolution_.getSmallConstantMaxTripCount(loop); rounds == 0 || rounds >= kLeastRounds)
        return true;
    return false;
  }

  bool fits(const Counters& counters) const {
    const llvm::DataLayout& layout = kernel_.getDataLayout();
    const std::uint64_t bytes = layout.getTypeAllocSize(counters.array->getValueType());
    const std::uint64_t size = layout.getTypeAllocSize(counters.type);
    if (bytes > kMostBytes || bytes % size != 0 || counters.array->getAlign().valueOrOne() < size) return false;
    // Arguments may be as large as the device allows.
    if (llvm::any_of(kernel_.args(), [](const llvm::Argument& argument) {
          const auto* pointer = llvm::dyn_cast<llvm::PointerType>(argument.getType());
          return pointer != nullptr && pointer->getAddressSpace() == kLocalSpace;
        }))
      return false;
    std::uint64_t all = (kCopies - 1) * bytes;
    for (const llvm::GlobalVariable& variable : kernel_.getParent()->globals())
      if (variable.getAddressSpace() == kLocalSpace) all += layout.getTypeAllocSize(variable.getValueType());
    return all <= kMostLocalBytes;
  }

  /// Whether anything else than counting is done from there on until the work-group waits; and where it waits.
  static bool isLookedAt(const Instruction& from, const Counters& counters,
                         llvm::SmallVectorImpl<Instruction*>& barriers) {
    llvm::SmallPtrSet<const BasicBlock*, 16> seen;
    llvm::SmallVector<const Instruction*, 8> work{from.getNextNode()};
    while (!work.empty()) {
      const Instruction* at = work.pop_back_val();
      while (at != nullptr && !isIntrinsic(at, Intrinsic::Barrier) && !at->isTerminator()) {
        if (counters.others.contains(at)) return true;
        at = at->getNextNode();
      }
      if (at->isTerminator()) {
        for (const BasicBlock* next : llvm::successors(at->getParent()))
          if (seen.insert(next).second) work.push_back(&next->front());
      } else {
        barriers.push_back(const_cast<Instruction*>(at));
      }
    }
    return false;
  }

  /// The barriers behind which counts are looked at; false where that is done without any.
  static bool findEnds(const Counters& counters, llvm::SmallSetVector<Instruction*, 4>& ends) {
    llvm::SmallSetVector<Instruction*, 16> starts;
    for (llvm::AtomicRMWInst* addition : counters.additions)
      starts.insert(addition);
    for (unsigned i = 0; i < starts.size(); ++i) {
      llvm::SmallVector<Instruction*, 4> barriers, further;
      if (isLookedAt(*starts[i], counters, barriers)) return false;
      for (Instruction* barrier : barriers)
        if (isLookedAt(*barrier, counters, further))
          ends.insert(barrier);
        else
          starts.insert(barrier);
    }
    return true;
  }

  /// No work-item returns before: each has its part of the elements.
  bool isReachedByAll(const Instruction* barrier) const {
    return ends_.dominates(barrier->getParent(), &kernel_.getEntryBlock());
  }

  /// The last barrier before all counting that the work-group comes to once.
  Instruction* findBegin(const Counters& counters, llvm::ArrayRef<Instruction*> ends) const {
    Instruction* begin = nullptr;
    if (!llvm::all_of(ends, [&](const Instruction* end) { return isReachedByAll(end); })) return begin;
    for (Instruction& instruction : llvm::instructions(kernel_)) {
      if (!isIntrinsic(&instruction, Intrinsic::Barrier) || llvm::is_contained(ends, &instruction)) continue;
      if (loops_.getLoopFor(instruction.getParent()) != nullptr || !isReachedByAll(&instruction)) continue;
      const auto comesFirst = [&](const Instruction* other) { return dominators_.dominates(&instruction, other); };
      if (!llvm::all_of(counters.additions, comesFirst) || !llvm::all_of(ends, comesFirst)) continue;
      if (begin == nullptr || dominators_.dominates(begin, &instruction)) begin = &instruction;
    }
    return begin;
  }

  /// Each element of the array by one work-item. Ends at `before`.
  void forEachElement(std::uint64_t count, Instruction& before,
                      llvm::function_ref<void(llvm::IRBuilder<>&, Value* index)> body) {
    BasicBlock* entry = before.getParent();
    BasicBlock* done = llvm::SplitBlock(entry, before.getIterator());
    BasicBlock* head = BasicBlock::Create(kernel_.getContext(), "elements", &kernel_, done);
    BasicBlock* element = BasicBlock::Create(kernel_.getContext(), "element", &kernel_, done);
    entry->getTerminator()->setSuccessor(0, head);
    llvm::IRBuilder<> builder(entry->getTerminator());
    Value* first = createLinearLocalId(builder);
    Value* items = createIntrinsic(builder, Intrinsic::LocalSize, 0);
    for (unsigned i = 1; i < 3; ++i)
      items = builder.CreateMul(items, createIntrinsic(builder, Intrinsic::LocalSize, i), "", true, true);
    builder.SetInsertPoint(head);
    llvm::PHINode* index = builder.CreatePHI(builder.getInt64Ty(), 2, "element");
    builder.CreateCondBr(builder.CreateICmpULT(index, builder.getInt64(count)), element, done);
    builder.SetInsertPoint(element);
    body(builder, index);
    Value* next = builder.CreateAdd(index, items, "", true, true);
    builder.CreateBr(head);
    index->addIncoming(first, entry);
    index->addIncoming(next, element);
  }

  llvm::GlobalVariable* rewrite(Counters& counters, Instruction& begin, llvm::ArrayRef<Instruction*> ends) {
    const std::uint64_t bytes = kernel_.getDataLayout().getTypeAllocSize(counters.array->getValueType());
    for (llvm::AtomicRMWInst* addition : counters.additions) {
      llvm::IRBuilder<> builder(addition);
      Value* copy = builder.CreateAnd(createIntrinsic(builder, Intrinsic::SubGroupLane), kCopies - 1);
      auto* step = llvm::ArrayType::get(builder.getInt8Ty(), bytes);
      addition->setOperand(0, builder.CreateInBoundsGEP(step, addition->getPointerOperand(), copy));
    }
    llvm::GlobalVariable* copies = makeCopies(*counters.array);
    const auto elementOf = [&](llvm::IRBuilder<>& builder, unsigned copy, Value* index) {
      Value* start = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), copies, copy * bytes);
      return builder.CreateInBoundsGEP(counters.type, start, index);
    };
    const auto clear = [&](llvm::IRBuilder<>& builder, Value* index) {
      for (unsigned copy = 1; copy < kCopies; ++copy)
        builder.CreateStore(llvm::ConstantInt::get(counters.type, 0), elementOf(builder, copy, index));
    };
    const auto addUp = [&](llvm::IRBuilder<>& builder, Value* index) {
      Value* sum = builder.CreateLoad(counters.type, elementOf(builder, 0, index));
      for (unsigned copy = 1; copy < kCopies; ++copy)
        sum = builder.CreateAdd(sum, builder.CreateLoad(counters.type, elementOf(builder, copy, index)));
      builder.CreateStore(sum, elementOf(builder, 0, index));
      clear(builder, index); // they may count again
    };
    const std::uint64_t count = bytes / kernel_.getDataLayout().getTypeAllocSize(counters.type);
    forEachElement(count, begin, clear);
    for (Instruction* end : ends) {
      llvm::IRBuilder<> builder(end);
      createIntrinsic(builder, Intrinsic::Barrier);
      forEachElement(count, *end, addUp);
    }
    return copies;
  }

  static llvm::GlobalVariable* makeCopies(llvm::GlobalVariable& array) {
    auto* type = llvm::ArrayType::get(array.getValueType(), kCopies);
    auto* copies =
        new llvm::GlobalVariable(*array.getParent(), type, /*isConstant=*/false, array.getLinkage(),
                                 llvm::UndefValue::get(type), "", &array, array.getThreadLocalMode(), kLocalSpace);
    copies->copyAttributesFrom(&array);
    copies->copyMetadata(&array, 0);
    copies->takeName(&array);
    array.replaceAllUsesWith(copies);
    array.eraseFromParent();
    return copies;
  }

  llvm::Function& kernel_;
  llvm::LoopInfo& loops_;
  llvm::DominatorTree& dominators_;
  llvm::PostDominatorTree& ends_;
  llvm::ScalarEvolution& evolution_;
};

/// In which the kernel counts anything.
llvm::SmallVector<llvm::GlobalVariable*, 4> arraysOf(llvm::Function& kernel) {
  llvm::SmallSetVector<llvm::GlobalVariable*, 4> arrays;
  for (Instruction& instruction : llvm::instructions(kernel))
    if (const auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      Value* object = const_cast<Value*>(llvm::getUnderlyingObject(change->getPointerOperand()));
      auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object);
      if (variable != nullptr && variable->getAddressSpace() == kLocalSpace) arrays.insert(variable);
    }
  return arrays.takeVector();
}

} // namespace

llvm::PreservedAnalyses SpreadCountersPass::run(llvm::Module& module, llvm::ModuleAnalysisManager& modules) {
  auto& analyses = modules.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  bool changed = false;
  llvm::SmallPtrSet<const llvm::GlobalVariable*, 4> spread;
  for (llvm::Function& kernel : module) {
    if (!isKernel(kernel) || kernel.isDeclaration() || !waitsForOthers(kernel)) continue;
    for (llvm::GlobalVariable* array : arraysOf(kernel)) {
      if (spread.contains(array)) continue; // of the kernel that this is a copy of
      llvm::convertUsersOfConstantsToInstructions({array});
      llvm::GlobalVariable* copies = CounterSpreader(kernel, analyses).spread(*array);
      if (copies == nullptr) continue;
      spread.insert(copies);
      analyses.invalidate(kernel, llvm::PreservedAnalyses::none());
      changed = true;
    }
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
