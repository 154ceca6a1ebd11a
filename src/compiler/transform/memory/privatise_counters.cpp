// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/memory/privatise_counters.hpp"

#include "abi/cpu_kernel.h"
#include "compiler/analysis/reached_memory.hpp"
#include "compiler/analysis/work_item_uniformity.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/variants.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned kGlobalSpace = 1, kLocalSpace = 3;

/// All uses of the memory that an argument points to.
struct Counters {
  llvm::SmallVector<llvm::GetElementPtrInst*, 8> addresses; ///< each behind its operands
  llvm::SmallVector<llvm::AtomicRMWInst*, 4> additions;
};

/// Whether the memory is only added to, by atomic additions of integers of this type whose results are unused.
bool onlyCounts(Value& pointer, llvm::IntegerType* type, Counters& counters) {
  for (llvm::User* user : pointer.users()) {
    if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
        address != nullptr && !address->getType()->isVectorTy()) {
      counters.addresses.push_back(address);
      if (!onlyCounts(*address, type, counters)) return false;
      continue;
    }
    auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(user);
    if (change == nullptr || change->getPointerOperand() != &pointer || change->getType() != type ||
        !change->use_empty() ||
        (change->getOperation() != llvm::AtomicRMWInst::Add && change->getOperation() != llvm::AtomicRMWInst::Sub))
      return false;
    counters.additions.push_back(change);
  }
  return true;
}

/// The argument with counters; null if there is none, or the kernel has other atomics or fences.
llvm::Argument* findCounters(llvm::Function& kernel, Counters& counters) {
  if (!reachesArgumentsAlone(kernel)) return nullptr;
  llvm::AtomicRMWInst* first = nullptr;
  unsigned atomics = 0;
  for (Instruction& instruction : llvm::instructions(kernel)) {
    if (llvm::isa<llvm::FenceInst>(instruction)) return nullptr;
    if (!instruction.isAtomic()) continue;
    ++atomics;
    if (first == nullptr) first = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
    if (first == nullptr) return nullptr;
  }
  if (first == nullptr) return nullptr;
  auto* type = llvm::dyn_cast<llvm::IntegerType>(first->getType());
  if (type == nullptr || (type->getBitWidth() != 32 && type->getBitWidth() != 64)) return nullptr;
  for (llvm::Argument& argument : kernel.args()) {
    const auto* pointer = llvm::dyn_cast<llvm::PointerType>(argument.getType());
    if (pointer == nullptr || pointer->getAddressSpace() != kGlobalSpace || argument.use_empty()) continue;
    counters = {};
    if (onlyCounts(argument, type, counters) && counters.additions.size() == atomics) return &argument;
  }
  return nullptr;
}

/// Rewrites the counters. The range function passes private memory of the thread for the argument, which is treated as
/// local memory: a work-group runs on one thread.
void privatise(llvm::Function& kernel, llvm::Argument& argument, const Counters& counters) {
  const WorkItemUniformity uniformity(kernel, UniformityScope::SubGroup);
  llvm::IRBuilder<> builder(&*kernel.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  auto* local = llvm::PointerType::get(kernel.getContext(), kLocalSpace);
  llvm::DenseMap<Value*, Value*> own;
  own[&argument] = builder.CreateAddrSpaceCast(&argument, local);
  for (llvm::GetElementPtrInst* address : counters.addresses) {
    builder.SetInsertPoint(address);
    llvm::SmallVector<Value*, 4> indices(address->indices());
    own[address] = builder.CreateGEP(address->getSourceElementType(), own.at(address->getPointerOperand()), indices, "",
                                     address->getNoWrapFlags());
  }
  auto* step = llvm::ArrayType::get(builder.getInt8Ty(), cpu::kCounterStride);
  for (llvm::AtomicRMWInst* addition : counters.additions) {
    builder.SetInsertPoint(addition);
    Value* counter = own.at(addition->getPointerOperand());
    // Lanes add to different copies, so that additions to one counter do not wait for each other.
    const auto* address = llvm::dyn_cast<Instruction>(addition->getPointerOperand());
    if (address != nullptr && !uniformity.isUniform(*address)) {
      Value* copy = builder.CreateAnd(createIntrinsic(builder, Intrinsic::SubGroupLane), cpu::kCounterCopies - 1);
      counter = builder.CreateInBoundsGEP(step, counter, copy);
    }
    builder.CreateAtomicRMW(addition->getOperation(), counter, addition->getValOperand(), addition->getAlign(),
                            llvm::AtomicOrdering::Monotonic);
    addition->eraseFromParent();
  }
  for (llvm::GetElementPtrInst* address : llvm::reverse(counters.addresses))
    if (address->use_empty()) address->eraseFromParent();
}

} // namespace

llvm::PreservedAnalyses PrivatiseCountersPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  llvm::SmallVector<llvm::Function*, 8> kernels;
  for (llvm::Function& function : module)
    if (isOriginalKernel(function) && !function.isDeclaration() && !callsIntrinsic(function, Intrinsic::Yield))
      kernels.push_back(&function);
  bool changed = false;
  for (llvm::Function* kernel : kernels) {
    Counters counters;
    llvm::Argument* argument = findCounters(*kernel, counters);
    if (argument == nullptr) continue;
    if (findVariant(*kernel, Variant::Exact) == nullptr) cloneExact(*kernel);
    const llvm::Type* type = counters.additions.front()->getType();
    privatise(*kernel, *argument, counters);
    changeFacts(*kernel, [&](KernelFacts& facts) {
      facts.assumes.counters = argument->getArgNo();
      facts.assumes.counterBits = type->getIntegerBitWidth();
    });
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
