// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/parse.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace clotho::api {

namespace {

constexpr cl_command_queue_properties kHostProperties =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
constexpr cl_command_queue_properties kKnownProperties =
    kHostProperties | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;

/// The levels of cl_khr_priority_hints and cl_khr_throttle_hints. They are hints, and change nothing: workers take
/// commands as they become ready.
bool isLevel(cl_queue_properties value) {
  static_assert(CL_QUEUE_PRIORITY_HIGH_KHR == CL_QUEUE_THROTTLE_HIGH_KHR &&
                CL_QUEUE_PRIORITY_MED_KHR == CL_QUEUE_THROTTLE_MED_KHR &&
                CL_QUEUE_PRIORITY_LOW_KHR == CL_QUEUE_THROTTLE_LOW_KHR);
  return value == CL_QUEUE_PRIORITY_HIGH_KHR || value == CL_QUEUE_PRIORITY_MED_KHR ||
         value == CL_QUEUE_PRIORITY_LOW_KHR;
}

Device& deviceOf(const Context& context, cl_device_id rawDevice) {
  const Ref<Device> device = object(rawDevice);
  check(context.has(*device), CL_INVALID_DEVICE, "the device does not belong to the context");
  return *device; // which the context keeps
}

/// The specification has the code for contexts. It is the best one for queues, too: no command could succeed.
void checkIsAvailable(const Device& device) {
  check(device.isAvailable(), CL_DEVICE_NOT_AVAILABLE, "the device is lost");
}

constexpr const char* kNoDeviceQueues = "the device has no queues of its own";

void checkHostProperties(const Device& device, cl_command_queue_properties properties) {
  check(!(properties & ~device.properties().queueProperties), CL_INVALID_QUEUE_PROPERTIES,
        "not among CL_DEVICE_QUEUE_ON_HOST_PROPERTIES");
}

/// The values of a list of properties; of what it does not say, nothing or zero.
struct QueueWishes {
  cl_command_queue_properties properties = 0;
  std::optional<cl_queue_properties> bytes;
  bool hasHints = false; ///< a priority or a degree of throttling
};

QueueWishes parseWishes(const cl_queue_properties* list) {
  constexpr std::array<cl_queue_properties, 4> kNames = {CL_QUEUE_PROPERTIES, CL_QUEUE_SIZE, CL_QUEUE_PRIORITY_KHR,
                                                         CL_QUEUE_THROTTLE_KHR};
  std::array<bool, kNames.size()> seen{};
  QueueWishes wishes;
  for (const cl_queue_properties* p = list; p && *p; p += 2) {
    const auto* name = std::find(kNames.begin(), kNames.end(), *p);
    check(name != kNames.end(), CL_INVALID_VALUE, "unknown queue property");
    check(!std::exchange(seen[static_cast<std::size_t>(name - kNames.begin())], true), CL_INVALID_VALUE,
          "a queue property given twice");
    switch (*p) {
    case CL_QUEUE_PROPERTIES: wishes.properties = p[1]; break;
    case CL_QUEUE_SIZE: wishes.bytes = p[1]; break;
    default: check(isLevel(p[1]), CL_INVALID_VALUE, "not a priority or degree of throttling"); wishes.hasHints = true;
    }
  }
  check(!(wishes.properties & ~kKnownProperties), CL_INVALID_VALUE, "unknown queue property");
  const bool isOnDevice = wishes.properties & CL_QUEUE_ON_DEVICE;
  check(!isOnDevice || (wishes.properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), CL_INVALID_VALUE,
        "a queue on the device must be out of order");
  check(isOnDevice || !(wishes.properties & CL_QUEUE_ON_DEVICE_DEFAULT), CL_INVALID_VALUE,
        "only a queue on the device can be its default");
  check(isOnDevice || !wishes.bytes, CL_INVALID_VALUE, "CL_QUEUE_SIZE is for queues on the device");
  return wishes;
}

/// Makes a queue on the device. The default queue is made once: calls that ask for it again get another reference to
/// it.
cl_command_queue giveDeviceQueue(Context& context, Device& device, const QueueWishes& wishes,
                                 const cl_queue_properties* list) {
  check(device.deviceEnqueue(), CL_INVALID_QUEUE_PROPERTIES, kNoDeviceQueues);
  check(!wishes.hasHints, CL_INVALID_QUEUE_PROPERTIES, "priorities and throttling are for queues of the host");
  const OnDeviceQueueLimits& limits = device.properties().onDeviceQueues;
  const cl_queue_properties bytes = wishes.bytes.value_or(limits.preferredBytes);
  check(bytes <= limits.maxBytes, CL_INVALID_VALUE, "more than CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE");
  DeviceCommandQueue::Traits traits{wishes.properties, static_cast<cl_uint>(bytes), propertyList(list)};
  const Ref<DeviceCommandQueue> queue = wishes.properties & CL_QUEUE_ON_DEVICE_DEFAULT
                                            ? context.deviceQueues().defaultOrNew(context, device, std::move(traits))
                                            : make<DeviceCommandQueue>(context, device, std::move(traits));
  queue->apiRetain(CL_OUT_OF_RESOURCES); // not handOut(): another thread may have it already
  return queue.get();
}

cl_uint bytesOf(const Queue&) { throw Error{CL_INVALID_COMMAND_QUEUE, "only a queue on the device has a size"}; }
cl_uint bytesOf(const DeviceCommandQueue& queue) { return queue.bytes(); }

template <class EitherQueue> void queueInfo(const EitherQueue& queue, cl_command_queue_info name, InfoSink& out) {
  switch (name) {
  case CL_QUEUE_CONTEXT: return out.put<cl_context>(&queue.context());
  case CL_QUEUE_DEVICE: return out.put<cl_device_id>(&queue.device());
  case CL_QUEUE_REFERENCE_COUNT: return out.put<cl_uint>(queue.apiRefs());
  case CL_QUEUE_PROPERTIES: return out.put<cl_command_queue_properties>(queue.properties());
  case CL_QUEUE_PROPERTIES_ARRAY: checkFollows30(); return out.list<cl_queue_properties>(queue.propertyList());
  case CL_QUEUE_DEVICE_DEFAULT:
    return out.put<cl_command_queue>(queue.context().deviceQueues().defaultOf(queue.device()).get());
  case CL_QUEUE_SIZE: return out.put<cl_uint>(bytesOf(queue));
  default: throw Error{CL_INVALID_VALUE, "unknown cl_command_queue_info"};
  }
}

} // namespace

cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context rawContext, cl_device_id rawDevice,
                                                  cl_command_queue_properties properties, cl_int* status) {
  return create(status, [&] {
    const Ref<Context> context = object(rawContext);
    Device& device = deviceOf(*context, rawDevice);
    checkIsAvailable(device);
    // Queues on devices came with the function that takes a list, so here their bits are no more than unsupported.
    check(!(properties & ~kKnownProperties), CL_INVALID_VALUE, "unknown queue property");
    check(!(properties & ~kHostProperties), CL_INVALID_QUEUE_PROPERTIES, "a queue on the device needs a list");
    checkHostProperties(device, properties);
    return handOut(make<Queue>(*context, device, properties, std::vector<cl_queue_properties>()));
  });
}

cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(cl_context rawContext, cl_device_id rawDevice,
                                                                const cl_queue_properties* list, cl_int* status) {
  return create(status, [&] {
    const Ref<Context> context = object(rawContext);
    Device& device = deviceOf(*context, rawDevice);
    checkIsAvailable(device);
    const QueueWishes wishes = parseWishes(list);
    if (wishes.properties & CL_QUEUE_ON_DEVICE) return giveDeviceQueue(*context, device, wishes, list);
    checkHostProperties(device, wishes.properties);
    return handOut(make<Queue>(*context, device, wishes.properties, propertyList(list)));
  });
}

cl_command_queue CL_API_CALL clCreateCommandQueueWithPropertiesKHR(cl_context rawContext, cl_device_id rawDevice,
                                                                   const cl_queue_properties_khr* list,
                                                                   cl_int* status) {
  return api::clCreateCommandQueueWithProperties(rawContext, rawDevice, list, status);
}

cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue rawQueue) {
  return call([&] { retain(rawQueue); });
}

// Commands are submitted as they are enqueued, so the flush that a release implies has nothing left to do.
cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue rawQueue) {
  return call([&] { release(rawQueue); });
}

cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue rawQueue, cl_command_queue_info name, size_t size,
                                         void* value, size_t* sizeReturned) {
  return call([&] {
    const AnyQueue queue = anyQueue(rawQueue);
    InfoSink out(size, value, sizeReturned);
    std::visit([&](const auto& either) { queueInfo(*either, name, out); }, queue);
  });
}

// Deprecated since 1.1, and an error on devices of a later version (OpenCL 3.0, section 5.1).
cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue rawQueue, cl_command_queue_properties, cl_bool,
                                             cl_command_queue_properties*) {
  return call([&] {
    static_cast<void>(anyQueue(rawQueue));
    throw Error{CL_INVALID_OPERATION, "the properties of a queue are fixed"};
  });
}

// Launches that have been enqueued keep the default queue of that moment.
cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context rawContext, cl_device_id rawDevice,
                                                  cl_command_queue rawQueue) {
  return call([&] {
    const Ref<Context> context = object(rawContext);
    Device& device = deviceOf(*context, rawDevice);
    check(device.deviceEnqueue(), CL_INVALID_OPERATION, kNoDeviceQueues);
    const Ref<DeviceCommandQueue> queue =
        deviceQueue(rawQueue, {CL_INVALID_COMMAND_QUEUE, "not a queue on the device"});
    check(&queue->context() == context.get() && &queue->device() == &device, CL_INVALID_COMMAND_QUEUE,
          "a queue of another context, or on another device");
    context->deviceQueues().setDefault(*queue);
  });
}

cl_int CL_API_CALL clFlush(cl_command_queue rawQueue) {
  return call([&] { checkHandle(rawQueue); });
}

cl_int CL_API_CALL clFinish(cl_command_queue rawQueue) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    queue->finish();
    // Programs that ask no event for its status learn it here.
    check(queue->device().isAvailable(), CL_OUT_OF_RESOURCES, "the device is lost");
  });
}

} // namespace clotho::api
