// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

#include "abi/device_queue.h"

// Queues on the device (OpenCL C 3.0, section 6.15.18), on the memory that kernels and the device have in common
// (abi/device_queue.h). What clang makes of enqueue_kernel() and of the queries about blocks, the compiler makes calls
// of functions here (src/compiler/transform/lower/lower_enqueue.cpp). Functions whose names begin with "clotho.queue_"
// stay calls, and each work-item makes its own (tools/builtins/prepare.cpp).

typedef __global EnqueuedKernel Record;
typedef __global DeviceEvent Event;
typedef __global Enqueuing Context;

#define INLINE static inline __attribute__((always_inline))
#define OUT_OF_LINE(NAME) __asm("clotho.queue_" NAME) __attribute__((noinline))

// Values behind OpenCL C's types: calls of these disappear (LowerObjectsPass).
ulong OVERLOAD __clotho_handle(queue_t queue);
ulong OVERLOAD __clotho_handle(clk_event_t event);
queue_t OVERLOAD __clotho_queue(ulong handle);
clk_event_t OVERLOAD __clotho_event(ulong handle);

// The compiler replaces this by what the running thread, or the launch, has (src/compiler/transform/lower/lower_work_item.cpp).
ulong __attribute__((const)) enqueuing(void) __asm("clotho.get_enqueuing");

#define ANYWHERE memory_scope_all_svm_devices
#define ATOMIC32(FIELD) ((volatile __global atomic_uint*)&(FIELD))
#define ATOMIC64(FIELD) ((volatile __global atomic_ulong*)&(FIELD))

// --- Slots ---

/// The address of a free slot, or 0.
INLINE ulong take(__global SlotPool* pool) {
  ulong top = __opencl_atomic_load(ATOMIC64(pool->top), memory_order_acquire, ANYWHERE);
  while ((uint)top != 0) {
    const ulong slot = pool->base + pool->stride * ((uint)top - 1);
    const uint below = __opencl_atomic_load(ATOMIC32(*(__global uint*)slot), memory_order_relaxed, ANYWHERE);
    if (__opencl_atomic_compare_exchange_weak(ATOMIC64(pool->top), &top, ((top >> 32) + 1) << 32 | below,
                                              memory_order_acquire, memory_order_acquire, ANYWHERE))
      return slot;
  }
  uint fresh = __opencl_atomic_load(ATOMIC32(pool->fresh), memory_order_relaxed, ANYWHERE);
  while (fresh < pool->count)
    if (__opencl_atomic_compare_exchange_weak(ATOMIC32(pool->fresh), &fresh, fresh + 1, memory_order_relaxed,
                                              memory_order_relaxed, ANYWHERE))
      return pool->base + pool->stride * fresh;
  return 0;
}

/// Makes what is at an address the first of a list; the address of what was the first.
INLINE ulong push(volatile __global atomic_ulong* first, ulong address) {
  return __opencl_atomic_exchange(first, address, memory_order_relaxed, ANYWHERE);
}

INLINE void giveBack(__global SlotPool* pool, ulong slot) {
  const ulong number = (slot - pool->base) / pool->stride + 1;
  ulong top = __opencl_atomic_load(ATOMIC64(pool->top), memory_order_relaxed, ANYWHERE);
  do
    __opencl_atomic_store(ATOMIC32(*(__global uint*)slot), (uint)top, memory_order_relaxed, ANYWHERE);
  while (!__opencl_atomic_compare_exchange_weak(ATOMIC64(pool->top), &top, ((top >> 32) + 1) << 32 | number,
                                                memory_order_release, memory_order_relaxed, ANYWHERE));
}

// --- Events ---

INLINE __global SlotPool* eventsOf(Context* context) { return (__global SlotPool*)context->events; }

INLINE __global RootLaunch* rootOf(ulong address) { return (__global RootLaunch*)address; }

