// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "base/object.hpp"
#include "cluster/messages.hpp"
#include "command/work_list.hpp"
#include "node/commands.hpp"
#include "node/memory.hpp"
#include "node/program_link.hpp"
#include "node/programs.hpp"
#include "node/remote_command.hpp"
#include "node/session_peers.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace clotho::node {

/// What programs have done with a device.
struct Usage {
  std::atomic<std::uint64_t> sessions{0}, commands{0};
};

/// The use of one of this node's devices by one program: its commands are run as they come. Lives until the program is
/// gone and the last of its commands is over.
class Session final : public Object {
 public:
  /// `router`: to other sessions of the program; null: there are none. `usage`: of the device; it outlives this.
  Session(Device& device, std::unique_ptr<ProgramLink> link, std::unique_ptr<Memory> memory,
          const SessionName& name = {}, PeerRouter* router = nullptr, Usage* usage = nullptr);

  Device& device() const { return device_; }
  SessionPeers& peers() { return peers_; }
  // What the program sends, in its order, by one thread at a time.
  /// Handles a message, with which bytes of slots may have come. False if it makes no sense: then the session is over.
  [[nodiscard]] bool receive(std::string_view message, SlotBuffer bytes = {}) noexcept;
  /// Polls for the ends of commands that run on a chip of their own, until `isWanted(context)`, or all have ended, or
  /// the thread had better sleep.
  void awaitEnds(Helping::Condition isWanted, const void* context) noexcept EXCLUDES(mutex_);
  /// The program is gone: nothing is received any more. Commands that are under way run to their ends.
  void end() noexcept;
  // Any thread.
  /// Keeps what was built for launches, under the number that the program has given it.
  void keep(std::uint64_t number, std::shared_ptr<const Program> program) EXCLUDES(mutex_);

  // The fate of commands.
  void ended(const RemoteCommand& command, const cluster::Ended& end) noexcept EXCLUDES(mutex_);
  void report(std::uint64_t number, std::string text, LogLevel level) noexcept;
  void print(std::uint64_t number, std::string_view text) noexcept;

 private:
  ~Session() override;

  void send(const cluster::ToHost& message) noexcept;
  void handle(cluster::ToNode& message, SlotBuffer bytes, WorkList& list);

  void run(const cluster::RunCommand& run, SlotBuffer bytes, WorkList& list);
  void makeQueue(const cluster::MakeQueue& make);
  Ref<RemoteCommand> makeRemote(const cluster::RunCommand& run, SlotBuffer bytes);
  void tellEnd(const cluster::TellEnd& tell) EXCLUDES(mutex_);
  /// The slots that a command may use. Where they are not this process's, `bytes` are those that have come with it, and
  /// become those that go back with its end. Throws CL_INVALID_VALUE, or CL_OUT_OF_RESOURCES.
  SlotRange slotsFor(const cluster::Work& work, SlotBuffer& bytes);
  void record(const cluster::RecordCommand& record);
  void write(const cluster::WriteBytes& write);
  void chooseLocalSize(const cluster::ChooseLocalSize& question);
  void noteFailure(std::uint64_t number) REQUIRES(mutex_);
  void sendEnd(const cluster::Ended& end, SlotBuffer bytes = {}, Urgency urgency = Urgency::Now) noexcept
      EXCLUDES(mutex_);
  /// Forgets the failures among the first so many ends, which the program knows by now.
  void forgetFailures(std::uint64_t endsHandled) EXCLUDES(mutex_);
  /// Ends a command that cannot be run.
  void refuse(std::uint64_t number, cl_int status, const char* why);
  void follow(RemoteCommand& command, const std::vector<cluster::Predecessor>& after) EXCLUDES(mutex_);
  /// The objects to which messages refer.
  Known known(SlotRange slots) { return {device_, *memory_, slots, programs_, sequences_}; }
  /// Takes over what builds have kept since.
  void takePrograms() EXCLUDES(mutex_);

  Device& device_;
  std::unique_ptr<ProgramLink> link_;
  const bool hasPinnedSlots_;
  const std::unique_ptr<Memory> memory_;
  SessionPeers peers_;
  Usage* const usage_;
  std::atomic<bool> hasLostOutput_{false}; ///< and the program has been told
  // State of the thread that receives.
  std::unordered_map<std::uint32_t, std::shared_ptr<DeviceQueue>> queues_; ///< null: could not be made
  std::unordered_map<std::uint64_t, std::shared_ptr<const Program>> programs_;
  std::unordered_map<std::uint64_t, Ref<SequenceHolder>> sequences_;

  Mutex mutex_;
  std::unordered_map<std::uint64_t, RemoteCommand*> commands_ GUARDED_BY(mutex_); ///< that are under way
  std::unordered_set<std::uint64_t> failed_ GUARDED_BY(mutex_); ///< the program may not have heard of it yet
  struct SentFailure {
    std::uint64_t end, number; ///< `end`: how many ends were sent up to this one
  };
  std::deque<SentFailure> sentFailures_ GUARDED_BY(mutex_);
  struct ToTell {
    cluster::PeerSession to;
    std::uint64_t edge;
  };
  std::unordered_map<std::uint64_t, std::vector<ToTell>> toTell_ GUARDED_BY(mutex_); ///< by command under way
  std::uint64_t endsSent_ = 0; ///< counted while the link is locked
  std::vector<std::pair<std::uint64_t, std::shared_ptr<const Program>>> built_ GUARDED_BY(mutex_);
};

} // namespace clotho::node
