// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unified shared memory (cl_intel_unified_shared_memory 1.2): allocations that belong to the host, to a device or to
// both. Section numbers are those of the extension's text.
#include "api/shared_memory.hpp"

#include <algorithm>
#include <utility>

namespace clotho::api {

namespace {

using Kind = SharedTraits::Kind;

constexpr cl_mem_alloc_flags_intel kPlacement =
    CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;

/// "Controlling Allocations": the one property there is, and its flags.
cl_mem_alloc_flags_intel flagsIn(const cl_mem_properties_intel* properties, Kind kind) {
  bool isThere = false;
  cl_mem_alloc_flags_intel flags = 0;
  for (const cl_mem_properties_intel* p = properties; p && *p; p += 2) {
    check(*p == CL_MEM_ALLOC_FLAGS_INTEL, CL_INVALID_PROPERTY, "unknown property of allocations");
    check(!std::exchange(isThere, true), CL_INVALID_PROPERTY, "a property given twice");
    flags = p[1];
  }
  check(!(flags & ~(kPlacement | CL_MEM_ALLOC_WRITE_COMBINED_INTEL)), CL_INVALID_PROPERTY, "unknown allocation flag");
  const bool isPlaceable = kind == Kind::Shared ? (flags & kPlacement) != kPlacement : !(flags & kPlacement);
  check(isPlaceable, CL_INVALID_PROPERTY, "placement flags exclude each other, and are for shared allocations only");
  return flags;
}

/// Whether `device`, or without one some device of the context, has allocations of this kind.
bool isThere(const Context& context, Kind kind, const Device* device) {
  const auto has = [&](const Device& each) {
    const UnifiedMemoryAccess& access = each.properties().unifiedMemory;
    switch (kind) {
    case Kind::Host: return access.host != 0;
    case Kind::Device: return access.device != 0;
    default: return access.sharedCross != 0 || (device && access.sharedSingle != 0);
    }
  };
  const auto& devices = context.devices();
  return device ? has(*device)
                : std::any_of(devices.begin(), devices.end(), [&](const Ref<Device>& each) { return has(*each); });
}

/// "Allocating and Freeing Unified Shared Memory". The text allows no
/// alignment above the size of the largest type, but other drivers do and programs rely on it
/// (docs/architecture/memory.md).
void* allocate(Context& context, Kind kind, Ref<Device> device, const cl_mem_properties_intel* properties, size_t size,
               cl_uint alignment) {
  check(isThere(context, kind, device.get()), CL_INVALID_OPERATION, "no device has allocations of this kind");
  check(isAlignment(alignment, SharedMemory::kMostAligned), CL_INVALID_VALUE,
        "an alignment that is no power of two up to 64 KiB");
  SharedTraits traits;
  traits.kind = kind;
  traits.flags = flagsIn(properties, kind);
  const bool fits = device ? size > 0 && size <= device->properties().maxAllocationSize : fitsAllDevices(context, size);
  check(fits, CL_INVALID_BUFFER_SIZE, "zero, or more than CL_DEVICE_MAX_MEM_ALLOC_SIZE");
  traits.device = std::move(device);
  return allocateShared(context, size, alignment, std::move(traits));
}

Ref<Device> deviceOf(const Context& context, cl_device_id rawDevice) {
  Ref<Device> device = object(rawDevice);
  check(context.has(*device), CL_INVALID_DEVICE, "the device does not belong to the context");
  return device;
}

cl_unified_shared_memory_type_intel typeOf(const std::optional<SharedAllocation>& allocation) {
  if (!allocation) return CL_MEM_TYPE_UNKNOWN_INTEL;
  switch (allocation->traits.kind) {
  case Kind::Host: return CL_MEM_TYPE_HOST_INTEL;
  case Kind::Device: return CL_MEM_TYPE_DEVICE_INTEL;
  case Kind::Shared: return CL_MEM_TYPE_SHARED_INTEL;
  case Kind::CoarseGrain:
  case Kind::FineGrain: break; // shared virtual memory is none of the extension's
  }
  return CL_MEM_TYPE_UNKNOWN_INTEL;
}

/// The queue of a command on unified shared memory.
Ref<Queue> unifiedQueue(cl_command_queue rawQueue) {
  Ref<Queue> queue = object(rawQueue);
  const UnifiedMemoryAccess& access = queue->device().properties().unifiedMemory;
  check((access.host | access.device | access.sharedSingle | access.sharedCross) != 0, CL_INVALID_OPERATION,
        "the queue's device has no unified shared memory");
  return queue;
}

void freeUnified(Context& context, void* pointer) {
  if (!pointer) return;
  const std::optional<SharedAllocation> allocation = context.sharedMemory().find(pointer);
  check(allocation && allocation->begin == pointer && allocation->traits.isUnified(), CL_INVALID_VALUE,
        "not the address of an allocation");
  context.sharedMemory().free(pointer);
}

} // namespace

void* CL_API_CALL clHostMemAllocINTEL(cl_context rawContext, const cl_mem_properties_intel* properties, size_t size,
                                      cl_uint alignment, cl_int* status) {
  return create(status, [&] { return allocate(*object(rawContext), Kind::Host, {}, properties, size, alignment); });
}

void* CL_API_CALL clDeviceMemAllocINTEL(cl_context rawContext, cl_device_id rawDevice,
                                        const cl_mem_properties_intel* properties, size_t size, cl_uint alignment,
                                        cl_int* status) {
  return create(status, [&] {
    const Ref<Context> context = object(rawContext);
    return allocate(*context, Kind::Device, deviceOf(*context, rawDevice), properties, size, alignment);
  });
}

void* CL_API_CALL clSharedMemAllocINTEL(cl_context rawContext, cl_device_id rawDevice,
                                        const cl_mem_properties_intel* properties, size_t size, cl_uint alignment,
                                        cl_int* status) {
  return create(status, [&] {
    const Ref<Context> context = object(rawContext);
    Ref<Device> device = rawDevice ? deviceOf(*context, rawDevice) : Ref<Device>();
    return allocate(*context, Kind::Shared, std::move(device), properties, size, alignment);
  });
}

cl_int CL_API_CALL clMemFreeINTEL(cl_context rawContext, void* pointer) {
  return call([&] { freeUnified(*object(rawContext), pointer); });
}

// The call waits for all commands of the context: kernels may find the memory's address anywhere, so it is not known
// which of them use it.
cl_int CL_API_CALL clMemBlockingFreeINTEL(cl_context rawContext, void* pointer) {
  return call([&] {
    const Ref<Context> context = object(rawContext);
    if (pointer) context->finish();
    freeUnified(*context, pointer);
  });
}

cl_int CL_API_CALL clGetMemAllocInfoINTEL(cl_context rawContext, const void* pointer, cl_mem_info_intel name,
                                          size_t size, void* value, size_t* sizeReturned) {
  return call([&] {
    const Ref<Context> context = object(rawContext);
    std::optional<SharedAllocation> allocation = context->sharedMemory().find(pointer);
    if (allocation && !allocation->traits.isUnified()) allocation.reset();
    InfoSink out(size, value, sizeReturned);
    switch (name) {
    case CL_MEM_ALLOC_TYPE_INTEL: return out.put<cl_unified_shared_memory_type_intel>(typeOf(allocation));
    case CL_MEM_ALLOC_BASE_PTR_INTEL: return out.put<void*>(allocation ? allocation->begin : nullptr);
    case CL_MEM_ALLOC_SIZE_INTEL: return out.put<size_t>(allocation ? allocation->size : 0);
    case CL_MEM_ALLOC_DEVICE_INTEL:
      return out.put<cl_device_id>(allocation ? allocation->traits.device.get() : nullptr);
    case CL_MEM_ALLOC_FLAGS_INTEL: return out.put<cl_mem_alloc_flags_intel>(allocation ? allocation->traits.flags : 0);
    default: throw Error{CL_INVALID_VALUE, "unknown cl_mem_info_intel"};
    }
  });
}

cl_int CL_API_CALL clEnqueueMemFillINTEL(cl_command_queue rawQueue, void* target, const void* pattern,
                                         size_t patternSize, size_t size, cl_uint waitCount, const cl_event* waitEvents,
                                         cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = unifiedQueue(rawQueue);
    Command fill = fillAddresses(target, pattern, patternSize, size);
    Waits waits(queue->context(), waitCount, waitEvents);
    give(queue->submit(CL_COMMAND_MEMFILL_INTEL, std::move(fill), waits), out);
  });
}

