// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "base/object.hpp"
#include "cluster/messages.hpp"
#include "command/node.hpp"
#include "command/storage.hpp"
#include "command/work_list.hpp"
#include "device/device.hpp"
#include "node/early_bytes.hpp"
#include "node/peer_message.hpp"
#include "node/remote_command.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>

namespace clotho::node {

/// A session's part in what goes on between sessions of one program: its commands follow those of others, whose nodes
/// tell of their ends, and bytes go from memory to memory. The program's node is not asked.
class SessionPeers {
 public:
  /// Most bytes of one message, so that others can come between.
  static constexpr std::size_t kPart = std::size_t{4} << 20;

  /// `router`: null where there are no other sessions. It outlives this.
  SessionPeers(const SessionName& name, PeerRouter* router)
      : name_(name), router_(router), queue_(std::make_shared<Queue>(*this)) {}

  const SessionName& name() const { return name_; }

  // By the thread that receives the program's messages.
  /// Makes a command follow one of another session. Throws bad_alloc, or CL_INVALID_VALUE for an edge that is in use.
  void follow(RemoteCommand& command, const cluster::PeerSession& peer, std::uint64_t edge, bool passesFailure)
      EXCLUDES(mutex_);
  /// The queue of commands that send and receive bytes.
  const std::shared_ptr<DeviceQueue>& queue() const { return queue_; }
  /// What such a command is to do, before it is armed. `memory` keeps the bytes usable. Throws CL_INVALID_VALUE for an
  /// edge that is in use.
  void prepareSend(RemoteCommand& command, const cluster::SendBytes& send, std::span<std::byte> bytes,
                   Ref<MemoryView> memory) EXCLUDES(mutex_);
  void prepareReceive(RemoteCommand& command, const cluster::ReceiveBytes& receive, std::span<std::byte> bytes,
                      Ref<MemoryView> memory) EXCLUDES(mutex_);
  /// A command that sends or receives was refused before it was prepared: the other side waits for it.
  void refused(const cluster::Work& work) noexcept EXCLUDES(mutex_);
  /// Another session is lost: what waits for it fails, now and later.
  void forget(std::uint64_t session) noexcept EXCLUDES(mutex_);
  /// Another node cannot be reached any more (PeerRouter::reaches): its sessions are lost for this one. Any thread.
  void forgetNode(NodeId node) noexcept EXCLUDES(mutex_);
  /// The program is gone: nothing comes from other sessions any more.
  void end() noexcept EXCLUDES(mutex_);

  // Any thread.
  /// Tells another session of a command's end.
  void tellEnd(const cluster::PeerSession& to, std::uint64_t edge, std::uint32_t status) noexcept;
  /// A command that sends or receives is over.
  void ended(const RemoteCommand& command, std::uint32_t status) noexcept EXCLUDES(mutex_);
  /// A place for bytes, and what keeps that usable; null if there is none.
  std::byte* placeFor(const PeerMessage& message, std::size_t size, Ref<Object>& memory) noexcept EXCLUDES(mutex_);
  /// A message of another session; bytes lie where placeFor said.
  void received(const PeerMessage& message, std::size_t size) noexcept EXCLUDES(mutex_);

 private:
  /// Starts the commands that send and receive.
  class Queue final : public DeviceQueue {
   public:
    explicit Queue(SessionPeers& peers) : peers_(peers) {}
    void start(clotho::Node& node, WorkList& ready) noexcept override;

   private:
    SessionPeers& peers_;
  };
  /// The end of another session's command, in this process's graph.
  class End;
  /// A command that sends or receives, from when it is known until it is over.
  struct Move {
    Ref<RemoteCommand> command;
    cluster::PeerSession peer;
    std::span<std::byte> bytes;
    Ref<MemoryView> memory;
    bool isStarted = false, isPeerReady = false;
    bool isSending = false;       ///< a thread is at it
    std::size_t moved = 0;        ///< bytes that have been sent, or have come
    std::size_t underWay = 0;     ///< parts that the fabric has not let go
    cl_int failure = CL_COMPLETE; ///< it ends with this when it starts

    bool isDone() const { return moved == bytes.size() && underWay == 0; }
  };
  /// Keeps the bytes of a part as they are until the fabric lets it go.
  struct Part;
  using Moves = std::map<PeerEdge, Move>;

