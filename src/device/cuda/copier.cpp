// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/copier.hpp"

#include "device/cuda/rows.hpp"
#include "device/cuda/stream.hpp"
#include "device/cuda/threads.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <new>

namespace clotho::cuda {

namespace {

CUdeviceptr deviceAddress(const std::byte* address) { return std::bit_cast<CUdeviceptr>(address); }

/// CUDA's rectangles know a slice by its number of rows.
bool isRectangle(const Copy& copy) {
  const auto isPitch = [&](std::size_t rowPitch, std::size_t slicePitch) {
    if (rowPitch > std::numeric_limits<std::int32_t>::max() || rowPitch < copy.rowBytes) return false;
    return copy.slices == 1 || (slicePitch % rowPitch == 0 && slicePitch / rowPitch >= copy.rows);
  };
  return isPitch(copy.sourceRowPitch, copy.sourceSlicePitch) && isPitch(copy.targetRowPitch, copy.targetSlicePitch);
}

Copy3D rectangleOf(const Copy& copy) {
  Copy3D result{.sourceType = MemoryType::Host, .targetType = MemoryType::Host};
  const CopyEnds ends = endsOf(copy);
  if (ends.source == Addresses::Kind::Device) {
    result.sourceType = MemoryType::Device;
    result.source = deviceAddress(copy.source);
  } else {
    result.sourceHost = copy.source;
  }
  if (ends.target == Addresses::Kind::Device) {
    result.targetType = MemoryType::Device;
    result.target = deviceAddress(copy.target);
  } else {
    result.targetHost = copy.target;
  }
  result.sourcePitch = copy.sourceRowPitch;
  result.targetPitch = copy.targetRowPitch;
  result.sourceHeight = copy.slices == 1 ? copy.rows : copy.sourceSlicePitch / copy.sourceRowPitch;
  result.targetHeight = copy.slices == 1 ? copy.rows : copy.targetSlicePitch / copy.targetRowPitch;
  result.width = copy.rowBytes;
  result.height = copy.rows;
  result.depth = copy.slices;
  return result;
}

} // namespace

bool copyInStream(Context& context, const Copy& copy, CUstream stream) noexcept {
  const Driver& api = context.api();
  if (copy.rowBytes == 0 || copy.rows == 0 || copy.slices == 0) return true;
  if (copy.rows == 1 && copy.slices == 1)
    return context.succeeded(
        api.memcpyAsync(deviceAddress(copy.target), deviceAddress(copy.source), copy.rowBytes, stream));
  if (isRectangle(copy)) {
    const Copy3D rectangle = rectangleOf(copy);
    return context.succeeded(api.memcpy3DAsync(&rectangle, stream));
  }
  for (std::size_t slice = 0; slice < copy.slices; ++slice)
    for (std::size_t row = 0; row < copy.rows; ++row)
      if (!context.succeeded(
              api.memcpyAsync(deviceAddress(copy.target + slice * copy.targetSlicePitch + row * copy.targetRowPitch),
                              deviceAddress(copy.source + slice * copy.sourceSlicePitch + row * copy.sourceRowPitch),
                              copy.rowBytes, stream)))
        return false;
  return true;
}

Copier::Copier(QueueServices& services) : services_(services), context_(services.context), bulk_(services.context) {}

void Copier::makeReady() {
  MutexLock lock(mutex_);
  const Context::Current current(context_);
  check(stream_ || context_.succeeded(context_.api().streamCreate(&stream_, kStreamNonBlocking)), CL_OUT_OF_RESOURCES,
        "no stream can be made for copies");
}

bool Copier::write(void* to, const void* from, std::size_t size) noexcept {
  const Context::Current current(context_);
  if (context_.isLost()) return false;
  const Driver& api = context_.api();
  return context_.succeeded(
             api.memcpyAsync(std::bit_cast<CUdeviceptr>(to), std::bit_cast<CUdeviceptr>(from), size, stream_)) &&
         context_.succeeded(api.streamSynchronize(stream_));
}

void Copier::start(Node& node, WorkList& ready) noexcept {
  static_assert(sizeof(Waiting) <= Node::kDeviceStateSize);
  auto* waiting = new (node.deviceState()) Waiting{&node, nullptr};
  bool hasThread;
  {
    MutexLock lock(mutex_);
    if (!isStarted_) isStarted_ = startThread("clotho-gpu-copy", threadMain, this);
    hasThread = isStarted_;
    if (hasThread) {
      (last_ ? last_->next : first_) = waiting;
      last_ = waiting;
    }
  }
  if (hasThread)
    changed_.notifyOne();
  else
    node.complete(CL_OUT_OF_RESOURCES, ready);
}

bool Copier::help(Helping::Filter wanted, const void* context) noexcept {
  Node* node = nullptr;
  {
    MutexLock lock(mutex_);
    Waiting* before = nullptr;
    for (Waiting* each = first_; each && !node; before = each, each = each->next) {
      if (!wanted(*each->node, context)) continue;
      node = each->node;
      (before ? before->next : first_) = each->next;
      if (last_ == each) last_ = before;
    }
  }
  if (!node) return false;
  copy(*node);
  return true;
}

void* Copier::threadMain(void* copier) noexcept {
  static_cast<Copier*>(copier)->run();
  return nullptr;
}

void Copier::run() noexcept {
  context_.enterThread();
  for (;;) {
    Node* node;
    {
      MutexLock lock(mutex_);
      changed_.wait(mutex_, [&]() REQUIRES(mutex_) { return first_ != nullptr; });
      node = first_->node;
      first_ = first_->next;
      if (!first_) last_ = nullptr;
    }
    copy(*node);
  }
}

std::optional<bool> Copier::copyByHost(const Copy& copy) noexcept {
  if (context_.isLost() || bytesOf(copy) == 0) return std::nullopt;
  const CopyEnds ends = endsOf(copy);
  const bool isFromDevice = ends.source == Addresses::Kind::Device, isToDevice = ends.target == Addresses::Kind::Device;
  if (!isFromDevice && !isToDevice) return copyRows(copy), true;
  const bool isBulk = isFromDevice != isToDevice && !ends.areFast() && bytesOf(copy) >= BulkCopies::kLeast;
  return isBulk ? bulk_.copy(copy) : std::nullopt;
}

void Copier::copy(Node& node) noexcept {
  services_.awaitIssued(node);
  const Copy& command = *std::get_if<Copy>(&node.command());
  services_.awaitReads(command);
  node.begin();
  cl_int status = CL_OUT_OF_RESOURCES;
  {
    const Context::Current current(context_);
    if (const std::optional<bool> isDone = copyByHost(command)) {
      if (*isDone) status = CL_COMPLETE;
    } else if (!context_.isLost()) {
      const bool isBegun = copyInStream(context_, command, stream_);
      // Also after an error: what was begun works with memory that the application may free.
      const bool hasEnded = context_.succeeded(context_.api().streamSynchronize(stream_));
      if (isBegun && hasEnded) status = CL_COMPLETE;
    }
  }
  node.complete(status);
}

} // namespace clotho::cuda
