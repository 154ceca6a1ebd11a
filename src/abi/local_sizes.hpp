// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace clotho {

/// Behind a kernel's arguments, their block has the sizes of the local ones, 8 bytes each, for devices that check
/// kernels. `blockSize`: KernelInfo::argBlockSize. `index`: among the local arguments.
constexpr std::size_t localSizeOffset(std::uint32_t blockSize, std::size_t index) {
  constexpr std::size_t kSize = sizeof(std::uint64_t);
  return (blockSize + kSize - 1) / kSize * kSize + index * kSize;
}

} // namespace clotho
