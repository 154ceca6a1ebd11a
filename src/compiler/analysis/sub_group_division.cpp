// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/sub_group_division.hpp"

#include <llvm/Support/MathExtras.h>

#include <algorithm>

namespace clotho::compiler {

SubGroupDivision divide(const LocalSize& size, unsigned width) {
  constexpr std::uint64_t kFewestLanes = 4;
  if (size[0] % width == 0) return {true, width, false};
  const std::uint64_t items = size[0] * size[1] * size[2];
  const std::uint64_t needed = std::max<std::uint64_t>(llvm::PowerOf2Ceil(items), kFewestLanes);
  const auto lanes = static_cast<unsigned>(std::min<std::uint64_t>(needed, width));
  return {false, lanes, items % lanes != 0};
}

} // namespace clotho::compiler
