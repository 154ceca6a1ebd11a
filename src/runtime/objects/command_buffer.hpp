// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/command_buffer_header.hpp"
#include "base/handles.hpp"
#include "base/mutex.hpp"
#include "base/slab.hpp"
#include "command/replay.hpp"
#include "runtime/objects/event.hpp"
#include "runtime/objects/kernel.hpp"
#include "runtime/objects/queue.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace clotho {

class Captures;
class CommandBuffer;

/// A launch as it was recorded, and as updates have made it (cl_khr_command_buffer_mutable_dispatch).
struct Dispatch {
  Ref<Kernel> kernel; ///< that the application named
  Ref<Kernel> state;  ///< a clone that has the launch's arguments; never changed, an update makes another one
  cl_mutable_dispatch_fields_khr fields = 0; ///< that may be updated
  cl_uint dimensions = 1;
  std::array<size_t, 3> offset{}, global{}, local{}; ///< as the application gave them, zeros where it did not
  bool hasLocal = false;
  NDRange range; ///< what is made of them
};

/// The handle of a recorded command. Lives as long as its command buffer.
class MutableCommand final : public Object, public _cl_mutable_command_khr {
 public:
  using Handle = cl_mutable_command_khr;
  MutableCommand(CommandBuffer& buffer, std::uint32_t number) : buffer_(&buffer), number_(number) {}

  /// May be about to go.
  CommandBuffer* buffer() const { return buffer_; }
  /// Among the commands of the buffer.
  std::uint32_t number() const { return number_; }

 private:
  friend class Slab<MutableCommand>;
  ~MutableCommand() override = default;
  void destroy() noexcept override;

  CommandBuffer* const buffer_;
  const std::uint32_t number_;
};

/// A command buffer (cl_khr_command_buffer): commands that are recorded once and enqueued as often as one likes. What
/// is enqueued is a Recording, which stays as it is when the command buffer is updated or released.
class CommandBuffer final : public Object, public _cl_command_buffer_khr {
 public:
  using Handle = cl_command_buffer_khr;

  struct Traits {
    cl_command_buffer_flags_khr flags = 0;
    khr::cl_mutable_dispatch_asserts_khr asserts = 0;
    std::vector<cl_command_buffer_properties_khr> propertyList; ///< as the application gave it
  };
  /// `queues`: at least one, all of one context.
  CommandBuffer(std::vector<Ref<Queue>> queues, Traits traits);

  Context& context() const { return queues_.front()->context(); }
  const std::vector<Ref<Queue>>& queues() const { return queues_; }
  const Traits& traits() const { return traits_; }
  bool isMutable() const { return (traits_.flags & CL_COMMAND_BUFFER_MUTABLE_KHR) != 0; }
  cl_command_buffer_state_khr state() const EXCLUDES(mutex_);

  /// A command as it is recorded.
  struct Command {
    cl_command_type type;
    std::uint32_t lane; ///< index of its queue
    std::vector<khr::cl_command_properties_khr> propertyList;
    Ref<RecordedCommand> command;     ///< null while arguments of a launch are missing
    std::optional<Dispatch> dispatch; ///< of a launch
    std::vector<std::uint32_t> after; ///< what it waits for, each once
    Ref<MutableCommand> handle;       ///< null unless the application asked for it
  };

  /// CL_INVALID_OPERATION unless commands can be recorded.
  void checkRecording() const EXCLUDES(mutex_);
  /// Adds a command, whose `after` has what its sync points stand for; gives its own. `isBarrier`: what comes later
  /// waits for it, and without sync points it waits for all before it. CL_INVALID_OPERATION once it is finalized,
  /// CL_INVALID_SYNC_POINT_WAIT_LIST_KHR for what is no sync point.
  cl_sync_point_khr record(Command command, std::span<const cl_sync_point_khr> waits, bool isBarrier,
                           cl_mutable_command_khr* handle) EXCLUDES(mutex_);
  /// CL_INVALID_OPERATION when it is already.
  void finalize() EXCLUDES(mutex_);

