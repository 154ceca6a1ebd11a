// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared virtual memory (section 5.6).
#include "api/shared_memory.hpp"

#include "api/memory_flags.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

namespace clotho::api {

void checkShares(const Queue& queue) {
  check(queue.device().properties().svmCapabilities != 0, CL_INVALID_OPERATION,
        "the queue's device has no shared virtual memory");
}

Command copyAddresses(void* target, const void* source, size_t size) {
  check(target && source, CL_INVALID_VALUE, "no address");
  auto* to = static_cast<std::byte*>(target);
  // Commands do not write to what they copy from.
  auto* from = static_cast<std::byte*>(const_cast<void*>(source));
  const auto toNumber = reinterpret_cast<std::uintptr_t>(to), fromNumber = reinterpret_cast<std::uintptr_t>(from);
  const std::uintptr_t distance = std::max(toNumber, fromNumber) - std::min(toNumber, fromNumber);
  check(distance >= size, CL_MEM_COPY_OVERLAP, "source and target have bytes in common");
  if (size == 0) return Nothing{};
  return Copy{.source = from, .target = to, .rowBytes = size};
}

Command fillAddresses(void* target, const void* pattern, size_t patternSize, size_t size) {
  check(target, CL_INVALID_VALUE, "no address");
  check(pattern, CL_INVALID_VALUE, "no pattern");
  check(std::has_single_bit(patternSize) && patternSize <= sizeof(Fill::pattern), CL_INVALID_VALUE,
        "the size of the pattern is not a power of two up to 128");
  check(reinterpret_cast<std::uintptr_t>(target) % patternSize == 0, CL_INVALID_VALUE,
        "the address is not aligned to the pattern's size");
  check(size % patternSize == 0, CL_INVALID_VALUE, "the size is not a multiple of the pattern's");
  Command command = Nothing{};
  if (size == 0) return command;
  Fill& fill = command.emplace<Fill>();
  fill.target = static_cast<std::byte*>(target);
  fill.rowBytes = size;
  fill.patternSize = patternSize;
  std::memcpy(fill.pattern.data(), pattern, patternSize);
  return command;
}

void checkMigrationFlags(cl_mem_migration_flags flags) {
  check(!(flags & ~cl_mem_migration_flags{CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED}),
        CL_INVALID_VALUE, "unknown migration flag");
}

void addShared(Migrate& migrate, const Queue& queue, const void* pointer, size_t size) {
  const DeviceMemory* memory = queue.device().memory();
  if (!memory || !memory->canShare()) return;
  const std::optional<SharedAllocation> found = queue.context().sharedMemory().find(pointer);
  if (!found) return;
  if (size == 0) return migrate.shared.push_back({found->begin, found->size});
  const size_t offset = found->size - found->roomAt(pointer);
  migrate.shared.push_back({found->begin + offset, std::min(size, found->size - offset)});
}

bool isAlignment(size_t alignment, size_t most) {
  return alignment == 0 || (std::has_single_bit(alignment) && alignment <= most);
}

void* allocateShared(Context& context, size_t size, size_t alignment, SharedTraits traits) {
  const cl_int failure = traits.device ? CL_OUT_OF_RESOURCES : CL_OUT_OF_HOST_MEMORY;
  void* memory =
      context.sharedMemory().allocate(size, alignment ? alignment : SharedMemory::kLargestType, std::move(traits));
  if (memory) return memory;
  context.report("no memory for " + std::to_string(size) + " bytes that host and devices share", LogLevel::Warn);
  throw Error{failure, "there is not that much memory left"};
}

bool fitsAllDevices(const Context& context, size_t size) {
  const auto& devices = context.devices();
  return size > 0 && std::all_of(devices.begin(), devices.end(), [&](const Ref<Device>& device) {
           return size <= device->properties().maxAllocationSize;
         });
}

namespace {

/// Section 5.6.1 has no status: what cannot be allocated is null, whatever the reason.
void* allocate(Context& context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  constexpr cl_svm_mem_flags kAccess = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
  constexpr cl_svm_mem_flags kKnown = kAccess | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
  const bool isFine = (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) != 0, isAtomic = (flags & CL_MEM_SVM_ATOMICS) != 0;
  check(!(flags & ~kKnown), CL_INVALID_VALUE, "unknown memory flag");
  check(std::popcount(flags & kAccess) <= 1, CL_INVALID_VALUE, "kernel access flags exclude each other");
  check(isFine || !isAtomic, CL_INVALID_VALUE, "atomics without fine grain");
  cl_device_svm_capabilities needed = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
  if (isFine) needed |= CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
  if (isAtomic) needed |= CL_DEVICE_SVM_ATOMICS;
  check((context.commonSvm() & needed) == needed, CL_INVALID_OPERATION, "a device of the context cannot share so");
  check(fitsAllDevices(context, size), CL_INVALID_BUFFER_SIZE,
        "zero, or more than some device's CL_DEVICE_MAX_MEM_ALLOC_SIZE");
  check(isAlignment(alignment, SharedMemory::kLargestType), CL_INVALID_VALUE, "no alignment of any type");
  SharedTraits traits;
  traits.kind = isFine ? SharedTraits::Kind::FineGrain : SharedTraits::Kind::CoarseGrain;
  traits.flags = flags;
  return allocateShared(context, size, alignment, std::move(traits));
}

/// The queue of a command on shared virtual memory.
Ref<Queue> svmQueue(cl_command_queue rawQueue) {
  Ref<Queue> queue = object(rawQueue);
  checkShares(*queue);
  return queue;
}

/// The operand of a map or unmap: so many bytes of shared memory.
Operand addresses(const void* pointer, size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
  return {nullptr, {begin, begin + size}, Access::Read};
}

/// Section 5.6.1: each range lies in one allocation; no size stands for the whole of it.
void checkMigration(const Context& context, const void* pointer, size_t size) {
  const SharedMemory::Extent extent = context.sharedMemory().extentAround(pointer);
  check(extent.size() != 0, CL_INVALID_VALUE, "an address that is in no allocation");
  check(size <= extent.end - reinterpret_cast<std::uintptr_t>(pointer), CL_INVALID_VALUE,
        "a range that goes beyond its allocation");
}

} // namespace

void* CL_API_CALL clSVMAlloc(cl_context rawContext, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  return create(nullptr, [&] { return allocate(*object(rawContext), flags, size, alignment); });
}

// A pointer that is not the address of an allocation is the application's error, and ignored.
void CL_API_CALL clSVMFree(cl_context rawContext, void* pointer) {
  call([&] {
    const Ref<Context> context = object(rawContext);
    if (pointer) context->sharedMemory().free(pointer);
  });
}

cl_int CL_API_CALL clEnqueueSVMFree(cl_command_queue rawQueue, cl_uint count, void* pointers[],
                                    void(CL_CALLBACK* function)(cl_command_queue, cl_uint, void*[], void*),
                                    void* userData, cl_uint waitCount, const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = svmQueue(rawQueue);
    check((count == 0) == (pointers == nullptr), CL_INVALID_VALUE, "pointers and their number do not agree");
    Waits waits(queue->context(), waitCount, waitEvents);
    FreeShared free{std::vector<void*>(pointers, pointers + count), function, userData};
    give(queue->submit(CL_COMMAND_SVM_FREE, std::move(free), waits), out);
  });
}

cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue rawQueue, cl_bool blocking, void* target, const void* source,
                                      size_t size, cl_uint waitCount, const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = svmQueue(rawQueue);
    Command copy = copyAddresses(target, source, size);
    Waits waits(queue->context(), waitCount, waitEvents);
    finish(queue->submit(CL_COMMAND_SVM_MEMCPY, std::move(copy), waits), blocking, out);
  });
}

cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue rawQueue, void* target, const void* pattern, size_t patternSize,
                                       size_t size, cl_uint waitCount, const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = svmQueue(rawQueue);
    Command fill = fillAddresses(target, pattern, patternSize, size);
    Waits waits(queue->context(), waitCount, waitEvents);
    give(queue->submit(CL_COMMAND_SVM_MEMFILL, std::move(fill), waits), out);
  });
}

cl_int CL_API_CALL clEnqueueSVMMap(cl_command_queue rawQueue, cl_bool blocking, cl_map_flags flags, void* pointer,
                                   size_t size, cl_uint waitCount, const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = svmQueue(rawQueue);
    check(pointer, CL_INVALID_VALUE, "no address");
    check(size > 0, CL_INVALID_VALUE, "the range is empty");
    checkMapFlags(flags);
    Waits waits(queue->context(), waitCount, waitEvents);
    finish(queue->submit(CL_COMMAND_SVM_MAP, Map{addresses(pointer, size)}, waits), blocking, out);
  });
}

cl_int CL_API_CALL clEnqueueSVMUnmap(cl_command_queue rawQueue, void* pointer, cl_uint waitCount,
                                     const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = svmQueue(rawQueue);
    check(pointer, CL_INVALID_VALUE, "no address");
    Waits waits(queue->context(), waitCount, waitEvents);
    give(queue->submit(CL_COMMAND_SVM_UNMAP, Unmap{nullptr, addresses(pointer, 0).range}, waits), out);
  });
}

cl_int CL_API_CALL clEnqueueSVMMigrateMem(cl_command_queue rawQueue, cl_uint count, const void** pointers,
                                          const size_t* sizes, cl_mem_migration_flags flags, cl_uint waitCount,
                                          const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = svmQueue(rawQueue);
    check(count > 0 && pointers, CL_INVALID_VALUE, "no addresses");
    checkMigrationFlags(flags);
    Migrate migrate{.operands = {}, .isToHost = (flags & CL_MIGRATE_MEM_OBJECT_HOST) != 0};
    for (cl_uint i = 0; i < count; ++i) {
      checkMigration(queue->context(), pointers[i], sizes ? sizes[i] : 0);
      addShared(migrate, *queue, pointers[i], sizes ? sizes[i] : 0);
    }
    Waits waits(queue->context(), waitCount, waitEvents);
    // The specification of 2.2 has no name of its own for it.
    const cl_command_type type = follows30() ? CL_COMMAND_SVM_MIGRATE_MEM : CL_COMMAND_MIGRATE_MEM_OBJECTS;
    give(queue->submit(type, std::move(migrate), waits), out);
  });
}

} // namespace clotho::api
