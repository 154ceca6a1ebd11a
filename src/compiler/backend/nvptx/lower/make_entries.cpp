// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/nvptx/lower/make_entries.hpp"

#include "abi/cuda_kernel.h"
#include "compiler/analysis/kernel_arguments.hpp"
#include "compiler/ir/apart_arguments.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/local_memory.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace clotho::compiler {
namespace {

using llvm::Function;
using llvm::IRBuilder;
using llvm::Value;

constexpr unsigned kGlobalSpace = 1, kConstantSpace = 2, kLocalSpace = 3;
constexpr const char* kLocalArray = "clotho_local";

/// Most work-items of a work-group along each dimension, on all GPUs.
constexpr std::uint32_t kMostItems[] = {1024, 1024, 64};

/// Whether a block may have this size. The device refuses launches of kernels that require another.
template <class Sizes> bool isSizeOfBlock(const Sizes& sizes) {
  std::uint64_t items = 1;
  for (unsigned i = 0; i < 3; ++i) {
    if (sizes[i] > kMostItems[i]) return false;
    items *= sizes[i];
  }
  return items <= kMostItems[0];
}

/// Emits a load of memory that is constant during the launch.
llvm::LoadInst* loadInvariant(IRBuilder<>& builder, llvm::Type* type, Value* base, std::uint64_t offset,
                              llvm::Align align) {
  Value* address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset);
  llvm::LoadInst* load = builder.CreateAlignedLoad(type, address, align);
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(builder.getContext(), {}));
  return load;
}

/// Dynamic shared memory, which all entries have in common.
llvm::GlobalVariable* localArray(llvm::Module& module) {
  if (llvm::GlobalVariable* existing = module.getNamedGlobal(kLocalArray)) return existing;
  auto* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), 0);
  auto* array = new llvm::GlobalVariable(module, type, /*isConstant=*/false, llvm::GlobalValue::ExternalLinkage,
                                         nullptr, kLocalArray, nullptr, llvm::GlobalValue::NotThreadLocal, kLocalSpace);
  array->setAlignment(llvm::Align(128)); // OpenCL's largest
  return array;
}

/// Marks loads of memory that no work-item writes. Arguments that are restricted and only read point to such memory.
void markInvariantLoads(Function& kernel) {
  const auto isNeverWritten = [](const Value* object) {
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(object))
      return argument->getType()->isPointerTy() && argument->getType()->getPointerAddressSpace() == kGlobalSpace &&
             argument->hasNoAliasAttr() && !isWritten(*argument);
    const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object);
    return variable != nullptr && variable->isConstant() && variable->getAddressSpace() != kLocalSpace;
  };
  for (llvm::Instruction& instruction : llvm::instructions(kernel)) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load == nullptr || !load->isSimple()) continue;
    if (load->getPointerAddressSpace() != kConstantSpace) {
      llvm::SmallVector<const Value*, 4> objects;
      llvm::getUnderlyingObjects(load->getPointerOperand(), objects);
      if (!llvm::all_of(objects, isNeverWritten)) continue;
    }
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(kernel.getContext(), {}));
  }
}

/// A name that PTX allows and the module does not have yet.
std::string symbolFor(const Function& kernel) {
  std::string name;
  for (const char letter : kernel.getName())
    name += llvm::isAlnum(letter) || letter == '_' ? letter : '_';
  if (name.empty() || !llvm::isAlpha(name.front())) name = "k" + name;
  std::string symbol = name;
  for (unsigned i = 1;; ++i) {
    const llvm::GlobalValue* other = kernel.getParent()->getNamedValue(symbol);
    if (other == nullptr || other == &kernel) return symbol;
    symbol = name + "_" + std::to_string(i);
  }
}

} // namespace

unsigned warpPart(const Function& kernel) {
  const unsigned required = requiredSubGroupSize(kernel);
  return required == 0 ? kWarpSize : required;
}

namespace {

/// Turns one kernel into an entry.
class EntryMaker {
 public:
  explicit EntryMaker(Function& kernel)
      : kernel_(kernel), module_(*kernel.getParent()), layout_(layoutArguments(kernel)),
        required_(requiredSizes(kernel)), width_(warpPart(kernel)), isUniform_(hasUniformGroupsOnly(module_)),
        builder_(kernel.getContext()) {}

