// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cl_khr_semaphore, cl_khr_external_semaphore and cl_khr_external_semaphore_sync_fd.
#include "api/external_handles.hpp"
#include "api/parse.hpp"

#include <algorithm>
#include <set>

namespace clotho::api {

namespace {

using Property = cl_semaphore_properties_khr;

/// The properties of a semaphore that is to be made.
struct SemaphoreProperties {
  std::vector<Property> list; ///< with its terminator
  bool hasType = false;
  std::vector<Ref<Device>> devices; ///< none: all of the context
  std::size_t exports = 0;
  std::optional<int> syncFile;
};

/// Behind the terminator of the list that is a property's value.
const Property* parseDevice(const Context& context, const Property* p, SemaphoreProperties& parsed) {
  for (; *p != CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR; ++p) {
    check(parsed.devices.empty(), CL_INVALID_DEVICE, "a semaphore for more than one device of a list");
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the interface has pointers among its numbers
    Ref<Device> device = object(reinterpret_cast<cl_device_id>(static_cast<std::uintptr_t>(*p)));
    check(context.has(*device), CL_INVALID_DEVICE, "not a device of the context");
    parsed.devices.push_back(std::move(device));
  }
  check(!parsed.devices.empty(), CL_INVALID_DEVICE, "a list without a device");
  return p + 1;
}

const Property* parseProperty(const Context& context, const Property* p, SemaphoreProperties& parsed) {
  const Property value = p[1];
  switch (p[0]) {
  case CL_SEMAPHORE_TYPE_KHR:
    check(value == CL_SEMAPHORE_TYPE_BINARY_KHR, CL_INVALID_PROPERTY, "unknown type of semaphore");
    parsed.hasType = true;
    return p + 2;
  case CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR: return parseDevice(context, p + 1, parsed);
  case CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR:
    for (++p; *p != CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR; ++p)
      ++parsed.exports;
    return p + 1;
  case CL_SEMAPHORE_HANDLE_SYNC_FD_KHR:
    parsed.syncFile = descriptorIn(value);
    check(parsed.syncFile && (*parsed.syncFile == -1 || isSyncFile(*parsed.syncFile)), CL_INVALID_PROPERTY,
          "not the descriptor of a sync file");
    return p + 2;
  default: throw Error{CL_INVALID_PROPERTY, "unknown semaphore property"};
  }
}

SemaphoreProperties parseProperties(const Context& context, const Property* properties) {
  check(properties, CL_INVALID_VALUE, "no properties");
  SemaphoreProperties parsed;
  std::set<Property> seen;
  const Property* p = properties;
  while (*p) {
    // Before anything behind it is read.
    check(seen.insert(*p).second, CL_INVALID_PROPERTY, "a semaphore property twice");
    p = parseProperty(context, p, parsed);
  }
  parsed.list.assign(properties, p + 1);
  check(parsed.hasType, CL_INVALID_VALUE, "a semaphore without a type");
  check(parsed.exports == 0 || !parsed.syncFile, CL_INVALID_OPERATION, "a semaphore to be imported and exported");
  check(parsed.exports <= 1, CL_INVALID_VALUE, "more than one type of handle to export");
  check(parsed.exports == 0, CL_INVALID_PROPERTY, "no device exports semaphores");
  check(!parsed.devices.empty() || context.devices().size() == 1, CL_INVALID_PROPERTY,
        "CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR is missing, and the context has several devices");
  if (parsed.devices.empty()) parsed.devices = context.devices();
  check(parsed.devices.front()->claims().has(claims::rowOf("cl_khr_semaphore")), CL_INVALID_DEVICE,
        "the device has no semaphores");
  return parsed;
}

/// Those of a list, each once: what it would mean twice is left undefined.
std::vector<Ref<BinarySemaphore>> semaphoresFor(const Queue& queue, cl_uint count, const cl_semaphore_khr* list) {
  check(count > 0 && list, CL_INVALID_VALUE, "no semaphores");
  std::vector<Ref<BinarySemaphore>> semaphores;
  for (cl_uint i = 0; i < count; ++i) {
    Ref<Semaphore> semaphore = object(list[i]);
    if (&semaphore->context() != &queue.context()) {
      check(semaphore->context().has(queue.device()), CL_INVALID_COMMAND_QUEUE,
            "the semaphore's context does not have the queue's device");
      throw Error{CL_INVALID_CONTEXT, "semaphore and queue are of different contexts"};
    }
    check(semaphore->isFor(queue.device()), CL_INVALID_COMMAND_QUEUE, "the semaphore is for another device");
    if (std::find(list, list + i, list[i]) == list + i) semaphores.push_back(std::move(semaphore));
  }
  return semaphores;
}

template <class Use>
void enqueueSemaphores(cl_command_type type, cl_command_queue rawQueue, cl_uint count, const cl_semaphore_khr* list,
                       cl_uint waitCount, const cl_event* waitEvents, cl_event* out) {
  const Ref<Queue> queue = object(rawQueue);
  const std::vector<Ref<BinarySemaphore>> semaphores = semaphoresFor(*queue, count, list);
  Waits waits(queue->context(), waitCount, waitEvents);
  for (const Event* event : WaitList(waits))
    check(event->status() >= 0, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "an event of the wait list has failed");
  give(queue->submit(type, UseSemaphores{std::make_unique<Use>(semaphores)}, waits, out != nullptr), out);
}

} // namespace

cl_semaphore_khr CL_API_CALL clCreateSemaphoreWithPropertiesKHR(cl_context rawContext, const Property* properties,
                                                                cl_int* status) {
  return create(status, [&] {
    const Ref<Context> context = object(rawContext);
    SemaphoreProperties parsed = parseProperties(*context, properties);
    Ref<Semaphore> semaphore =
        make<Semaphore>(*context, std::move(parsed.devices), std::move(parsed.list), parsed.syncFile.has_value());
    if (parsed.syncFile) semaphore->import(*parsed.syncFile);
    return handOut(std::move(semaphore));
  });
}

cl_int CL_API_CALL clRetainSemaphoreKHR(cl_semaphore_khr rawSemaphore) {
  return call([&] { retain(rawSemaphore); });
}

cl_int CL_API_CALL clReleaseSemaphoreKHR(cl_semaphore_khr rawSemaphore) {
  return call([&] { release(rawSemaphore); });
}

cl_int CL_API_CALL clGetSemaphoreInfoKHR(cl_semaphore_khr rawSemaphore, cl_semaphore_info_khr name, size_t size,
                                         void* value, size_t* sizeReturned) {
  return call([&] {
    const Ref<Semaphore> semaphore = object(rawSemaphore);
    InfoSink out(size, value, sizeReturned);
    switch (name) {
    case CL_SEMAPHORE_CONTEXT_KHR: return out.put<cl_context>(&semaphore->context());
    case CL_SEMAPHORE_REFERENCE_COUNT_KHR: return out.put<cl_uint>(semaphore->apiRefs());
    case CL_SEMAPHORE_PROPERTIES_KHR: return out.list<Property>(semaphore->propertyList());
    case CL_SEMAPHORE_TYPE_KHR: return out.put<cl_semaphore_type_khr>(CL_SEMAPHORE_TYPE_BINARY_KHR);
    case CL_SEMAPHORE_PAYLOAD_KHR: return out.put<cl_semaphore_payload_khr>(semaphore->isSignaled() ? 1 : 0);
    case CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR: {
      std::vector<cl_device_id> devices;
      for (const Ref<Device>& device : semaphore->devices())
        devices.push_back(device.get());
      return out.list<cl_device_id>(devices);
    }
    case CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR:
      return out.list<cl_external_semaphore_handle_type_khr>(kExportableSemaphores);
    case CL_SEMAPHORE_EXPORTABLE_KHR: return out.put<cl_bool>(CL_FALSE);
    default: throw Error{CL_INVALID_VALUE, "unknown cl_semaphore_info_khr"};
    }
  });
}

// No semaphore waits for values (payloads), so that lists of these are ignored.
cl_int CL_API_CALL clEnqueueWaitSemaphoresKHR(cl_command_queue rawQueue, cl_uint count, const cl_semaphore_khr* list,
                                              const cl_semaphore_payload_khr*, cl_uint waitCount,
                                              const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    enqueueSemaphores<SemaphoreWait>(CL_COMMAND_SEMAPHORE_WAIT_KHR, rawQueue, count, list, waitCount, waitEvents, out);
  });
}

