// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/kernels.hpp"

#include "compiler/ir/marks.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {

bool isKernel(const llvm::Function& function) {
  return function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL && !function.isDeclaration();
}

// The linker keeps the larger value, and a flag that one module lacks.
void setUniformGroupsOnly(llvm::Module& module) { module.setModuleFlag(llvm::Module::Max, kUniformGroupsFlag, 1); }

bool hasUniformGroupsOnly(const llvm::Module& module) { return module.getModuleFlag(kUniformGroupsFlag) != nullptr; }

std::optional<std::uint64_t> requiredSize(const llvm::Function& kernel, unsigned dimension) {
  const llvm::MDNode* size = kernel.getMetadata("reqd_work_group_size");
  if (size == nullptr) return std::nullopt;
  return llvm::mdconst::extract<llvm::ConstantInt>(size->getOperand(dimension))->getZExtValue();
}

std::uint64_t privateBytes(const llvm::Function& kernel) {
  std::uint64_t bytes = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(kernel))
    if (const auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      bytes += memory->getAllocationSize(kernel.getDataLayout()).value_or(llvm::TypeSize::getFixed(0)).getFixedValue();
  return bytes;
}

} // namespace clotho::compiler
