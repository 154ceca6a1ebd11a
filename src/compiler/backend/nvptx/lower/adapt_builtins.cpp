// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/nvptx/lower/adapt_builtins.hpp"

#include "compiler/builtins/format.hpp"
#include "compiler/builtins/properties.hpp"
#include "compiler/ir/pipe_functions.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <map>

namespace clotho::compiler {
namespace {

using llvm::Function;
using llvm::StringRef;

/// NVPTX's names of scopes. The empty one is the whole system.
constexpr llvm::StringLiteral kBlock = "block", kDevice = "device", kSystem = "";

enum class Ordering { None, Atomic, Fence };

/// The name without the types of its parameters; empty unless the function is a builtin with a body.
StringRef nameOfBuiltin(const Function& function) {
  const StringRef name = builtinBaseName(function.getName());
  const bool isBuiltin = !function.isDeclaration() && function.hasFnAttribute(builtin_format::kBuiltinAttribute);
  return isBuiltin && name.size() != function.getName().size() ? name : StringRef();
}

/// Whether the function is an atomic or a fence of OpenCL C.
Ordering orderingOf(const Function& function) {
  const StringRef name = nameOfBuiltin(function);
  if (llvm::is_contained({"atomic_work_item_fence", "mem_fence", "read_mem_fence", "write_mem_fence"}, name))
    return Ordering::Fence;
  return name.starts_with("atomic_") || name.starts_with("atom_") ? Ordering::Atomic : Ordering::None;
}

/// The scope for which a call asks; without an argument that says so, it is the device.
StringRef scopeOf(const llvm::CallInst& call, Ordering kind) {
  if (kind == Ordering::Fence) {
    constexpr std::uint64_t kLocalFence = 1;
    const auto* flags = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
    if (flags != nullptr && flags->getZExtValue() == kLocalFence) return kBlock; // only it sees the memory
  }
  if (!call.getCalledFunction()->getName().ends_with("memory_scope")) return kDevice;
  const auto* scope = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(call.arg_size() - 1));
  if (scope == nullptr) return kSystem;
  switch (scope->getZExtValue()) {
  case 0:                // work-item, for images
  case 1:                // work-group
  case 4: return kBlock; // sub-group
  case 2: return kDevice;
  default: return kSystem;
  }
}

/// Calls `change` with each atomic access of memory.
template <class Change> void forEachAtomic(Function& function, Change&& change) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load != nullptr && load->isAtomic())
      change(*load);
    else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction); store != nullptr && store->isAtomic())
      change(*store);
    else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
      change(*update);
    else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
      change(*exchange);
  }
}

void setScope(Function& function, StringRef name) {
  const llvm::SyncScope::ID scope = function.getContext().getOrInsertSyncScopeID(name);
  forEachAtomic(function, [&](auto& atomic) { atomic.setSyncScopeID(scope); });
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction)) fence->setSyncScopeID(scope);
}

/// Calls a copy of the function with the scope that each call asks for.
void scopeCalls(Function& function, Ordering kind) {
  std::map<StringRef, Function*> copies;
  for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call == nullptr || call->getCalledOperand() != &function) continue;
    const StringRef scope = scopeOf(*call, kind);
    if (scope == kSystem) continue;
    Function*& copy = copies[scope];
    if (copy == nullptr) {
      llvm::ValueToValueMapTy values;
      copy = llvm::CloneFunction(&function, values);
      copy->setName(function.getName() + "." + scope);
      copy->setLinkage(llvm::GlobalValue::InternalLinkage);
      setScope(*copy, scope);
    }
    call->setCalledFunction(copy);
  }
}

/// Whether the function reads or writes texels, and accesses nothing else that is not aligned.
bool accessesTexels(const Function& function) {
  const StringRef name = nameOfBuiltin(function);
  return name.starts_with("read_image") || name.starts_with("write_image") || name == "__clotho_read_image" ||
         name == "__clotho_write_image";
}

void alignTexels(Function& function) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  const auto align = [&](auto& access, llvm::Type* type) {
    const std::uint64_t bytes = layout.getTypeStoreSize(type).getFixedValue();
    if (llvm::isPowerOf2_64(bytes)) access.setAlignment(std::max(access.getAlign(), llvm::Align(bytes)));
  };
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load != nullptr && load->getAlign() == 1)
      align(*load, load->getType());
    else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction); store != nullptr && store->getAlign() == 1)
      align(*store, store->getValueOperand()->getType());
}