/// An event of which the caller and the device have a reference; null if there is none left.
INLINE Event* makeEvent(Context* context, uint kind, uint references) {
  Event* event = (Event*)take(eventsOf(context));
  if (event == 0) return 0;
  event->kind = kind;
  event->owner = context->root;
  event->isSet = 0;
  event->hasTimes = 0;
  event->nextChanged = 0;
  __opencl_atomic_fetch_add(ATOMIC64(rootOf(context->root)->events), 1, memory_order_relaxed, ANYWHERE);
  __opencl_atomic_store(ATOMIC32(event->references), references, memory_order_release, ANYWHERE);
  return event;
}

INLINE ulong handleOf(Context* context, Event* event) {
  __global SlotPool* pool = eventsOf(context);
  return (ulong)event->generation << 32 | (((ulong)event - pool->base) / pool->stride + 1);
}

/// Null unless it is the handle of an event.
INLINE Event* eventOf(Context* context, ulong handle) {
  __global SlotPool* pool = eventsOf(context);
  const uint index = (uint)handle - 1;
  if (index >= __opencl_atomic_load(ATOMIC32(pool->fresh), memory_order_relaxed, ANYWHERE)) return 0;
  Event* event = (Event*)(pool->base + pool->stride * index);
  const uint references = __opencl_atomic_load(ATOMIC32(event->references), memory_order_acquire, ANYWHERE);
  // Events are of the kernels that come of one launch of the host's: those of others are none here.
  const bool isHere = references != 0 && event->generation == (uint)(handle >> 32) && event->owner == context->root;
  return isHere && event->kind != kEventCapture ? event : 0;
}

INLINE void retain(Event* event) {
  __opencl_atomic_fetch_add(ATOMIC32(event->references), 1, memory_order_relaxed, ANYWHERE);
}

INLINE void release(Context* context, Event* event) {
  if (__opencl_atomic_fetch_sub(ATOMIC32(event->references), 1, memory_order_acq_rel, ANYWHERE) != 1) return;
  ++event->generation;
  const ulong owner = event->owner;
  giveBack(eventsOf(context), (ulong)event);
  __opencl_atomic_fetch_sub(ATOMIC64(rootOf(owner)->events), 1, memory_order_relaxed, ANYWHERE);
}

/// The device is to look at the event when the work-group, or the kernel, has returned.
INLINE void noteChanged(Context* context, Event* event) {
  event->nextChanged = push(ATOMIC64(context->changed), (ulong)event);
}

ulong createUserEvent(ulong context) OUT_OF_LINE("create_user_event");
ulong createUserEvent(ulong context) {
  // The device's reference goes when the status is set, or with the launch.
  Event* event = makeEvent((Context*)context, kEventOfUser, 2);
  return event == 0 ? ~0UL : handleOf((Context*)context, event);
}
clk_event_t OVERLOAD create_user_event(void) { return __clotho_event(createUserEvent(enqueuing())); }

uint isEvent(ulong context, ulong handle) OUT_OF_LINE("is_event");
uint isEvent(ulong context, ulong handle) { return eventOf((Context*)context, handle) != 0; }
bool OVERLOAD is_valid_event(clk_event_t event) { return isEvent(enqueuing(), __clotho_handle(event)) != 0; }

void retainEvent(ulong context, ulong handle) OUT_OF_LINE("retain_event");
void retainEvent(ulong context, ulong handle) {
  Event* event = eventOf((Context*)context, handle);
  if (event != 0) retain(event);
}
void OVERLOAD retain_event(clk_event_t event) { retainEvent(enqueuing(), __clotho_handle(event)); }

void releaseEvent(ulong context, ulong handle) OUT_OF_LINE("release_event");
void releaseEvent(ulong context, ulong handle) {
  Event* event = eventOf((Context*)context, handle);
  if (event != 0) release((Context*)context, event);
}
void OVERLOAD release_event(clk_event_t event) { releaseEvent(enqueuing(), __clotho_handle(event)); }

