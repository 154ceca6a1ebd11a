// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "base/overloaded.hpp"
#include "command/nd_range.hpp"
#include "command/storage.hpp"
#include "device/device.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <variant>
#include <vector>

/// Commands as plain data: everything is checked and resolved before a command exists. Addresses are those of
/// the home in which the command runs (Node::home); its operands say what has to be valid there.
namespace clotho {

class Node;
class WorkList;

/// A kernel's arguments at one moment: the argument block, and what it refers to.
struct ArgSnapshot {
  static constexpr std::size_t kInlineBytes = 128;
  static constexpr std::size_t kInlineObjects = 6;
  /// The block is aligned for the largest type, since kernels load their arguments with the alignment of their types.
  static constexpr std::align_val_t kBlockAlignment{128};
  struct FreeBlock {
    void operator()(std::byte* block) const { ::operator delete[](block, kBlockAlignment); }
  };

  alignas(128) std::array<std::byte, kInlineBytes> inlineBlock;
  std::unique_ptr<std::byte[], FreeBlock> heapBlock; ///< when the block is larger
  /// The memory objects among the arguments, null behind the last: first buffers, then images that are only read, then
  /// images that may be written and pipes; each sort in the order of the arguments, without those that are null.
  std::array<MemoryView*, kInlineObjects> inlineObjects{};
  std::vector<MemoryView*> moreObjects;
  std::uint32_t count = 0, bufferCount = 0, readImageCount = 0;
  std::uint64_t localBytes = 0; ///< of the work-group: the kernel's own and its arguments'
  // Arguments that are addresses (shared memory, addresses of devices) are in none of the lists. These describe them:
  bool arePointersApart = true;     ///< known to be in memory of which no other argument has any
  std::uint64_t largestPointed = 0; ///< bytes of the largest memory that one of them may be in
  /// These addresses, and others that the application says the kernel reaches. Null unless shared memory is guarded
  /// (GuardedBlock).
  std::unique_ptr<std::vector<const void*>> reached;

  void add(MemoryView& object) {
    if (count < kInlineObjects)
      inlineObjects[count] = &object;
    else
      moreObjects.push_back(&object);
    ++count;
  }
  std::size_t objectCount() const { return count; }
  MemoryView& object(std::size_t i) const {
    return *(i < kInlineObjects ? inlineObjects[i] : moreObjects[i - kInlineObjects]);
  }
  /// Kernels may leave texels of images that they write as they were. Reading from a pipe changes it.
  Access access(std::size_t i) const {
    const bool isRead = i < bufferCount ? object(i).isReadOnly() : i < std::size_t{bufferCount} + readImageCount;
    return isRead ? Access::Read : Access::ReadWrite;
  }
  /// A copy with a block of `room` bytes, of which the first are those of this block.
  ArgSnapshot copy(std::size_t blockBytes, std::size_t room) const;
  const std::byte* block() const { return heapBlock ? heapBlock.get() : inlineBlock.data(); }
  std::byte* block() { return heapBlock ? heapBlock.get() : inlineBlock.data(); }
};

struct Nothing {}; ///< markers, barriers, user events: ordering only

/// The queues on the device that a launch may enqueue to.
struct LaunchQueues {
  Ref<OnDeviceQueue> defaultQueue; ///< null: the device has none in this context
  std::vector<Ref<OnDeviceQueue>> arguments;
};

/// Arguments as the kernels of another home see them.
struct PlacedArguments {
  HomeId home = kHostHome;
  ArgSnapshot args;
};

/// Bytes of a memory object that a part of a launch uses.
struct PartUse {
  MemoryView* memory;
  Range range; ///< of the storage
  Access access;
};

/// The command keeps its program, or its kernel, and the objects among its arguments alive until it completes
/// (OpenCL 3.0, section 5.9.2: the kernel itself keeps nothing alive). In an in-order queue the newest of several equal
/// launches does so for all of them, since it ends last: see Node::holdArguments.
struct Launch {
  ArgSnapshot args; // first: it is aligned
  const DeviceKernel* kernel;
  Object* program;
  NDRange range;                  ///< as the kernel's code counts it (DeviceKernel::toCode)
  std::uint64_t referencesId = 0; ///< launches with the same number refer to the same; 0: to what no other does
  std::unique_ptr<const LaunchQueues> queues; ///< null unless the kernel may enqueue others (KernelInfo::enqueues)
  bool zeroesLocal = false;                   ///< work-groups find their local memory zeroed (cl_khr_initialize_memory)
  std::shared_ptr<const DeviceProgram> code{}; ///< what the kernel is of, if not of the program, which keeps the rest
  /// On a joint device: the arguments in the homes of the members' memories, in their order (Joint::memories).
  std::vector<PlacedArguments> placed{};
  /// The uses that a part of a launch makes of its objects; null: all of each.
  std::unique_ptr<const std::vector<PartUse>> uses{};