  EntryFact make() {
    EntryFact fact;
    fact.usesSubGroups = factsOf(kernel_).usesSubGroups;
    fact.subGroupSize = width_;
    fact.usesPrintf = callsIntrinsic(kernel_, Intrinsic::PrintfBuffer);
    fact.localBytes = placeLocalVariables();
    markInvariantLoads(kernel_);
    createEntry();
    callKernel(fact.localBytes != 0);
    replaceIntrinsics();
    fact.symbol = entry_->getName().str();
    return fact;
  }

 private:
  /// Replaces local variables by parts of the dynamic array. Returns their size.
  std::uint64_t placeLocalVariables() {
    const LocalMemory memory = layoutLocalMemory({&kernel_});
    for (const LocalMemory::Variable& variable : memory.variables) {
      auto* i8 = llvm::Type::getInt8Ty(kernel_.getContext());
      auto* offset =
          llvm::ConstantInt::get(llvm::Type::getInt64Ty(kernel_.getContext()), cuda::kLocalBegin + variable.offset);
      llvm::Constant* place = llvm::ConstantExpr::getInBoundsGetElementPtr(i8, localArray(module_), offset);
      variable.variable->replaceUsesWithIf(place, [&](const llvm::Use& use) {
        const auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
        return user != nullptr && user->getFunction() == &kernel_;
      });
    }
    return memory.bytes;
  }