void setStatus(ulong context, ulong handle, int status) OUT_OF_LINE("set_status");
void setStatus(ulong context, ulong handle, int status) {
  Event* event = eventOf((Context*)context, handle);
  if (event == 0 || event->kind != kEventOfUser || status > CL_COMPLETE) return;
  if (__opencl_atomic_exchange(ATOMIC32(event->isSet), 1, memory_order_relaxed, ANYWHERE) != 0) return;
  event->status = (uint)status;
  noteChanged((Context*)context, event); // with the device's reference
}
void OVERLOAD set_user_event_status(clk_event_t event, int status) {
  setStatus(enqueuing(), __clotho_handle(event), status);
}

void captureTimes(ulong context, ulong handle, int what, ulong value) OUT_OF_LINE("capture_times");
void captureTimes(ulong context, ulong handle, int what, ulong value) {
  Event* event = eventOf((Context*)context, handle);
  if (event == 0 || event->kind != kEventOfCommand || what != CLK_PROFILING_COMMAND_EXEC_TIME) return;
  volatile __global ulong* times = (volatile __global ulong*)value;
  if (__opencl_atomic_load(ATOMIC32(event->hasTimes), memory_order_acquire, ANYWHERE) != 0) {
    times[0] = event->times[0];
    times[1] = event->times[1];
    return;
  }
  // A pointer to nowhere is to be this kernel's fault, not the device's, which stores the times later.
  times[0] = 0;
  times[1] = 0;
  Event* capture = makeEvent((Context*)context, kEventCapture, 1);
  if (capture == 0) return;
  retain(event);
  capture->target = handle;
  capture->value = value;
  noteChanged((Context*)context, capture);
}
void OVERLOAD capture_event_profiling_info(clk_event_t event, clk_profiling_info what, __global void* value) {
  captureTimes(enqueuing(), __clotho_handle(event), what, (ulong)value);
}

// --- Queues ---

/// For get_default_queue(), which the compiler knows by another name.
queue_t OVERLOAD get_default_queue(void) {
  return __clotho_queue(*(__global ulong*)((Context*)enqueuing())->queues);
}

INLINE bool isQueue(Context* context, ulong queue) {
  const __global ulong* queues = (const __global ulong*)context->queues;
  for (uint i = 0; queue != 0 && i < context->queueCount; ++i)
    if (queues[i] == queue) return true;
  return false;
}

/// Each event of the list is there.
INLINE bool areEvents(Context* context, uint count, const __generic ulong* events) {
  if ((count == 0) != (events == 0)) return false;
  for (uint i = 0; i < count; ++i)
    if (eventOf(context, events[i]) == 0) return false;
  return true;
}

INLINE bool isRange(const BlockLimits __global* block, const ndrange_t* range) {
  if (range->workDimension < 1 || range->workDimension > MAX_WORK_DIM) return false;
  ulong items = 1, groups = 1;
  for (uint i = 0; i < range->workDimension; ++i) {
    const ulong size = range->globalWorkSize[i], ofGroup = range->localWorkSize[i];
    if (range->globalWorkOffset[i] + size < size) return false;
    // All sizes of a work-group are left open, or none.
    if ((ofGroup == 0) != (range->localWorkSize[0] == 0)) return false;
    if (ofGroup == 0) continue;
    if (ofGroup > block->mostAlong[i] || (block->isUniform && size % ofGroup != 0)) return false;
    items *= ofGroup;
    if (__builtin_mul_overflow(groups, size / ofGroup + 1, &groups)) return false;
  }
  return items <= block->mostItems;
}