  /// Runs it on queues that stand for its own; CL_INVALID_OPERATION unless it is executable.
  Ref<Event> enqueue(std::span<const Ref<Queue>> queues, WaitList deps, bool isWanted) EXCLUDES(mutex_);

  /// A copy of a recorded command, as it is now; CL_INVALID_MUTABLE_COMMAND_KHR unless `command` is the buffer's.
  Command commandOf(const MutableCommand& command) const EXCLUDES(mutex_);
  /// A copy of all commands; what they wait for is complete.
  std::vector<Command> commands() const EXCLUDES(mutex_);

  /// Another state of a launch.
  struct Update {
    std::uint32_t number;
    Dispatch dispatch;
    Ref<RecordedCommand> command; ///< null: arguments are still missing
  };
  /// For what is enqueued from here on.
  void update(std::span<Update> updates) EXCLUDES(mutex_);

  /// Takes a copy of another buffer's commands, remapped to the queues of this one, which has no commands yet. They are
  /// in the order of the original, and know what they wait for.
  void adopt(std::vector<Command> commands, bool isFinalized);
  /// The handle of a command, which gets one if it has none.
  cl_mutable_command_khr handleOf(std::uint32_t number) EXCLUDES(mutex_);

 private:
  friend class Slab<CommandBuffer>;
  ~CommandBuffer() override;
  void destroy() noexcept override;

  void addOrder(Command& command, bool isBarrier, bool hasWaits) REQUIRES(mutex_);
  void addCopied(Command& command) const REQUIRES(mutex_);
  void dropImplied(std::vector<std::uint32_t>& after) const REQUIRES(mutex_);
  void makeRecording() REQUIRES(mutex_);
  bool lacksArguments() const REQUIRES(mutex_) { return incomplete_ > 0; }
  /// Puts other commands in the place of some, by their numbers.
  void replaceCommands(std::span<const std::pair<std::uint32_t, Ref<RecordedCommand>>> changes) REQUIRES(mutex_);
  /// Kernels whose images have a version of their code by now run that.
  void takeNewVersions() REQUIRES(mutex_);
  clotho::Command workFor(std::span<const Ref<Queue>> queues) REQUIRES(mutex_);
  // runtime/capture/captured_buffer.cpp:
  /// Whether launches are captured when it is enqueued now.
  bool hasCaptures(Captures& captures) const REQUIRES(mutex_);
  Ref<Event> enqueueCaptured(std::span<const Ref<Queue>> queues, WaitList deps, bool isWanted, Captures& captures)
      EXCLUDES(mutex_);

  const std::vector<Ref<Queue>> queues_;
  const Traits traits_;

  mutable Mutex mutex_;
  bool isFinalized_ GUARDED_BY(mutex_) = false;
  std::vector<Command> commands_ GUARDED_BY(mutex_);
  std::size_t incomplete_ GUARDED_BY(mutex_) = 0;           ///< commands whose arguments are missing
  std::vector<std::uint32_t> versioned_ GUARDED_BY(mutex_); ///< launches of kernels that have versions
  // While it is recorded:
  std::vector<bool> isAwaited_ GUARDED_BY(mutex_); ///< a later command waits for it
  std::vector<std::optional<std::uint32_t>> lastOfLane_ GUARDED_BY(mutex_);
  std::uint32_t copied_ GUARDED_BY(mutex_) = 0; ///< the first ones, which were copied from another buffer
  /// From this one on, each command of a lane in order waits for the one before it; those that were copied need not.
  std::vector<std::uint32_t> chainOfLane_ GUARDED_BY(mutex_);
  std::optional<std::uint32_t> barrier_ GUARDED_BY(mutex_); ///< the last one
  std::uint32_t afterAll_ GUARDED_BY(mutex_) = 0;           ///< a barrier waits for all commands before this one
  // Once it is finalized:
  Ref<Recording> recording_ GUARDED_BY(mutex_);
  Ref<ReplayPool> replays_ GUARDED_BY(mutex_);
};

} // namespace clotho
