// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/work_group_function.hpp"

#include "compiler/analysis/barrier_regions.hpp"
#include "compiler/analysis/kernel_arguments.hpp"
#include "compiler/transform/group_frame.hpp"
#include "compiler/transform/local_memory.hpp"
#include "compiler/transform/primitives.hpp"
#include "compiler/transform/region_builder.hpp"
#include "compiler/transform/vectorise/vectorise_kernels.hpp"
#include "device/cpu/kernel_abi.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Function;
using llvm::IRBuilder;
using llvm::Value;

/// Parameters of `K.cl`, before the local variables and the kernel's own.
enum GroupParameter : unsigned { kLaunch, kContext, kFrame, kGroupX, kGroupY, kGroupZ, kFirstOwn };

Value* fieldAddress(IRBuilder<>& builder, Value* base, std::uint64_t offset) {
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset);
}

/// Reads what stays the same for the whole launch.
llvm::LoadInst* loadConstant(IRBuilder<>& builder, llvm::Type* type, Value* base, std::uint64_t offset,
                             llvm::Align align = llvm::Align(8)) {
  llvm::LoadInst* load = builder.CreateAlignedLoad(type, fieldAddress(builder, base, offset), align);
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(builder.getContext(), {}));
  return load;
}

/// Answers the primitives that are uniform in a work-group, each computed once in the entry block.
class GroupFacts {
 public:
  GroupFacts(Function& function, BasicBlock* entry, const Function& kernel)
      : function_(function), builder_(entry), required_(kernel.getMetadata("reqd_work_group_size")) {}

  Value* get(Primitive primitive, unsigned dimension) {
    Value*& value = values_[{static_cast<unsigned>(primitive), dimension}];
    if (value == nullptr) {
      Value* made = make(primitive, dimension); // may add to values_
      return values_[{static_cast<unsigned>(primitive), dimension}] = made;
    }
    return value;
  }

 private:
  Value* field(std::size_t offset, unsigned dimension) {
    return loadConstant(builder_, builder_.getInt64Ty(), function_.getArg(kLaunch), offset + 8 * dimension);
  }

  Value* address(std::size_t offset) {
    return loadConstant(builder_, builder_.getInt64Ty(), function_.getArg(kContext), offset);
  }

  Value* localSize(unsigned dimension) {
    if (required_ != nullptr)
      return builder_.getInt64(
          llvm::mdconst::extract<llvm::ConstantInt>(required_->getOperand(dimension))->getZExtValue());
    auto* load = llvm::cast<llvm::LoadInst>(field(offsetof(cpu::LaunchParams, localSize), dimension));
    const auto limit = [](std::uint64_t value) { return llvm::APInt(64, value); };
    load->setMetadata(llvm::LLVMContext::MD_range,
                      llvm::MDBuilder(builder_.getContext()).createRange(limit(1), limit(std::uint64_t(1) << 31)));
    return load;
  }

  Value* make(Primitive primitive, unsigned dimension) {
    switch (primitive) {
    case Primitive::GroupId: return function_.getArg(kGroupX + dimension);
    case Primitive::GroupBase: {
      Value* start = builder_.CreateMul(get(Primitive::GroupId, dimension), get(Primitive::LocalSize, dimension), "",
                                        /*HasNUW=*/true);
      return builder_.CreateAdd(start, get(Primitive::GlobalOffset, dimension), "group_base", /*HasNUW=*/true);
    }
    case Primitive::LocalSize: return localSize(dimension);
    case Primitive::NumGroups: return field(offsetof(cpu::LaunchParams, numGroups), dimension);
    case Primitive::GlobalSize: return field(offsetof(cpu::LaunchParams, globalSize), dimension);
    case Primitive::GlobalOffset: return field(offsetof(cpu::LaunchParams, globalOffset), dimension);
    case Primitive::WorkDim:
      return loadConstant(builder_, builder_.getInt32Ty(), function_.getArg(kLaunch),
                          offsetof(cpu::LaunchParams, workDim), llvm::Align(4));
    case Primitive::PrintfBuffer:
      return loadConstant(builder_, builder_.getPtrTy(), function_.getArg(kLaunch),
                          offsetof(cpu::LaunchParams, printf));
    case Primitive::LocalBegin: return address(offsetof(cpu::WorkerContext, local));
    case Primitive::LocalEnd: return address(offsetof(cpu::WorkerContext, localEnd));
    case Primitive::FrameBegin: return address(offsetof(cpu::WorkerContext, frame));
    case Primitive::FrameEnd: return address(offsetof(cpu::WorkerContext, frameEnd));
    case Primitive::StackBegin: return address(offsetof(cpu::WorkerContext, stackBegin));
    case Primitive::StackEnd: return address(offsetof(cpu::WorkerContext, stackEnd));
    case Primitive::LocalId:
    case Primitive::Barrier: break;
    }
    llvm_unreachable("not a fact of the work-group");
  }