/// CLK_SUCCESS if each is one size at least, and all have room together, laid out as the device does.
INLINE int checkLocalSizes(const BlockLimits __global* block, uint count, const ulong* sizes) {
  ulong bytes = 0;
  for (uint i = 0; i < count; ++i) {
    if (sizes[i] == 0) return CLK_INVALID_ARG_SIZE;
    bytes = (bytes + kLocalArgumentAlignment - 1) / kLocalArgumentAlignment * kLocalArgumentAlignment;
    if (sizes[i] > block->localBytes || bytes > block->localBytes - sizes[i]) return CLK_OUT_OF_RESOURCES;
    bytes += sizes[i];
  }
  return CLK_SUCCESS;
}

/// A record in the list, with an event if one is wanted. Until it is committed the device throws it away.
INLINE int reserve(Context* context, ulong queue, bool wantsEvent, Record** made) {
  Event* event = wantsEvent ? makeEvent(context, kEventOfCommand, 2) : 0;
  if (event == 0 && wantsEvent) return CLK_EVENT_ALLOCATION_FAILURE;
  Record* record = (Record*)take(&((__global DeviceQueueState*)queue)->records);
  if (record == 0) {
    for (uint i = 0; event != 0 && i < 2; ++i)
      release(context, event);
    return CLK_DEVICE_QUEUE_FULL;
  }
  record->event = event != 0 ? handleOf(context, event) : 0;
  record->state = kRecordReserved;
  record->queue = queue;
  record->waitCount = 0;
  record->nextReserved = push(ATOMIC64(context->reserved), (ulong)record);
  *made = record;
  return CLK_SUCCESS;
}

/// Copies the record's waits, as long as the kernel's own variables are as they were: one of them may be given for the
/// new event, too.
INLINE void copyWaits(__global ulong* held, uint waitCount, const __generic ulong* waits) {
  for (uint i = 0; i < waitCount; ++i)
    held[i] = waits[i];
}

/// The last step, in which nothing can trap.
INLINE void commit(Context* context, Record* record, uint waitCount, __global ulong* held) {
  for (uint i = 0; i < waitCount; ++i) {
    // An event that was released since it was looked at is none to wait for.
    Event* event = eventOf(context, held[i]);
    if (event != 0)
      retain(event);
    else
      held[i] = 0;
  }
  record->waitCount = waitCount;
  record->state = kRecordCommitted;
}

INLINE ulong toWords(ulong bytes) { return (bytes + 7) & ~7UL; }

INLINE int enqueueBlock(Context* context, ulong queue, int flags, const ndrange_t* range, uint waitCount,
                        const __generic ulong* waits, __generic ulong* event, uint number,
                        const __generic ulong* captures, uint captureBytes, uint localCount, const ulong* localSizes) {
  if (!isQueue(context, queue)) return CLK_INVALID_QUEUE;
  const BlockLimits __global* block = (const BlockLimits __global*)context->blocks + number;
  if (flags < CLK_ENQUEUE_FLAGS_NO_WAIT || flags > CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP) return CLK_ENQUEUE_FAILURE;
  if (!isRange(block, range)) return CLK_INVALID_NDRANGE;
  if (!areEvents(context, waitCount, waits)) return CLK_INVALID_EVENT_WAIT_LIST;
  int status = checkLocalSizes(block, localCount, localSizes);
  if (status != CLK_SUCCESS) return status;
  const uint bytes = kBlockLiteralHeader + captureBytes;
  const ulong sizesAt = toWords(bytes), waitsAt = sizesAt + localCount * 8UL;
  if (waitsAt + waitCount * 8UL > kQueueRecordRoom) return CLK_OUT_OF_RESOURCES;
  Record* record;
  status = reserve(context, queue, event != 0, &record);
  if (status != CLK_SUCCESS) return status;
  record->flags = (uint)flags;
  record->block = number;
  record->dimensions = range->workDimension;
  record->literalBytes = bytes;
  record->localCount = localCount;
  for (uint i = 0; i < MAX_WORK_DIM; ++i) {
    const bool isUsed = i < range->workDimension;
    record->offset[i] = isUsed ? range->globalWorkOffset[i] : 0;
    record->globalSize[i] = isUsed ? range->globalWorkSize[i] : 1;
    record->localSize[i] = isUsed ? range->localWorkSize[i] : range->localWorkSize[0] != 0;
  }
  // The block's kernel reads no more of the literal than these.
  __global ulong* room = (__global ulong*)record->room;
  __global ulong* captured = room + kBlockLiteralHeader / 8;
  for (uint i = 0; i < captureBytes / 8; ++i)
    captured[i] = captures[i];
  for (uint i = captureBytes / 8 * 8; i < captureBytes; ++i)
    ((__global uchar*)captured)[i] = ((const __generic uchar*)captures)[i];
  for (uint i = 0; i < localCount; ++i)
    room[sizesAt / 8 + i] = localSizes[i];
  __global ulong* held = room + waitsAt / 8;
  copyWaits(held, waitCount, waits);
  if (event != 0) *event = record->event;
  commit(context, record, waitCount, held);
  return CLK_SUCCESS;
}

