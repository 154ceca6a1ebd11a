// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/groups/work_group_function.hpp"

#include "abi/cpu_kernel.h"
#include "compiler/analysis/barrier_regions.hpp"
#include "compiler/analysis/interleaving.hpp"
#include "compiler/ir/apart_arguments.hpp"
#include "compiler/ir/group_facts.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/marks.hpp"
#include "compiler/ir/variants.hpp"
#include "compiler/transform/groups/range_function.hpp"
#include "compiler/transform/groups/region_builder.hpp"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <optional>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Function;
using llvm::IRBuilder;
using llvm::Value;

bool pointsToLocal(const llvm::Argument& argument) {
  constexpr unsigned kLocalSpace = 3;
  const auto* pointer = llvm::dyn_cast<llvm::PointerType>(argument.getType());
  return pointer != nullptr && pointer->getAddressSpace() == kLocalSpace;
}

/// Bit mask of those among the first 64 parameters that point to local memory.
std::uint64_t localParameters(const Function& function) {
  std::uint64_t bits = 0;
  for (const llvm::Argument& argument : function.args())
    if (argument.getArgNo() < 64 && pointsToLocal(argument)) bits |= std::uint64_t{1} << argument.getArgNo();
  return bits;
}

/// Declares a group function. `more` names parameters before the local variables.
Function* declareGroupFunction(const KernelParts& parts, llvm::ArrayRef<const char*> more = {},
                               llvm::Type* result = nullptr) {
  Function& kernel = parts.kernel;
  llvm::LLVMContext& context = kernel.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* i64 = llvm::Type::getInt64Ty(context);
  llvm::SmallVector<llvm::Type*, 16> types = {pointer, pointer, pointer, i64, i64, i64, i64};
  types.append(more.size(), i64);
  for (const LocalMemory::Variable& variable : parts.local.variables)
    types.push_back(variable.variable->getType());
  for (const llvm::Argument& argument : kernel.args())
    types.push_back(argument.getType());
  if (result == nullptr) result = llvm::Type::getVoidTy(context);
  auto* function = Function::Create(llvm::FunctionType::get(result, types, false), llvm::GlobalValue::InternalLinkage,
                                    kernel.getName() + ".cl", kernel.getParent());
  copyAttributes(kernel, *function);
  // One call for each work-group costs little; if inlined, its parameter attributes would become weaker alias metadata.
  function->addFnAttr(llvm::Attribute::NoInline);
  function->setSubprogram(kernel.getSubprogram());

  llvm::SmallVector<const char*, 10> names = {"launch", "context", "frame", "group.x", "group.y", "group.z", "row_end"};
  names.append(more.begin(), more.end());
  for (const auto& [i, name] : llvm::enumerate(names))
    function->getArg(i)->setName(name);
  // No other pointers lead to the launch, the context, the context array and each local variable.
  const auto alone = [&](unsigned index, llvm::Align align) {
    function->addParamAttr(index, llvm::Attribute::NoAlias);
    function->addParamAttr(index, llvm::Attribute::getWithAlignment(context, align));
  };
  alone(kLaunch, llvm::Align(8));
  function->addParamAttr(kLaunch, llvm::Attribute::ReadOnly);
  alone(kContext, llvm::Align(8));
  function->addParamAttr(kContext, llvm::Attribute::ReadOnly);
  alone(kFrame, llvm::Align(128));
  const llvm::Attribute localMark = llvm::Attribute::get(context, kLocalParameterName);
  unsigned index = names.size();
  for (const LocalMemory::Variable& variable : parts.local.variables) {
    function->getArg(index)->setName(variable.variable->getName());
    function->addParamAttr(index, localMark);
    alone(index++, variable.align);
  }
  for (const llvm::Argument& argument : kernel.args()) {
    function->getArg(index)->setName(argument.getName());
    const llvm::AttributeSet given = kernel.getAttributes().getParamAttrs(argument.getArgNo());
    if (given.hasAttribute(llvm::Attribute::ReadOnly)) function->addParamAttr(index, llvm::Attribute::ReadOnly);
    if (isApart(argument)) setApart(*function->getArg(index), /*isHeldBack=*/false);
    if (pointsToLocal(argument)) function->addParamAttr(index, localMark);
    if (given.hasAttribute(llvm::Attribute::Alignment))
      function->addParamAttr(index, given.getAttribute(llvm::Attribute::Alignment));
    ++index;
  }
  return function;
}

