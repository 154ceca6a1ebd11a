// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace llvm {
class Function;
class LoopInfo;
} // namespace llvm

namespace clotho::compiler {

/// The kernel's integer arguments whose values a version would gain from, as a bit for each number: they bound loops or
/// are divisors. At most kMostWantedValues.
std::uint64_t steeringArguments(const llvm::Function& kernel, const llvm::LoopInfo& loops);

} // namespace clotho::compiler
