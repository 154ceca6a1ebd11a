// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "command/command.hpp"
#include "device/cuda/context.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace clotho::cuda {

/// A stream in which graphs are recorded, and that never runs anything.
struct GraphRecorder {
  Mutex mutex;
  CUstream stream GUARDED_BY(mutex) = nullptr;
};

/// The commands of a sequence as a CUDA graph, which costs a quarter of launching them. It is made when the sequence
/// runs for the second time. Launches that were updated since are replaced in it. Used with the lock of the
/// PreparedSequence that it belongs to.
class SequenceGraph final : public PreparedCommand {
 public:
  /// Shorter sequences cost no more without a graph.
  static constexpr std::size_t kLeast = 4;

  SequenceGraph(Context& context, GraphRecorder& recorder) : context_(context), recorder_(recorder) {}
  ~SequenceGraph() override;

  const Context& context() const { return context_; }
  /// Runs the commands in the stream. False if there is no graph for them, so that they have to be put there
  /// themselves. The context is current.
  bool launch(std::span<const Ref<RecordedCommand>> commands, CUstream stream) noexcept EXCLUDES(recorder_.mutex);

 private:
  /// Nodes of the launches of a command, one for each grid.
  struct Nodes {
    std::size_t first = 0, count = 0;
  };

  bool record(std::span<const Ref<RecordedCommand>> commands) EXCLUDES(recorder_.mutex);
  /// Puts a command into the stream, which records it.
  bool recordCommand(const Command& command, CUstream stream);
  bool recordLaunch(const Launch& launch, CUstream stream);
  bool update(std::span<const Ref<RecordedCommand>> commands);
  bool replace(const Launch& launch, const Nodes& nodes);
  void discard() noexcept;

  Context& context_;
  GraphRecorder& recorder_;
  bool isRefused_ = false;
  std::vector<Ref<RecordedCommand>> commands_; ///< that the graph runs; without a graph: that ran first
  std::vector<Nodes> nodesOf_;                 ///< of each command
  std::vector<CUgraphNode> nodes_;
  CUgraph graph_ = nullptr;
  CUgraphExec exec_ = nullptr;
};

} // namespace clotho::cuda
