// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads in which several neighbouring lanes have the same address: each element is loaded once and shuffled.
#include "compiler/transform/widen/widen_access.hpp"

#include <llvm/Analysis/VectorUtils.h>

namespace clotho::compiler {

using llvm::Value;

/// Whether the pointer varies but is consecutive in most sub-groups.
bool Widener::isUsuallyRow(Value* pointer, std::int64_t bytes) {
  return !plan_.shapes.of(pointer).isAffine() && plan_.shapes.usualStride(pointer) == bytes;
}

/// The steps of a load of scalars that advances by a few elements at a time.
std::optional<LaneSteps> Widener::stepsOf(const Access& access, Value* pointer) const {
  constexpr std::int64_t kMostElements = 4; // from one step to the next
  if (access.parts != 1) return std::nullopt;
  const auto steps = usualSteps(plan_.shapes, pointer);
  const std::int64_t size = access.bytes();
  if (!steps || steps->lanes >= plan_.width || steps->stride <= 0 || steps->stride % size != 0 ||
      steps->stride > kMostElements * size)
    return std::nullopt;
  return steps;
}

/// Loads by steps from lane 0's address on.
Value* Widener::loadSteps(const Access& access, LaneSteps steps, Value* first) {
  const unsigned width = plan_.width, count = width / steps.lanes,
                 row = static_cast<unsigned>(steps.stride / access.size);
  // A step is loaded if one of its lanes is active.
  Value* live = nullptr;
  if (mask_ != nullptr)
    for (unsigned lane = 0; lane < steps.lanes; ++lane) {
      Value* each = builder_.CreateShuffleVector(mask_, llvm::createStrideMask(lane, steps.lanes, count));
      live = live == nullptr ? each : builder_.CreateOr(live, each);
    }
  Value* all = nullptr;
  if (live == nullptr && row == 1) {
    all = loadFrom(access.instruction, llvm::FixedVectorType::get(access.scalar, count), first, access.align);
  } else {
    if (live == nullptr) live = llvm::ConstantInt::getTrue(llvm::FixedVectorType::get(builder_.getInt1Ty(), count));
    // Gaps between the elements are not read, nor is memory after the last one.
    llvm::SmallVector<int, 32> mask(static_cast<std::size_t>(count) * row, static_cast<int>(count));
    for (unsigned i = 0; i < count; ++i)
      mask[static_cast<std::size_t>(i) * row] = static_cast<int>(i);
    Value* none = llvm::Constant::getNullValue(live->getType());
    all = builder_.CreateMaskedLoad(llvm::FixedVectorType::get(access.scalar, count * row), first, access.align,
                                    builder_.CreateShuffleVector(live, none, mask));
  }
  llvm::SmallVector<int, 32> lanes;
  for (unsigned lane = 0; lane < width; ++lane)
    lanes.push_back(static_cast<int>(lane / steps.lanes * row));
  return builder_.CreateShuffleVector(all, lanes);
}

} // namespace clotho::compiler
