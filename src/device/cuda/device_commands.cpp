// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/device_commands.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace clotho::cuda {

void prefetchInStream(Context& context, const Migrate& migrate, CUstream stream) noexcept {
  for (const std::span<std::byte>& each : migrate.shared)
    context.succeeded(context.api().memPrefetchAsync(std::bit_cast<CUdeviceptr>(each.data()), each.size(),
                                                     migrate.isToHost ? kHostDevice : context.device(), stream));
}

// Patterns of up to four bytes, and longer ones that repeat one, are CUDA's own fills. Others are columns of words.
bool fillInStream(Context& context, const Fill& fill, CUstream stream) noexcept {
  const Driver& api = context.api();
  std::array<std::byte, 128> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = fill.pattern[i % fill.patternSize];
  const auto words = std::bit_cast<std::array<std::uint32_t, 32>>(bytes);
  const std::size_t count = std::max<std::size_t>(fill.patternSize / sizeof(std::uint32_t), 1);
  const bool isOneWord = std::all_of(words.begin(), words.end(), [&](std::uint32_t word) { return word == words[0]; });
  const auto row = [&](CUdeviceptr target) -> CUresult {
    if (target % sizeof(std::uint32_t) != 0 || fill.rowBytes % sizeof(std::uint32_t) != 0) {
      if (fill.patternSize == 1)
        return api.memsetD8Async(target, static_cast<unsigned char>(words[0]), fill.rowBytes, stream);
      return api.memsetD16Async(target, static_cast<unsigned short>(words[0]), fill.rowBytes / 2, stream);
    }
    if (isOneWord) return api.memsetD32Async(target, words[0], fill.rowBytes / sizeof(std::uint32_t), stream);
    for (std::size_t i = 0; i < count; ++i)
      if (const CUresult result = api.memsetD2D32Async(target + i * sizeof(std::uint32_t), fill.patternSize, words[i],
                                                       1, fill.rowBytes / fill.patternSize, stream);
          result != CUresult::Success)
        return result;
    return CUresult::Success;
  };
  if (fill.rowBytes == 0) return true;
  for (std::size_t slice = 0; slice < fill.slices; ++slice)
    for (std::size_t i = 0; i < fill.rows; ++i)
      if (!context.succeeded(
              row(std::bit_cast<CUdeviceptr>(fill.target + slice * fill.slicePitch + i * fill.rowPitch))))
        return false;
  return true;
}

} // namespace clotho::cuda
