// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/groups/own_counters.hpp"

#include "abi/cpu_kernel.h"
#include "compiler/ir/group_facts.hpp"
#include "compiler/ir/kernel_facts.hpp"

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::Value;

/// Emits a loop over `count` integers, at least one.
void forEach(IRBuilder<>& builder, Value* count, llvm::function_ref<void(Value* index)> body) {
  BasicBlock* before = builder.GetInsertBlock();
  BasicBlock* loop = BasicBlock::Create(builder.getContext(), "counter", before->getParent());
  BasicBlock* after = BasicBlock::Create(builder.getContext(), "counters.done", before->getParent());
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  llvm::PHINode* index = builder.CreatePHI(builder.getInt64Ty(), 2);
  body(index);
  Value* next = builder.CreateAdd(index, builder.getInt64(1), "", /*HasNUW=*/true, /*HasNSW=*/true);
  index->addIncoming(builder.getInt64(0), before);
  index->addIncoming(next, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpULT(next, count), loop, after);
  builder.SetInsertPoint(after);
}

Value* copyOf(IRBuilder<>& builder, const OwnCounters& counters, unsigned copy) {
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), counters.own,
                                            std::uint64_t{cpu::kCounterStride} * copy);
}

} // namespace

OwnCounters beginCounters(IRBuilder<>& builder, Value* launch, const KernelParts& parts, Value* isExact,
                          llvm::SmallVectorImpl<Value*>& arguments) {
  const llvm::Align line(64);
  const LaunchFacts assumed = factsOf(parts.kernel).assumes;
  Value*& argument = arguments[kFirstOwn + parts.local.variables.size() + *assumed.counters];
  OwnCounters counters{builder.getIntNTy(assumed.counterBits), nullptr, nullptr, argument};
  auto* copies = llvm::ArrayType::get(builder.getInt8Ty(), std::uint64_t{cpu::kCounterCopies} * cpu::kCounterStride);
  counters.own = new llvm::AllocaInst(copies, 0, nullptr, line, "counters",
                                      builder.GetInsertBlock()->getParent()->getEntryBlock().begin());
  Value* bytes = loadConstant(builder, builder.getInt64Ty(), launch, offsetof(cpu::LaunchParams, counterBytes));
  counters.bytes = builder.CreateSelect(isExact, builder.getInt64(0), bytes, "counter_bytes");
  for (unsigned copy = 0; copy < cpu::kCounterCopies; ++copy)
    builder.CreateMemSet(copyOf(builder, counters, copy), builder.getInt8(0), counters.bytes, line);
  Value* own = builder.CreateAddrSpaceCast(counters.own, argument->getType());
  argument = builder.CreateSelect(isExact, argument, own);
  return counters;
}

void endCounters(IRBuilder<>& builder, const OwnCounters& counters) {
  llvm::Function* function = builder.GetInsertBlock()->getParent();
  const auto block = [&](const char* name) { return BasicBlock::Create(builder.getContext(), name, function); };
  BasicBlock *sums = block("sums"), *after = block("added");
  const unsigned size = counters.type->getBitWidth() / 8;
  Value* count = builder.CreateUDiv(counters.bytes, builder.getInt64(size));
  builder.CreateCondBr(builder.CreateIsNull(count), after, sums);
  builder.SetInsertPoint(sums);
  forEach(builder, count, [&](Value* index) {
    Value* sum = nullptr;
    for (unsigned copy = 0; copy < cpu::kCounterCopies; ++copy) {
      Value* address = builder.CreateInBoundsGEP(counters.type, copyOf(builder, counters, copy), index);
      Value* own = builder.CreateAlignedLoad(counters.type, address, llvm::Align(size));
      sum = sum == nullptr ? own : builder.CreateAdd(sum, own);
    }
    BasicBlock *add = block("sum"), *next = block("sum.next");
    builder.CreateCondBr(builder.CreateIsNull(sum), next, add);
    builder.SetInsertPoint(add);
    Value* address = builder.CreateInBoundsGEP(counters.type, counters.shared, index);
    builder.CreateAtomicRMW(llvm::AtomicRMWInst::Add, address, sum, llvm::Align(size),
                            llvm::AtomicOrdering::SequentiallyConsistent);
    builder.CreateBr(next);
    builder.SetInsertPoint(next);
  });
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
}

} // namespace clotho::compiler
