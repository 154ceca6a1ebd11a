// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Instructions.h>

#include <optional>

namespace clotho::compiler {

struct VectorLane {
  llvm::Value* vector;
  unsigned number;
};

/// The lane of an operand from which the shuffle takes a lane; nothing if it is poison.
inline std::optional<VectorLane> sourceOf(const llvm::ShuffleVectorInst& shuffle, unsigned lane) {
  const int from = shuffle.getMaskValue(lane);
  if (from < 0) return std::nullopt;
  const auto number = static_cast<unsigned>(from);
  const unsigned count = llvm::cast<llvm::FixedVectorType>(shuffle.getOperand(0)->getType())->getNumElements();
  if (number < count) return VectorLane{shuffle.getOperand(0), number};
  return VectorLane{shuffle.getOperand(1), number - count};
}

} // namespace clotho::compiler
