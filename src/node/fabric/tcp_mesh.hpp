// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "base/unique_fd.hpp"
#include "node/fabric/mesh.hpp"
#include "node/fabric/peer.hpp"
#include "node/fabric/ucx_worker.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <poll.h>
#include <string>
#include <thread>
#include <vector>

namespace clotho::node {

/// The mesh: a TCP connection to each other node, by which nodes meet and see that the other one lives. Messages go by
/// it, too, or by a UcxLink where UCX is asked for. One thread does everything but to send messages by connections;
/// others give it tasks.
class TcpMesh final : public Mesh, private UcxWorker::Handler, private Peer::Others {
 public:
  static std::unique_ptr<TcpMesh> open(const Options& options, std::string& why);
  ~TcpMesh() override;
  TcpMesh(const TcpMesh&) = delete;
  TcpMesh& operator=(const TcpMesh&) = delete;

  void start(Receiver& receiver) override;
  void stop() override;
  NodeId self() const noexcept override { return self_.node; }
  const std::string& address() const noexcept override { return self_.address; }
  std::vector<Failure> join(const std::vector<std::string>& addresses) override;
  bool meetEachOther() override;
  std::vector<NodeId> nodesAt(const std::vector<std::string>& addresses) override;
  void send(NodeId to, std::string_view message, Payload payload, Urgency urgency) noexcept override;
  void drop(NodeId node) noexcept override;

 private:
  using Clock = Connection::Clock;
  struct Message {
    NodeId to = 0;
    std::string text{};
    Payload payload{};
  };

  explicit TcpMesh(const cluster::Token& token);
  /// Has the mesh's thread call it.
  void post(std::function<void()> task) EXCLUDES(mutex_);
  void wake() noexcept;
  /// The outbox of a node that gets messages by TCP; or null.
  std::shared_ptr<Outbox> outboxOf(NodeId node) noexcept EXCLUDES(mutex_);

  // What the mesh's thread does.
  void run();
  bool runTasks() EXCLUDES(mutex_);
  bool hasTasks() EXCLUDES(mutex_);
  /// Looks at all descriptors, for so many ms at most, and does what is due. Whether anything has come.
  bool look(int ms);
  template <class Work> void advance(Peer& peer, const Work& work);
  void acceptNodes();
  void advancePeers() EXCLUDES(mutex_);
  void closeAll();
  int strangers() const;
  bool hasRoomForStrangers();
  Peer* find(NodeId node);
  void arrived(const ArrivedPart& part) noexcept override;
  bool isKnown(const Peer& peer) override;
  bool hasJoined(NodeId node) override;
  void call(const KnownNode& node) override;
  void joins(Peer& peer) override EXCLUDES(mutex_);

  Peer::Self self_;
  UniqueFd listener_, wake_;
  std::unique_ptr<UcxWorker> worker_;
  std::vector<std::unique_ptr<Peer>> peers_;
  Clock::time_point nextBeat_{}, nextAdvance_{}, nextAccept_{};
  std::vector<pollfd> fds_;
  std::atomic<NodeId> unreachable_{0}; ///< there was no memory for a message to it

  std::atomic<bool> isAsleep_{false}, isStopping_{false};
  Mutex mutex_;
  std::map<NodeId, std::shared_ptr<Outbox>> outboxes_ GUARDED_BY(mutex_); ///< of nodes that get messages by TCP
  std::vector<Message> messages_ GUARDED_BY(mutex_);                      ///< for UCX
  std::vector<std::function<void()>> tasks_ GUARDED_BY(mutex_);
  std::vector<Message> taken_; ///< of the thread; keeps its memory
  std::thread thread_;
};

} // namespace clotho::node