  /// False, and nothing is retained, when one of the objects is gone: kernels do not keep their arguments.
  [[nodiscard]] bool tryRetainReferences() const noexcept;
  void releaseReferences() const noexcept;
};

/// Bytes of a memory object that a command uses.
struct Operand {
  Ref<MemoryView> memory{}; ///< null: memory of the host's, that is always valid
  Range range{};            ///< of the storage
  Access access = Access::Read;
};

/// Bytes from one place to another in up to three dimensions: read, write and copy, plain or rectangular.
/// A plain copy is one row. Rows and slices lie `*Pitch` bytes apart.
struct Copy {
  const std::byte* source;
  std::byte* target;
  std::size_t rowBytes;
  std::size_t rows = 1;
  std::size_t slices = 1;
  std::size_t sourceRowPitch = 0, sourceSlicePitch = 0;
  std::size_t targetRowPitch = 0, targetSlicePitch = 0;
  Operand from{}, to{};
  bool mayOverlap = false; ///< same bytes on both sides: as memmove
};

/// A pattern, again and again from the beginning of each row on. A plain fill is one row.
struct Fill {
  std::byte* target;
  std::size_t rowBytes;    ///< a multiple of the pattern's size
  std::size_t patternSize; ///< a power of two up to 128
  std::array<std::byte, 128> pattern;
  std::size_t rows = 1;
  std::size_t slices = 1;
  std::size_t rowPitch = 0, slicePitch = 0;
  Operand to;
};

/// Makes bytes valid in the host's home, where the application has their address already. Of shared memory the operand
/// has no object, and its range is the addresses.
struct Map {
  Operand operand;
  std::uint64_t number = 0; ///< which map it is to its memory object, for one that fails
};

/// The end of a map. What the application may have written is valid in the host's home alone.
struct Unmap {
  Ref<MemoryView> memory; ///< null: shared memory, which is valid anyway
  Range written;          ///< of the storage, empty if it was mapped for reading; or beginning at the address
};

/// Makes bytes valid in the home in which it runs.
struct Migrate {
  std::vector<Operand> operands;
  /// Shared memory whose pages the device's driver moves (DeviceMemory::canShare); for such devices alone.
  std::vector<std::span<std::byte>> shared{};
  bool isToHost = false;
};

/// A command that runs on a thread for user code: native kernels.
struct HostCall {
  void(CL_CALLBACK* function)(void*);
  std::unique_ptr<std::byte[]> args;
  std::vector<Operand> operands;
};

/// Frees shared memory, or has the application do so on the thread for callbacks.
struct FreeShared {
  using Callback = void(CL_CALLBACK*)(cl_command_queue, cl_uint, void**, void*);
  std::vector<void*> pointers;
  Callback function = nullptr; ///< null: the pointers are of the queue's context
  void* userData = nullptr;
};

/// A command's waits and signals of semaphores (command/semaphore.hpp).
class SemaphoreUse {
 public:
  SemaphoreUse() = default;
  virtual ~SemaphoreUse() = default;
  SemaphoreUse(const SemaphoreUse&) = delete;
  SemaphoreUse& operator=(const SemaphoreUse&) = delete;

