// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command/command.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace clotho::joint {

/// The part of a launch that a member runs.
struct PartPlan {
  std::size_t member = 0;
  std::uint32_t dimension = 0;                ///< along which the launch is split
  NDRange range;                              ///< of the part, as applications give ranges
  std::array<std::uint64_t, 3> firstGroups{}; ///< ids of the part's first groups in the launch
  std::unique_ptr<const std::vector<PartUse>> uses;
};

/// How a launch is split. Nothing where that is not proved to be right, or there is nothing to split.
///
/// `launch`: with the arguments and the range as the application has given them, and the objects among the arguments in
/// `home`. `shares`: of the members, with the sum 1; a member without gets no part.
std::optional<std::vector<PartPlan>> planParts(const Launch& launch, HomeId home, const std::vector<double>& shares);

} // namespace clotho::joint
