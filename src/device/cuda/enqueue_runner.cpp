// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/enqueue_runner.hpp"

#include "base/clock.hpp"
#include "base/spin.hpp"
#include "device/cuda/copier.hpp"
#include "device/cuda/device_commands.hpp"
#include "device/cuda/enqueued_run.hpp"
#include "device/cuda/stream.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <ctime>

namespace clotho::cuda {

EnqueueRunner::EnqueueRunner(QueueServices& services)
    : services_(services),
      thread_(
          services.context, "clotho-gpu-enq",
          [](void* runner, Node& node) noexcept { static_cast<EnqueueRunner*>(runner)->run(node); }, this) {}

void EnqueueRunner::run(Node& node) noexcept {
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
  if (const auto* copy = std::get_if<Copy>(&command)) return waited(copyInStream(context, *copy, stream()));
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
  if (!pinned_ && !context.succeeded(api.memHostAlloc(&pinned, 2 * kPinnedBytes, kHostAllocPortable))) return false;
  if (!pinned_) pinned_ = static_cast<std::byte*>(pinned);
  staging_ = pinned_ + kPinnedBytes;
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
  const auto* source = static_cast<const std::byte*>(from);
  while (bytes != 0) {
    if (staged_ == kPinnedBytes && !finish()) return false;
    const std::size_t part = std::min(bytes, kPinnedBytes - staged_);
    std::byte* const copy = staging_ + staged_;
    std::memcpy(copy, source, part);
    if (!services_.context.succeeded(
            services_.context.api().memcpyAsync(to, std::bit_cast<CUdeviceptr>(copy), part, stream())))
      return false;
    staged_ += part;
    to += part;
    source += part;
    bytes -= part;
  }
  return true;
}

bool EnqueueRunner::read(void* to, CUdeviceptr from, std::size_t bytes) noexcept {
  return services_.context.succeeded(services_.context.api().memcpyDtoHAsync(to, from, bytes, stream()));
}

// A thread that waited in the driver would learn late of short generations, and at the end of the process never.
bool EnqueueRunner::finish(CUstream stream) noexcept {
  constexpr std::uint64_t kPatience = 200'000; // ns without a pause
  constexpr timespec kPause{0, 20'000};
  Context& context = services_.context;
  const std::uint64_t begin = hostTime(), limit = services_.streams.limit();
  CUresult result = CUresult::NotReady;
  while (!context.isLost() && (result = context.api().streamQuery(stream)) == CUresult::NotReady) {
    const std::uint64_t time = hostTime() - begin;
    if (limit != 0 && time > limit)
      context.lose(CUresult::LaunchTimeout);
    else if (time < kPatience)
      pauseCpu();
    else
      nanosleep(&kPause, nullptr);
  }
  const bool isDone = context.succeeded(result) && !context.isLost(); // the process may have begun to end meanwhile
  if (isDone && stream == this->stream()) staged_ = 0;
  return isDone;
}

} // namespace clotho::cuda
