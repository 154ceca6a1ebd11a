// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/unique_fd.hpp"
#include "node/fabric/control_frames.hpp"
#include "node/fabric/fabric.hpp"
#include "node/fabric/greeting.hpp"
#include "node/fabric/outbox.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace clotho::node {

/// A TCP connection between two nodes: the greeting, then frames and messages both ways, in order. It never waits; its
/// thread asks for what it waits for (`events`), and says when that has come (`handle`).
class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  /// Longest frame, in bytes. A node that announces a longer one is not heard any further.
  static constexpr std::size_t kMostFrame = std::size_t{256} << 10;
  /// Longest text of a message.
  static constexpr std::size_t kMostText = std::size_t{64} << 20;

  /// A message that has come as a whole; its payload is where it was to go.
  struct Message {
    std::string text{};
    std::size_t payloadSize = 0;
  };
  using Incoming = std::variant<ControlFrame, Message>;
  /// Gives payloads their memory, as Fabric::Receiver::placeFor does.
  using PlaceFor = std::function<std::byte*(std::string_view text, std::size_t size)>;

  /// `socket`: accepted, or on the way to be connected.
  Connection(UniqueFd socket, Greeting greeting, Greeting::Part part);
  ~Connection() { outbox_->close(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Without it, messages make no sense.
  void takeMessages(PlaceFor placeFor) { placeFor_ = std::move(placeFor); }

  int descriptor() const { return socket_.get(); }
  /// For poll.
  short events() const;
  /// Does what has become possible by what poll says, and sends what other threads have left since.
  void handle(short events);
  /// The next frame or message behind the greeting, if one has come as a whole.
  std::optional<Incoming> next();
  void send(const ControlFrame& frame);
  void send(std::string_view text, const Payload& payload);
  /// By which other threads send messages. It outlives the connection.
  const std::shared_ptr<Outbox>& outbox() const { return outbox_; }
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
  using Head = Outbox::Head;

  void finishConnecting();
  void receive();
  /// Reads once, to where the bytes belong. How many; 0 if none come now.
  std::size_t receiveInto(std::span<std::byte> place);
  /// Takes what has come and is no payload.
  void take(std::string_view bytes);
  /// Takes a frame or a message from the bytes that have come. False if they make no sense.
  bool parse(std::optional<Incoming>& result);
  bool parseMessage(const Head& head, std::string_view text, std::optional<Incoming>& result);
  void flush();

  UniqueFd socket_;
  Greeting greeting_;
  bool isConnecting_ = false;
  PlaceFor placeFor_;
  std::string input_;               ///< bytes that have come
  std::size_t taken_ = 0;           ///< of these
  std::optional<Message> arriving_; ///< whose payload comes
  std::span<std::byte> place_;      ///< for what is left of it
  bool isUnwanted_ = false;         ///< nothing is at that place
  const std::shared_ptr<Outbox> outbox_;
  std::string why_;
  Clock::time_point lastHeard_ = Clock::now();
};

} // namespace clotho::node
