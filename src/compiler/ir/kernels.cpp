// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/kernels.hpp"

#include "compiler/ir/marks.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {

bool isKernel(const llvm::Function& function) {
  return function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL && !function.isDeclaration();
}

std::string nameBesideKernel(llvm::StringRef name) { return ("spirv.function." + name).str(); }

void keepKernelsApart(llvm::Module& module, llvm::Module& other) {
  // Also matches declarations of kernels, which only another kernel calls.
  const auto isOfKernel = [](const llvm::GlobalValue& value) {
    const auto* function = llvm::dyn_cast<llvm::Function>(&value);
    return function != nullptr && function->getCallingConv() == llvm::CallingConv::SPIR_KERNEL;
  };
  const auto renameBeside = [&](const llvm::Module& kernels, llvm::Module& functions) {
    for (const llvm::Function& kernel : kernels) {
      if (!isKernel(kernel)) continue;
      llvm::GlobalValue* same = functions.getNamedValue(kernel.getName());
      if (same != nullptr && !same->hasLocalLinkage() && !isOfKernel(*same))
        same->setName(nameBesideKernel(kernel.getName()));
    }
  };
  renameBeside(module, other);
  renameBeside(other, module);
}

std::vector<llvm::Function*> blocksOf(llvm::Module& module) {
  llvm::SmallPtrSet<const llvm::Function*, 8> found;
  for (const llvm::Function& callee : module) {
    if (!callee.getName().starts_with("__enqueue_kernel_") && !callee.getName().starts_with("__get_kernel_")) continue;
    for (const llvm::User* user : callee.users()) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(user);
      if (call == nullptr || call->getCalledOperand() != &callee) continue;
      for (const llvm::Value* argument : call->args())
        if (const auto* kernel = llvm::dyn_cast<llvm::Function>(argument->stripPointerCasts()))
          if (isKernel(*kernel)) found.insert(kernel);
    }
  }
  std::vector<llvm::Function*> blocks;
  for (llvm::Function& function : module)
    if (found.contains(&function)) blocks.push_back(&function);
  return blocks;
}

bool isOfDeviceQueues(llvm::StringRef name) {
  if (name.starts_with("__enqueue_kernel_") || name.starts_with("__get_kernel_")) return true;
  unsigned length = 0;
  if (!name.consume_front("_Z") || name.consumeInteger(10, length)) return false;
  return llvm::is_contained({"get_default_queue", "enqueue_marker", "create_user_event", "is_valid_event",
                             "retain_event", "release_event", "set_user_event_status", "capture_event_profiling_info"},
                            name.take_front(length));
}

void setTellsWhy(llvm::Module& module) { module.setModuleFlag(llvm::Module::Max, kTellsWhyFlag, 1); }

bool tellsWhy(const llvm::Module& module) { return module.getModuleFlag(kTellsWhyFlag) != nullptr; }

// The linker keeps the larger value, or the flag of the one module that has it.
void setUniformGroupsOnly(llvm::Module& module) { module.setModuleFlag(llvm::Module::Max, kUniformGroupsFlag, 1); }

bool hasUniformGroupsOnly(const llvm::Module& module) { return module.getModuleFlag(kUniformGroupsFlag) != nullptr; }

std::optional<std::uint64_t> requiredSize(const llvm::Function& kernel, unsigned dimension) {
  const llvm::MDNode* size = kernel.getMetadata("reqd_work_group_size");
  if (size == nullptr) return std::nullopt;
  return llvm::mdconst::extract<llvm::ConstantInt>(size->getOperand(dimension))->getZExtValue();
}

std::optional<LocalSize> requiredSizes(const llvm::Function& kernel) {
  LocalSize sizes{};
  for (unsigned dimension = 0; dimension < 3; ++dimension) {
    const auto size = requiredSize(kernel, dimension);
    if (!size) return std::nullopt;
    sizes[dimension] = *size;
  }
  return sizes;
}

void setRequiredSizes(llvm::Function& kernel, const LocalSize& sizes) {
  auto* type = llvm::Type::getInt32Ty(kernel.getContext());
  llvm::SmallVector<llvm::Metadata*, 3> numbers;
  for (const std::uint64_t size : sizes)
    numbers.push_back(llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(type, size)));
  kernel.setMetadata("reqd_work_group_size", llvm::MDNode::get(kernel.getContext(), numbers));
}

std::uint64_t privateBytes(const llvm::Function& kernel) {
  std::uint64_t bytes = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(kernel))
    if (const auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      bytes += memory->getAllocationSize(kernel.getDataLayout()).value_or(llvm::TypeSize::getFixed(0)).getFixedValue();
  return bytes;
}

} // namespace clotho::compiler
