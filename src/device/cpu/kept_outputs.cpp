// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/kept_outputs.hpp"

#include "compiler/compiler.hpp"
#include "device/device.hpp"
#include "runtime/command.hpp"
#include "runtime/memory.hpp"

#include <algorithm>
#include <atomic>

namespace clotho::cpu {
namespace {

/// Launches of fewer do not empty a cache.
constexpr double kFewestItems = 1 << 16;

/// Bytes that launches have been given so far: the clock of MemoryObject::changedAt. From 1 on, since 0 is "never".
std::atomic<std::uint64_t> bytesGiven{1};

bool isLarge(const NDRange& range) {
  double items = 1;
  for (std::uint64_t size : range.global)
    items *= static_cast<double>(size);
  return items >= kFewestItems;
}

bool hasBit(std::uint64_t bits, std::size_t i) { return i < 64 && (bits >> i & 1) != 0; }

} // namespace

bool keepsOutput(const Launch& launch, const Device& device) noexcept {
  if (!isLarge(launch.range)) return false;
  const ArgSnapshot& args = launch.args;
  const std::size_t count = args.objectCount();
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i)
    bytes += args.object(i).size();
  const std::uint64_t begin = bytesGiven.fetch_add(bytes, std::memory_order_relaxed), end = begin + bytes;

  const KernelInfo& info = launch.kernel->info();
  const auto isBuffer = [](const ArgInfo& arg) { return arg.kind == ArgKind::Buffer; };
  // Where one of them is null, nobody knows which the others are.
  if ((info.outputs | info.changed) == 0 ||
      count != static_cast<std::size_t>(std::count_if(info.args.begin(), info.args.end(), isBuffer)))
    return false;
  std::uint64_t largest = 0, changedAt = 0;
  for (std::size_t i = 0; i < count; ++i) {
    MemoryObject& object = args.object(i);
    if (hasBit(info.outputs, i)) {
      const std::uint64_t last = object.changedAt().exchange(0, std::memory_order_relaxed);
      if (object.size() <= largest) continue;
      largest = object.size();
      changedAt = last;
    } else if (hasBit(info.changed, i)) {
      object.changedAt().store(end, std::memory_order_relaxed);
    }
  }
  const std::uint64_t cache = device.properties().globalCacheSize;
  return changedAt != 0 && bytes > cache && begin - changedAt <= cache;
}

} // namespace clotho::cpu
