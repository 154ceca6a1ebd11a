// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "cluster/link.hpp"
#include "cluster/messages.hpp"
#include "cluster/thread_latency.hpp"
#include "command/node.hpp"
#include "command/work_list.hpp"
#include "device/cluster/node_client.hpp"
#include "device/cluster/peer_group.hpp"
#include "device/device.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace clotho::cluster {

class HostCopies;
class Window;

/// The use of one device of a node by this process: commands go there with numbers, and their ends come back. Lives as
/// long as the process, since a thread of its own receives what no waiting thread receives first.
///
/// When the node is gone, or stands still for longer than kMostBeatsMissed looks, the session is lost for good: all
/// that was sent and all that is sent later ends with CL_OUT_OF_RESOURCES.
class Session {
 public:
  /// `group`: of sessions that are its peers; null: there are none. `window`: addresses of the device's memory.
  /// `name`: the device's, for the log.
  Session(NodeClient client, NodeClient::Opened opened, PeerGroup* group = nullptr, const Window* window = nullptr,
          std::string name = "of a node");
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();
  /// Starts the thread. Throws CL_OUT_OF_RESOURCES.
  void start();
  /// Identity of the order in which commands of its queues are issued, which it shares with its peers (DeviceQueue).
  const void* streams() const noexcept { return hasPeers() ? static_cast<const void*>(group_) : this; }
  bool hasPeers() const noexcept { return place_ != 0; }
  PeerSession peer() const noexcept { return {node_, session_}; }
  /// Addresses of the device's memory.
  const Window* window() const noexcept { return window_; }
  /// Another session with these bytes in its device's memory; or null.
  Session* peerWith(const std::byte* address) const noexcept {
    return hasPeers() ? group_->withMemory(address) : nullptr;
  }

  using Followed = std::vector<std::pair<std::uint64_t, bool>>; ///< tickets, and whether they pass a failure