  /// Ends that have come before they were asked for, by their edges. An edge that is never asked for belongs to a
  /// command that has failed, so the oldest ones are forgotten when there are many.
  class Early {
   public:
    void note(const PeerEdge& edge, cl_int status);
    /// Nothing if it has not come.
    std::optional<cl_int> take(const PeerEdge& edge) noexcept;
    void forget(std::uint64_t session) noexcept;
    void clear() noexcept { statuses_.clear(); }

   private:
    std::map<PeerEdge, cl_int> statuses_;
    std::deque<PeerEdge> order_; ///< as they were noted; some have been taken
  };

  /// Before a command waits for another session: notes where it is, and forgets it if it cannot be reached. The first
  /// command that finds it out of reach reports it.
  void meet(RemoteCommand& command, const cluster::PeerSession& peer) EXCLUDES(mutex_);
  void prepare(Moves& moves, const PeerEdge& edge, Move move, Early& early) REQUIRES(mutex_);
  void start(RemoteCommand& command, WorkList& ready) noexcept EXCLUDES(mutex_);
  /// Whether a command's bytes may go before the other side is ready.
  bool takeEarlyCredit(const PeerEdge& edge, std::size_t size) noexcept REQUIRES(mutex_);
  /// Takes the bytes of a started command that have come before it; the command if there are any, with what it ends
  /// with.
  Ref<RemoteCommand> takeEarlyBytes(const PeerEdge& edge, cl_int& status) noexcept REQUIRES(mutex_);
  /// The command that was to receive them fails.
  void refuseEarlyBytes(const PeerEdge& edge, std::uint64_t size) noexcept REQUIRES(mutex_);
  /// Sends parts of what both sides are ready for, as long as few are under way.
  void sendParts(const PeerEdge& edge) noexcept EXCLUDES(mutex_);
  /// The next part to send; none if there is none, or not yet. `over`: the command, if all has been sent.
  bool takePart(const PeerEdge& edge, PeerMessage& message, cluster::PeerSession& to, Payload& payload,
                Ref<RemoteCommand>& over) EXCLUDES(mutex_);
  void partSent(const PeerEdge& edge) noexcept EXCLUDES(mutex_);
  void tell(const cluster::PeerSession& to, const PeerMessage& message, Payload payload = {}) noexcept;
  // These throw bad_alloc.
  void commandEnded(const PeerEdge& edge, cl_int status) EXCLUDES(mutex_);
  void peerIsReady(const PeerEdge& edge) EXCLUDES(mutex_);
  void moveFailed(bool isSend, const PeerEdge& edge, cl_int status) EXCLUDES(mutex_);

  void bytesCame(const PeerEdge& edge, std::size_t size) noexcept EXCLUDES(mutex_);
  /// Takes what waits for sessions that `isOf` names, as failed, out of the lists.
  template <class IsOf> void failAll(IsOf&& isOf) noexcept EXCLUDES(mutex_);

  const SessionName name_;
  PeerRouter* const router_;
  const std::shared_ptr<DeviceQueue> queue_;
  Mutex mutex_;
  std::map<PeerEdge, Ref<clotho::Node>> awaited_ GUARDED_BY(mutex_); ///< ends that commands here wait for
  Early early_ GUARDED_BY(mutex_);                                   ///< ends that no command has asked for yet
  std::set<std::uint64_t> lost_ GUARDED_BY(mutex_);                  ///< other sessions
  std::map<std::uint64_t, NodeId> nodes_ GUARDED_BY(mutex_);         ///< of other sessions, by their numbers
  std::set<std::uint64_t> unreported_ GUARDED_BY(mutex_);            ///< of the lost ones, whose nodes are out of reach
  Moves sends_ GUARDED_BY(mutex_), receives_ GUARDED_BY(mutex_);
  // What has come for those before they were known: CL_COMPLETE says that the other side is ready.
  Early earlyForSends_ GUARDED_BY(mutex_), earlyForReceives_ GUARDED_BY(mutex_);
  EarlyBytes earlyBytes_ GUARDED_BY(mutex_);
  EarlyCredit earlyCredit_ GUARDED_BY(mutex_);
  Early refused_ GUARDED_BY(mutex_); ///< early bytes that may still come, though their command has failed
  bool isOver_ GUARDED_BY(mutex_) = false;
};

} // namespace clotho::node
