// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cases.hpp"

#include "child_kernels.hpp"
#include "command_graph.hpp"
#include "command_replay.hpp"
#include "image_transfer.hpp"
#include "memory_copy.hpp"
#include "node_cost.hpp"
#include "pipes.hpp"
#include "rect_copy.hpp"
#include "session.hpp"
#include "shared_memory.hpp"
#include "split_launch.hpp"
#include "trace_cost.hpp"

#include <array>
#include <thread>

namespace bench {

namespace {

constexpr int kFirst = 1; ///< the source that the cache knows
constexpr int kBatch = 20'000;

std::vector<double> measureReady(const Effort&) {
  auto begin = Clock::now();
  Session session;
  return {milliseconds(Clock::now() - begin)};
}

double timeToResult(SmallKernel& kernel, int number) {
  kernel.clear();
  auto begin = Clock::now();
  kernel.buildAndRun(number);
  return milliseconds(Clock::now() - begin);
}

/// The first thing that the process does with its queue: no buffer exists before the clock runs, and no command has
/// run.
std::vector<double> measureFirst(const Effort&) {
  Session session;
  auto begin = Clock::now();
  SmallKernel kernel(session);
  kernel.buildAndRun(kFirst);
  return {milliseconds(Clock::now() - begin)};
}

std::vector<double> measureFollowing(const Effort& effort, std::chrono::milliseconds pause) {
  Session session;
  SmallKernel kernel(session);
  kernel.buildAndRun(kFirst);
  std::vector<double> samples;
  for (int i = 1, count = effort.pick(6, 2); i <= count; ++i) {
    std::this_thread::sleep_for(pause);
    samples.push_back(timeToResult(kernel, kFirst + i));
  }
  return samples;
}

std::vector<double> measureWarm(const Effort& effort) {
  return measureFollowing(effort, std::chrono::milliseconds(60));
}

std::vector<double> measureInSuccession(const Effort& effort) {
  return measureFollowing(effort, std::chrono::milliseconds(0));
}

std::vector<double> measureAgain(const Effort& effort) {
  Session session;
  SmallKernel kernel(session);
  kernel.buildAndRun(kFirst);
  std::vector<double> samples;
  for (int i = effort.pick(50, 3); i > 0; --i)
    samples.push_back(timeToResult(kernel, kFirst));
  return samples;
}

std::vector<double> measureLaunch(const Effort& effort) {
  Session session;
  SmallKernel kernel(session);
  kernel.buildAndRun(kFirst);
  kernel.clear();
  std::vector<double> samples;
  for (int i = effort.pick(5000, 50); i > 0; --i) {
    auto begin = Clock::now();
    kernel.launch();
    check(clFinish(session.queue), "clFinish");
    samples.push_back(microseconds(Clock::now() - begin));
  }
  kernel.verify();
  return samples;
}

std::vector<double> measureBatch(const Effort& effort) {
  Session session;
  SmallKernel kernel(session);
  kernel.buildAndRun(kFirst);
  std::vector<double> samples;
  for (int i = effort.pick(12, 2); i > 0; --i) {
    kernel.clear();
    auto begin = Clock::now();
    for (int k = 0; k < kBatch; ++k)
      kernel.launch();
    check(clFinish(session.queue), "clFinish");
    samples.push_back(microseconds(Clock::now() - begin) / kBatch);
    kernel.verify();
  }
  return samples;
}

std::vector<double> measureCopy(const Effort& effort) {
  Session session;
  return compareCopies(session, std::size_t{effort.quick ? 16U : 256U} << 20, effort.pick(9, 2));
}

std::vector<double> measureGraph(const Effort& effort) {
  Session session;
  return timeRandomGraphs(session, effort.pick(10'000, 500), effort.pick(15, 2));
}

template <ChildKernels How> std::vector<double> measureChildren(const Effort& effort) {
  Session session;
  return timeChildKernels(session, How, effort.pick(100'000, 500), effort.pick(9, 2));
}

std::vector<double> measureTracedCommands(const Effort& effort) {
  return costOfTracedCommands(effort.pick(kBatch, 100), effort.pick(9, 1));
}

std::vector<double> measureTracedKernels(const Effort& effort) {
  return speedOfTracedKernels(effort.pick(200, 2), effort.pick(9, 1));
}

std::vector<double> measureNodeLaunch(const Effort& effort) {
  return costOfNodeLaunch(effort.pick(2000, 50), effort.pick(9, 1));
}

std::vector<double> measureNodeChain(const Effort& effort) {
  return timeOfNodeChain(effort.pick(200, 5), effort.pick(9, 1));
}

std::vector<double> measureJointStep(const Effort& effort) {
  return timeOfJointStep(effort.pick(50, 2), effort.pick(9, 1));
}

std::vector<double> measureNodeWrite(const Effort& effort) {
  return timeOfNodeWrite(effort.pick(12, 1), effort.pick(9, 1));
}

std::vector<double> measureSplitLaunches(const Effort& effort) {
  return timeOfSplitLaunches(effort.pick(60, 2), effort.pick(5, 1));
}

constexpr int kReplayed = 1000;

std::vector<double> measureReplay(const Effort& effort) {
  Session session;
  ReplayComparison comparison(session, kReplayed);
  std::vector<double> samples;
  for (int i = effort.pick(200, 2); i > 0; --i)
    samples.push_back(comparison.replayed());
  return samples;
}

std::vector<double> measureReplaySpeed(const Effort& effort) {
  Session session;
  return compareReplays(session, kReplayed, effort.pick(100, 2));
}

template <RectCopy How, std::size_t RowBytes> std::vector<double> measureRect(const Effort& effort) {
  Session session;
  return compareRects(session, How, RowBytes, std::size_t{effort.quick ? 4U : 64U} << 20, effort.pick(5, 1));
}

/// 64 MiB of RGBA with 8 bits, or one texel less in each row, so that rows of the image are not rows of the host.
template <ImageTransfer How, std::size_t Width> std::vector<double> measureImage(const Effort& effort) {
  Session session;
  return compareImageTransfers(session, How, Width, effort.quick ? 256 : 4096, effort.pick(7, 1));
}

template <SharedKernel Which> std::vector<double> measureShared(const Effort& effort) {
  Session session;
  const std::size_t size = Which == SharedKernel::Triad   ? std::size_t{effort.quick ? 64U << 10 : 8U << 20}
                           : Which == SharedKernel::Tiles ? std::size_t{effort.quick ? 64U : 512U}
                                                          : 64;
  return compareShared(session, Which, size, effort.pick(9, 1));
}

/// A pipe whose packets fit into a core's second cache.
std::vector<double> measurePipe(const Effort& effort) {
  Session session;
  return timePipe(session, 1U << 15, effort.pick(200, 2), effort.pick(9, 1));
}

constexpr double kNoGoal = 0;

constexpr std::array kCases = {
    Case{"ready", "platform, device, context and queue ready", 3, "ms", false, 31, Case::Cache::Fresh, measureReady},
    Case{"first", "source to first result, nothing cached, no compiler running", 60, "ms", false, 15,
         Case::Cache::Fresh, measureFirst},
    Case{"warm", "another source, compiler warm", 25, "ms", false, 5, Case::Cache::Fresh, measureWarm},
    Case{"succession", "  the same without a pause between sources", 25, "ms", false, 5, Case::Cache::Fresh,
         measureInSuccession},
    Case{"disk", "source to first result in a new process, cache on disk", 3, "ms", false, 31, Case::Cache::Filled,
         measureFirst},
    Case{"again", "the same source again in the same process", 0.5, "ms", false, 3, Case::Cache::Fresh, measureAgain},
    Case{"launch", "enqueue and finish of 64 work-items", 5, "us", false, 3, Case::Cache::Filled, measureLaunch},
    Case{"batch", "each of 20,000 such launches in a batch", 0.3, "us", false, 3, Case::Cache::Filled, measureBatch},
    Case{"copy", "256 MiB buffer copy, against a two-thread memcpy", 95, "%", true, 3, Case::Cache::Filled,
         measureCopy},
    Case{"graph", "each of 10,000 empty kernels with random dependencies, out of order", 1, "us", false, 3,
         Case::Cache::Filled, measureGraph},
    Case{"child-chain", "each of 100,000 kernels that enqueue the next one", 1, "us", false, 3, Case::Cache::Filled,
         measureChildren<ChildKernels::Chain>},
    Case{"children", "each of 100,000 kernels that others enqueue, 64 at a time", 1, "us", false, 3,
         Case::Cache::Filled, measureChildren<ChildKernels::Many>},
    Case{"replay", "each of 1,000 such launches in a command buffer that is replayed", 0.15, "us", false, 3,
         Case::Cache::Filled, measureReplay},
    Case{"replay-speed", "1,000 launches of 64 work-items replayed, against enqueueing them", 200, "%", true, 3,
         Case::Cache::Filled, measureReplaySpeed},
    Case{"rect-write-64", "64 MiB in rows of 64 B, host to buffer, against one memcpy", 80, "%", true, 2,
         Case::Cache::Fresh, measureRect<RectCopy::Write, 64>},
    Case{"rect-write-1024", "64 MiB in rows of 1 KiB, host to buffer, against one memcpy", 80, "%", true, 2,
         Case::Cache::Fresh, measureRect<RectCopy::Write, 1024>},
    Case{"rect-write-16384", "64 MiB in rows of 16 KiB, host to buffer, against one memcpy", 80, "%", true, 2,
         Case::Cache::Fresh, measureRect<RectCopy::Write, 16384>},
    Case{"rect-copy-64", "64 MiB in rows of 64 B, buffer to buffer, against one memcpy", 80, "%", true, 2,
         Case::Cache::Fresh, measureRect<RectCopy::Copy, 64>},
    Case{"rect-copy-1024", "64 MiB in rows of 1 KiB, buffer to buffer, against one memcpy", 80, "%", true, 2,
         Case::Cache::Fresh, measureRect<RectCopy::Copy, 1024>},
    Case{"rect-copy-16384", "64 MiB in rows of 16 KiB, buffer to buffer, against one memcpy", 80, "%", true, 2,
         Case::Cache::Fresh, measureRect<RectCopy::Copy, 16384>},
    Case{"rect-read-64", "64 MiB in rows of 64 B, buffer to host, against one memcpy", 80, "%", true, 2,
         Case::Cache::Fresh, measureRect<RectCopy::Read, 64>},
    Case{"rect-read-1024", "64 MiB in rows of 1 KiB, buffer to host, against one memcpy", 80, "%", true, 2,
         Case::Cache::Fresh, measureRect<RectCopy::Read, 1024>},
    Case{"rect-read-16384", "64 MiB in rows of 16 KiB, buffer to host, against one memcpy", 80, "%", true, 2,
         Case::Cache::Fresh, measureRect<RectCopy::Read, 16384>},
    Case{"image-write-4096", "64 MiB in rows of 4096 texels, host to image, against a two-thread memcpy", 80, "%", true,
         2, Case::Cache::Fresh, measureImage<ImageTransfer::Write, 4096>},
    Case{"image-write-4095", "64 MiB in rows of 4095 texels, host to image, against a two-thread memcpy", 80, "%", true,
         2, Case::Cache::Fresh, measureImage<ImageTransfer::Write, 4095>},
    Case{"image-read-4096", "64 MiB in rows of 4096 texels, image to host, against a two-thread memcpy", 80, "%", true,
         2, Case::Cache::Fresh, measureImage<ImageTransfer::Read, 4096>},
    Case{"image-read-4095", "64 MiB in rows of 4095 texels, image to host, against a two-thread memcpy", 80, "%", true,
         2, Case::Cache::Fresh, measureImage<ImageTransfer::Read, 4095>},
    Case{"image-copy-4096", "64 MiB in rows of 4096 texels, image to image, against a two-thread memcpy", 80, "%", true,
         2, Case::Cache::Fresh, measureImage<ImageTransfer::Copy, 4096>},
    Case{"image-copy-4095", "64 MiB in rows of 4095 texels, image to image, against a two-thread memcpy", 80, "%", true,
         2, Case::Cache::Fresh, measureImage<ImageTransfer::Copy, 4095>},
    Case{"image-fill-4096", "64 MiB in rows of 4096 texels, fill of an image, against a two-thread memcpy", 80, "%",
         true, 2, Case::Cache::Fresh, measureImage<ImageTransfer::Fill, 4096>},
    Case{"image-fill-4095", "64 MiB in rows of 4095 texels, fill of an image, against a two-thread memcpy", 80, "%",
         true, 2, Case::Cache::Fresh, measureImage<ImageTransfer::Fill, 4095>},
    Case{"svm-triad", "streaming kernel on shared virtual memory, against buffers", 97, "%", true, 3,
         Case::Cache::Filled, measureShared<SharedKernel::Triad>},
    Case{"svm-tiles", "product of matrices on shared virtual memory, against buffers", 97, "%", true, 3,
         Case::Cache::Filled, measureShared<SharedKernel::Tiles>},
    Case{"svm-launch", "launches of 64 work-items on shared virtual memory, against buffers", 90, "%", true, 3,
         Case::Cache::Filled, measureShared<SharedKernel::Launch>},
    Case{"pipe", "packets of 16 B written by one kernel and read by another, millions a second", 100, "M/s", true, 3,
         Case::Cache::Filled, measurePipe},
    Case{"trace-command", "what a trace adds to each of 20,000 launches in a batch", 0.1, "us", false, 1,
         Case::Cache::Filled, measureTracedCommands},
    Case{"trace-kernel", "kernels of 100 us, with a trace against without", 98, "%", true, 1, Case::Cache::Filled,
         measureTracedKernels},
    Case{"node-launch", "kernel and finish at a node of this machine, beyond the processor's own device", 15, "us",
         false, 1, Case::Cache::Filled, measureNodeLaunch},
    Case{"node-chain", "each of a chain of 100 kernels at a node", 5, "us", false, 1, Case::Cache::Filled,
         measureNodeChain},
    Case{"node-write", "write of 64 MiB to a node", 200, "ms", false, 1, Case::Cache::Filled, measureNodeWrite},
    Case{"node-joint-step", "each of 100 steps of a stencil on one device of two of a node", kNoGoal, "us", false, 1,
         Case::Cache::Filled, measureJointStep},
    Case{"split-launch", "a launch split among two shares of the CPU, against one of them", 55, "%", false, 1,
         Case::Cache::Filled, measureSplitLaunches},
    Case{"rect-loop-64", "64 MiB in rows of 64 B, C++ loop of memcpys, against one memcpy", kNoGoal, "%", true, 2,
         Case::Cache::Fresh, measureRect<RectCopy::Loop, 64>},
    Case{"rect-loop-1024", "64 MiB in rows of 1 KiB, C++ loop of memcpys, against one memcpy", kNoGoal, "%", true, 2,
         Case::Cache::Fresh, measureRect<RectCopy::Loop, 1024>},
    Case{"rect-loop-16384", "64 MiB in rows of 16 KiB, C++ loop of memcpys, against one memcpy", kNoGoal, "%", true, 2,
         Case::Cache::Fresh, measureRect<RectCopy::Loop, 16384>},
};

} // namespace

std::span<const Case> allCases() { return kCases; }

const Case* findCase(std::string_view name) {
  for (const Case& candidate : kCases)
    if (name == candidate.name) return &candidate;
  return nullptr;
}

void fillCache() {
  Session session;
  SmallKernel(session).buildAndRun(kFirst);
}

} // namespace bench
