// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/kept_outputs.hpp"

#include "command/command.hpp"
#include "compiler/compiler.hpp"
#include "device/cpu/program_loader.hpp"

#include <algorithm>
#include <array>

namespace clotho::cpu {
namespace {

constexpr std::size_t kMostBuffers = 16;

/// Bytes that launches have been given so far: the clock of MemoryView::changedAt. From 1 on, since 0 is "never".
std::atomic<std::uint64_t> bytesGiven{1};

} // namespace

bool keepsOutput(std::span<const BufferUse> uses, std::uint64_t cacheBytes) noexcept {
  std::uint64_t bytes = 0;
  for (const BufferUse& use : uses)
    bytes += use.bytes;
  const std::uint64_t begin = bytesGiven.fetch_add(bytes, std::memory_order_relaxed), end = begin + bytes;
  std::uint64_t largest = 0, changedAt = 0;
  for (const BufferUse& use : uses)
    if (use.isOutput) {
      const std::uint64_t last = use.changedAt->exchange(0, std::memory_order_relaxed);
      if (use.bytes <= largest) continue;
      largest = use.bytes;
      changedAt = last;
    } else if (use.isChanged) {
      use.changedAt->store(end, std::memory_order_relaxed);
    }
  return changedAt != 0 && bytes > cacheBytes && begin - changedAt <= cacheBytes;
}

bool keepsOutput(const Launch& launch, std::uint64_t cacheBytes) noexcept {
  if (launch.range.items() < kFewestKeptItems) return false;
  const ArgSnapshot& args = launch.args;
  const std::vector<ArgInfo>& known = launch.kernel->info().args;
  const CpuKernelFacts& facts = static_cast<const CpuKernel&>(*launch.kernel).facts();
  std::array<BufferUse, kMostBuffers> uses{};
  const std::size_t count = args.objectCount();
  if (count > uses.size()) return false;
  // The facts number the buffers among the arguments. If one is null, the numbers of the others are unknown. Images
  // come behind the buffers.
  const auto isBuffer = [](const ArgInfo& arg) { return arg.kind == ArgKind::Buffer; };
  const bool areKnown = args.bufferCount == std::count_if(known.begin(), known.end(), isBuffer);
  for (std::size_t i = 0; i < count; ++i) {
    const bool isKnown = areKnown && i < args.bufferCount;
    uses[i] = {args.object(i).size(), &args.object(i).changedAt(), isKnown && (facts.outputs >> i & 1) != 0,
               isKnown && (facts.changed >> i & 1) != 0};
  }
  return keepsOutput(std::span(uses).first(count), cacheBytes);
}

} // namespace clotho::cpu
