// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/log.hpp"
#include "base/spin.hpp"
#include "cluster/link.hpp"
#include "cluster/thread_latency.hpp"

#include <atomic>
#include <chrono>
#include <new>
#include <string>
#include <string_view>

namespace clotho::node {

/// Calls `handle(std::string_view)` for each message of a program, on the calling thread, until the program is gone or
/// `handle` returns false. Then the link is closed. `pause()` is called when none has come, and a few times a second.
/// `pollTime`: for which this thread looks for messages before it sleeps. While `isFull()`, the program's messages
/// wait.
template <class Handle, class Pause, class IsFull>
void serveLink(cluster::Link& link, std::chrono::microseconds pollTime, Handle&& handle, Pause&& pause,
               IsFull&& isFull) noexcept {
  constexpr int kFullMs = 1; // between looks whether it is still full
  cluster::takeShortSlices();
  std::string message;
  const auto handleAll = [&] {
    for (;;) {
      link.area().nodeBeat().fetch_add(1, std::memory_order_relaxed);
      if (isFull()) return true;
      const cluster::RingReader::Found found = link.receive(message);
      if (found == cluster::RingReader::Found::Nothing) return true;
      if (found == cluster::RingReader::Found::Damage) CLOTHO_LOG(Device, Error, "a program's messages are damaged");
      if (found == cluster::RingReader::Found::Damage || !handle(std::string_view(message))) return false;
    }
  };
  try {
    // Ends of commands come from other threads, so the program is looked for even while it sends nothing.
    while (handleAll()) {
      if (isFull()) {
        if (link.sleep(kFullMs, /*isArmed=*/false) == cluster::Link::Woken::ByEnd) break;
        continue;
      }
      pause();
      spinUntil([](const void* each) { return !static_cast<const cluster::Link*>(each)->isEmpty(); }, &link, pollTime);
      if (link.isEmpty() && link.sleep(cluster::kBeatMs / 2, /*isArmed=*/true) == cluster::Link::Woken::ByEnd) break;
    }
  } catch (const std::bad_alloc&) {
    CLOTHO_LOG(Device, Error, "no memory for a program's message");
  }
  link.close();
}

/// Overload for a program whose messages never wait.
template <class Handle, class Pause>
void serveLink(cluster::Link& link, std::chrono::microseconds pollTime, Handle&& handle, Pause&& pause) noexcept {
  serveLink(link, pollTime, handle, pause, [] { return false; });
}

} // namespace clotho::node