/// The error, or the one code for all errors of programs that were not built with -g.
INLINE int told(int status, uint tellsWhy) { return status == CLK_SUCCESS || tellsWhy ? status : CLK_ENQUEUE_FAILURE; }

int enqueue(ulong context, ulong queue, int flags, const ndrange_t* range, uint waitCount,
            const __generic ulong* waits, __generic ulong* event, uint number, const __generic ulong* captures,
            uint captureBytes, uint localCount, const ulong* localSizes, uint tellsWhy) OUT_OF_LINE("enqueue");
int enqueue(ulong context, ulong queue, int flags, const ndrange_t* range, uint waitCount,
            const __generic ulong* waits, __generic ulong* event, uint number, const __generic ulong* captures,
            uint captureBytes, uint localCount, const ulong* localSizes, uint tellsWhy) {
  return told(enqueueBlock((Context*)context, queue, flags, range, waitCount, waits, event, number, captures,
                           captureBytes, localCount, localSizes),
              tellsWhy);
}

INLINE int enqueueMarker(Context* context, ulong queue, uint waitCount, const __generic ulong* waits,
                         __generic ulong* event) {
  if (!isQueue(context, queue)) return CLK_INVALID_QUEUE;
  if (!areEvents(context, waitCount, waits) || waitCount == 0) return CLK_INVALID_EVENT_WAIT_LIST;
  if (waitCount * 8UL > kQueueRecordRoom) return CLK_OUT_OF_RESOURCES;
  Record* record;
  const int status = reserve(context, queue, event != 0, &record);
  if (status != CLK_SUCCESS) return status;
  record->flags = CLK_ENQUEUE_FLAGS_NO_WAIT;
  record->block = kMarkerBlock;
  record->literalBytes = 0;
  record->localCount = 0;
  __global ulong* held = (__global ulong*)record->room;
  copyWaits(held, waitCount, waits);
  if (event != 0) *event = record->event;
  commit(context, record, waitCount, held);
  return CLK_SUCCESS;
}

int mark(ulong context, ulong queue, uint waitCount, const __generic ulong* waits,
                      __generic ulong* event, uint tellsWhy) OUT_OF_LINE("mark");
int mark(ulong context, ulong queue, uint waitCount, const __generic ulong* waits, __generic ulong* event,
         uint tellsWhy) {
  return told(enqueueMarker((Context*)context, queue, waitCount, waits, event), tellsWhy);
}

// --- What is known of blocks ---

INLINE const BlockLimits __global* limitsOf(ulong context, uint block) {
  return (const BlockLimits __global*)((Context*)context)->blocks + block;
}

/// Work-items of a work-group; 0 if the size is left to the device.
INLINE ulong groupItems(const ndrange_t* range) {
  ulong items = 1;
  for (uint i = 0; i < range->workDimension && i < MAX_WORK_DIM; ++i)
    items *= range->localWorkSize[i];
  return items;
}

