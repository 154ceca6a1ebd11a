// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

#include <optional>

namespace clotho::compiler {

/// A comparison of the lanes' local ids with constants in a loop over the sub-groups of a row. The loop's counter is
/// the local id of the first lane. The result is uniform in sub-groups from `bound` on, and perhaps in those before it.
struct SubGroupMask {
  llvm::ICmpInst* compare;
  std::uint64_t bound; ///< a multiple of the width, not 0
  bool after;
  std::optional<bool> before;
  llvm::SmallVector<std::int64_t, 16> distances; ///< what each lane adds to the counter before the comparison
  llvm::SmallVector<std::int64_t, 16> limits;    ///< what each lane compares the sum with

  bool answer(std::uint64_t counter, unsigned lane) const;
};

/// Each lane's distance from the counter, if `value` is the vector of the lanes' local ids, or the first lane's id in
/// all lanes. Null otherwise.
llvm::Constant* distancesOf(llvm::Value* value, const llvm::PHINode& counter);

std::optional<SubGroupMask> matchSubGroupMask(llvm::ICmpInst& compare, const llvm::PHINode& counter,
                                              std::uint64_t width);

} // namespace clotho::compiler
