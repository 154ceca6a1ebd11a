// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/parse.hpp"

namespace clotho::api {

namespace {

std::vector<cl_context_properties> contextProperties(const cl_context_properties* raw) {
  for (const cl_context_properties* p = raw; p && *p; p += 2) {
    for (const cl_context_properties* earlier = raw; earlier != p; earlier += 2)
      check(*earlier != *p, CL_INVALID_PROPERTY, "a context property given twice");
    switch (*p) {
    case CL_CONTEXT_PLATFORM:
      object(reinterpret_cast<cl_platform_id>(p[1])); // NOLINT(performance-no-int-to-ptr): the API's own way
      break;
    case CL_CONTEXT_INTEROP_USER_SYNC:
      check(p[1] == CL_TRUE || p[1] == CL_FALSE, CL_INVALID_PROPERTY, "CL_CONTEXT_INTEROP_USER_SYNC is not a boolean");
      break;
    case CL_CONTEXT_MEMORY_INITIALIZE_KHR:
      check((p[1] & ~(Context::kInitializeLocal | Context::kInitializePrivate)) == 0, CL_INVALID_PROPERTY,
            "CL_CONTEXT_MEMORY_INITIALIZE_KHR has bits that mean nothing");
      break;
    default: throw Error{CL_INVALID_PROPERTY, "unknown context property"};
    }
  }
  return propertyList(raw);
}

Ref<Context> makeContext(std::vector<Ref<Device>> devices, std::vector<cl_context_properties> properties,
                         Context::ErrorCallback onError, void* userData) {
  for (const Ref<Device>& device : devices)
    check(device->isAvailable(), CL_DEVICE_NOT_AVAILABLE, "a device is lost");
  Ref<Context> context = make<Context>(std::move(devices), std::move(properties), onError, userData);
  check(context->initializedMemory() == 0 || allClaim(*context, claims::rowOf("cl_khr_initialize_memory")),
        CL_INVALID_PROPERTY, "a device does not initialise memory");
  return context;
}

} // namespace

cl_context CL_API_CALL clCreateContext(const cl_context_properties* properties, cl_uint count, const cl_device_id* list,
                                       Context::ErrorCallback onError, void* userData, cl_int* status) {
  return create(status, [&] {
    std::vector<cl_context_properties> parsed = contextProperties(properties);
    check(list && count > 0, CL_INVALID_VALUE, "no devices");
    check(onError || !userData, CL_INVALID_VALUE, "user data without a callback");
    return handOut(makeContext(devicesIn({list, count}), std::move(parsed), onError, userData));
  });
}

cl_context CL_API_CALL clCreateContextFromType(const cl_context_properties* properties, cl_device_type type,
                                               Context::ErrorCallback onError, void* userData, cl_int* status) {
  return create(status, [&] {
    std::vector<cl_context_properties> parsed = contextProperties(properties);
    check(onError || !userData, CL_INVALID_VALUE, "user data without a callback");
    std::vector<Ref<Device>> devices;
    for (cl_device_id device : devicesOfType(Process::get().platform(), type))
      if (Ref<Device> found = object(device); found->isAvailable()) devices.push_back(std::move(found));
    check(!devices.empty(), CL_DEVICE_NOT_AVAILABLE, "all devices of the type are lost");
    return handOut(makeContext(std::move(devices), std::move(parsed), onError, userData));
  });
}

cl_int CL_API_CALL clRetainContext(cl_context rawContext) {
  return call([&] { retain(rawContext); });
}

cl_int CL_API_CALL clReleaseContext(cl_context rawContext) {
  return call([&] { release(rawContext); });
}

cl_int CL_API_CALL clGetContextInfo(cl_context rawContext, cl_context_info name, size_t size, void* value,
                                    size_t* sizeReturned) {
  return call([&] {
    const Ref<Context> context = object(rawContext);
    InfoSink out(size, value, sizeReturned);
    switch (name) {
    case CL_CONTEXT_REFERENCE_COUNT: return out.put<cl_uint>(context->apiRefs());
    case CL_CONTEXT_NUM_DEVICES: return out.put<cl_uint>(static_cast<cl_uint>(context->devices().size()));
    case CL_CONTEXT_DEVICES: {
      std::vector<cl_device_id> devices;
      for (const Ref<Device>& device : context->devices())
        devices.push_back(device.get());
      return out.list<cl_device_id>(devices);
    }
    case CL_CONTEXT_PROPERTIES: return out.list<cl_context_properties>(context->properties());
    default: throw Error{CL_INVALID_VALUE, "unknown cl_context_info"};
    }
  });
}

cl_int CL_API_CALL clSetContextDestructorCallback(cl_context rawContext, Context::DestructorCallback function,
                                                  void* userData) {
  return call([&] {
    const Ref<Context> context = object(rawContext);
    check(function, CL_INVALID_VALUE, "no callback");
    context->addDestructorCallback(function, userData);
  });
}

} // namespace clotho::api
