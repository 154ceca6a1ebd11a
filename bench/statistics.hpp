// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <vector>

namespace bench {

std::optional<double> median(std::vector<double> samples);
std::optional<double> geometricMean(const std::vector<double>& values);

} // namespace bench
