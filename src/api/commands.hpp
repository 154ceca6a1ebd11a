// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "api/parse.hpp"

/// Commands that can be enqueued or recorded: from what applications pass to what a queue of `queue`'s kind runs. Each
/// gives the errors of its clEnqueue* function, but for those of wait lists.
namespace clotho::api {

Command copyBuffer(const Queue& queue, cl_mem rawSource, cl_mem rawTarget, size_t sourceOffset, size_t targetOffset,
                   size_t size);
Command fillBuffer(const Queue& queue, cl_mem rawBuffer, const void* pattern, size_t patternSize, size_t offset,
                   size_t size);
Command copyBufferRect(const Queue& queue, cl_mem rawSource, cl_mem rawTarget, const size_t* sourceOrigin,
                       const size_t* targetOrigin, const size_t* rawRegion, size_t sourceRowPitch,
                       size_t sourceSlicePitch, size_t targetRowPitch, size_t targetSlicePitch);
Command copyImage(const Queue& queue, cl_mem rawSource, cl_mem rawTarget, const size_t* sourceOrigin,
                  const size_t* targetOrigin, const size_t* rawRegion);
Command fillImage(const Queue& queue, cl_mem rawImage, const void* colour, const size_t* rawOrigin,
                  const size_t* rawRegion);
Command copyImageToBuffer(const Queue& queue, cl_mem rawImage, cl_mem rawBuffer, const size_t* rawOrigin,
                          const size_t* rawRegion, size_t offset);
Command copyBufferToImage(const Queue& queue, cl_mem rawBuffer, cl_mem rawImage, size_t offset, const size_t* rawOrigin,
                          const size_t* rawRegion);

/// A launch as it is asked for, once its range is checked.
struct CheckedLaunch {
  const DeviceKernel& code;
  NDRange range;
};
/// `mayLackArguments`: they are set later.
CheckedLaunch checkLaunch(const Queue& queue, const Kernel& kernel, cl_uint dimensions, const size_t* offset,
                          const size_t* global, const size_t* local, bool mayLackArguments = false);
/// `mayTry`: the code may be of a width that is on trial (Kernel::codeForLaunch).
inline Command launch(const Queue& queue, const Kernel& kernel, const CheckedLaunch& launch, bool mayTry) {
  return kernel.launch(queue.device(), queue.home(), launch.code, launch.range, mayTry);
}

} // namespace clotho::api
