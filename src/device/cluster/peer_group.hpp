// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace clotho::cluster {

class Session;

/// The sessions of this process whose devices order commands after each other's, and move bytes to each other, without
/// this process. Lives as long as it. Any thread.
class PeerGroup {
 public:
  /// A context has as many homes.
  static constexpr std::size_t kMost = 64;

  /// The place of a session, from 1 on; 0 if there are too many.
  std::size_t add(Session& session) noexcept;
  /// Before the session is used.
  void remove(std::size_t place) noexcept { sessions_[place].store(nullptr, std::memory_order_release); }
  Session& at(std::size_t place) const noexcept { return *sessions_[place].load(std::memory_order_acquire); }
  /// The session of a device's memory; null if the address is of none.
  Session* withMemory(const std::byte* address) const noexcept;
  /// Tells all others of a session that is lost.
  void lost(const Session& session) const noexcept;

 private:
  std::atomic<std::size_t> count_{0};
  std::array<std::atomic<Session*>, kMost + 1> sessions_{};
};

/// A command's place in the order of a group's commands, for edges that are met by issue (Edge::meet).
struct Ticket {
  static constexpr unsigned kNumberBits = 48;

  std::size_t place = 0; ///< of its session
  std::uint64_t number = 0;

  std::uint64_t value() const { return std::uint64_t{place} << kNumberBits | number; }
  static Ticket of(std::uint64_t value) {
    return {static_cast<std::size_t>(value >> kNumberBits), value & ((std::uint64_t{1} << kNumberBits) - 1)};
  }
};

} // namespace clotho::cluster
