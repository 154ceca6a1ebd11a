// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/ir/intrinsics.hpp"

#include <cstdint>
#include <optional>

namespace clotho::compiler {

/// A sum `high * size + low` of two ids, such as the global id of a work-item or its linear id in a group.
struct LinearId {
  IntrinsicCall high, low;
  std::uint64_t size;                    ///< 0: the local size along `sizeDimension`
  std::optional<unsigned> sizeDimension; ///< nothing: the size is a constant
};

/// Matches the sum or its low bits; nothing for other values.
std::optional<LinearId> matchLinearId(const llvm::Value& sum);

} // namespace clotho::compiler
