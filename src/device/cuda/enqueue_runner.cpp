// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/enqueue_runner.hpp"

#include "base/clock.hpp"
#include "base/spin.hpp"
#include "device/cuda/device_commands.hpp"
#include "device/cuda/enqueued_run.hpp"
#include "device/cuda/rows.hpp"
#include "device/cuda/stream.hpp"
#include "device/cuda/threads.hpp"

#include <algorithm>
#include <bit>
#include <new>

namespace clotho::cuda {

bool enqueuesOthers(const Command& command) noexcept {
  if (const auto* launch = std::get_if<Launch>(&command)) return launch->kernel->info().enqueues;
  const auto* sequence = std::get_if<Sequence>(&command);
  return sequence &&
         std::ranges::any_of(sequence->commands, [](const auto& each) { return enqueuesOthers(each->command()); });
}

void EnqueueRunner::start(Node& node) noexcept {
  static_assert(sizeof(Waiting) <= Node::kDeviceStateSize);
  bool hasThread = false;
  if (!services_.context.isLost()) {
    auto* waiting = new (node.deviceState()) Waiting{&node, nullptr};
    MutexLock lock(mutex_);
    if (!isStarted_) isStarted_ = startThread("clotho-gpu-enq", threadMain, this);
    hasThread = isStarted_;
    if (hasThread) {
      (last_ ? last_->next : first_) = waiting;
      last_ = waiting;
    }
  }
  if (hasThread)
    changed_.notifyOne();
  else
    node.complete(CL_OUT_OF_RESOURCES);
}

void* EnqueueRunner::threadMain(void* runner) noexcept {
  static_cast<EnqueueRunner*>(runner)->run();
  return nullptr;
}

void EnqueueRunner::run() noexcept {
  services_.context.enterThread();
  for (;;) {
    Node* node;
    {
      MutexLock lock(mutex_);
      changed_.wait(mutex_, [&]() REQUIRES(mutex_) { return first_ != nullptr; });
      node = first_->node;
      first_ = first_->next;
      if (!first_) last_ = nullptr;
    }
    run(*node);
  }
}

void EnqueueRunner::run(Node& node) noexcept {
  services_.awaitIssued(node);
  node.begin();
  cl_int status = CL_OUT_OF_RESOURCES;
  {
    const Context::Current current(services_.context);
    if (!services_.context.isLost() && makeReady()) status = run(node, node.command());
  }
  node.complete(status);
}

cl_int EnqueueRunner::run(Node& node, const Command& command) noexcept {
  Context& context = services_.context;
  const auto waited = [&](bool isBegun) { return finish() && isBegun ? CL_COMPLETE : CL_OUT_OF_RESOURCES; };
  if (const auto* launch = std::get_if<Launch>(&command)) return runLaunch(*this, node, *launch);
  if (const auto* copy = std::get_if<Copy>(&command)) {
    if (!copy->mayOverlap) return waited(copyInStream(context, *copy, stream()));
    const CUdeviceptr temporary = context.allocateIn(stream(), bytesOf(*copy));
    if (!temporary) return CL_OUT_OF_RESOURCES;
    auto* between = std::bit_cast<std::byte*>(temporary);
    const bool isBegun = copyInStream(context, intoDense(*copy, between), stream()) &&
                         copyInStream(context, fromDense(*copy, between), stream());
    context.deallocateIn(stream(), temporary);
    return waited(isBegun);
  }
  if (const auto* fill = std::get_if<Fill>(&command)) return waited(fillInStream(context, *fill, stream()));
  if (const auto* sequence = std::get_if<Sequence>(&command))
    for (const Ref<RecordedCommand>& each : sequence->commands)
      if (const cl_int status = run(node, each->command()); status < 0) return status;
  return CL_COMPLETE;
}

bool EnqueueRunner::makeReady() noexcept {
  if (isReady_) return true;
  Context& context = services_.context;
  const Driver& api = context.api();
  if (!streams_[0] && !context.succeeded(api.streamCreate(&streams_[0], kStreamNonBlocking))) return false;
  void* pinned = nullptr;
  if (!pinned_ && !context.succeeded(api.memHostAlloc(&pinned, kPinnedBytes, kHostAllocPortable))) return false;
  if (!pinned_) pinned_ = static_cast<std::byte*>(pinned);
  const std::size_t bytes = events() - header() + kMostOnDeviceEvents * sizeof(DeviceEvent);
  if (!memory_) memory_ = context.allocate(bytes);
  // Slots of events have generations from the begin on.
  isReady_ = memory_ && context.succeeded(api.memsetD8Async(memory_, 0, bytes, stream()));
  return isReady_;
}

CUstream EnqueueRunner::stream(std::size_t number) noexcept {
  Context& context = services_.context;
  CUstream& stream = streams_[number];
  if (!stream && !context.succeeded(context.api().streamCreate(&stream, kStreamNonBlocking))) stream = nullptr;
  return stream ? stream : streams_[0];
}

bool EnqueueRunner::finishAll() noexcept {
  bool isDone = true;
  for (CUstream each : streams_)
    if (each) isDone &= finish(each);
  return isDone;
}

bool EnqueueRunner::write(CUdeviceptr to, const void* from, std::size_t bytes) noexcept {
  return services_.context.succeeded(
      services_.context.api().memcpyAsync(to, std::bit_cast<CUdeviceptr>(from), bytes, stream()));
}

bool EnqueueRunner::read(void* to, CUdeviceptr from, std::size_t bytes) noexcept {
  return services_.context.succeeded(services_.context.api().memcpyDtoHAsync(to, from, bytes, stream()));
}

// Waiting in the driver takes longer than most generations of kernels do.
bool EnqueueRunner::finish(CUstream stream) noexcept {
  constexpr std::uint64_t kPatience = 200'000; // ns
  Context& context = services_.context;
  for (const std::uint64_t end = hostTime() + kPatience; !context.isLost() && hostTime() < end; pauseCpu())
    if (const CUresult result = context.api().streamQuery(stream); result != CUresult::NotReady)
      return context.succeeded(result);
  return !context.isLost() && context.succeeded(context.api().streamSynchronize(stream));
}

} // namespace clotho::cuda
