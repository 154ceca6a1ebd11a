// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/unique_fd.hpp"
#include "node/fabric/control_frames.hpp"
#include "node/fabric/greeting.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace clotho::node {

/// A TCP connection between two nodes: the greeting, then frames both ways. It never waits; its thread asks for what it
/// waits for (`events`), and says when that has come (`handle`).
class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  /// Longest frame, in bytes. A node that announces a longer one is not heard any further.
  static constexpr std::size_t kMostFrame = std::size_t{256} << 10;

  /// `socket`: accepted, or on the way to be connected.
  Connection(UniqueFd socket, Greeting greeting, Greeting::Part part);

  int descriptor() const { return socket_.get(); }
  /// For poll.
  short events() const;
  void handle(short events);
  /// The next frame that has come after the greeting, if any.
  std::optional<ControlFrame> next();
  void send(const ControlFrame& frame);
  void close(std::string why);

  bool isOpen() const { return static_cast<bool>(socket_); }
  /// Whether the other node has shown the token.
  bool isAdmitted() const { return greeting_.verdict() == Greeting::Verdict::Welcome; }
  NodeId peer() const { return greeting_.peer(); }
  Greeting::Verdict verdict() const { return greeting_.verdict(); }
  /// Why it is not open any more.
  const std::string& why() const { return why_; }
  /// When bytes came last.
  Clock::time_point lastHeard() const { return lastHeard_; }

 private:
  void finishConnecting();
  void receive();
  void flush();

  UniqueFd socket_;
  Greeting greeting_;
  bool isConnecting_ = false;
  std::string input_, output_, why_;
  Clock::time_point lastHeard_ = Clock::now();
};

} // namespace clotho::node
