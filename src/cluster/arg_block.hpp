// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/local_sizes.hpp"
#include "compiler/compiler.hpp"

#include <algorithm>
#include <cstddef>

namespace clotho::cluster {

/// Bytes of a kernel's argument block, with the sizes of local arguments behind the arguments.
inline std::size_t argBlockBytes(const KernelInfo& kernel) {
  const auto locals = std::ranges::count(kernel.args, ArgKind::Local, &ArgInfo::kind);
  return locals == 0 ? kernel.argBlockSize : localSizeOffset(kernel.argBlockSize, static_cast<std::size_t>(locals));
}

} // namespace clotho::cluster