  Function& function_;
  IRBuilder<> builder_;
  const llvm::MDNode* required_;
  llvm::DenseMap<std::pair<unsigned, unsigned>, Value*> values_;
};

/// A kernel, or its twin, on its way to work-group functions.
struct KernelParts {
  Function& kernel;
  unsigned width;
  LocalMemory local;
  BarrierRegions regions;
  GroupFrame frame;
};

/// Attributes that say how to compile the code; those that say what it does change with the code.
void copyAttributes(const Function& from, Function& to) {
  for (const llvm::Attribute& attribute : from.getAttributes().getFnAttrs())
    if (attribute.isStringAttribute()) to.addFnAttr(attribute);
  to.setDoesNotThrow();
}

Function* declareGroupFunction(const KernelParts& parts) {
  Function& kernel = parts.kernel;
  llvm::LLVMContext& context = kernel.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* i64 = llvm::Type::getInt64Ty(context);
  llvm::SmallVector<llvm::Type*, 16> types = {pointer, pointer, pointer, i64, i64, i64};
  for (const LocalMemory::Variable& variable : parts.local.variables)
    types.push_back(variable.variable->getType());
  for (const llvm::Argument& argument : kernel.args())
    types.push_back(argument.getType());
  auto* function = Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false),
                                    llvm::GlobalValue::InternalLinkage, kernel.getName() + ".cl", kernel.getParent());
  copyAttributes(kernel, *function);
  // A call a work-group costs little; inlined, its alias facts would turn into the weaker ones of metadata.
  function->addFnAttr(llvm::Attribute::NoInline);
  function->setSubprogram(kernel.getSubprogram());

  const char* names[] = {"launch", "context", "frame", "group.x", "group.y", "group.z"};
  for (unsigned i = 0; i < kFirstOwn; ++i)
    function->getArg(i)->setName(names[i]);
  // Launch, context, frame and each piece of local memory are reached by no other pointer.
  const auto alone = [&](unsigned index, llvm::Align align) {
    function->addParamAttr(index, llvm::Attribute::NoAlias);
    function->addParamAttr(index, llvm::Attribute::getWithAlignment(context, align));
  };
  alone(kLaunch, llvm::Align(8));
  function->addParamAttr(kLaunch, llvm::Attribute::ReadOnly);
  alone(kContext, llvm::Align(8));
  function->addParamAttr(kContext, llvm::Attribute::ReadOnly);
  alone(kFrame, llvm::Align(128));
  unsigned index = kFirstOwn;
  for (const LocalMemory::Variable& variable : parts.local.variables) {
    function->getArg(index)->setName(variable.variable->getName());
    alone(index++, variable.align);
  }
  for (const llvm::Argument& argument : kernel.args()) {
    function->getArg(index)->setName(argument.getName());
    const llvm::AttributeSet given = kernel.getAttributes().getParamAttrs(argument.getArgNo());
    for (const llvm::Attribute::AttrKind kind : {llvm::Attribute::NoAlias, llvm::Attribute::ReadOnly})
      if (given.hasAttribute(kind)) function->addParamAttr(index, kind);
    if (given.hasAttribute(llvm::Attribute::Alignment))
      function->addParamAttr(index, given.getAttribute(llvm::Attribute::Alignment));
    ++index;
  }
  return function;
}