/// Maps local variables and arguments of the kernel to parameters of the function, from number `first` on.
void mapParameters(const KernelParts& parts, Function& function, unsigned first, llvm::ValueToValueMapTy& map) {
  for (const LocalMemory::Variable& variable : parts.local.variables)
    map[variable.variable] = function.getArg(first++);
  for (const llvm::Argument& argument : parts.kernel.args())
    map[&argument] = function.getArg(first++);
}

/// Builds a group function. `runsRows`: the kernel itself loops over rows. `interleaves`: the function may return at
/// interleaving points.
Function* buildGroupFunction(KernelParts& parts, bool runsRows, bool interleaves = false) {
  constexpr const char* kResume[] = {"resume"};
  auto* i64 = llvm::Type::getInt64Ty(parts.kernel.getContext());
  Function* function = interleaves ? declareGroupFunction(parts, kResume, i64) : declareGroupFunction(parts);
  if (!runsRows && !interleaves)
    changeFacts(*function, [&](KernelFacts& facts) { facts.localParameters = localParameters(*function); });
  BasicBlock* entry = BasicBlock::Create(function->getContext(), "entry", function);
  GroupFacts facts(*function, entry, parts.kernel);
  if (parts.isOneRow) facts.setOneRow();

  llvm::ValueToValueMapTy map;
  mapParameters(parts, *function, kFirstOwn + (interleaves ? 1 : 0), map);
  for (const llvm::Instruction& instruction : llvm::instructions(parts.kernel)) {
    const auto call = matchIntrinsic(&instruction);
    if (!call || call->intrinsic == Intrinsic::Barrier || call->intrinsic == Intrinsic::LocalId) continue;
    map[&instruction] = facts.get(call->intrinsic, call->dimension);
  }
  // Lanes follow the linear local id: all work-items are one row.
  const bool isLinear = factsOf(parts.kernel).isLinear;
  Value* items = nullptr;
  if (isLinear) {
    IRBuilder<>& builder = facts.builder();
    items = facts.get(Intrinsic::LocalSize, 0);
    for (unsigned i = 1; i < 3; ++i)
      items = builder.CreateMul(items, facts.get(Intrinsic::LocalSize, i), "items", true, true);
    for (const llvm::Instruction& instruction : llvm::instructions(parts.kernel))
      if (isIntrinsic(&instruction, Intrinsic::RowEnd)) map[&instruction] = items;
  }
  RegionBuilder::Group group{function, entry, {}, parts.width, parts.rows, function->getArg(kFrame), &map};
  for (unsigned i = 0; i < 3; ++i)
    group.localSize[i] = facts.get(Intrinsic::LocalSize, i);
  if (isLinear) {
    Value* one = llvm::ConstantInt::get(items->getType(), 1);
    group.localSize[0] = items;
    group.localSize[1] = group.localSize[2] = one;
  } else if (!parts.hasBarriers())
    group.localSize[0] = facts.get(Intrinsic::RowEnd, 0);
  constexpr unsigned kWholeRow = 1U << 31;
  if (runsRows) group.width = kWholeRow;
  if (interleaves) group.resume = function->getArg(kFirstOwn);
  RegionBuilder builder(group, parts.regions, parts.frame);
  builder.build();
  if (interleaves) parts.stateBytes = builder.stateBytes();
  return function;
}

/// Calls a service of the device for sub-groups that run in turn, with the context as first argument.
void callService(IRBuilder<>& builder, Value* context, std::size_t offset, llvm::ArrayRef<Value*> more = {}) {
  llvm::SmallVector<Value*, 4> arguments = {context};
  arguments.append(more.begin(), more.end());
  llvm::SmallVector<llvm::Type*, 4> types;
  for (const Value* argument : arguments)
    types.push_back(argument->getType());
  auto* type = llvm::FunctionType::get(builder.getVoidTy(), types, false);
  Value* services = loadConstant(builder, builder.getPtrTy(), context, offsetof(cpu::WorkerContext, subGroups));
  builder.CreateCall(type, loadConstant(builder, builder.getPtrTy(), services, offset), arguments);
}

