// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command/node.hpp"
#include "command/transfer.hpp"
#include "device/device_memory.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <vector>

/// Commands and transfers that go on step by step, as a test tells them to.
namespace clotho::test {

/// The next allocation with `new` but so many throws bad_alloc, on this thread; negative: none does.
extern thread_local int allocationsUntilFailure;

/// Keeps what was started until the test ends it.
class StepQueue final : public DeviceQueue {
 public:
  StepQueue() { started_.reserve(1024); }
  void start(Node& node, WorkList&) noexcept override { start(node); }
  void start(Node& node) noexcept {
    node.begin();
    started_.push_back(&node);
    if (onStart) onStart(node);
  }
  const std::vector<Node*>& started() const { return started_; }
  Node& take(std::size_t index) {
    Node* node = started_.at(index);
    started_.erase(started_.begin() + static_cast<std::ptrdiff_t>(index));
    return *node;
  }

  std::function<void(Node&)> onStart;

 private:
  std::vector<Node*> started_;
};

/// A device's memory. What was never moved there is to be recognised.
class StepMemory final : public DeviceMemory {
 public:
  void* allocate(std::size_t size, std::size_t alignment) noexcept override;
  void deallocate(void* memory, std::size_t size) noexcept override;
  bool write(void* to, const void* from, std::size_t size) noexcept override;
  StepQueue& transfers() noexcept override { return queue_; }
  bool canCopyFrom(const DeviceMemory&) const noexcept override { return seesOthers; }
  std::size_t allocations() const { return allocations_; } ///< that were not given back

  bool seesOthers = false; ///< other devices' memory

 private:
  StepQueue queue_;
  std::size_t allocations_ = 0;
};

class TestView final : public MemoryView {
 public:
  explicit TestView(Storage& storage) : MemoryView(Ref<Storage>(storage), 0, storage.size(), false) {}
};

/// A command with any operands, which runs from its start until the test completes it.
class TestCommand final : public Node {
 public:
  TestCommand(StepQueue& queue, HomeId home, std::vector<Operand> operands);
  bool isRunning() const { return status() == CL_RUNNING; }
  bool isWaiting() const { return status() > CL_RUNNING; }
  void report(std::string, LogLevel) noexcept override {}

 private:
  void runOnHost() noexcept override { queue_.start(*this); }

  StepQueue& queue_;
  Command work_;
  DeviceState state_;
};

/// A transfer as it was started.
struct Move {
  Node* node;
  HomeId from, to;
  Range range;
  bool operator==(const Move& other) const {
    return from == other.from && to == other.to && range.begin == other.range.begin && range.end == other.range.end;
  }
};
std::ostream& operator<<(std::ostream& out, const Move& move);

/// One storage in a context with so many homes beside the host's.
class Steps {
 public:
  static constexpr std::size_t kSize = 128;

  explicit Steps(std::size_t farHomes = 2, void* hostPointer = nullptr, std::uint64_t hostLimit = 1 << 20);
  ~Steps();

  Storage& storage() { return view_->storage(); }
  std::byte* bytes(HomeId home) { return storage().address(home); }
  StepMemory& memory(HomeId home) { return *memories_.at(home - 1U); }
  StepQueue& commands() { return commands_; }

  /// A command that is not armed yet; the caller's reference is not the only one.
  Ref<TestCommand> make(HomeId home, std::vector<Operand> operands);
  Operand operand(Access access, Range range) { return {Ref<MemoryView>(*view_), range, access}; }
  /// An armed command with one operand.
  Ref<TestCommand> run(HomeId home, Access access, Range range = {0, kSize});
  /// Runs a command to its end, with the transfers that it needs, and returns these.
  std::vector<Move> runToEnd(HomeId home, Access access, Range range = {0, kSize});
  /// Writes a byte to a whole range on a device.
  void write(HomeId home, Range range, int value);
  /// Whether a range has one value throughout.
  bool has(HomeId home, Range range, int value);

  void end(const Ref<TestCommand>& command, cl_int status = CL_COMPLETE);
  /// Transfers that were started and have not ended, by home.
  std::vector<Move> moves();
  Move moveOf(Node& node);
  /// Ends the first of them; copies unless it fails.
  Move endMove(cl_int status = CL_COMPLETE) { return endMove(moves().at(0), status); }
  Move endMove(const Move& move, cl_int status = CL_COMPLETE);
  /// Gives up the test's own hold on the storage.
  void release() { view_ = nullptr; }
  std::size_t allocations() const;

 private:
  HostMemory host_;
  std::vector<std::unique_ptr<StepMemory>> memories_;
  StepQueue commands_;
  Ref<TestView> view_;
};

} // namespace clotho::test
