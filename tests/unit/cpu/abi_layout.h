// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Offsets must agree in C++, C and OpenCL C: code generation stores and loads by those of C++.
#include "abi/cpu_kernel.h"

#ifdef __cplusplus
using clotho::BlockLimits;
using clotho::CheckedArgument;
using clotho::CheckedGroup;
using clotho::CheckedLaunch;
using clotho::CheckSite;
using clotho::DeviceEvent;
using clotho::DeviceQueueState;
using clotho::EnqueuedKernel;
using clotho::Enqueuing;
using clotho::kQueueRecordRoom;
using clotho::PrintfBuffer;
using clotho::SlotPool;
using clotho::cpu::LaunchParams;
using clotho::cpu::WorkerContext;
#define CHECK static_assert
#else
#define CHECK _Static_assert
#endif
#define OFFSET(type, member, value) CHECK(__builtin_offsetof(type, member) == value, #member)

OFFSET(PrintfBuffer, capacity, 8);
OFFSET(PrintfBuffer, data, 16);
OFFSET(LaunchParams, args, 0);
OFFSET(LaunchParams, printf, 8);
OFFSET(LaunchParams, globalOffset, 16);
OFFSET(LaunchParams, globalSize, 40);
OFFSET(LaunchParams, localSize, 64);
OFFSET(LaunchParams, numGroups, 88);
OFFSET(LaunchParams, workDim, 112);
OFFSET(LaunchParams, mergedGroups, 116);
OFFSET(LaunchParams, enqueuedLocalSize, 120);
OFFSET(LaunchParams, firstGroup, 144);
OFFSET(LaunchParams, endGroup, 168);
OFFSET(LaunchParams, nonTemporalFrom, 192);
OFFSET(LaunchParams, interleavedGroups, 200);
OFFSET(LaunchParams, interleavedStride, 208);
OFFSET(LaunchParams, argumentsApart, 216);
OFFSET(LaunchParams, largestMemory, 224);
OFFSET(LaunchParams, counterBytes, 232);
OFFSET(LaunchParams, checks, 240);
OFFSET(WorkerContext, localMemory, 0);
OFFSET(WorkerContext, frame, 8);
OFFSET(WorkerContext, currentGroup, 16);
OFFSET(WorkerContext, localEnd, 24);
OFFSET(WorkerContext, frameEnd, 32);
OFFSET(WorkerContext, stackBegin, 40);
OFFSET(WorkerContext, stackEnd, 48);
OFFSET(WorkerContext, currentGroups, 56);
OFFSET(WorkerContext, subGroups, 64);
OFFSET(WorkerContext, subGroupState, 72);
OFFSET(WorkerContext, enqueuing, 80);
OFFSET(WorkerContext, checks, 88);
OFFSET(CheckedArgument, cells, 16);
OFFSET(CheckSite, bytes, 16);
OFFSET(CheckSite, texts, 24);
OFFSET(CheckedLaunch, firstPhase, 24);
OFFSET(CheckedLaunch, arguments, 40);
OFFSET(CheckedGroup, site, 8);
OFFSET(CheckedGroup, passed, 16);
OFFSET(CheckedGroup, passedSite, 24);
OFFSET(CheckedGroup, cells, 96);
OFFSET(CheckedGroup, initialised, 104);
OFFSET(SlotPool, fresh, 8);
OFFSET(SlotPool, base, 16);
OFFSET(SlotPool, stride, 24);
OFFSET(EnqueuedKernel, nextReserved, 8);
OFFSET(EnqueuedKernel, queue, 16);
OFFSET(EnqueuedKernel, event, 24);
OFFSET(EnqueuedKernel, waitCount, 52);
OFFSET(EnqueuedKernel, offset, 56);
OFFSET(EnqueuedKernel, localSize, 104);
OFFSET(EnqueuedKernel, room, 256);
OFFSET(DeviceQueueState, object, 32);
OFFSET(DeviceEvent, owner, 16);
OFFSET(DeviceEvent, nextChanged, 24);
OFFSET(DeviceEvent, hasTimes, 40);
OFFSET(DeviceEvent, times, 48);
OFFSET(DeviceEvent, target, 64);
OFFSET(BlockLimits, localBytes, 40);
OFFSET(BlockLimits, subGroupSize, 48);
OFFSET(Enqueuing, queues, 40);
OFFSET(Enqueuing, blockCount, 52);
CHECK(sizeof(LaunchParams) == 248, "LaunchParams");
CHECK(sizeof(WorkerContext) == 96, "WorkerContext");
CHECK(sizeof(EnqueuedKernel) == 256 + kQueueRecordRoom, "EnqueuedKernel");
CHECK(sizeof(DeviceEvent) == 80, "DeviceEvent");
CHECK(sizeof(BlockLimits) == 56, "BlockLimits");
CHECK(sizeof(Enqueuing) == 56, "Enqueuing");
