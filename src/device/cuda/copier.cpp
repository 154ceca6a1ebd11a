// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/copier.hpp"

#include "device/cuda/rows.hpp"
#include "device/cuda/stream.hpp"

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
  if (copy.mayOverlap) {
    // CUDA does not allow that: the bytes are copied to other memory first.
    const CUdeviceptr temporary = context.allocateIn(stream, bytesOf(copy));
    if (!temporary) return false;
    auto* between = std::bit_cast<std::byte*>(temporary);
    const bool isDone = copyInStream(context, intoDense(copy, between), stream) &&
                        copyInStream(context, fromDense(copy, between), stream);
    context.deallocateIn(stream, temporary);
    return isDone;
  }
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

Copier::Copier(QueueServices& services)
    : services_(services), context_(services.context), bulk_(services.context),
      thread_(
          services.context, "clotho-gpu-copy",
          [](void* copier, Node& node) noexcept { static_cast<Copier*>(copier)->copy(node); }, this) {}

void Copier::makeReady() {
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

bool Copier::help(Helping::Filter wanted, const void* context) noexcept {
  Node* node = thread_.take(wanted, context);
  if (node) copy(*node);
  return node != nullptr;
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