/// Parameters of sub-group functions before the local variables: the local ids of the first work-item.
constexpr const char* kIds[] = {"x", "y", "z"};

/// Builds a function that runs the one sub-group at the given local ids, or the rest of the row if the kernel runs
/// rows.
Function* buildSubGroupFunction(const KernelParts& parts) {
  Function* function = declareGroupFunction(parts, kIds);
  const llvm::AttributeList attributes = function->getAttributes();
  const KernelFacts itsFacts = factsOf(*function);
  BasicBlock* entry = BasicBlock::Create(function->getContext(), "entry", function);
  GroupFacts facts(*function, entry, parts.kernel);
  llvm::ValueToValueMapTy map;
  mapParameters(parts, *function, kFirstOwn + std::size(kIds), map);
  llvm::SmallVector<llvm::ReturnInst*, 4> returns;
  function->setSubprogram(nullptr); // Cloning has given it one.
  llvm::CloneFunctionInto(function, &parts.kernel, map, llvm::CloneFunctionChangeType::LocalChangesOnly, returns);
  function->setAttributes(attributes);
  setFacts(*function, itsFacts); // Cloning has added the kernel's facts.
  function->setCallingConv(llvm::CallingConv::C);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(*function))) {
    const auto call = matchIntrinsic(&instruction);
    if (!call) continue;
    if (call->intrinsic == Intrinsic::Barrier || call->intrinsic == Intrinsic::Yield) {
      const bool isBarrier = call->intrinsic == Intrinsic::Barrier;
      IRBuilder<> builder(&instruction);
      callService(builder, function->getArg(kContext),
                  isBarrier ? offsetof(cpu::SubGroupServices, barrier) : offsetof(cpu::SubGroupServices, yield));
      instruction.eraseFromParent();
      continue;
    }
    const auto answer = [&]() -> Value* {
      switch (call->intrinsic) {
      case Intrinsic::LocalId: return function->getArg(kFirstOwn + call->dimension);
      case Intrinsic::RowEnd: return function->getArg(kRowEnd); // The caller chooses it, even if a size is required.
      default: return facts.get(call->intrinsic, call->dimension);
      }
    };
    instruction.replaceAllUsesWith(answer());
    instruction.eraseFromParent();
  }
  // Allocas must be in the entry block.
  BasicBlock* body = entry->getNextNode();
  llvm::BranchInst::Create(body, entry);
  llvm::MergeBlockIntoPredecessor(body);
  return function;
}

/// Puts a loop around the call of a sub-group function, up to the end that the call is given, in steps of the
/// sub-group.
void repeatCall(llvm::CallInst& call, unsigned step) {
  BasicBlock* before = call.getParent();
  BasicBlock* loop = llvm::SplitBlock(before, &call);
  BasicBlock* after = llvm::SplitBlock(loop, call.getNextNode());
  IRBuilder<> builder(loop, loop->begin());
  llvm::PHINode* x = builder.CreatePHI(builder.getInt64Ty(), 2, "x");
  x->addIncoming(call.getArgOperand(kFirstOwn), before);
  call.setArgOperand(kFirstOwn, x);
  loop->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(loop);
  Value* next = builder.CreateAdd(x, builder.getInt64(step), "", /*HasNUW=*/true);
  x->addIncoming(next, loop);
  builder.CreateCondBr(builder.CreateICmpULT(next, call.getArgOperand(kRowEnd)), loop, after);
}

/// The function for sub-groups that their caller does not run itself, and the number of work-items of one call; 0: all
/// the rest.
struct Fallback {
  Function* function;
  unsigned width;
};

