// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/vectorise/choose_width.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/MathExtras.h>

namespace clotho::compiler {
namespace {

/// What is computed and moved, not the 64 bits of every address. Narrower types than 32 bits share vectors with those.
unsigned widestType(const llvm::Function& kernel) {
  unsigned widest = 32;
  const auto see = [&](const llvm::Type* type) {
    if (type->getScalarType()->isFloatingPointTy() || llvm::isa<llvm::IntegerType>(type->getScalarType()))
      widest = std::max(widest, std::min(type->getScalarSizeInBits(), 64u));
  };
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction))
      see(llvm::getLoadStoreType(&instruction));
    else if (instruction.getType()->getScalarType()->isFloatingPointTy())
      see(instruction.getType());
  }
  return widest;
}

std::optional<std::uint64_t> requiredRow(const llvm::Function& kernel) {
  const llvm::MDNode* size = kernel.getMetadata("reqd_work_group_size");
  if (size == nullptr) return std::nullopt;
  return llvm::mdconst::extract<llvm::ConstantInt>(size->getOperand(0))->getZExtValue();
}

} // namespace

WidthChoice chooseWidth(const llvm::Function& kernel, const VectoriseOptions& options) {
  WidthChoice choice;
  choice.width = options.width != 0 ? options.width : options.vectorBits / widestType(kernel);
  if (choice.width <= 1) {
    choice.width = 1;
    choice.scalarBecause = "that width was asked for";
    return choice;
  }
  if (const auto row = requiredRow(kernel)) {
    while (choice.width > *row)
      choice.width /= 2;
    if (choice.width == 1) choice.scalarBecause = "its required work-group size has one work-item along dimension 0";
    choice.fitsRequiredSize = *row % choice.width == 0;
  }
  return choice;
}

} // namespace clotho::compiler