  /// Sends a command of the graph to the node's queue of this number, or ends it. Its successors that the device orders
  /// become ready.
  void run(Node& node, std::uint32_t queue, Work work, WorkList& ready) noexcept;
  /// Bytes in the memory of another session.
  struct Source {
    Session& session;
    std::uint64_t address;
    Ref<Object> owner; ///< kept until the other session's node has let the bytes go, which may be after they have come
  };
  /// Has bytes moved here from the memory of another session, after commands that need not be over.
  void receive(Node& node, std::uint32_t queue, const ReceiveBytes& bytes, const Source& source, const Followed& after,
               WorkList& ready) noexcept;
  /// Sends a part of a copy, which `copies` hears of again.
  struct Piece {
    HostCopies* copies;
    Node* node;
    std::uint32_t slot;
  };
  /// False if it cannot go, and `failure` says why.
  [[nodiscard]] bool run(const Piece& piece, std::uint32_t queue, const RunCopy& copy, cl_int& failure) noexcept;
  /// Sends what has no end. False if it cannot go: the session is lost, or there is no memory for the message.
  bool tell(const ToNode& message) noexcept;
  /// Asks for a local size and waits. False if the session is lost, or if the answer does not come in time.
  static constexpr std::chrono::milliseconds kLocalSizeTime{30'000}; // it waits behind all that was sent before
  bool askLocalSize(const ChooseLocalSize& question, std::array<std::uint64_t, 3>& local,
                    std::chrono::milliseconds patience = kLocalSizeTime) noexcept;
  /// Asks the node's compiler, on a connection of its own. Nothing if the session is lost.
  std::optional<ProgramBuilt> build(BuildProgram question, const std::string& module, std::string& why);

  /// A number for a queue, program or sequence.
  std::uint64_t nextName() noexcept { return lastName_.fetch_add(1, std::memory_order_relaxed) + 1; }
  std::span<std::byte> slots() const { return link_.area().slots(); }

  /// Receives for a thread that waits, until it is `over` or some time has passed.
  void help(Helping::Condition over, const void* context) noexcept;
  bool isLost() const noexcept { return isLost_.load(std::memory_order_acquire); }
  /// Ends all that is under way. `why`: for the log; null: without a word.
  void lose(const char* why) noexcept;
  /// In a forked child: the session is the parent's.
  void leaveInChild() noexcept;

 private:
  struct LocalSizeAnswer {
    std::array<std::uint64_t, 3> local{};
    std::atomic<std::uint32_t> state{kOpen};
    static constexpr std::uint32_t kOpen = 0, kAnswered = 1, kLost = 2;
  };
  /// The receiver of a command's end, or of an answer; or an object that is released then.
  using Awaited = std::variant<Node*, Piece, LocalSizeAnswer*, Ref<Object>>;

  /// `isTransfer`: another session waits for it, so it is sent even if it is to fail, which its end becomes then. False
  /// if it cannot go: then it has ended.
  bool send(Node& node, RunCommand command, bool isTransfer, WorkList& ready) noexcept;
  /// Adds predecessors to a command. False if one that passes its failure is lost, or one cannot be asked for.
  bool follow(RunCommand& command, const Followed& after);
  /// Sends a command whose end no node of the graph awaits; `kept` is released then. Its number; 0 if the session is
  /// lost, or if `part` of which it is one is to fail. Throws bad_alloc.
  std::uint64_t sendUnawaited(RunCommand command, const Node* part = nullptr, const Ref<Object>& kept = {});
  /// Replaces a command's predecessors that are too many for one message by markers, and lives until it has been sent.
  class Gathering;
  /// Number of ends that are handled, as commands tell the node: it forgets the failures among them. The graph knows of
  /// those, so it sends nothing that follows them. While the link is locked, and before the graph is asked.
  std::uint64_t endsToTell() const noexcept;

  static void* threadMain(void* session);
  void receiveAll() noexcept;
  /// Handles what has come, unless another thread is at it; whether there was anything.
  bool receive() noexcept;
  bool handle(std::string_view message, WorkList& list) noexcept;
  /// Looks whether the node has shown that it runs.
  void checkBeat() noexcept;

  /// False if the session is lost. Throws bad_alloc.
  bool await(std::uint64_t number, const Awaited& awaited) EXCLUDES(mutex_);
  std::optional<Awaited> take(std::uint64_t number) noexcept EXCLUDES(mutex_);
  /// Like take(), for an answer; damage if the number is that of a command.
  enum class Asked : std::uint8_t { Yes, No, Damage };
  Asked takeQuestion(std::uint64_t number, LocalSizeAnswer*& answer) noexcept EXCLUDES(mutex_);
  /// Sends a message with a fresh number, whose end goes to `awaited`. `fill(number)` returns the message, while the
  /// link is locked. False if it cannot be sent, and the caller ends it: there is no memory (`failure`), or the session
  /// is lost.
  template <class Fill> bool sendAwaited(const Awaited& awaited, Fill&& fill, cl_int& failure) noexcept;
  /// The command of a number that is under way, for what is told before its end.
  Node* nodeOf(std::uint64_t number) noexcept EXCLUDES(mutex_);
  void end(const Awaited& awaited, const Ended& end, WorkList& list) noexcept;
  std::uint64_t nextNumber() noexcept { return ++lastNumber_; }

  const NodeClient client_;
  const std::uint64_t node_, session_;
  PeerGroup* const group_;
  const Window* const window_;
  const std::string name_;
  std::atomic<std::uint64_t> lastEdge_{0};
  Link link_;
  std::atomic<bool> isLost_{false};
  std::atomic<std::uint64_t> lastName_{0};
  std::uint64_t lastNumber_ = 1; ///< of a command, changed while the link is locked; a ticket is neither 0 nor 1

  std::atomic<std::uint64_t> endsHandled_{0};
  std::atomic<std::uint32_t> gatherings_{0}; ///< that are alive
  std::atomic<bool> isReceiving_{false};     ///< by one thread at a time, so that what is told comes in order
  std::atomic<std::uint32_t> helpers_{0};
  PollHabit helping_; ///< of threads that wait
  const std::chrono::microseconds helpTime_;
  std::string message_; ///< by the thread that receives
  // State of the session's thread.
  std::uint64_t beat_ = 0, lookedAt_ = 0;
  unsigned missed_ = 0;

  Mutex mutex_;
  std::unordered_map<std::uint64_t, Awaited> awaited_ GUARDED_BY(mutex_);
  std::vector<int> builds_ GUARDED_BY(mutex_); ///< connections on which answers are awaited
  const std::size_t place_;                    ///< in the group, which knows it when all else is made
};

} // namespace clotho::cluster
