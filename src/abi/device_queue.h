// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CLOTHO_ABI_DEVICE_QUEUE_H
#define CLOTHO_ABI_DEVICE_QUEUE_H

#include "abi/types.h"

/* Queues on the device and their events (OpenCL C 3.0, section 6.15.18) as kernels see them. Kernels reserve what they
   need without a lock, write it, and link it to a list: on CPUs one of the thread that they run on, which the device
   looks at when the work-group has returned; on GPUs one of the launch, which the host looks at when the kernel has
   ended. Pointers are kept as numbers. */

#ifdef __cplusplus
namespace clotho {
#endif

enum {
  kQueueRecordBytes = 4096, ///< from one record of a queue to the next
  kQueueRecordRoom = 2048,  ///< of that, for the literal of the block, local sizes and events
  kBlockLiteralHeader = 16, ///< bytes of a literal before what the block has captured
  kMostOnDeviceEvents = 16384,
  kLocalArgumentAlignment = 128, ///< of local memory for an argument, which may have any type
};

/// Slots that threads take and give back without a lock. The first word of a free slot is the number, counted from 1
/// on, of the free slot below it.
typedef struct SlotPool {
  /// Low half: the number of the free slot on top, 0 if there is none. High half: how often it has changed, so that a
  /// slot that has gone and come back is not taken for one that has stayed.
  abi_u64 top;
  abi_u32 fresh; ///< slots from this index on have never been used, nor is there anything in their memory
  abi_u32 count;
  abi_u64 base;
  abi_u64 stride;
} SlotPool;

/// States of a queue's record.
enum { kRecordReserved, kRecordCommitted };

/// EnqueuedKernel::block of a marker.
enum { kMarkerBlock = 0x7fffffff };

/// A kernel that another has enqueued.
typedef struct EnqueuedKernel {
  abi_u32 nextFree;
  abi_u32 state;
  abi_u64 nextReserved; ///< the record before this one in the list
  abi_u64 queue;        ///< the address of its DeviceQueueState
  abi_u64 event;        ///< the handle that the kernel was given; 0: none
  abi_u32 flags;        ///< kernel_enqueue_flags_t
  abi_u32 block;        ///< number among the program's blocks
  abi_u32 dimensions;
  abi_u32 literalBytes;
  abi_u32 localCount; ///< sizes of local memory, behind the literal
  abi_u32 waitCount;  ///< handles of events, behind these; each is held
  abi_u64 offset[3];
  abi_u64 globalSize[3];
  abi_u64 localSize[3]; ///< zeros: left to the device
  abi_u64 unused[16];
  abi_byte room[kQueueRecordRoom]; ///< 256 bytes from the record's begin
} EnqueuedKernel;

typedef struct DeviceQueueState {
  SlotPool records;
  abi_u64 object; ///< the device's
  abi_u32 isTimed;
} DeviceQueueState;

enum { kEventOfCommand, kEventOfUser, kEventCapture };

/// A slot for an event; or for a call of capture_event_profiling_info, until the times are known. A handle is the
/// slot's generation in the high half and its number, counted from 1 on, in the low half.
typedef struct DeviceEvent {
  abi_u32 nextFree;
  abi_u32 kind;
  abi_u32 references; ///< the kernels' and the device's; 0: the slot is free
  abi_u32 generation;
  abi_u64 owner;       ///< the address of the RootLaunch in which it was made
  abi_u64 nextChanged; ///< the slot before this one in the list
  // Fields of user events:
  abi_u32 isSet;
  abi_u32 status;
  // Fields of commands' events:
  abi_u32 hasTimes; ///< it is complete, and these are known:
  abi_u32 unused;
  abi_u64 times[2]; ///< ns from the begin of the kernel to its end, and to that of what it has enqueued
  // Fields of captures:
  abi_u64 target; ///< the handle of an event, which is held
  abi_u64 value;  ///< where to
} DeviceEvent;

/// State that all kernels share which one launch of the host has started.
typedef struct RootLaunch {
  abi_u64 events; ///< slots that they have taken and that are not free again
} RootLaunch;

/// Limits of a block, as kernels may query them.
typedef struct BlockLimits {
  abi_u64 mostItems;         ///< of a work-group
  abi_u64 mostAlong[3];      ///< of a work-group, along each dimension
  abi_u64 preferredMultiple; ///< of the size of a work-group
  abi_u64 localBytes;        ///< of local memory for arguments, each of which begins aligned
  abi_u32 subGroupSize;
  abi_u32 isUniform; ///< the local size has to divide the global size
} BlockLimits;

/// State of a thread, or of a launch on a GPU, for the kernels that it runs, and what these have left for it.
typedef struct Enqueuing {
  abi_u64 reserved; ///< the address of the newest EnqueuedKernel, 0 for none
  abi_u64 changed;  ///< of the newest DeviceEvent that was set, or that captures
  abi_u64 events;   ///< of the SlotPool of DeviceEvent
  abi_u64 root;     ///< of the RootLaunch
  abi_u64 blocks;   ///< of the program's BlockLimits
  abi_u64 queues;   ///< of the handles of queues that are legal, of which the first is the default one, or 0
  abi_u32 queueCount;
  abi_u32 blockCount;
} Enqueuing;

#ifdef __cplusplus
/// BlockLimits::localBytes of a kernel that has so much local memory of its own, of so much in all.
constexpr abi_u64 roomForArguments(abi_u64 all, abi_u64 own) noexcept {
  const abi_u64 begin = (own + kLocalArgumentAlignment - 1) / kLocalArgumentAlignment * kLocalArgumentAlignment;
  return begin < all ? all - begin : 0;
}

/// A pointer that is kept as a number.
template <class T> T* pointerTo(abi_u64 address) noexcept {
  return reinterpret_cast<T*>(address); // NOLINT(performance-no-int-to-ptr): kernels and the device have it in common
}

static_assert(sizeof(EnqueuedKernel) == 256 + kQueueRecordRoom && sizeof(EnqueuedKernel) <= kQueueRecordBytes);
} // namespace clotho
#endif

#endif
