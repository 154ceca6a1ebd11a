// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command/command.hpp"
#include "command/node.hpp"
#include "trace/trace.hpp"

#include <cstdint>

/// Commands as traces show them.
namespace clotho {

/// The name of a launch's kernel, or of the kind of another command.
trace::NameId traceName(const Command& command) noexcept;
/// The bytes that a command moves, 0 for launches.
std::uint64_t traceBytes(const Command& command) noexcept;

/// The work of a launch, as far as the compiler knows; negative: not known.
struct LaunchWork {
  float flops = -1;
  float bytes = -1; ///< of global memory: what its accesses sum up to, but no more than its buffers have
};
LaunchWork workOf(const Launch& launch) noexcept;

/// Records a command that is a part of another one, or that came of it, on the other one's queue. Times are stamps; 0:
/// not known, and nothing is recorded.
void tracePart(const Node& whole, const Command& part, std::uint64_t started, std::uint64_t ended) noexcept;

/// Records what the calling thread does as a part of `command` while this lives.
class TracedPart {
 public:
  explicit TracedPart(const Command& command) noexcept : begin_(trace::beginPart()), command_(command) {}
  ~TracedPart() {
    if (begin_.time) [[unlikely]]
      trace::endPart(begin_, traceName(command_));
  }
  /// Nothing was done.
  void drop() noexcept { begin_.time = 0; }
  TracedPart(const TracedPart&) = delete;
  TracedPart& operator=(const TracedPart&) = delete;

 private:
  trace::PartBegin begin_;
  const Command& command_;
};

} // namespace clotho
