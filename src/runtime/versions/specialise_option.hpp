// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/options.hpp"
#include "compiler/compiler.hpp"

#include <cstdint>

namespace clotho {

/// Values of options().specialise from which on there are versions, and from which on launches wait for them.
inline constexpr std::uint64_t kInBackground = 1, kAtOnce = 2;

/// How much code a program's first build makes, before launches have shown what else is worth a build.
inline CodeScope firstScope() noexcept {
  return options().specialise == kInBackground ? CodeScope::First : CodeScope::Needed;
}

} // namespace clotho