  /// How many there are.
  virtual std::size_t size() const noexcept = 0;
  /// The command has got its place in its queue, whose lock is held.
  virtual void enqueued(Node& command) noexcept = 0;
  /// The command is over: `ends` is called before its status is published, `ended` afterwards. No lock is held.
  virtual void ends(cl_int status) noexcept = 0;
  virtual void ended(cl_int status, WorkList& list) noexcept = 0;
};

/// Signals semaphores, or waits for them: nothing to run, only order.
struct UseSemaphores {
  std::unique_ptr<SemaphoreUse> use;
};

class RecordedCommand;
class Replay;

/// A device's preparation of a recorded command, or of a sequence, made once for all of its runs.
class PreparedCommand {
 public:
  PreparedCommand() = default;
  virtual ~PreparedCommand() = default;
  PreparedCommand(const PreparedCommand&) = delete;
  PreparedCommand& operator=(const PreparedCommand&) = delete;
  /// Whether it keeps the commands that it was made of, so that it goes when an update replaces them.
  virtual bool keepsCommands() const noexcept { return false; }
};

/// A device's own of the sequences at one place of a plan (SequencePlan), of which updates make new ones.
struct PreparedSequence {
  Mutex mutex;
  std::unique_ptr<PreparedCommand> prepared GUARDED_BY(mutex);
};

/// Recorded commands that run one after the other on one device. The first that fails ends it, with its status.
/// Or, with a replay, the commands of several sequences, which order each other (command/replay.hpp).
struct Sequence {
  Ref<Object> owner; ///< of the commands, or of the replay
  std::span<const Ref<RecordedCommand>> commands;
  std::size_t next = 0; ///< where the device stands: the command that it runs, or runs next
  Replay* replay = nullptr;
  PreparedSequence* prepared = nullptr; ///< the plan's, which the owner keeps
};

using Command =
    std::variant<Nothing, Launch, Copy, Fill, Map, Unmap, Migrate, HostCall, FreeShared, Sequence, UseSemaphores>;
static_assert(
    std::variant_size_v<Command> <= 11,
    "what is done with a command is a switch; with more, libstdc++ 12 calls through a table, for each launch");

/// A command that may run any number of times, also several times at once. It keeps what it uses, which commands that
/// run once leave to their nodes.
class RecordedCommand final : public Object {
 public:
  /// CL_INVALID_MEM_OBJECT when an object among a kernel's arguments is gone.
  explicit RecordedCommand(Command&& command);
  const Command& command() const { return command_; }

  /// By its device, for all runs that follow; null before.
  const PreparedCommand* prepared() const noexcept { return prepared_.load(std::memory_order_acquire); }
  /// Keeps it, unless another thread was faster.
  void prepare(std::unique_ptr<const PreparedCommand> prepared) const noexcept {
    const PreparedCommand* none = nullptr;
    if (prepared_.compare_exchange_strong(none, prepared.get(), std::memory_order_acq_rel))
      static_cast<void>(prepared.release());
  }

 private:
  ~RecordedCommand() override;

  Command command_;
  mutable std::atomic<const PreparedCommand*> prepared_{nullptr};
};

/// Whether a command has kernels that may enqueue others.
bool enqueuesOthers(const Command& command) noexcept;

/// Whether devices with streams run the command by its place in a stream. All others need the host: host threads run
/// them, move bytes of the application's memory for the device, or launch what kernels have enqueued.
bool isStreamed(const Command& command) noexcept;

/// Calls `use(MemoryView&, Range, Access)` for all that the command uses.
template <class Use> void forEachOperand(const Command& command, Use&& use) {
  const auto one = [&](const Operand& operand) {
    if (operand.memory) use(*operand.memory, operand.range, operand.access);
  };
  std::visit(Overloaded{
                 [](const Nothing&) {},
                 [&](const Launch& launch) {
                   if (launch.uses) {
                     for (const PartUse& each : *launch.uses)
                       use(*each.memory, each.range, each.access);
                     return;
                   }
                   for (std::size_t i = 0; i < launch.args.objectCount(); ++i) {
                     MemoryView& object = launch.args.object(i);
                     use(object, object.range(), launch.args.access(i));
                   }
                 },
                 [&](const Copy& copy) {
                   one(copy.from);
                   one(copy.to);
                 },
                 [&](const Fill& fill) { one(fill.to); },
                 [&](const Map& map) { one(map.operand); },
                 [](const Unmap&) {}, // moves nothing, and says itself what was written
                 [&](const Migrate& migrate) { std::for_each(migrate.operands.begin(), migrate.operands.end(), one); },
                 [&](const HostCall& call) { std::for_each(call.operands.begin(), call.operands.end(), one); },
                 [](const FreeShared&) {},
                 [&](const Sequence& sequence) {
                   if (sequence.replay) return; // each of its sequences does so by itself
                   for (const Ref<RecordedCommand>& each : sequence.commands)
                     forEachOperand(each->command(), use);
                 },
                 [](const UseSemaphores&) {},
             },
             command);
}

} // namespace clotho
