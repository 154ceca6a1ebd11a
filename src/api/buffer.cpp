// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creation of buffers and sub-buffers, and what memory objects have in common.
#include "api/memory_flags.hpp"
#include "api/memory_properties.hpp"
#include "api/parse.hpp"

#include <algorithm>

namespace clotho::api {

namespace {

/// One for each device of the context, in their order.
std::vector<cl_mem_device_address_ext> deviceAddresses(const MemoryObject& memory) {
  check(memory.hasDeviceAddress(), CL_INVALID_OPERATION, "not made with CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT");
  std::vector<cl_mem_device_address_ext> addresses;
  for (const Ref<Device>& device : memory.context().devices())
    addresses.push_back(
        reinterpret_cast<std::uintptr_t>(memory.addressOn(memory.context().homes().of(device->memory()))));
  return addresses;
}

cl_mem_object_type typeOf(const MemoryObject& memory) {
  if (memory.pipe()) return CL_MEM_OBJECT_PIPE;
  return memory.image() ? memory.image()->type() : CL_MEM_OBJECT_BUFFER;
}

cl_mem createBuffer(Context& context, MemoryProperties properties, cl_mem_flags flags, size_t size, void* hostPointer) {
  const bool isExternal = properties.external.has_value();
  if (isExternal) checkExternal(flags, hostPointer);
  flags = ownFlags(flags, isExternal);
  std::uint64_t largest = 0;
  for (const Ref<Device>& device : context.devices())
    largest = std::max(largest, device->properties().maxAllocationSize);
  check(size > 0 && size <= largest, CL_INVALID_BUFFER_SIZE, "zero, or more than CL_DEVICE_MAX_MEM_ALLOC_SIZE");
  checkHostPointer(flags, hostPointer);
  // Section 5.2.1; OpenCL 3.0 says so of copies, too.
  if (const std::optional<SharedAllocation> shared = context.sharedMemory().find(hostPointer))
    check(size <= shared->roomAt(hostPointer), CL_INVALID_BUFFER_SIZE, "more than the shared memory at that address");
  std::unique_ptr<ExternalMemory> external;
  if (isExternal) external = mapExternal(*properties.external, flags, size, CL_INVALID_BUFFER_SIZE);
  Ref<MemoryObject> buffer =
      make<MemoryObject>(context, flags, size, hostPointer, std::move(properties.list), std::move(external));
  if (isExternal) buffer->takeDescriptor();
  return handOut(std::move(buffer));
}

} // namespace

cl_mem CL_API_CALL clCreateBuffer(cl_context rawContext, cl_mem_flags flags, size_t size, void* hostPointer,
                                  cl_int* status) {
  return create(status, [&] { return createBuffer(*object(rawContext), {}, flags, size, hostPointer); });
}

cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context rawContext, const cl_mem_properties* properties,
                                                cl_mem_flags flags, size_t size, void* hostPointer, cl_int* status) {
  return create(status, [&] {
    const Ref<Context> context = object(rawContext);
    return createBuffer(*context, parseBufferProperties(*context, properties), flags, size, hostPointer);
  });
}

cl_mem CL_API_CALL clCreateSubBuffer(cl_mem rawBuffer, cl_mem_flags flags, cl_buffer_create_type type, const void* info,
                                     cl_int* status) {
  return create(status, [&] {
    const Ref<MemoryObject> buffer = object(rawBuffer);
    check(buffer->isBuffer(), CL_INVALID_MEM_OBJECT, "not a buffer");
    check(!buffer->parent(), CL_INVALID_MEM_OBJECT, "a sub-buffer of a sub-buffer");
    flags = subBufferFlags(*buffer, flags);
    check(type == CL_BUFFER_CREATE_TYPE_REGION, CL_INVALID_VALUE, "unknown cl_buffer_create_type");
    check(info, CL_INVALID_VALUE, "no region");
    cl_buffer_region region = *static_cast<const cl_buffer_region*>(info);
    check(region.size > 0, CL_INVALID_BUFFER_SIZE, "the region is empty");
    check(region.origin < buffer->size() && region.size <= buffer->size() - region.origin, CL_INVALID_VALUE,
          "the region does not lie in the buffer");
    const auto& devices = buffer->context().devices();
    bool fits = std::any_of(devices.begin(), devices.end(), [&](const Ref<Device>& device) {
      return region.origin % device->properties().baseAddressAlignment == 0;
    });
    check(fits, CL_MISALIGNED_SUB_BUFFER_OFFSET, "no device has an alignment that the origin satisfies");
    return handOut(make<MemoryObject>(*buffer, flags, region.origin, region.size));
  });
}

cl_int CL_API_CALL clRetainMemObject(cl_mem rawMemory) {
  return call([&] { retain(rawMemory); });
}

cl_int CL_API_CALL clReleaseMemObject(cl_mem rawMemory) {
  return call([&] { release(rawMemory); });
}

cl_int CL_API_CALL clSetMemObjectDestructorCallback(cl_mem rawMemory, MemoryObject::DestructorCallback function,
                                                    void* userData) {
  return call([&] {
    const Ref<MemoryObject> memory = object(rawMemory);
    check(function, CL_INVALID_VALUE, "no callback");
    memory->addDestructorCallback(function, userData);
  });
}

cl_int CL_API_CALL clGetMemObjectInfo(cl_mem rawMemory, cl_mem_info name, size_t size, void* value,
                                      size_t* sizeReturned) {
  return call([&] {
    const Ref<MemoryObject> memory = object(rawMemory);
    InfoSink out(size, value, sizeReturned);
    switch (name) {
    case CL_MEM_TYPE: return out.put<cl_mem_object_type>(typeOf(*memory));
    case CL_MEM_FLAGS: return out.put<cl_mem_flags>(memory->flags());
    case CL_MEM_SIZE: return out.put<size_t>(memory->size());
    case CL_MEM_HOST_PTR: return out.put<void*>(memory->hostPointer());
    case CL_MEM_MAP_COUNT: return out.put<cl_uint>(memory->mapCount());
    case CL_MEM_REFERENCE_COUNT: return out.put<cl_uint>(memory->apiRefs());
    case CL_MEM_CONTEXT: return out.put<cl_context>(&memory->context());
    case CL_MEM_ASSOCIATED_MEMOBJECT: return out.put<cl_mem>(memory->parent());
    case CL_MEM_OFFSET: return out.put<size_t>(memory->isSubBuffer() ? memory->origin() : 0);
    case CL_MEM_USES_SVM_POINTER: return out.put<cl_bool>(memory->storage().isShared() ? CL_TRUE : CL_FALSE);
    case CL_MEM_DEVICE_ADDRESS_EXT: return out.list<cl_mem_device_address_ext>(deviceAddresses(*memory));
    case CL_MEM_PROPERTIES: checkFollows30(); return out.list<cl_mem_properties>(memory->propertyList());
    default: throw Error{CL_INVALID_VALUE, "unknown cl_mem_info"};
    }
  });
}

} // namespace clotho::api