Function* buildGroupFunction(KernelParts& parts) {
  Function* function = declareGroupFunction(parts);
  BasicBlock* entry = BasicBlock::Create(function->getContext(), "entry", function);
  GroupFacts facts(*function, entry, parts.kernel);

  llvm::ValueToValueMapTy map;
  unsigned index = kFirstOwn;
  for (const LocalMemory::Variable& variable : parts.local.variables)
    map[variable.variable] = function->getArg(index++);
  for (const llvm::Argument& argument : parts.kernel.args())
    map[&argument] = function->getArg(index++);
  for (const llvm::Instruction& instruction : llvm::instructions(parts.kernel)) {
    const auto call = matchPrimitive(&instruction);
    if (!call || call->primitive == Primitive::Barrier || call->primitive == Primitive::LocalId) continue;
    map[&instruction] = facts.get(call->primitive, call->dimension);
  }
  RegionBuilder::Group group{function, entry, {}, parts.width, function->getArg(kFrame), &map};
  for (unsigned i = 0; i < 3; ++i)
    group.localSize[i] = facts.get(Primitive::LocalSize, i);
  RegionBuilder(group, parts.regions, parts.frame).build();
  return function;
}

/// The arguments for each call of the group function that do not depend on the work-group.
llvm::SmallVector<Value*, 16> loadArguments(IRBuilder<>& builder, const KernelParts& parts, Value* launch,
                                            Value* context) {
  llvm::SmallVector<Value*, 16> values;
  const auto* localType = llvm::PointerType::get(builder.getContext(), 3);
  Value* local = nullptr;
  const auto localAt = [&](Value* offset) {
    if (local == nullptr)
      local = builder.CreateAddrSpaceCast(
          builder.CreateLoad(builder.getPtrTy(), fieldAddress(builder, context, offsetof(cpu::WorkerContext, local)),
                             "local"),
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
    // Structs are passed by the address of the block's copy, which nobody writes (transform/prepare_kernels.hpp).
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

/// The kernel's twin for short rows.
struct Twin {
  const KernelParts& parts;
  Function* function;
};

/// void clotho_wg_K(launch, context, first, end)
Function* buildRangeFunction(const KernelParts& parts, Function* groupFunction, const std::optional<Twin>& twin) {
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
  llvm::SmallVector<Value*, 24> twinCall(kFirstOwn, nullptr);
  Value* isShort = nullptr;
  if (twin) {
    twinCall[kLaunch] = launch;
    twinCall[kContext] = context;
    twinCall[kFrame] = call[kFrame];
    twinCall.append(loadArguments(builder, twin->parts, launch, context));
    Value* row = loadConstant(builder, i64, launch, offsetof(cpu::LaunchParams, localSize));
    isShort = builder.CreateIsNotNull(builder.CreateAnd(row, builder.getInt64(parts.width - 1)), "short");
  }
  Value* count[2];
  for (unsigned i = 0; i < 2; ++i)
    count[i] = loadConstant(builder, i64, launch, offsetof(cpu::LaunchParams, numGroups) + 8 * i);
  Value* rows = builder.CreateUDiv(first, count[0]);
  Value* start[3] = {builder.CreateURem(first, count[0]), builder.CreateURem(rows, count[1]),
                     builder.CreateUDiv(rows, count[1])};
  builder.CreateBr(loop);

  builder.SetInsertPoint(loop);
  llvm::PHINode* index = builder.CreatePHI(i64, 2, "index");
  llvm::PHINode* id[3];
  for (unsigned i = 0; i < 3; ++i) {
    id[i] = builder.CreatePHI(i64, 2);
    id[i]->addIncoming(start[i], setup);
    call[kGroupX + i] = twinCall[kGroupX + i] = id[i];
  }
  index->addIncoming(first, setup);
  // Volatile, because a fault in the group is reported by this number.
  builder.CreateStore(index, fieldAddress(builder, context, offsetof(cpu::WorkerContext, currentGroup)),
                      /*isVolatile=*/true);
  BasicBlock* latch = loop;
  if (twin) {
    BasicBlock* full = BasicBlock::Create(llvmContext, "full", function, done);
    BasicBlock* cut = BasicBlock::Create(llvmContext, "short", function, done);
    latch = BasicBlock::Create(llvmContext, "next", function, done);
    builder.CreateCondBr(isShort, cut, full);
    builder.SetInsertPoint(cut);
    builder.CreateCall(twin->function, twinCall);
    builder.CreateBr(latch);
    builder.SetInsertPoint(full);
    builder.CreateCall(groupFunction, call);
    builder.CreateBr(latch);
    builder.SetInsertPoint(latch);
  } else {
    builder.CreateCall(groupFunction, call);
  }
  // Counts like an odometer instead of dividing for each group.
  Value* carry = builder.getTrue();
  for (unsigned i = 0; i < 3; ++i) {
    Value* next = builder.CreateAdd(id[i], builder.CreateZExt(carry, i64));
    if (i < 2) {
      carry = builder.CreateICmpEQ(next, count[i]);
      next = builder.CreateSelect(carry, builder.getInt64(0), next);
    }
    id[i]->addIncoming(next, latch);
  }
  Value* next = builder.CreateAdd(index, builder.getInt64(1), "", /*HasNUW=*/true);
  index->addIncoming(next, latch);
  builder.CreateCondBr(builder.CreateICmpULT(next, end), loop, done);
  llvm::ReturnInst::Create(llvmContext, done);
  return function;
}

bool callsPrimitive(const Function& kernel, Primitive primitive) {
  return llvm::any_of(llvm::instructions(kernel), [&](const llvm::Instruction& instruction) {
    const auto call = matchPrimitive(&instruction);
    return call && call->primitive == primitive;
  });
}

void describe(const KernelParts& parts, const std::optional<Twin>& twin, Function& function) {
  const llvm::DataLayout& layout = parts.kernel.getDataLayout();
  std::uint64_t privateBytes = 0;
  for (const auto* memories : {&parts.regions.frameAllocas, &parts.regions.privateAllocas})
    for (const llvm::AllocaInst* memory : *memories)
      privateBytes += memory->getAllocationSize(layout).value_or(llvm::TypeSize::getFixed(0)).getFixedValue();
  function.addFnAttr(kKernelAttribute, parts.kernel.getName());
  function.addFnAttr(kLocalBytesAttribute, std::to_string(parts.local.bytes));
  const std::uint64_t frameBytes = std::max(parts.frame.bytesPerItem, twin ? twin->parts.frame.bytesPerItem : 0);
  function.addFnAttr(kFrameBytesAttribute, std::to_string(frameBytes));
  function.addFnAttr(kWidthAttribute, std::to_string(parts.width));
  function.addFnAttr(kPrivateBytesAttribute, std::to_string(privateBytes));
  if (parts.regions.regions.size() > 1) function.addFnAttr(kBarrierAttribute);
  if (callsPrimitive(parts.kernel, Primitive::PrintfBuffer)) function.addFnAttr(kPrintfAttribute);
}

KernelParts partsOf(Function& kernel) {
  unsigned width = 1;
  if (kernel.hasFnAttribute(kWidthAttribute))
    kernel.getFnAttribute(kWidthAttribute).getValueAsString().getAsInteger(10, width);
  KernelParts parts{kernel, width, layoutLocalMemory(kernel), findBarrierRegions(kernel), GroupFrame()};
  parts.frame = layoutFrame(parts.regions, kernel.getDataLayout(), kernel.getContext());
  return parts;
}

void lowerKernel(Function& kernel, Function* twin) {
  KernelParts parts = partsOf(kernel);
  Function* group = buildGroupFunction(parts);
  if (twin == nullptr) {
    describe(parts, std::nullopt, *buildRangeFunction(parts, group, std::nullopt));
    return;
  }
  KernelParts twinParts = partsOf(*twin);
  const Twin both{twinParts, buildGroupFunction(twinParts)};
  describe(parts, both, *buildRangeFunction(parts, group, both));
}

} // namespace

llvm::PreservedAnalyses WorkGroupFunctionPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  llvm::SmallVector<Function*, 8> kernels;
  for (Function& function : module)
    if (isKernel(function)) kernels.push_back(&function);
  for (Function* kernel : kernels) {
    Function* twin = module.getFunction((kernel->getName() + kTwinSuffix).str());
    lowerKernel(*kernel, twin);
    if (twin != nullptr) twin->eraseFromParent();
    if (!kernel->use_empty()) {
      module.getContext().emitError("the kernel '" + kernel->getName() + "' is used as a function");
      return llvm::PreservedAnalyses::none();
    }
    kernel->eraseFromParent();
  }
  for (Function& function : llvm::make_early_inc_range(module))
    if (isPrimitiveName(function.getName()) && function.use_empty()) function.eraseFromParent();
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals()))
    if (variable.getAddressSpace() == 3) {
      variable.removeDeadConstantUsers();
      if (variable.use_empty()) variable.eraseFromParent();
    }
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
