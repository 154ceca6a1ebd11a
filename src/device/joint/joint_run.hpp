// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/clock.hpp"
#include "command/node.hpp"
#include "command/work_list.hpp"
#include "device/joint/part_shares.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace clotho::joint {

class JointKernel;
class JointQueue;
class Part;

/// The running command of a node, or the one at which its sequence stands. Lies in Node::deviceState.
class Run {
 public:
  Run(JointQueue& queue, Node& node) : queue_(queue), node_(node) {}

  Node& node() const { return node_; }
  /// Before the first of so many parts is armed. `kernel`: null if their times tell nothing. Throws bad_alloc.
  void expect(std::uint32_t parts, const JointKernel* kernel) {
    if (kernel && parts > fewTimes_.size()) moreTimes_ = std::make_unique<PartTime[]>(parts);
    unfinished_.store(parts, std::memory_order_relaxed);
    kernel_ = kernel;
    isWhole_ = false;
  }
  /// Before the only part of a launch that JointDevice::beginWhole has counted.
  void expectWhole() {
    expect(1, nullptr);
    isWhole_ = true;
  }
  void fail(cl_int status) noexcept {
    cl_int none = CL_SUCCESS;
    failure_.compare_exchange_strong(none, status, std::memory_order_relaxed);
  }
  /// The kernel has ended, and the command will with what that has enqueued.
  void endKernel() noexcept {
    endsLater_ = true;
    node_.endRun();
  }
  void partRan(std::uint64_t started, std::uint64_t ended) noexcept;
  /// A part is over. Its time counts for the size of later parts.
  void partEnded(const Part& part, cl_int status, WorkList& list) noexcept;
  /// Starts the command, or the next one of the sequence that has something to run. False if there is none: the node
  /// has ended, and this with it.
  bool start(WorkList& list) noexcept;

 private:
  friend class Turns;

  /// Goes on to the next command of the sequence; false if there is none, or the one before has failed.
  bool advance() noexcept;
  void end(WorkList& list) noexcept;
  void noteTime(const Part& part) noexcept;

  JointQueue& queue_;
  Node& node_;
  std::atomic<std::uint32_t> unfinished_{0};
  std::atomic<cl_int> failure_{CL_SUCCESS};
  std::atomic<std::uint64_t> started_{UINT64_MAX}, ended_{0}; ///< first and last time of all parts; none yet
  bool endsLater_ = false, isWhole_ = false;
  const JointKernel* kernel_ = nullptr;
  Run* behind_ = nullptr; ///< whose turn comes after this one's
  std::atomic<std::uint32_t> timed_{0};
  std::array<PartTime, 7> fewTimes_{};
  std::unique_ptr<PartTime[]> moreTimes_{}; ///< of the parts of one launch, if there are more; this is never destroyed
};
static_assert(sizeof(Run) <= Node::kDeviceStateSize);

/// The part of a command that one member runs.
class Part final : public Node {
 public:
  /// `items`: how many work-items it has, if its time is to count.
  Part(Run& run, DeviceQueue& queue, Command&& work, std::size_t member, double items)
      : Node(&queue, work_, state_, /*isTimed=*/true), run_(run), member_(member), items_(items),
        work_(std::move(work)) {
    failAlike();
    setObserved();
  }

  const Node& whole() const noexcept override { return run_.node().whole(); }
  void report(std::string message, LogLevel level) noexcept override { run_.node().report(std::move(message), level); }
  std::size_t member() const { return member_; }
  double items() const { return items_; }
  double ns() const { return static_cast<double>(ended_ - started_); }

 private:
  void stamp(Stamp stamp) noexcept override {
    if (stamp == Started) started_ = hostTime();
    if (stamp == Ended) run_.endKernel();
    if (stamp == Completed) ended_ = hostTime();
  }
  void storeTimes(std::uint64_t started, std::uint64_t ended) noexcept override {
    started_ = started;
    ended_ = ended;
  }
  void reached(cl_int status) noexcept override {
    if (status == CL_RUNNING) run_.node().begin();
  }
  void ended(cl_int status, WorkList& list) noexcept override {
    if (started_ != 0) run_.partRan(started_, ended_);
    run_.partEnded(*this, status, list);
  }

  Run& run_;
  const std::size_t member_;
  const double items_;
  std::uint64_t started_ = 0, ended_ = 0;
  Command work_;
  DeviceState state_;
};

} // namespace clotho::joint