  void createEntry() {
    llvm::LLVMContext& context = kernel_.getContext();
    auto* pointer = llvm::PointerType::get(context, 0);
    llvm::SmallVector<llvm::Type*, 2> parameters = {pointer};
    if (layout_.blockSize != 0) parameters.push_back(pointer);
    entry_ = Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), parameters, false),
                              llvm::GlobalValue::ExternalLinkage, "", nullptr);
    module_.getFunctionList().insert(kernel_.getIterator(), entry_);
    const std::string symbol = symbolFor(kernel_);
    kernel_.setName(kernel_.getName() + ".body");
    entry_->setName(symbol);
    entry_->setCallingConv(llvm::CallingConv::PTX_Kernel);
    entry_->setDoesNotThrow();
    entry_->setConvergent();
    if (factsOf(kernel_).flushesDenormals) entry_->addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
    if (const auto sizes = requiredSizes(kernel_); sizes && isSizeOfBlock(*sizes)) {
      // Work-groups at the end of a non-uniform launch are smaller.
      const char* name = hasUniformGroupsOnly(module_) ? "nvvm.reqntid" : "nvvm.maxntid";
      entry_->addFnAttr(name, llvm::join_items(",", std::to_string((*sizes)[0]), std::to_string((*sizes)[1]),
                                               std::to_string((*sizes)[2])));
    }
    addBlock(0, "launch", sizeof(cuda::CudaLaunch), llvm::Align(alignof(cuda::CudaLaunch)));
    if (layout_.blockSize == 0) return;
    llvm::Align align(8);
    for (const ArgInfo& info : layout_.args)
      if (info.kind == ArgKind::Value) align = std::max(align, llvm::Align(info.alignment));
    addBlock(1, "arguments", layout_.blockSize, align);
  }

  void addBlock(unsigned number, const char* name, std::uint64_t bytes, llvm::Align align) {
    llvm::LLVMContext& context = kernel_.getContext();
    llvm::Argument& argument = *entry_->getArg(number);
    argument.setName(name);
    argument.addAttr(
        llvm::Attribute::getWithByValType(context, llvm::ArrayType::get(llvm::Type::getInt8Ty(context), bytes)));
    argument.addAttr(llvm::Attribute::getWithAlignment(context, align));
    argument.addAttr(llvm::Attribute::NoAlias);
    argument.addAttr(llvm::Attribute::ReadOnly);
    // The parameter is read where the launch has put it, never from a copy.
    argument.addAttr(llvm::Attribute::get(context, "nvvm.grid_constant"));
  }

  /// Calls the kernel's function and inlines the call, which turns `noalias` of arguments into metadata of accesses.
  void callKernel(bool hasLocalVariables) {
    auto* block = llvm::BasicBlock::Create(kernel_.getContext(), "entry", entry_);
    llvm::Instruction* end = llvm::ReturnInst::Create(kernel_.getContext(), block);
    builder_.SetInsertPoint(end);
    llvm::SmallVector<Value*, 16> values;
    for (llvm::Argument& argument : kernel_.args())
      values.push_back(load(argument));
    const auto isLocal = [](const ArgInfo& info) { return info.kind == ArgKind::Local; };
    if (hasLocalVariables || llvm::any_of(layout_.args, isLocal)) zeroLocalMemory(end);
    kernel_.removeFnAttr(llvm::Attribute::NoInline);
    kernel_.removeFnAttr(llvm::Attribute::OptimizeNone);
    llvm::CallInst* call = builder_.CreateCall(&kernel_, values);
    call->setCallingConv(kernel_.getCallingConv());
    const bool isCalled = !kernel_.hasOneUse(); // by another kernel
    // Lines of the source are in the scope of the function, which becomes that of the entry.
    if (!isCalled) entry_->setSubprogram(kernel_.getSubprogram());
    llvm::InlineFunctionInfo info;
    [[maybe_unused]] const llvm::InlineResult result = llvm::InlineFunction(*call, info);
    assert(result.isSuccess());
    if (isCalled) {
      llvm::stripDebugInfo(*entry_);
      kernel_.setLinkage(llvm::GlobalValue::InternalLinkage);
    } else {
      kernel_.eraseFromParent();
    }
  }

  Value* load(llvm::Argument& argument) {
    const ArgInfo& info = layout_.args[argument.getArgNo()];
    Value* arguments = entry_->getArg(1);
    auto* i8 = builder_.getInt8Ty();
    // The block is read-only (transform/lower/prepare_kernels.hpp).
    if (argument.hasByValAttr()) {
      argument.removeAttr(llvm::Attribute::ByVal);
      return builder_.CreateConstInBoundsGEP1_64(i8, arguments, info.offset);
    }
    const llvm::Align align(info.kind == ArgKind::Value ? info.alignment : 8);
    if (info.kind != ArgKind::Local) return loadInvariant(builder_, argument.getType(), arguments, info.offset, align);
    Value* offset = loadInvariant(builder_, builder_.getInt64Ty(), arguments, info.offset, align);
    Value* begin = builder_.CreateConstInBoundsGEP1_64(i8, localArray(module_), cuda::kLocalBegin);
    return builder_.CreateInBoundsGEP(i8, begin, offset);
  }

  void replaceIntrinsics() {
    llvm::BasicBlock& entry = entry_->getEntryBlock();
    builder_.SetInsertPoint(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    // Values are made before this instruction, which is none of those that are replaced.
    llvm::Instruction* place = builder_.CreateUnreachable();
    builder_.SetInsertPoint(place);
    llvm::SmallVector<llvm::CallInst*, 16> calls;
    for (llvm::Instruction& instruction : llvm::instructions(*entry_))
      if (matchIntrinsic(&instruction)) calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
    for (llvm::CallInst* call : calls) {
      const auto [intrinsic, dimension] = *matchIntrinsic(call);
      if (intrinsic == Intrinsic::Barrier) {
        replaceBarrier(*call);
      } else if (intrinsic == Intrinsic::Yield) {
        call->eraseFromParent(); // threads of a warp run independently
      } else if (Value* value = get(intrinsic, dimension)) {
        call->replaceAllUsesWith(value);
        call->eraseFromParent();
      } else {
        module_.getContext().emitError("NVIDIA GPUs do not support " + call->getCalledFunction()->getName());
      }
    }
    place->eraseFromParent();
  }

  /// The instruction itself orders all memory for the work-group. LowerWorkItemPass has put a fence behind barriers
  /// that order memory for others, too: it makes visible what all work-items have written. Here such barriers get one
  /// before them as well, for what work-items have seen of others.
  void replaceBarrier(llvm::CallInst& call) {
    const IRBuilder<>::InsertPointGuard guard(builder_);
    builder_.SetInsertPoint(&call);
    if (const auto* fence = llvm::dyn_cast<llvm::FenceInst>(call.getNextNode()))
      builder_.CreateFence(fence->getOrdering(), fence->getSyncScopeID());
    createBarrier();
    call.eraseFromParent();
  }

  /// The intrinsic's value; null if there is none on this target.
  Value* get(Intrinsic intrinsic, unsigned dimension) {
    Value*& value = values_[{static_cast<unsigned>(intrinsic), dimension}];
    if (value != nullptr) return value;
    Value* made = create(intrinsic, dimension); // may add other values
    return values_[{static_cast<unsigned>(intrinsic), dimension}] = made;
  }

  Value* create(Intrinsic intrinsic, unsigned dimension) {
    auto* i64 = builder_.getInt64Ty();
    const auto wide = [&](Value* number) { return builder_.CreateZExt(number, i64, "", /*IsNonNeg=*/true); };
    const auto field = [&](std::size_t offset) {
      return loadInvariant(builder_, i64, entry_->getArg(0), offset + 8 * dimension, llvm::Align(8));
    };
    switch (intrinsic) {
    case Intrinsic::LocalId: return wide(localId(dimension));
    case Intrinsic::LocalSize: return wide(localSize(dimension));
    case Intrinsic::EnqueuedSize: return wide(number(offsetof(cuda::CudaLaunch, enqueuedLocalSize) + 4 * dimension));
    case Intrinsic::NumGroups: return field(offsetof(cuda::CudaLaunch, numGroups));
    case Intrinsic::GlobalSize: return field(offsetof(cuda::CudaLaunch, globalSize));
    case Intrinsic::GlobalOffset: return field(offsetof(cuda::CudaLaunch, globalOffset));
    case Intrinsic::GroupId:
      return builder_.CreateAdd(wide(groupInGrid(dimension)), field(offsetof(cuda::CudaLaunch, firstGroup)), "",
                                /*HasNUW=*/true);
    case Intrinsic::GroupBase: {
      Value* items = builder_.CreateMul(wide(groupInGrid(dimension)), get(Intrinsic::EnqueuedSize, dimension), "",
                                        /*HasNUW=*/true);
      return builder_.CreateAdd(items, field(offsetof(cuda::CudaLaunch, firstItem)), "", /*HasNUW=*/true);
    }
    case Intrinsic::GlobalId:
      return builder_.CreateAdd(get(Intrinsic::GroupBase, dimension), get(Intrinsic::LocalId, dimension), "",
                                /*HasNUW=*/true);
    case Intrinsic::WorkDim: return number(offsetof(cuda::CudaLaunch, workDim));
    case Intrinsic::PrintfBuffer:
      return builder_.CreateIntToPtr(field(offsetof(cuda::CudaLaunch, printf)), builder_.getPtrTy());
    case Intrinsic::Enqueuing: return field(offsetof(cuda::CudaLaunch, enqueuing));
    case Intrinsic::LaneId: return wide(special(llvm::Intrinsic::nvvm_read_ptx_sreg_laneid, 0, kWarpSize));
    case Intrinsic::LaneCount: return builder_.getInt64(kWarpSize);
    case Intrinsic::SubGroupLane: {
      Value* lane = get(Intrinsic::LaneId, 0);
      return width_ == kWarpSize ? lane : builder_.CreateAnd(lane, width_ - 1);
    }
    case Intrinsic::SubGroupWidth: return builder_.getInt64(width_);
    case Intrinsic::SubGroupBase: return wide(builder_.CreateAnd(linearId(), builder_.getInt32(~(width_ - 1))));
    default: return nullptr;
    }
  }

  /// Emits, before the block's end, what launches with CudaLaunch::zeroedLocal do first: each work-item zeroes some
  /// bytes. The end is in another block then.
  void zeroLocalMemory(llvm::Instruction* blockEnd) {
    llvm::Value *bytes = number(offsetof(cuda::CudaLaunch, zeroedLocal)), *first = linearId(), *items = localSize(0);
    for (const unsigned i : {1U, 2U})
      items = builder_.CreateMul(items, localSize(i), "", true, true);
    llvm::Value* isWanted = builder_.CreateICmpNE(bytes, builder_.getInt32(0));
    llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(isWanted, blockEnd, /*Unreachable=*/false);
    llvm::BasicBlock* before = end->getParent();
    llvm::BasicBlock* after = llvm::SplitBlock(before, end);
    auto* loop = llvm::BasicBlock::Create(entry_->getContext(), "zero.local", entry_, after);
    before->getTerminator()->eraseFromParent();
    builder_.SetInsertPoint(before);
    builder_.CreateCondBr(builder_.CreateICmpULT(first, bytes), loop, after);
    builder_.SetInsertPoint(loop);
    llvm::PHINode* offset = builder_.CreatePHI(builder_.getInt32Ty(), 2);
    Value* begin = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), localArray(module_), cuda::kLocalBegin);
    Value* place = builder_.CreateZExt(offset, builder_.getInt64Ty());
    builder_.CreateStore(builder_.getInt8(0), builder_.CreateInBoundsGEP(builder_.getInt8Ty(), begin, place));
    Value* next = builder_.CreateAdd(offset, items, "", true);
    offset->addIncoming(first, before);
    offset->addIncoming(next, loop);
    builder_.CreateCondBr(builder_.CreateICmpULT(next, bytes), loop, after);
    builder_.SetInsertPoint(end);
    createBarrier();
    builder_.SetInsertPoint(blockEnd);
  }

  void createBarrier() {
    llvm::CallInst* barrier =
        builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all, {builder_.getInt32(0)});
    barrier->setConvergent();
  }

  llvm::LoadInst* number(std::size_t offset) {
    return loadInvariant(builder_, builder_.getInt32Ty(), entry_->getArg(0), offset, llvm::Align(4));
  }

  /// Reads a special register. Its value is at least `begin`, and less than `end`.
  llvm::CallInst* special(llvm::Intrinsic::ID id, std::uint32_t begin, std::uint32_t end) {
    llvm::CallInst* call = builder_.CreateIntrinsic(id, {});
    call->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, begin), llvm::APInt(32, end)));
    return call;
  }

  Value* localId(unsigned dimension) {
    constexpr llvm::Intrinsic::ID kRegisters[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x,
                                                  llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                                  llvm::Intrinsic::nvvm_read_ptx_sreg_tid_z};
    const std::uint32_t end = mostItems(dimension);
    return end == 1 ? static_cast<Value*>(builder_.getInt32(0)) : special(kRegisters[dimension], 0, end);
  }

  Value* localSize(unsigned dimension) {
    constexpr llvm::Intrinsic::ID kRegisters[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x,
                                                  llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_y,
                                                  llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_z};
    const std::uint32_t most = mostItems(dimension);
    if (most == 1 || (required_ && isUniform_)) return builder_.getInt32(most);
    return special(kRegisters[dimension], 1, most + 1);
  }

  std::uint32_t mostItems(unsigned dimension) const {
    const std::uint64_t most = kMostItems[dimension];
    return static_cast<std::uint32_t>(required_ ? std::min((*required_)[dimension], most) : most);
  }

  Value* linearId() {
    Value* result = localId(2);
    for (const unsigned i : {1U, 0U}) {
      result = builder_.CreateMul(result, localSize(i), "", true, true);
      result = builder_.CreateAdd(result, localId(i), "", true, true);
    }
    return result;
  }

  /// Id of the work-group, counted from the first of the grid.
  Value* groupInGrid(unsigned dimension) {
    constexpr std::pair<llvm::Intrinsic::ID, std::uint32_t> kRegisters[] = {
        {llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x, 0x7fffffff},
        {llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y, 65535},
        {llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z, 65535}};
    return special(kRegisters[dimension].first, 0, kRegisters[dimension].second);
  }

  Function& kernel_;
  llvm::Module& module_;
  ArgumentLayout layout_;
  std::optional<LocalSize> required_;
  std::uint32_t width_; // of sub-groups
  bool isUniform_;
  IRBuilder<> builder_;
  Function* entry_ = nullptr;
  llvm::DenseMap<std::pair<unsigned, unsigned>, Value*> values_;
};

} // namespace

llvm::PreservedAnalyses MakeEntriesPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  llvm::SmallVector<Function*, 8> kernels;
  for (Function& function : module)
    if (isKernel(function)) kernels.push_back(&function);
  for (Function* kernel : kernels) {
    const std::string name = kernel->getName().str();
    EntryFact fact = EntryMaker(*kernel).make();
    if (facts_ != nullptr) (*facts_)[name] = std::move(fact);
  }
  for (Function& function : llvm::make_early_inc_range(module))
    if (isIntrinsicName(function.getName()) && function.use_empty()) function.eraseFromParent();
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals())) {
    variable.removeDeadConstantUsers();
    if (variable.getAddressSpace() != kLocalSpace || variable.isDeclaration()) continue;
    if (variable.use_empty())
      variable.eraseFromParent();
    else
      module.getContext().emitError("the local variable '" + variable.getName() +
                                    "' is used by a function that is not inlined");
  }
  return kernels.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
