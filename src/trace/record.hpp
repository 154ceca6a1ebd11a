// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <variant>

/// Records of threads, as plain structs. All times are stamps: ns of the host's clock (base/clock.hpp) or ticks
/// (trace/tick_clock.hpp); the recorder turns these into ns before it writes or adds up.
namespace clotho::trace {

/// A text that the recorder knows by a number; 0: none.
using NameId = std::uint32_t;

/// A command: its queue by number, and its place there.
struct CommandId {
  std::uint32_t queue = 0; ///< 0: not traced
  std::uint32_t place = 0;
};

/// A command that is over.
struct CommandRun {
  std::uint64_t queued = 0, submitted = 0;
  std::uint64_t started = 0; ///< 0: it failed before it started
  std::uint64_t ended = 0;
  std::uint64_t amount = 0; ///< work-items of a launch, bytes of another command; 0: nothing to count
  CommandId id{};
  NameId name = 0;
  NameId version = 0; ///< of a kernel's code, if it is for some launches only
  float flops = -1;   ///< floating-point operations of the launch; negative: not known
  float bytes = -1;   ///< of global memory that it reads and writes, each access counted; negative: not known
  std::int32_t status = 0;
  bool isLaunch = false;
  bool ranHere = false; ///< the recording thread ran all of it, so that there is no Share
};

/// The processor's counters for a thread's part in a launch.
struct CounterValues {
  std::uint64_t cycles = 0, instructions = 0, cacheMisses = 0;
};

/// A part of a command that one thread has run.
struct Share {
  std::uint64_t begin = 0, end = 0;
  NameId name = 0;
  std::uint32_t units = 0;  ///< chunks of work; 0: the whole command
  CounterValues counters{}; ///< without cycles: not counted
};

/// An activity of a thread, or a wait.
struct Span {
  std::uint64_t begin = 0, end = 0;
  NameId name = 0;
  NameId detail = 0;
};

/// Something that a thread found out.
struct Instant {
  std::uint64_t at = 0;
  NameId name = 0;
};

/// One end of a dependency by a wait list: the predecessor's end, or the successor's start.
struct Arrow {
  std::uint64_t at = 0;
  CommandId from{}, to{};
  bool isHead = false; ///< the end at the successor
};

using Record = std::variant<CommandRun, Share, Span, Instant, Arrow>;

} // namespace clotho::trace
