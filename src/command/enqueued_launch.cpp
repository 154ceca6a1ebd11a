// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command/enqueued_launch.hpp"

#include <cstring>
#include <new>

namespace clotho {

NDRange rangeOf(const EnqueuedKernel& record) noexcept {
  NDRange range;
  range.dimensions = record.dimensions;
  for (std::size_t i = 0; i < 3; ++i) {
    range.offset[i] = record.offset[i];
    range.global[i] = record.globalSize[i];
    range.local[i] = record.localSize[i];
  }
  return range;
}

cl_int setEnqueued(Launch& launch, const DeviceKernel& kernel, std::uint64_t literal,
                   std::span<const std::uint64_t> localSizes, const NDRange& range,
                   const DeviceProperties& properties) noexcept {
  const KernelInfo& info = kernel.info();
  if (info.args.size() != 1 + localSizes.size()) return CL_INVALID_KERNEL_ARGS;
  launch.kernel = &kernel;
  launch.program = nullptr; // which the launch of the host keeps
  ArgSnapshot& args = launch.args;
  if (info.argBlockSize > ArgSnapshot::kInlineBytes) {
    args.heapBlock.reset(new (ArgSnapshot::kBlockAlignment, std::nothrow) std::byte[info.argBlockSize]);
    if (!args.heapBlock) return CL_OUT_OF_HOST_MEMORY;
  }
  std::memcpy(args.block() + info.args[0].offset, &literal, sizeof literal);
  // Kernels that enqueue count the bytes in the same way (checkLocalSizes in builtins/device_queue.cl).
  args.localBytes = kernel.limits().localBytes;
  for (std::size_t i = 0; i < localSizes.size(); ++i) {
    constexpr std::uint64_t kAlignment = kLocalArgumentAlignment;
    const std::uint64_t begin = (args.localBytes + kAlignment - 1) / kAlignment * kAlignment;
    std::memcpy(args.block() + info.args[1 + i].offset, &begin, sizeof begin);
    args.localBytes = begin + localSizes[i];
  }
  // Pointers that the block has captured may point anywhere.
  args.arePointersApart = false;
  args.largestPointed = UINT64_MAX;
  launch.range = range;
  if (range.local[0] == 0) {
    launch.range.local = {1, 1, 1};
    kernel.chooseLocalSize(launch.range, properties);
  }
  kernel.toCode(launch.range, args.block());
  return CL_SUCCESS;
}

} // namespace clotho
