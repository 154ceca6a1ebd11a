// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command/node.hpp"
#include "node/peer_message.hpp"
#include "node/slot_buffers.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace clotho::node {

class Session;

/// A program's command in this process's graph of commands. What becomes of it goes back to the program.
class RemoteCommand final : public clotho::Node {
 public:
  /// `queue`: of the session's device; the command keeps both. `slots`: what it reads or writes of slots, where they
  /// are not this process's.
  RemoteCommand(Session& session, std::shared_ptr<DeviceQueue> queue, std::uint64_t number, Command&& command,
                SlotBuffer slots);

  std::uint64_t number() const { return number_; }
  /// Before it is armed: it does not run, and ends with this status.
  void fail(cl_int status) noexcept {
    failAlike();
    giveUp(status);
  }
  /// Name of a command that sends bytes to another session or receives them (SessionPeers); of others with session 0.
  struct MoveName {
    PeerEdge edge{};
    bool isSend = false;
  };
  const MoveName& move() const { return move_; }
  /// Before it is armed.
  void setMove(const MoveName& move) { move_ = move; }
  /// Bytes that it has written for slots, once it is over.
  SlotBuffer result() const { return writesSlots_ ? slots_ : SlotBuffer(); }

  void report(std::string message, LogLevel level) noexcept override;
  void print(std::string_view text) noexcept override;

 private:
  ~RemoteCommand() override;
  void stamp(Stamp stamp) noexcept override;
  void storeTimes(std::uint64_t started, std::uint64_t ended) noexcept override;
  void ended(cl_int status, WorkList& list) noexcept override;

  const Ref<Session> session_;
  const std::shared_ptr<DeviceQueue> queue_;
  const std::uint64_t number_;
  MoveName move_;
  std::array<std::uint64_t, kStamps> stamps_{};
  Command work_; ///< devices change it
  const SlotBuffer slots_;
  const bool writesSlots_;
  DeviceState state_;
};

} // namespace clotho::node
