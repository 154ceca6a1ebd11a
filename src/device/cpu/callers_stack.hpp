// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace clotho::cpu {

/// The rest of the stack that the calling thread was made with.
struct CallersStack {
  std::byte* begin = nullptr; ///< its lowest address
  /// For kernels: the room that signal handlers need is kept back. 0 where the thread is on another stack (a
  /// coroutine's, or a signal handler's), or where the system does not tell.
  std::size_t room = 0;
};

/// Asks the system once for each thread; after that it costs no call.
CallersStack callersStack() noexcept;

/// How large a stack must be so that a trap's handler, and one of the application's that the trap is passed on to, can
/// run on it. The system's signal frame holds all vector and tile registers, so it depends on the processor.
std::size_t signalRoom() noexcept;

} // namespace clotho::cpu
