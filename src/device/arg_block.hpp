// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/local_sizes.hpp"
#include "compiler/compiler.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace clotho {

/// Places in an argument block: behind the arguments lie those of parts (PartArgument), where the code was built for
/// them, and then the sizes of local arguments, 8 bytes each.
struct ArgBlock {
  std::size_t partArguments, localSizes, bytes;
};

/// The block of a kernel, with so many part arguments.
inline ArgBlock argBlockOf(const KernelInfo& kernel, std::size_t partArguments) {
  constexpr std::size_t kEach = sizeof(std::uint64_t);
  const auto locals = static_cast<std::size_t>(std::ranges::count(kernel.args, ArgKind::Local, &ArgInfo::kind));
  const std::size_t sizes = localSizeOffset(kernel.argBlockSize, partArguments);
  return {kernel.argBlockSize, sizes, sizes + locals * kEach};
}

} // namespace clotho