/// The instruction for which a function of the library stands.
llvm::Intrinsic::ID instructionOf(StringRef name) {
  return llvm::StringSwitch<llvm::Intrinsic::ID>(name)
      .Case("clotho.get_is_local", llvm::Intrinsic::nvvm_isspacep_shared)
      .Case("clotho.get_is_private", llvm::Intrinsic::nvvm_isspacep_local)
      .Case("clotho.get_ex2", llvm::Intrinsic::nvvm_ex2_approx_ftz)
      .Case("clotho.get_lg2", llvm::Intrinsic::nvvm_lg2_approx_ftz_f)
      .Case("clotho.get_sine", llvm::Intrinsic::nvvm_sin_approx_ftz_f)
      .Case("clotho.get_cosine", llvm::Intrinsic::nvvm_cos_approx_ftz_f)
      .Default(llvm::Intrinsic::not_intrinsic);
}

void useInstruction(Function& function, llvm::Intrinsic::ID instruction) {
  for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
    auto* call = llvm::cast<llvm::CallInst>(user);
    llvm::IRBuilder<> builder(call);
    llvm::Value* operand = call->getArgOperand(0);
    llvm::Value* result = nullptr;
    if (operand->getType()->isFloatTy() && llvm::Intrinsic::isOverloaded(instruction))
      result = builder.CreateUnaryIntrinsic(instruction, operand);
    else if (operand->getType()->isFloatTy())
      result = builder.CreateIntrinsic(instruction, {operand});
    else
      result = builder.CreateIntrinsic(instruction, {builder.CreateIntToPtr(operand, builder.getPtrTy())});
    call->replaceAllUsesWith(result);
    call->eraseFromParent();
  }
}

/// Makes clock_read_device and clock_read_hilo_device read the clock that all of the GPU has. The one of cycles, which
/// LLVM reads for the others, is that of a multiprocessor.
void readDeviceClock(Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call == nullptr || call->getIntrinsicID() != llvm::Intrinsic::readcyclecounter) continue;
    llvm::IRBuilder<> builder(call);
    call->replaceAllUsesWith(builder.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_globaltimer, {}));
    call->eraseFromParent();
  }
}

/// Makes calls of the builtin roots that instructions are exact enough for (3 ulp, OpenCL C, relative error) known as
/// such: their function is a root that is correctly rounded, which is lost as soon as it is inlined.
void markRoots(Function& function) {
  const bool isAlwaysInexact = nameOfBuiltin(function) != "sqrt";
  for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call == nullptr || call->getCalledOperand() != &function || !call->getType()->getScalarType()->isFloatTy() ||
        (!isAlwaysInexact && call->getMetadata(llvm::LLVMContext::MD_fpmath) == nullptr))
      continue;
    llvm::IRBuilder<> builder(call);
    llvm::CallInst* root = builder.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, call->getArgOperand(0), call);
    root->setMetadata(llvm::LLVMContext::MD_fpmath, llvm::MDBuilder(call->getContext()).createFPMath(3));
    call->replaceAllUsesWith(root);
    call->eraseFromParent();
  }
}

/// Makes clotho.pipe.pass sleep for some nanoseconds instead of counting.
void sleep(Function& function) {
  const auto linkage = function.getLinkage();
  function.deleteBody();
  function.setLinkage(linkage);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(function.getContext(), "", &function));
  builder.CreateIntrinsic(llvm::Intrinsic::nvvm_nanosleep, {function.getArg(0)});
  builder.CreateRetVoid();
}

} // namespace

llvm::PreservedAnalyses AdaptBuiltinsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  // OpenCL's atomics take pointers to volatile. This says nothing more of an atomic, but would hide its address space.
  for (Function& function : module)
    forEachAtomic(function, [](auto& atomic) { atomic.setVolatile(false); });
  llvm::SmallVector<std::pair<Function*, Ordering>, 16> ordering;
  for (Function& function : llvm::make_early_inc_range(module)) {
    if (const StringRef name = builtinBaseName(function.getName());
        name == "clock_read_device" || name == "clock_read_hilo_device")
      readDeviceClock(function);
    if (function.getName() == "clotho.pipe.pass" && !function.isDeclaration()) sleep(function);
    if (isPipeFunction(function) || (function.getName().starts_with("__") && function.getName().contains("_pipe")))
      setScope(function, kDevice);
    if (const Ordering kind = orderingOf(function); kind != Ordering::None) ordering.push_back({&function, kind});
    if (accessesTexels(function)) alignTexels(function);
    if (llvm::is_contained({"sqrt", "native_sqrt", "half_sqrt"}, nameOfBuiltin(function))) markRoots(function);
    if (const auto instruction = instructionOf(function.getName()); instruction != llvm::Intrinsic::not_intrinsic) {
      useInstruction(function, instruction);
      function.eraseFromParent();
    }
  }
  for (const auto& [function, kind] : ordering)
    scopeCalls(*function, kind);
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
