// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/sequence_graph.hpp"

#include "device/cuda/copier.hpp"
#include "device/cuda/device_commands.hpp"

#include <algorithm>
#include <new>
#include <variant>

namespace clotho::cuda {

namespace {

/// Whether a command does the same at each run: what kernels print, and copies whose bytes overlap, need memory of the
/// run.
bool isRepeatable(const Command& command) {
  if (const auto* launch = std::get_if<Launch>(&command))
    return !static_cast<const CudaKernel*>(launch->kernel)->facts().usesPrintf;
  if (const auto* copy = std::get_if<Copy>(&command)) return !copy->mayOverlap && copy->from.memory && copy->to.memory;
  return std::holds_alternative<Fill>(command) || std::holds_alternative<Nothing>(command);
}

} // namespace

SequenceGraph::~SequenceGraph() { discard(); }

bool SequenceGraph::launch(std::span<const Ref<RecordedCommand>> commands, CUstream stream) noexcept {
  if (isRefused_) return false;
  try {
    if (commands_.empty()) { // many command buffers are enqueued once
      commands_.assign(commands.begin(), commands.end());
      return false;
    }
    if (!exec_ || !update(commands)) {
      discard();
      isRefused_ = !record(commands);
    }
  } catch (const std::bad_alloc&) {
    isRefused_ = true;
  }
  if (!isRefused_) return context_.succeeded(context_.api().graphLaunch(exec_, stream));
  discard();
  return false;
}

bool SequenceGraph::record(std::span<const Ref<RecordedCommand>> commands) {
  const auto isFit = [](const Ref<RecordedCommand>& each) { return isRepeatable(each->command()); };
  if (!std::all_of(commands.begin(), commands.end(), isFit)) return false;
  commands_.assign(commands.begin(), commands.end());
  nodesOf_.resize(commands.size());
  const Driver& api = context_.api();
  MutexLock lock(recorder_.mutex);
  if (!recorder_.stream && !context_.succeeded(api.streamCreate(&recorder_.stream, kStreamNonBlocking))) return false;
  if (!context_.succeeded(api.streamBeginCapture(recorder_.stream, kCaptureRelaxed))) return false;
  bool isRecorded = true;
  try {
    for (std::size_t i = 0; i < commands.size() && isRecorded; ++i) {
      const std::size_t first = nodes_.size();
      isRecorded = recordCommand(commands[i]->command(), recorder_.stream);
      nodesOf_[i] = {first, nodes_.size() - first};
    }
  } catch (const std::bad_alloc&) {
    isRecorded = false;
  }
  // Also after an error: the stream is to be as before.
  isRecorded &= context_.succeeded(api.streamEndCapture(recorder_.stream, &graph_));
  return isRecorded && context_.succeeded(api.graphInstantiate(&exec_, graph_, 0));
}

bool SequenceGraph::recordCommand(const Command& command, CUstream stream) {
  if (const auto* launch = std::get_if<Launch>(&command)) return recordLaunch(*launch, stream);
  if (const auto* copy = std::get_if<Copy>(&command)) return copyInStream(context_, *copy, stream);
  if (const auto* fill = std::get_if<Fill>(&command)) return fillInStream(context_, *fill, stream);
  return true;
}

bool SequenceGraph::recordLaunch(const Launch& launch, CUstream stream) {
  const Driver& api = context_.api();
  return context_.succeeded(forEachLaunch(launch, /*printf=*/0, /*enqueuing=*/0, [&](const KernelNode& grid) {
    if (const CUresult result = launchInStream(api, grid, stream); result != CUresult::Success) return result;
    // The grid's node is the one that a command recorded next would wait for.
    int status = 0;
    std::uint64_t id = 0;
    CUgraph graph = nullptr;
    const CUgraphNode* newest = nullptr;
    std::size_t count = 0;
    const CUresult result = api.streamGetCaptureInfo(stream, &status, &id, &graph, &newest, &count);
    if (result == CUresult::Success && count != 1) return CUresult::InvalidValue;
    if (result == CUresult::Success) nodes_.push_back(*newest);
    return result;
  }));
}

// Launches that ran before do so with their own arguments, whatever becomes of the graph now.
bool SequenceGraph::update(std::span<const Ref<RecordedCommand>> commands) {
  if (commands.size() != commands_.size()) return false;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (commands[i] == commands_[i]) continue;
    const auto* launch = std::get_if<Launch>(&commands[i]->command());
    if (!launch || !isRepeatable(commands[i]->command()) || !replace(*launch, nodesOf_[i])) return false;
    commands_[i] = commands[i];
  }
  return true;
}

bool SequenceGraph::replace(const Launch& launch, const Nodes& nodes) {
  std::size_t next = 0;
  const CUresult result = forEachLaunch(launch, /*printf=*/0, /*enqueuing=*/0, [&](const KernelNode& grid) {
    if (next == nodes.count) return CUresult::InvalidValue;
    return context_.api().graphExecKernelNodeSetParams(exec_, nodes_[nodes.first + next++], &grid);
  });
  return result == CUresult::Success && next == nodes.count;
}

void SequenceGraph::discard() noexcept {
  const Context::Current current(context_);
  if (!context_.isLost()) {
    if (exec_) context_.succeeded(context_.api().graphExecDestroy(exec_));
    if (graph_) context_.succeeded(context_.api().graphDestroy(graph_));
  }
  exec_ = nullptr;
  graph_ = nullptr;
  nodes_.clear();
  commands_.clear();
}

} // namespace clotho::cuda
