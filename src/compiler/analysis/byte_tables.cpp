// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/byte_tables.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>

namespace clotho::compiler {
namespace {

/// Largest table, in bytes. Longer ones take more lookups and selects than eight scalar loads.
constexpr std::size_t kMostBytes = 128;

} // namespace

std::optional<ByteTable> byteTableOf(const llvm::LoadInst& load, const ProcessorModel& cpu) {
  const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(load.getPointerOperand());
  if (!cpu.choosesBytes || !load.isSimple() || !load.getType()->isIntegerTy(8) || address == nullptr ||
      !address->getSourceElementType()->isIntegerTy(8))
    return std::nullopt;
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(address->getPointerOperand()->stripPointerCasts());
  if (variable == nullptr || !variable->isConstant() || !variable->hasDefinitiveInitializer()) return std::nullopt;
  const auto* bytes = llvm::dyn_cast<llvm::ConstantDataArray>(variable->getInitializer());
  if (bytes == nullptr || bytes->getElementByteSize() != 1 || bytes->getNumElements() > kMostBytes) return std::nullopt;
  return ByteTable{bytes->getRawDataValues(), address->getOperand(1)};
}

} // namespace clotho::compiler
