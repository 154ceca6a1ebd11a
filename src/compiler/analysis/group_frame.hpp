// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/barrier_regions.hpp"

namespace clotho::compiler {

/// Layout of a kernel's context array: the values that each work-item stores across barriers. Each slot is an array
/// over the work-items of the group, so neighbours are adjacent and a loop over work-items reads it in order.
struct GroupFrame {
  struct Slot {
    std::uint64_t offset; ///< The slot's array begins at this offset times the number of work-items
    llvm::Type* type;     ///< Type in which it is stored
    llvm::Align align;
  };
  llvm::DenseMap<const llvm::Instruction*, Slot> slots; ///< Slots of values and of private memory
  Slot returned{};                                      ///< i8: the work-item has returned
  std::uint64_t bytesPerItem = 0;
};

GroupFrame layoutFrame(const BarrierRegions& regions, const llvm::DataLayout& layout, llvm::LLVMContext& context);

} // namespace clotho::compiler