/// Replaces calls of the fallback, which pass only the sub-group's ids and the kernel's arguments, by calls of the
/// given function. It runs `width` work-items of the row, or all.
void callFallback(Function& function, unsigned firstOwn, Function& declared, Fallback fallback,
                  std::optional<unsigned> width = std::nullopt) {
  for (llvm::User* user : llvm::make_early_inc_range(declared.users())) {
    auto* call = llvm::cast<llvm::CallInst>(user);
    if (call->getFunction() != &function) continue;
    IRBuilder<> builder(call);
    llvm::SmallVector<Value*, 24> arguments;
    for (unsigned i = 0; i < kFirstOwn; ++i)
      arguments.push_back(function.getArg(i));
    for (unsigned i = 0; i < 3; ++i)
      arguments.push_back(call->getArgOperand(i));
    if (width)
      arguments[kRowEnd] = builder.CreateBinaryIntrinsic(
          llvm::Intrinsic::umin, arguments[kRowEnd],
          builder.CreateAdd(arguments[kFirstOwn], builder.getInt64(*width), "", /*HasNUW=*/true));
    const unsigned own = function.arg_size() - (call->arg_size() - 3);
    for (unsigned i = firstOwn; i < own; ++i)
      arguments.push_back(function.getArg(i));
    for (const llvm::Use& argument : llvm::drop_begin(call->args(), 3))
      arguments.push_back(argument);
    llvm::CallInst* made = builder.CreateCall(fallback.function, arguments);
    call->eraseFromParent();
    if (width && fallback.width != 0 && fallback.width < *width) repeatCall(*made, fallback.width);
  }
}

/// Builds a group function that runs each sub-group on a stack of its own, in turn. Sub-groups get the parameters
/// through a structure, and compute their ids from their number.
Function* buildFiberFunction(const KernelParts& parts) {
  Function* subGroup = buildSubGroupFunction(parts);
  // While one sub-group waits, others access the same memory.
  for (unsigned i = kFirstOwn; i < subGroup->arg_size(); ++i)
    subGroup->removeParamAttr(i, llvm::Attribute::NoAlias);
  Function* function = declareGroupFunction(parts);
  llvm::LLVMContext& context = function->getContext();
  auto* i64 = llvm::Type::getInt64Ty(context);
  GroupFacts facts(*function, BasicBlock::Create(context, "entry", function), parts.kernel);
  Value *rowEnd = function->getArg(kRowEnd), *rows = facts.get(Intrinsic::LocalSize, 1),
        *slices = facts.get(Intrinsic::LocalSize, 2);
  IRBuilder<> builder(&function->getEntryBlock());
  if (factsOf(parts.kernel).isLinear) {
    // All work-items are one row.
    rowEnd = builder.CreateMul(builder.CreateMul(facts.get(Intrinsic::LocalSize, 0), rows), slices);
    rows = slices = builder.getInt64(1);
  }
  Value* inRow =
      builder.CreateUDiv(builder.CreateAdd(rowEnd, builder.getInt64(parts.width - 1)), builder.getInt64(parts.width));

  llvm::SmallVector<Value*, 24> shared = {inRow, rows};
  llvm::SmallVector<llvm::Type*, 24> types = {i64, i64};
  for (llvm::Argument& argument : function->args()) {
    shared.push_back(argument.getArgNo() == kRowEnd ? rowEnd : &argument);
    types.push_back(argument.getType());
  }
  auto* type = llvm::StructType::get(context, types);
  Value* structure = builder.CreateAlloca(type);
  for (const auto& [i, value] : llvm::enumerate(shared))
    builder.CreateStore(value, builder.CreateStructGEP(type, structure, static_cast<unsigned>(i)));

  auto* fiber = Function::Create(llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy(), i64}, false),
                                 llvm::GlobalValue::InternalLinkage, parts.kernel.getName() + ".fiber.cl",
                                 parts.kernel.getParent());
  copyAttributes(parts.kernel, *fiber);
  callService(builder, function->getArg(kContext), offsetof(cpu::SubGroupServices, run),
              {fiber, structure, builder.CreateMul(builder.CreateMul(inRow, rows), slices)});
  builder.CreateRetVoid();

  builder.SetInsertPoint(BasicBlock::Create(context, "entry", fiber));
  const auto given = [&](unsigned i) {
    return builder.CreateLoad(types[i], builder.CreateStructGEP(type, fiber->getArg(0), i));
  };
  Value *index = fiber->getArg(1), *width = given(0), *height = given(1);
  Value* row = builder.CreateUDiv(index, width);
  const llvm::SmallVector<Value*, 3> ids = {
      builder.CreateMul(builder.CreateURem(index, width), builder.getInt64(parts.width)),
      builder.CreateURem(row, height), builder.CreateUDiv(row, height)};
  llvm::SmallVector<Value*, 24> arguments;
  for (unsigned i = 2; i < types.size(); ++i) {
    if (i - 2 == kFirstOwn) arguments.append(ids.begin(), ids.end());
    arguments.push_back(given(i));
  }
  if (arguments.size() == kFirstOwn) arguments.append(ids.begin(), ids.end());
  builder.CreateCall(subGroup, arguments);
  builder.CreateRetVoid();
  return function;
}

