// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/code_size.hpp"

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/InstIterator.h>

namespace clotho::compiler {

std::size_t workOf(const llvm::Function& function) {
  constexpr std::uint64_t kRegisterBits = 512;
  std::size_t work = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
    work += vector == nullptr ? 1 : vector->getPrimitiveSizeInBits().getFixedValue() / kRegisterBits + 1;
  }
  return work;
}

} // namespace clotho::compiler
