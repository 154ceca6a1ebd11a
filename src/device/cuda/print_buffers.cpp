// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/print_buffers.hpp"

#include "abi/printf.h"
#include "base/not_cancelled.hpp"
#include "command/node.hpp"
#include "command/printf_format.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string>

namespace clotho::cuda {

namespace {

/// Copies bytes of the device's memory, and waits for them. False where the address is none of the device's.
bool fetch(Context& context, CUdeviceptr from, void* to, std::size_t bytes) {
  const Driver& api = context.api();
  return context.succeeded(api.memcpyDtoHAsync(to, from, bytes, nullptr)) &&
         context.succeeded(api.streamSynchronize(nullptr));
}

/// Literals in the device's memory.
class DeviceStrings final : public StringSource {
 public:
  explicit DeviceStrings(Context& context) : context_(context) {}
  std::optional<std::string> read(std::uintptr_t address, std::size_t most) const override {
    std::string text;
    while (text.size() < most) {
      // Up to a line of the device's memory, behind which there may be none.
      const std::uintptr_t at = address + text.size();
      std::array<char, 64> piece;
      std::size_t bytes = std::min(piece.size() - at % piece.size(), most - text.size());
      // CUDA may refuse to read past the end of a variable.
      if (!fetch(context_, at, piece.data(), bytes)) bytes = 1;
      if (bytes == 1 && !fetch(context_, at, piece.data(), bytes)) return std::nullopt;
      const std::size_t length = strnlen(piece.data(), bytes);
      text.append(piece.data(), length);
      if (length < bytes) break;
    }
    return text;
  }

 private:
  Context& context_;
};

} // namespace

bool PrintBuffers::mayIssue(Stream& stream, Node& node) noexcept {
  MutexLock lock(mutex_);
  if (issued_ >= kMost) {
    try {
      waiting_.push_back({&stream, &node});
      return false;
    } catch (const std::bad_alloc&) {
      // Without memory to wait in it is one more.
    }
  }
  ++issued_;
  return true;
}

PrintBuffers::Waiting PrintBuffers::ended() noexcept {
  MutexLock lock(mutex_);
  if (waiting_.empty()) {
    --issued_;
    return {};
  }
  const Waiting next = waiting_.front();
  waiting_.pop_front();
  return next;
}

CUdeviceptr PrintBuffers::acquire(CUstream stream) noexcept {
  CUdeviceptr buffer = 0;
  {
    MutexLock lock(mutex_);
    if (!free_.empty()) {
      buffer = free_.back();
      free_.pop_back();
    }
  }
  if (!buffer) buffer = context_.allocate(sizeof(PrintfBuffer) + kSize);
  if (!buffer) return 0;
  const Driver& api = context_.api();
  if (context_.succeeded(api.memsetD8Async(buffer, 0, sizeof(PrintfBuffer) + kSize, stream)) &&
      context_.succeeded(api.memsetD32Async(buffer + offsetof(PrintfBuffer, capacity), kSize, 1, stream)))
    return buffer;
  context_.deallocateIn(stream, buffer);
  return 0;
}

void PrintBuffers::printAndRelease(CUdeviceptr buffer, const CudaKernel& kernel, Node& node) noexcept {
  const NotCancelled here;
  try {
    std::uint64_t used = 0;
    if (fetch(context_, buffer, &used, sizeof used) && used != 0) {
      std::vector<std::byte> records(std::min<std::uint64_t>(used, kSize));
      std::string text;
      if (fetch(context_, buffer + offsetof(PrintfBuffer, data), records.data(), records.size())) {
        const ClassicLocale locale;
        formatRecords(records, kernel.program().printfFormats(), DeviceStrings(context_), text);
      }
      if (!text.empty()) node.print(text);
    }
    MutexLock lock(mutex_);
    free_.push_back(buffer);
  } catch (const std::exception&) {
    context_.deallocate(buffer); // without memory for the text it is lost
  }
}

} // namespace clotho::cuda
