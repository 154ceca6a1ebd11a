// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/parse.hpp"

#include <algorithm>
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

void checkProperties(cl_command_queue_properties properties) {
  check(!(properties & ~kKnownProperties), CL_INVALID_VALUE, "unknown queue property");
  bool onDevice = properties & CL_QUEUE_ON_DEVICE;
  check(!onDevice || (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), CL_INVALID_VALUE,
        "a queue on the device must be out of order");
  check(onDevice || !(properties & CL_QUEUE_ON_DEVICE_DEFAULT), CL_INVALID_VALUE,
        "only a queue on the device can be its default");
  check(!onDevice, CL_INVALID_QUEUE_PROPERTIES, "the device has no queues of its own");
}

} // namespace

cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context rawContext, cl_device_id rawDevice,
                                                  cl_command_queue_properties properties, cl_int* status) {
  return create(status, [&] {
    const Ref<Context> context = object(rawContext);
    Device& device = deviceOf(*context, rawDevice);
    // Queues on devices came with the function that takes a list, so here their bits are no more than unsupported.
    check(!(properties & ~kKnownProperties), CL_INVALID_VALUE, "unknown queue property");
    check(!(properties & ~kHostProperties), CL_INVALID_QUEUE_PROPERTIES, "the device has no queues of its own");
    return handOut(make<Queue>(*context, device, properties, std::vector<cl_queue_properties>()));
  });
}

cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(cl_context rawContext, cl_device_id rawDevice,
                                                                const cl_queue_properties* list, cl_int* status) {
  return create(status, [&] {
    const Ref<Context> context = object(rawContext);
    Device& device = deviceOf(*context, rawDevice);
    cl_command_queue_properties properties = 0;
    constexpr std::array<cl_queue_properties, 4> kNames = {CL_QUEUE_PROPERTIES, CL_QUEUE_SIZE, CL_QUEUE_PRIORITY_KHR,
                                                           CL_QUEUE_THROTTLE_KHR};
    std::array<bool, kNames.size()> seen{};
    for (const cl_queue_properties* p = list; p && *p; p += 2) {
      const auto* name = std::find(kNames.begin(), kNames.end(), *p);
      check(name != kNames.end(), CL_INVALID_VALUE, "unknown queue property");
      check(!std::exchange(seen[static_cast<std::size_t>(name - kNames.begin())], true), CL_INVALID_VALUE,
            "a queue property given twice");
      if (*p == CL_QUEUE_PROPERTIES) properties = p[1];
      if (*p == CL_QUEUE_PRIORITY_KHR) check(isLevel(p[1]), CL_INVALID_VALUE, "not a priority");
      if (*p == CL_QUEUE_THROTTLE_KHR) check(isLevel(p[1]), CL_INVALID_VALUE, "not a degree of throttling");
    }
    checkProperties(properties);
    check(!seen[1], CL_INVALID_VALUE, "CL_QUEUE_SIZE is for queues on the device");
    return handOut(make<Queue>(*context, device, properties, propertyList(list)));
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
    const Ref<Queue> queue = object(rawQueue);
    InfoSink out(size, value, sizeReturned);
    switch (name) {
    case CL_QUEUE_CONTEXT: return out.put<cl_context>(&queue->context());
    case CL_QUEUE_DEVICE: return out.put<cl_device_id>(&queue->device());
    case CL_QUEUE_REFERENCE_COUNT: return out.put<cl_uint>(queue->apiRefs());
    case CL_QUEUE_PROPERTIES: return out.put<cl_command_queue_properties>(queue->properties());
    case CL_QUEUE_PROPERTIES_ARRAY: checkFollows30(); return out.list<cl_queue_properties>(queue->propertyList());
    case CL_QUEUE_DEVICE_DEFAULT: return out.put<cl_command_queue>(nullptr);
    case CL_QUEUE_SIZE: throw Error{CL_INVALID_COMMAND_QUEUE, "only a queue on the device has a size"};
    default: throw Error{CL_INVALID_VALUE, "unknown cl_command_queue_info"};
    }
  });
}

// Deprecated since 1.1, and an error on devices of a later version (OpenCL 3.0, section 5.1).
cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue rawQueue, cl_command_queue_properties, cl_bool,
                                             cl_command_queue_properties*) {
  return call([&] {
    checkHandle(rawQueue);
    throw Error{CL_INVALID_OPERATION, "the properties of a queue are fixed"};
  });
}

cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context rawContext, cl_device_id rawDevice, cl_command_queue) {
  return call([&] {
    deviceOf(*object(rawContext), rawDevice);
    throw Error{CL_INVALID_OPERATION, "the device has no queues of its own"};
  });
}

cl_int CL_API_CALL clFlush(cl_command_queue rawQueue) {
  return call([&] { checkHandle(rawQueue); });
}

cl_int CL_API_CALL clFinish(cl_command_queue rawQueue) {
  return call([&] { object(rawQueue)->finish(); });
}

} // namespace clotho::api
