// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/capture.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace clotho::replay {

/// Outputs of one object that differ between two runs.
struct Difference {
  std::string object;  ///< such as "argument 2 (result)"
  std::string element; ///< the type by which it was compared
  std::uint64_t elements = 0, different = 0;
  std::uint64_t first = 0; ///< index of the first element that differs
  std::string before, now; ///< that element
  double largestUlp = 0;   ///< of floats

  std::string text(const std::string& with) const;
};

/// Compares outputs, which are those of a capture of this description. `types`: the arguments', as far as they are
/// known. Elements of floats may differ by so many units in the last place; all else is compared by its bits.
std::vector<Difference> compare(const capture::Description& description, const std::vector<std::string>& before,
                                const std::vector<std::string>& now, const std::vector<std::string>& types, double ulp);

} // namespace clotho::replay