uint mostItems(ulong context, uint block) OUT_OF_LINE("most_items");
uint mostItems(ulong context, uint block) { return (uint)limitsOf(context, block)->mostItems; }

uint preferredMultiple(ulong context, uint block) OUT_OF_LINE("preferred_multiple");
uint preferredMultiple(ulong context, uint block) { return (uint)limitsOf(context, block)->preferredMultiple; }

uint subGroupSize(ulong context, uint block, const ndrange_t* range) OUT_OF_LINE("sub_group_size");
uint subGroupSize(ulong context, uint block, const ndrange_t* range) {
  const ulong items = groupItems(range), width = limitsOf(context, block)->subGroupSize;
  return (uint)(items != 0 && items < width ? items : width);
}

uint subGroups(ulong context, uint block, const ndrange_t* range) OUT_OF_LINE("sub_groups");
uint subGroups(ulong context, uint block, const ndrange_t* range) {
  const BlockLimits __global* limits = limitsOf(context, block);
  const ulong items = groupItems(range), width = limits->subGroupSize;
  return (uint)(((items != 0 ? items : limits->mostItems) + width - 1) / width);
}

// For SPIR-V alone (OpGetKernelMaxNumSubgroups and OpGetKernelLocalSizeForSubgroupCount): as clGetKernelSubGroupInfo
// answers CL_KERNEL_MAX_NUM_SUB_GROUPS, and CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT in one dimension.
uint mostSubGroups(ulong context, uint block) OUT_OF_LINE("most_sub_groups");
uint mostSubGroups(ulong context, uint block) {
  const BlockLimits __global* limits = limitsOf(context, block);
  return (uint)((limits->mostItems + limits->subGroupSize - 1) / limits->subGroupSize);
}

uint localSizeFor(ulong context, uint block, uint subGroups) OUT_OF_LINE("local_size_for");
uint localSizeFor(ulong context, uint block, uint subGroups) {
  const BlockLimits __global* limits = limitsOf(context, block);
  const ulong items = (ulong)subGroups * limits->subGroupSize;
  return items <= limits->mostItems ? (uint)items : 0;
}

// --- Ranges ---

INLINE void setRange(ndrange_t* range, uint dimensions, const size_t* offset, const size_t* items,
                     const size_t* ofGroup) {
  range->workDimension = dimensions;
  for (uint i = 0; i < MAX_WORK_DIM; ++i) {
    const bool isUsed = i < dimensions;
    range->globalWorkOffset[i] = isUsed && offset ? offset[i] : 0;
    range->globalWorkSize[i] = isUsed ? items[i] : 1;
    range->localWorkSize[i] = isUsed && ofGroup ? ofGroup[i] : 0;
  }
}

#define RANGE(DIMENSIONS, OFFSET, ITEMS, OF_GROUP)           \
  {                                                         \
    ndrange_t range;                                        \
    setRange(&range, DIMENSIONS, OFFSET, ITEMS, OF_GROUP);  \
    return range;                                           \
  }

ndrange_t OVERLOAD ndrange_1D(size_t items) RANGE(1, 0, &items, 0)
ndrange_t OVERLOAD ndrange_1D(size_t items, size_t ofGroup) RANGE(1, 0, &items, &ofGroup)
ndrange_t OVERLOAD ndrange_1D(size_t offset, size_t items, size_t ofGroup) RANGE(1, &offset, &items, &ofGroup)

#define RANGES(NAME, D)                                                                  \
  ndrange_t OVERLOAD NAME(const size_t items[D]) RANGE(D, 0, items, 0)                   \
  ndrange_t OVERLOAD NAME(const size_t items[D], const size_t ofGroup[D])                \
  RANGE(D, 0, items, ofGroup)                                                            \
  ndrange_t OVERLOAD NAME(const size_t offset[D], const size_t items[D], const size_t ofGroup[D]) \
  RANGE(D, offset, items, ofGroup)
RANGES(ndrange_2D, 2)
RANGES(ndrange_3D, 3)