cl_int CL_API_CALL clEnqueueMemcpyINTEL(cl_command_queue rawQueue, cl_bool blocking, void* target, const void* source,
                                        size_t size, cl_uint waitCount, const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = unifiedQueue(rawQueue);
    Command copy = copyAddresses(target, source, size);
    Waits waits(queue->context(), waitCount, waitEvents);
    finish(queue->submit(CL_COMMAND_MEMCPY_INTEL, std::move(copy), waits), blocking, out);
  });
}

// "Unified Shared Memory Hints": where all memory is near every device, these only have their place in the order.
cl_int CL_API_CALL clEnqueueMigrateMemINTEL(cl_command_queue rawQueue, const void* pointer, size_t size,
                                            cl_mem_migration_flags flags, cl_uint waitCount, const cl_event* waitEvents,
                                            cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = unifiedQueue(rawQueue);
    check(pointer, CL_INVALID_VALUE, "no address");
    checkMigrationFlags(flags);
    Waits waits(queue->context(), waitCount, waitEvents);
    Migrate migrate{.operands = {}, .isToHost = (flags & CL_MIGRATE_MEM_OBJECT_HOST) != 0};
    if (size != 0) addShared(migrate, *queue, pointer, size);
    give(queue->submit(CL_COMMAND_MIGRATEMEM_INTEL, std::move(migrate), waits), out);
  });
}

cl_int CL_API_CALL clEnqueueMemAdviseINTEL(cl_command_queue rawQueue, const void* pointer, size_t,
                                           cl_mem_advice_intel advice, cl_uint waitCount, const cl_event* waitEvents,
                                           cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = unifiedQueue(rawQueue);
    check(pointer, CL_INVALID_VALUE, "no address");
    check(advice == 0, CL_INVALID_VALUE, "the extension defines no advice");
    Waits waits(queue->context(), waitCount, waitEvents);
    give(queue->submit(CL_COMMAND_MEMADVISE_INTEL, Nothing{}, waits), out);
  });
}

} // namespace clotho::api