cl_int CL_API_CALL clEnqueueSignalSemaphoresKHR(cl_command_queue rawQueue, cl_uint count, const cl_semaphore_khr* list,
                                                const cl_semaphore_payload_khr*, cl_uint waitCount,
                                                const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    enqueueSemaphores<SemaphoreSignal>(CL_COMMAND_SEMAPHORE_SIGNAL_KHR, rawQueue, count, list, waitCount, waitEvents,
                                       out);
  });
}

cl_int CL_API_CALL clGetSemaphoreHandleForTypeKHR(cl_semaphore_khr rawSemaphore, cl_device_id rawDevice,
                                                  cl_external_semaphore_handle_type_khr, size_t, void*, size_t*) {
  return call([&] {
    const Ref<Semaphore> semaphore = object(rawSemaphore);
    const Ref<Device> device = object(rawDevice);
    check(semaphore->context().has(*device), CL_INVALID_DEVICE, "not a device of the semaphore's context");
    check(semaphore->isFor(*device), CL_INVALID_DEVICE, "the semaphore is for another device");
    throw Error{CL_INVALID_VALUE, "the semaphore was not made to be exported"};
  });
}

cl_int CL_API_CALL clReImportSemaphoreSyncFdKHR(cl_semaphore_khr rawSemaphore,
                                                cl_semaphore_reimport_properties_khr* properties, int fd) {
  return call([&] {
    const Ref<Semaphore> semaphore = object(rawSemaphore);
    check(semaphore->isImported(), CL_INVALID_SEMAPHORE_KHR, "the semaphore was not made of a sync file");
    check(!properties || *properties == 0, CL_INVALID_PROPERTY, "there are no properties of imports");
    check(fd == -1 || isSyncFile(fd), CL_INVALID_VALUE, "not the descriptor of a sync file");
    semaphore->import(fd);
  });
}

} // namespace clotho::api
