// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "exact.hpp"

#include <vector>

namespace clotho::conversions {

/// What is converted from the type: all numbers of up to 16 bits; of the others those at which conversions to any type
/// change their ways, with their neighbours, and random ones.
std::vector<std::uint64_t> valuesOf(const Type& type);

} // namespace clotho::conversions
