// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "api/parse.hpp"

namespace clotho::api {

/// A buffer as the operand of a command in `queue`: same context, and aligned for the queue's device.
Ref<MemoryObject> bufferFor(const Queue& queue, cl_mem rawBuffer);
/// CL_MISALIGNED_SUB_BUFFER_OFFSET: what was fine for one device at creation may not be for this one.
void checkAlignment(const Queue& queue, const MemoryObject& buffer);
void checkHostReads(const MemoryObject& buffer);
void checkHostWrites(const MemoryObject& buffer);

} // namespace clotho::api
