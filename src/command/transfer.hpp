// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command/node.hpp"

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace clotho {

/// Moves bytes of a storage from one home to another, because a command needs them there.
class Transfer final : public Node {
 public:
  /// `queue`: of one of the homes that is not the host's, and that can copy from the other. `version`: of the bytes
  /// (Storage).
  Transfer(Storage& storage, DeviceQueue& queue, HomeId from, HomeId to, Range range, std::uint64_t version);

  Storage& storage() const { return *storage_; }
  HomeId from() const { return from_; }
  HomeId to() const { return to_; }
  Range range() const { return range_; }
  std::uint64_t version() const { return version_; }
  bool overlaps(Range other) const { return range_.begin < other.end && other.begin < range_.end; }
  /// Places in the order of the devices' queues (Edge::meet) after which the bytes are as they are to be moved: those
  /// of the predecessors of the command that it is made for, which need not be over.
  std::span<const std::uint64_t> tickets() const {
    return tickets_ ? std::span<const std::uint64_t>(*tickets_) : std::span<const std::uint64_t>();
  }
  /// By the first to arm, before it does; or null.
  void follow(std::shared_ptr<const std::vector<std::uint64_t>> tickets) { tickets_ = std::move(tickets); }
  /// The first of several threads that ask has to arm it.
  bool isFirstToArm() noexcept { return !armed_.exchange(true, std::memory_order_acq_rel); }

  void report(std::string message, LogLevel level) noexcept override;

 private:
  void stamp(Stamp stamp) noexcept override;
  void storeTimes(std::uint64_t started, std::uint64_t ended) noexcept override;
  void traceEnd(cl_int status) noexcept override;
  void ended(cl_int status, WorkList& list) noexcept override;

  const Ref<Storage> storage_;
  const HomeId from_, to_;
  const Range range_;
  const std::uint64_t version_;
  std::shared_ptr<const std::vector<std::uint64_t>> tickets_;
  std::atomic<bool> armed_{false};
  std::array<std::uint64_t, kStamps> stamps_{}; // in a trace
  Command work_;
  DeviceState state_;
};

} // namespace clotho