/// Stack of a sub-group: the kernel's variables, those of functions that may be called, and room for spills.
std::uint64_t stackOf(const Function& kernel, std::uint64_t privateBytes) {
  constexpr std::uint64_t kBesides = 64 << 10;
  std::uint64_t called = 0;
  for (const Function& function : *kernel.getParent())
    if (!isKernel(function))
      for (const llvm::Instruction& instruction : llvm::instructions(function))
        if (const auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
          called += memory->getAllocationSize(kernel.getDataLayout())
                        .value_or(llvm::TypeSize::getFixed(kBesides))
                        .getFixedValue();
  return kBesides + 2 * privateBytes + called;
}

void describe(const KernelParts& parts, llvm::ArrayRef<const KernelParts*> others, RangeFacts& facts) {
  const llvm::DataLayout& layout = parts.kernel.getDataLayout();
  const auto bytesOf = [&](const BarrierRegions& regions) {
    std::uint64_t bytes = 0;
    for (const auto* memories : {&regions.frameAllocas, &regions.privateAllocas})
      for (const llvm::AllocaInst* memory : *memories)
        bytes += memory->getAllocationSize(layout).value_or(llvm::TypeSize::getFixed(0)).getFixedValue();
    return bytes;
  };
  facts.kernel = parts.kernel.getName().str();
  facts.localBytes = parts.local.bytes;
  facts.frameBytesPerItem = parts.frame.bytesPerItem;
  // The context array of a sub-group must also hold that of the half-width sub-groups that replace it in a remainder.
  for (const KernelParts* other : others)
    facts.frameBytesPerItem =
        std::max(facts.frameBytesPerItem, other->frame.bytesPerItem * std::max(parts.width / other->width, 1U));
  // Variables of a sub-group: one copy for each work-item.
  const std::uint64_t privateBytes = bytesOf(parts.regions);
  facts.privateBytes = llvm::divideCeil(privateBytes, parts.width);
  if (callsIntrinsic(parts.kernel, Intrinsic::Yield)) facts.subGroupStackBytes = stackOf(parts.kernel, privateBytes);
  facts.usesBarrier = parts.hasBarriers();
  facts.usesGroupIds =
      callsIntrinsic(parts.kernel, Intrinsic::GroupId) && callsIntrinsic(parts.kernel, Intrinsic::LocalId);
  // The resume point comes last in the state of an interleaved work-group.
  if (parts.stateBytes) facts.interleavedState = llvm::alignTo(*parts.stateBytes, 8) + sizeof(std::uint64_t);
  // Printf may occur only in the predicated variant.
  facts.usesPrintf =
      callsIntrinsic(parts.kernel, Intrinsic::PrintfBuffer) || llvm::any_of(others, [](const KernelParts* other) {
        return callsIntrinsic(other->kernel, Intrinsic::PrintfBuffer);
      });
}

KernelParts partsOf(Function& kernel, const LocalMemory& local) {
  const KernelFacts facts = factsOf(kernel);
  KernelParts parts{kernel, facts.width, facts.rows, local, findBarrierRegions(kernel), GroupFrame()};
  parts.frame = layoutFrame(parts.regions, kernel.getDataLayout(), kernel.getContext());
  return parts;
}

/// Erases a kernel with its variants.
void erase(Function& kernel) {
  kernel.dropAllReferences(); // It calls fallback variants.
  for (const VariantInfo& info : llvm::drop_begin(variants()))
    if (Function* variant = findVariant(kernel, info.variant)) erase(*variant);
  kernel.eraseFromParent();
}

/// Builds the group function of a kernel that runs several rows at once, from `usual`, which runs one.
Function* buildRowsFunction(const KernelParts& parts, const KernelParts& predicated, Function* usual) {
  Function* const rows = findVariant(parts.kernel, Variant::Rows);
  Function& declared = *findVariant(parts.kernel, Variant::Fallback);
  Fallback fallback{buildSubGroupFunction(predicated), predicated.width};
  if (Function* variant = findVariant(parts.kernel, Variant::HalfWidth)) {
    const KernelParts halfWidth = partsOf(*variant, parts.local);
    Function* part = buildSubGroupFunction(halfWidth);
    callFallback(*part, kFirstOwn + std::size(kIds), declared, fallback, halfWidth.width);
    fallback = {part, 0};
  }
  callFallback(*usual, rows != nullptr ? kFirstOwn + std::size(kIds) : std::size_t{kFirstOwn}, declared, fallback,
               parts.width);
  if (rows == nullptr) return usual;
  KernelParts ofRows = partsOf(*rows, parts.local);
  Function* several = buildGroupFunction(ofRows, true);
  callFallback(*several, kFirstOwn, declared, fallback, ofRows.width);
  callFallback(*several, kFirstOwn, *findVariant(parts.kernel, Variant::RowFallback), {usual, 0});
  return several;
}

/// Builds the group function of a local-memory-eliminated kernel (transform/memory/direct_kernels.hpp), if it runs
/// several rows at once. Null otherwise, since the kernel with its tiles is then faster.
Function* buildDirectFunction(Function& direct, const LocalMemory& local) {
  if (findVariant(direct, Variant::Rows) == nullptr) return nullptr;
  const KernelParts parts = partsOf(direct, local),
                    predicated = partsOf(*findVariant(direct, Variant::Predicated), local);
  return buildRowsFunction(parts, predicated, buildSubGroupFunction(parts));
}

/// Whether a local id of dimension 1 or 2 is used only in the linear id: y + size(1) * z.
bool isOfLinearId(const llvm::Instruction& id, unsigned dimension) {
  using namespace llvm::PatternMatch;
  const auto isId = [](const Value* value, unsigned of) { return isIntrinsic(value, Intrinsic::LocalId, of); };
  return llvm::all_of(id.users(), [&](const llvm::User* user) {
    Value *a = nullptr, *b = nullptr;
    if (dimension == 2)
      return match(user, m_Mul(m_Value(a), m_Value(b))) &&
             (isIntrinsic(a, Intrinsic::LocalSize, 1) || isIntrinsic(b, Intrinsic::LocalSize, 1));
    Value* rest = nullptr;
    return match(user, m_c_Add(m_Specific(&id), m_Value(rest))) && match(rest, m_Mul(m_Value(a), m_Value(b))) &&
           (isId(a, 2) || isId(b, 2));
  });
}

/// Whether the kernel uses local ids of dimension 1 or 2 other than in the linear id.
bool asksForRows(const Function& kernel) {
  return llvm::any_of(llvm::instructions(kernel), [](const llvm::Instruction& instruction) {
    const auto call = matchIntrinsic(&instruction);
    return call && call->dimension != 0 && call->intrinsic == Intrinsic::LocalId &&
           !isOfLinearId(instruction, call->dimension);
  });
}

/// `direct`: the local-memory-eliminated kernel; null if there is none.
void lowerKernel(Function& kernel, Function* direct) {
  const auto variant = [&](Variant its) { return findVariant(kernel, its); };
  llvm::SmallVector<Function*, 4> all;
  for (const Variant its :
       {Variant::Original, Variant::Predicated, Variant::HalfWidth, Variant::Rows, Variant::Remainder, Variant::Exact})
    if (Function* function = variant(its)) all.push_back(function);
  const LocalMemory local = layoutLocalMemory(all);
  KernelParts parts = partsOf(kernel, local);
  const bool yields = callsIntrinsic(kernel, Intrinsic::Yield), hasFallback = variant(Variant::Fallback) != nullptr;
  Function* const rows = variant(Variant::Rows);
  std::optional<KernelParts> predicated, remainder, exact;
  if (Function* function = variant(Variant::Predicated)) predicated.emplace(partsOf(*function, local));
  parts.isOneRow = !yields && parts.hasBarriers() && predicated && !hasFallback &&
                   kernel.getMetadata("reqd_work_group_size") == nullptr && !asksForRows(kernel);
  const auto build = [&](KernelParts& of) { return yields ? buildFiberFunction(of) : buildGroupFunction(of, false); };
  const auto buildUsual = [&] {
    if (rows != nullptr) return buildSubGroupFunction(parts);
    if (hasFallback) return buildGroupFunction(parts, true);
    if (!yields && parts.width > 1 && mayInterleave(parts.regions)) return buildGroupFunction(parts, false, true);
    return build(parts);
  };
  GroupFunctions functions{buildUsual(), nullptr, nullptr, nullptr, nullptr, {}};
  if (direct && !yields && !parts.stateBytes) functions.direct = buildDirectFunction(*direct, local);
  if (functions.direct != nullptr) functions.directSize = *factsOf(*direct).directSize;
  llvm::SmallVector<const KernelParts*, 3> others;
  if (predicated) others.push_back(&*predicated);
  if (hasFallback)
    functions.usual = buildRowsFunction(parts, *predicated, functions.usual);
  else if (predicated)
    functions.predicated = build(*predicated);
  if (Function* function = variant(Variant::Remainder)) {
    remainder.emplace(partsOf(*function, local));
    others.push_back(&*remainder);
    functions.remainder = build(*remainder);
  }
  if (Function* function = variant(Variant::Exact)) {
    exact.emplace(partsOf(*function, local));
    others.push_back(&*exact);
    functions.exact = build(*exact);
    // Few launches need it, so compile time counts for more than its speed.
    functions.exact->addFnAttr(llvm::Attribute::OptimizeForSize);
  }
  changeFacts(*buildRangeFunction(parts, functions), [&](KernelFacts& facts) {
    describe(parts, others, facts.range.emplace());
    for (const Variant its :
         {Variant::Exact, Variant::Remainder, Variant::Direct, Variant::Rows, Variant::HalfWidth, Variant::Predicated})
      if (its == Variant::Direct ? functions.direct != nullptr : variant(its) != nullptr)
        facts.range->variants.push_back(its);
    if (rows != nullptr) facts.rows = factsOf(*rows).rows;
    if (functions.direct == nullptr) return;
    const KernelFacts ofDirect = factsOf(*direct);
    facts.mergedRow = ofDirect.mergedRow;
    facts.directSize = ofDirect.directSize;
  });
}

} // namespace

llvm::PreservedAnalyses WorkGroupFunctionPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  llvm::SmallVector<Function*, 8> kernels;
  for (Function& function : module)
    if (isOriginalKernel(function)) kernels.push_back(&function);
  for (Function* kernel : kernels) {
    lowerKernel(*kernel, findVariant(*kernel, Variant::Direct));
    if (!kernel->use_empty()) {
      module.getContext().emitError("the kernel '" + kernel->getName() + "' is used as a function");
      return llvm::PreservedAnalyses::none();
    }
    erase(*kernel);
  }
  for (Function& function : llvm::make_early_inc_range(module))
    if (isIntrinsicName(function.getName()) && function.use_empty()) function.eraseFromParent();
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals()))
    if (variable.getAddressSpace() == 3) {
      variable.removeDeadConstantUsers();
      if (variable.use_empty()) variable.eraseFromParent();
    }
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
