// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/cpu_kernel.h"
#include "command/printf_format.hpp"
#include "compiler/compiler.hpp"
#include "device/cpu/short_lock.hpp"

#include <cstddef>
#include <span>

namespace clotho {
class Node;
}

namespace clotho::cpu {

/// CL_DEVICE_PRINTF_BUFFER_SIZE.
inline constexpr std::size_t kPrintfBufferSize = std::size_t{1} << 20;

class LaunchChecks;

/// The buffer of one running launch that prints or is checked. Its data are zero when a launch begins, so that a record
/// which was reserved and never written can be recognised.
struct PrintfArena {
  PrintfArena* nextFree;
  PrintfBuffer* buffer;           ///< behind this header, in the same mapping
  LaunchChecks* checks = nullptr; ///< of the launch, if its kernel is checked; here since tasks have no room for it
};

/// The buffers of a device, kept for the next launch.
class PrintfArenas {
 public:
  /// Null without memory.
  PrintfArena* acquire() noexcept EXCLUDES(lock_);
  /// Prints the records' text for a node (Node::print), and gives the buffer back.
  void printAndRelease(PrintfArena& arena, std::span<const PrintfFormat> formats, const StringMemory& strings,
                       Node& node) noexcept EXCLUDES(lock_);

 private:
  ShortLock lock_;
  PrintfArena* free_ GUARDED_BY(lock_) = nullptr;
};

} // namespace clotho::cpu
