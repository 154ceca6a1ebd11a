// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/groups/range_function.hpp"

#include "abi/cpu_kernel.h"
#include "abi/global_ids.hpp"
#include "compiler/analysis/kernel_arguments.hpp"
#include "compiler/ir/group_facts.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/transform/groups/own_counters.hpp"

namespace clotho::compiler {

using llvm::BasicBlock;
using llvm::Function;
using llvm::IRBuilder;
using llvm::Value;

namespace {

/// The arguments for each call of the group function that do not depend on the work-group.
llvm::SmallVector<Value*, 16> loadArguments(IRBuilder<>& builder, const KernelParts& parts, Value* launch,
                                            Value* context) {
  llvm::SmallVector<Value*, 16> values;
  const auto* localType = llvm::PointerType::get(builder.getContext(), 3);
  Value* local = nullptr;
  const auto localAt = [&](Value* offset) {
    if (local == nullptr)
      local = builder.CreateAddrSpaceCast(
          builder.CreateLoad(builder.getPtrTy(),
                             fieldAddress(builder, context, offsetof(cpu::WorkerContext, localMemory)), "local"),
          const_cast<llvm::PointerType*>(localType));
    return builder.CreateInBoundsGEP(builder.getInt8Ty(), local, offset);
  };
  for (const LocalMemory::Variable& variable : parts.local.variables)
    values.push_back(localAt(builder.getInt64(variable.offset)));
  if (parts.kernel.arg_empty()) return values;

  Value* block = loadConstant(builder, builder.getPtrTy(), launch, offsetof(cpu::LaunchParams, args));
  const ArgumentLayout layout = layoutArguments(parts.kernel);
  for (const llvm::Argument& argument : parts.kernel.args()) {
    const ArgInfo& info = layout.args[argument.getArgNo()];
    // Structs are passed by the address of the block's copy, which is read-only (transform/lower/prepare_kernels.hpp).
    if (argument.hasByValAttr())
      values.push_back(fieldAddress(builder, block, info.offset));
    else if (info.kind == ArgKind::Local)
      values.push_back(localAt(loadConstant(builder, builder.getInt64Ty(), block, info.offset)));
    else
      values.push_back(loadConstant(builder, argument.getType(), block, info.offset,
                                    llvm::Align(info.kind == ArgKind::Value ? info.alignment : 8)));
  }
  return values;
}

/// Range of the groups' ids. The end of the last dimension is not needed.
struct Box {
  Value* first[3];
  Value* end[2];
  Value* count[2];
};

/// A 64-bit field of LaunchParams, or one of the numbers of a field for three dimensions.
Value* load(IRBuilder<>& builder, Value* launch, std::size_t offset, unsigned dimension = 0) {
  return loadConstant(builder, builder.getInt64Ty(), launch, offset + 8 * dimension);
}

Box loadBox(IRBuilder<>& builder, const KernelParts& parts, Value* launch) {
  Box box{};
  const bool isWhole = hasUniformGroupsOnly(*parts.kernel.getParent());
  for (unsigned i = 0; i < 3; ++i)
    box.first[i] = isWhole ? static_cast<Value*>(builder.getInt64(0))
                           : load(builder, launch, offsetof(cpu::LaunchParams, firstGroup), i);
  for (unsigned i = 0; i < 2; ++i) {
    box.end[i] = load(builder, launch,
                      isWhole ? offsetof(cpu::LaunchParams, numGroups) : offsetof(cpu::LaunchParams, endGroup), i);
    box.count[i] = builder.CreateSub(box.end[i], box.first[i]);
  }
  return box;
}

/// Whether the box has smaller groups than the launch.
Value* isRemainder(IRBuilder<>& builder, Value* launch) {
  Value* any = builder.getFalse();
  for (unsigned i = 0; i < 3; ++i) {
    Value* differs = builder.CreateICmpNE(load(builder, launch, offsetof(cpu::LaunchParams, localSize), i),
                                          load(builder, launch, offsetof(cpu::LaunchParams, enqueuedLocalSize), i));
    any = builder.CreateOr(any, differs, "remainder");
  }
  return any;
}

/// Whether `field` of LaunchParams has the numbers of `size`.
Value* hasNumbers(IRBuilder<>& builder, Value* launch, std::size_t field, const LocalSize& size) {
  Value* is = builder.getTrue();
  for (unsigned i = 0; i < 3; ++i) {
    Value* equals = builder.CreateICmpEQ(load(builder, launch, field, i), builder.getInt64(size[i]));
    is = builder.CreateAnd(is, equals, "whole");
  }
  return is;
}

Value* hasSeveralRows(IRBuilder<>& builder, Value* launch) {
  const auto size = [&](unsigned i) { return load(builder, launch, offsetof(cpu::LaunchParams, localSize), i); };
  return builder.CreateICmpNE(builder.CreateOr(size(1), size(2)), builder.getInt64(1), "several_rows");
}

/// Whether the kernel's assumptions do not hold for the launch.
Value* needsExact(IRBuilder<>& builder, Value* launch, const llvm::Function& kernel) {
  const auto field = [&](std::size_t offset) { return load(builder, launch, offset); };
  Value* needs = builder.getFalse();
  const LaunchFacts assumed = factsOf(kernel).assumes;
  if (assumed.largestMemory != kAnyMemory)
    needs = builder.CreateICmpUGT(field(offsetof(cpu::LaunchParams, largestMemory)),
                                  builder.getInt64(assumed.largestMemory), "large");
  if (assumed.idsFit) {
    // No overflow: clEnqueueNDRangeKernel rejects an offset and a size whose sum exceeds size_t.
    Value* end = builder.CreateAdd(field(offsetof(cpu::LaunchParams, globalOffset)),
                                   field(offsetof(cpu::LaunchParams, globalSize)), "", /*HasNUW=*/true);
    needs = builder.CreateOr(needs, builder.CreateICmpUGT(end, builder.getInt64(kMostIds)), "exact");
  }
  if (assumed.argumentsApart) {
    Value* areDisjoint = field(offsetof(cpu::LaunchParams, argumentsApart));
    needs = builder.CreateOr(needs, builder.CreateIsNull(areDisjoint), "aliased");
  }
  if (assumed.counters) {
    Value* bytes = field(offsetof(cpu::LaunchParams, counterBytes));
    needs = builder.CreateOr(needs, builder.CreateIsNull(bytes), "counts_together");
  }
  if (assumed.rowMultiple != 0) {
    Value* rest =
        builder.CreateURem(field(offsetof(cpu::LaunchParams, localSize)), builder.getInt64(assumed.rowMultiple));
    Value* isPart = builder.CreateAnd(builder.CreateIsNotNull(rest), hasSeveralRows(builder, launch));
    needs = builder.CreateOr(needs, isPart, "part_rows");
  }
  return needs;
}

/// Address of an interleaved group's resume point, as last returned by its function: the last word of its part of the
/// context array.
Value* resumePoint(IRBuilder<>& builder, Value* frame, Value* stride) {
  auto* i8 = builder.getInt8Ty();
  return builder.CreateGEP(i8, builder.CreateGEP(i8, frame, stride), builder.getInt64(-8), "resume_point");
}

/// Runs `groups` neighbouring work-groups interleaved: calls the function for each in turn until all have ended. The
/// first group has the ids and the context array of `call`.
void runInterleaved(IRBuilder<>& builder, Function& function, Value* groups, Value* stride, Value* firstIndex,
                    llvm::SmallVector<Value*, 24> call) {
  llvm::LLVMContext& context = builder.getContext();
  Function* in = builder.GetInsertBlock()->getParent();
  const auto block = [&](const char* name) { return BasicBlock::Create(context, name, in); };
  BasicBlock *before = builder.GetInsertBlock(), *iteration = block("iteration"), *each = block("each"),
             *run = block("run"), *next = block("group.next"), *ended = block("iteration.end"),
             *after = block("all.ended");
  auto* i64 = builder.getInt64Ty();
  Value* zero = builder.getInt64(0);
  builder.CreateBr(iteration);

  builder.SetInsertPoint(iteration);
  llvm::PHINode* isFirst = builder.CreatePHI(builder.getInt1Ty(), 2, "is_first");
  isFirst->addIncoming(builder.getTrue(), before);
  isFirst->addIncoming(builder.getFalse(), ended);
  builder.CreateBr(each);

  builder.SetInsertPoint(each);
  llvm::PHINode* group = builder.CreatePHI(i64, 2, "group");
  llvm::PHINode* left = builder.CreatePHI(i64, 2, "left");
  group->addIncoming(zero, iteration);
  left->addIncoming(zero, iteration);
  Value* frame = builder.CreateGEP(builder.getInt8Ty(), call[kFrame], builder.CreateMul(group, stride), "frame");
  Value* word = resumePoint(builder, frame, stride);
  Value* said = builder.CreateLoad(i64, word);
  Value* resume = builder.CreateSelect(isFirst, zero, builder.CreateFreeze(said), "resume");
  builder.CreateCondBr(builder.CreateOr(isFirst, builder.CreateIsNotNull(resume)), run, next);

  builder.SetInsertPoint(run);
  builder.CreateStore(builder.CreateAdd(firstIndex, group),
                      fieldAddress(builder, call[kContext], offsetof(cpu::WorkerContext, currentGroup)),
                      /*isVolatile=*/true);
  Value* firstX = call[kGroupX];
  call[kFrame] = frame;
  call[kGroupX] = builder.CreateAdd(firstX, group);
  call.insert(call.begin() + kFirstOwn, resume);
  Value* says = builder.CreateCall(&function, call);
  builder.CreateStore(says, word);
  Value* leftNow = builder.CreateOr(left, says);
  builder.CreateBr(next);

  builder.SetInsertPoint(next);
  llvm::PHINode* leftThen = builder.CreatePHI(i64, 2);
  leftThen->addIncoming(left, each);
  leftThen->addIncoming(leftNow, run);
  Value* more = builder.CreateAdd(group, builder.getInt64(1), "", true, true);
  group->addIncoming(more, next);
  left->addIncoming(leftThen, next);
  builder.CreateCondBr(builder.CreateICmpULT(more, groups), each, ended);

  builder.SetInsertPoint(ended);
  builder.CreateCondBr(builder.CreateIsNotNull(leftThen), iteration, after);
  builder.SetInsertPoint(after);
}

} // namespace

void copyAttributes(const Function& from, Function& to) {
  for (const llvm::Attribute& attribute : from.getAttributes().getFnAttrs())
    if (attribute.isStringAttribute()) to.addFnAttr(attribute);
  setFacts(to, factsOf(from));
  to.setDoesNotThrow();
}

// NOLINTNEXTLINE(readability-function-size): one function of IR, from its first block to its last
Function* buildRangeFunction(const KernelParts& parts, const GroupFunctions& functions) {
  llvm::LLVMContext& llvmContext = parts.kernel.getContext();
  auto* pointer = llvm::PointerType::get(llvmContext, 0);
  auto* i64 = llvm::Type::getInt64Ty(llvmContext);
  auto* function = Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(llvmContext), {pointer, pointer, i64, i64}, false),
      llvm::GlobalValue::ExternalLinkage, "clotho_wg_" + parts.kernel.getName(), parts.kernel.getParent());
  copyAttributes(parts.kernel, *function);
  function->setDSOLocal(true);
  const char* names[] = {"launch", "context", "first", "end"};
  for (unsigned i = 0; i < 4; ++i)
    function->getArg(i)->setName(names[i]);
  function->addParamAttr(0, llvm::Attribute::NoAlias);
  function->addParamAttr(0, llvm::Attribute::ReadOnly);
  function->addParamAttr(1, llvm::Attribute::NoAlias);
  Value *launch = function->getArg(0), *context = function->getArg(1), *first = function->getArg(2),
        *end = function->getArg(3);

  BasicBlock* entry = BasicBlock::Create(llvmContext, "entry", function);
  BasicBlock* setup = BasicBlock::Create(llvmContext, "setup", function);
  BasicBlock* loop = BasicBlock::Create(llvmContext, "group", function);
  BasicBlock* done = BasicBlock::Create(llvmContext, "done", function);
  IRBuilder<> builder(entry);
  builder.CreateCondBr(builder.CreateICmpULT(first, end), setup, done);

  builder.SetInsertPoint(setup);
  llvm::SmallVector<Value*, 24> call(kFirstOwn, nullptr);
  call[kLaunch] = launch;
  call[kContext] = context;
  call[kFrame] = builder.CreateLoad(pointer, fieldAddress(builder, context, offsetof(cpu::WorkerContext, frame)));
  call.append(loadArguments(builder, parts, launch, context));
  Value* row = load(builder, launch, offsetof(cpu::LaunchParams, localSize));
  struct Special {
    Value* condition;
    Function* function;
    const char* name;
  };
  llvm::SmallVector<Special, 4> specials;
  std::optional<OwnCounters> counters;
  if (functions.exact != nullptr) {
    specials.push_back({needsExact(builder, launch, parts.kernel), functions.exact, "exact"});
    if (factsOf(parts.kernel).assumes.counters)
      counters = beginCounters(builder, launch, parts, specials.front().condition, call);
  }
  if (functions.remainder != nullptr)
    specials.push_back({isRemainder(builder, launch), functions.remainder, "remainder"});
  Value* isDirect = nullptr;
  if (functions.direct != nullptr) {
    isDirect = hasNumbers(builder, launch, offsetof(cpu::LaunchParams, localSize), functions.directSize);
    // The kernel needs work-groups of exactly this size, also at the end of a launch.
    if (!hasUniformGroupsOnly(*parts.kernel.getParent()))
      isDirect = builder.CreateAnd(
          isDirect, hasNumbers(builder, launch, offsetof(cpu::LaunchParams, enqueuedLocalSize), functions.directSize));
    isDirect = builder.CreateAnd(
        isDirect, hasNumbers(builder, launch, offsetof(cpu::LaunchParams, globalOffset), LocalSize{0, 0, 0}));
    Value* areDisjoint = load(builder, launch, offsetof(cpu::LaunchParams, argumentsApart));
    isDirect = builder.CreateAnd(isDirect, builder.CreateIsNotNull(areDisjoint), "direct");
    specials.push_back({isDirect, functions.direct, "direct"});
    // The exact variant runs one work-group at a time.
    if (functions.exact != nullptr)
      isDirect = builder.CreateAnd(isDirect, builder.CreateNot(specials.front().condition));
  }
  if (functions.predicated != nullptr) {
    Value* hasTail = builder.CreateIsNotNull(builder.CreateAnd(row, builder.getInt64(parts.width - 1)), "short");
    if (parts.isOneRow) hasTail = builder.CreateOr(hasTail, hasSeveralRows(builder, launch), "short");
    specials.push_back({hasTail, functions.predicated, "short"});
  }
  Value* mostGroups = nullptr; // most groups that run as one
  if (factsOf(parts.kernel).mergedRow != 0 || isDirect != nullptr) {
    Value* given =
        loadConstant(builder, builder.getInt32Ty(), launch, offsetof(cpu::LaunchParams, mergedGroups), llvm::Align(4));
    mostGroups =
        builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, builder.CreateZExt(given, i64), builder.getInt64(1));
    if (isDirect != nullptr) mostGroups = builder.CreateSelect(isDirect, mostGroups, builder.getInt64(1));
  }
  Value *interleaved = nullptr, *stride = nullptr;
  if (parts.stateBytes) {
    interleaved = load(builder, launch, offsetof(cpu::LaunchParams, interleavedGroups));
    stride = load(builder, launch, offsetof(cpu::LaunchParams, interleavedStride));
  }
  const Box box = loadBox(builder, parts, launch);
  Value* rows = builder.CreateUDiv(first, box.count[0]);
  Value* start[3] = {builder.CreateURem(first, box.count[0]), builder.CreateURem(rows, box.count[1]),
                     builder.CreateUDiv(rows, box.count[1])};
  for (unsigned i = 0; i < 3; ++i)
    start[i] = builder.CreateAdd(start[i], box.first[i]);
  BasicBlock* before = builder.GetInsertBlock();
  builder.CreateBr(loop);

  builder.SetInsertPoint(loop);
  llvm::PHINode* index = builder.CreatePHI(i64, 2, "index");
  llvm::PHINode* id[3];
  for (unsigned i = 0; i < 3; ++i) {
    id[i] = builder.CreatePHI(i64, 2);
    id[i]->addIncoming(start[i], before);
    call[kGroupX + i] = id[i];
  }
  index->addIncoming(first, before);
  // Volatile, since the report of a fault in the group reads the number.
  builder.CreateStore(index, fieldAddress(builder, context, offsetof(cpu::WorkerContext, currentGroup)),
                      /*isVolatile=*/true);
  Value* groups = builder.getInt64(1);
  call[kRowEnd] = row;
  const auto atMost = [&](Value* most) {
    const auto least = [&](Value* a, Value* b) { return builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b); };
    return least(most, least(builder.CreateSub(box.end[0], id[0]), builder.CreateSub(end, index)));
  };
  if (mostGroups != nullptr) {
    groups = atMost(mostGroups);
    builder.CreateStore(groups, fieldAddress(builder, context, offsetof(cpu::WorkerContext, currentGroups)),
                        /*isVolatile=*/true);
    call[kRowEnd] = builder.CreateMul(row, groups, "row_end", /*HasNUW=*/true, /*HasNSW=*/true);
  }
  const bool isLoopSimple = specials.empty() && interleaved == nullptr;
  BasicBlock* latch = isLoopSimple ? loop : BasicBlock::Create(llvmContext, "next", function, done);
  llvm::SmallVector<std::pair<Value*, BasicBlock*>, 4> steps;
  for (const Special& special : specials) {
    BasicBlock* others = BasicBlock::Create(llvmContext, "full", function, latch);
    BasicBlock* its = BasicBlock::Create(llvmContext, special.name, function, latch);
    builder.CreateCondBr(special.condition, its, others);
    builder.SetInsertPoint(its);
    builder.CreateCall(special.function, call);
    steps.emplace_back(groups, builder.GetInsertBlock());
    builder.CreateBr(latch);
    builder.SetInsertPoint(others);
  }
  if (interleaved != nullptr) {
    groups = atMost(interleaved);
    runInterleaved(builder, *functions.usual, groups, stride, index, call);
  } else {
    builder.CreateCall(functions.usual, call);
  }
  if (!isLoopSimple) {
    steps.emplace_back(groups, builder.GetInsertBlock());
    builder.CreateBr(latch);
    builder.SetInsertPoint(latch);
    if (llvm::any_of(steps, [&](const auto& step) { return step.first != groups; })) {
      llvm::PHINode* step = builder.CreatePHI(i64, static_cast<unsigned>(steps.size()), "groups");
      for (const auto& [value, from] : steps)
        step->addIncoming(value, from);
      groups = step;
    }
  }
  // Increments the ids with carry instead of dividing for each group.
  Value* step = groups;
  for (unsigned i = 0; i < 3; ++i) {
    Value* next = builder.CreateAdd(id[i], step);
    if (i < 2) {
      Value* carry = builder.CreateICmpEQ(next, box.end[i]);
      next = builder.CreateSelect(carry, box.first[i], next);
      step = builder.CreateZExt(carry, i64);
    }
    id[i]->addIncoming(next, latch);
  }
  Value* next = builder.CreateAdd(index, groups, "", /*HasNUW=*/true);
  index->addIncoming(next, latch);
  BasicBlock* counted = counters ? BasicBlock::Create(llvmContext, "counted", function) : done;
  builder.CreateCondBr(builder.CreateICmpULT(next, end), loop, counted);
  if (counters) {
    builder.SetInsertPoint(counted);
    endCounters(builder, *counters);
    builder.CreateBr(done);
  }
  llvm::ReturnInst::Create(llvmContext, done);
  return function;
}

} // namespace clotho::compiler
