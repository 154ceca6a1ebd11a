// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "node/fabric/connection.hpp"
#include "node/fabric/ucx_link.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace clotho::node {

/// Another node, or a stranger that may become one: from the first byte on its connection until nothing of it is under
/// way any more. Used by the mesh's thread alone.
class Peer {
 public:
  using Clock = Connection::Clock;
  using Part = Greeting::Part;

  /// This node, as peers know it.
  struct Self {
    NodeId node = 0;
    cluster::Token token; ///< of the cluster
    std::string host{}, address{};
    std::string workerAddress{}; ///< empty: messages go by the connection
    UcxWorker* worker = nullptr; ///< null: the same
    Fabric::Receiver* receiver = nullptr;
  };
  /// The other peers of this node.
  class Others {
   public:
    /// Whether this node has another connection to the same node.
    virtual bool isKnown(const Peer& peer) = 0;
    virtual bool hasJoined(NodeId node) = 0;
    virtual void call(const KnownNode& node) = 0;
    /// Messages may go to the node by the peer's connection, as soon as the receiver hears of it.
    virtual void joins(Peer& peer) = 0;

   protected:
    ~Others() = default;
  };
  /// Hears once whether the node has joined: an empty text, or why not.
  using Outcome = std::function<void(const std::string& why)>;
  /// Hears once whether the node has joined all those that it was told to meet.
  using Meeting = std::function<void(bool haveAllJoined)>;

  /// Time for a node that has called to greet and to join. One that is called has more, since it may let others wait.
  static constexpr std::chrono::milliseconds kPatience{2000}, kCallerPatience{5000};
  /// Signs of life are sent so often.
  static constexpr std::chrono::milliseconds kBeat{250};
  /// A node that is silent for longer is lost: noticed within two seconds.
  static constexpr std::chrono::milliseconds kSilence{1750};
  /// Time for nodes to join each other, and most of them.
  static constexpr std::chrono::milliseconds kMeeting{4000};
  static constexpr std::size_t kMostMeeting = 256;

  Peer(UniqueFd socket, Part part, const Self& self, Outcome outcome);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  Connection& connection() { return connection_; }
  NodeId node() const { return connection_.isAdmitted() ? connection_.peer() : 0; }
  const std::string& address() const { return address_; }
  bool isAdmitted() const { return connection_.isAdmitted(); }
  /// It has called, and has not shown the token yet.
  bool isStranger() const { return part_ == Part::Called && connection_.isOpen() && !isAdmitted(); }
  /// This node has called it, and it has not joined.
  bool isCalled() const { return part_ == Part::Caller && connection_.isOpen() && !hasJoined(); }
  Clock::duration age() const { return Clock::now() - begin_; }
  /// Whether messages of it are to be expected.
  bool canBeHeard() const { return connection_.isOpen() && (link_ || hasJoined_); }
  /// Whether it keeps other connections to the same node from being used.
  bool isIntroduced() const { return isIntroduced_ && !isOver_; }
  bool hasJoined() const { return link_ ? link_->hasJoined() && !link_->isBroken() : hasJoined_; }
  UcxLink* link() { return link_ ? &*link_ : nullptr; }

  /// Does what has become possible or due.
  void advance(Others& others);
  void beat();
  void meet(Meet meet, Meeting meeting);
  void close(std::string why) { connection_.close(std::move(why)); }
  /// This node ends, and says so.
  void leave();
  /// Nothing of it is left but this object; the receiver has heard of it, if it knew the node.
  bool isOver() const { return isOver_; }

 private:
  void introduce(Others& others);
  void handle(Others& others, const Connection::Incoming& incoming);
  void handle(Others& others, const ControlFrame& frame);
  void handle(Others& others, const Introduction& introduction);
  void beginMeeting(Others& others, const Meet& meet);
  void endMeeting(Others& others);
  void checkTimes();
  void finish();
  void report(const std::string& why);

  const Self& self_;
  const Part part_;
  Connection connection_;
  Outcome outcome_;
  Meeting meeting_;
  Clock::time_point begin_ = Clock::now(), endOfMeeting_{};
  Clock::time_point endOfMeet_{};        ///< time for the answer to a Meet
  std::optional<cluster::Token> ownKey_; ///< the other node shows it with its messages
  std::string host_, address_;
  std::optional<UcxLink> link_;
  std::vector<NodeId> toJoin_; ///< at a meeting
  bool isIntroduced_ = false, isMeeting_ = false, isOver_ = false;
  bool isWaiting_ = false; ///< there is an earlier connection to the same node
  bool hasJoined_ = false; ///< without a link: the receiver knows the node
  bool hasLeft_ = false;   ///< one of the two nodes has said that it ends
};

} // namespace clotho::node
