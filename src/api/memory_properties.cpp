// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/memory_properties.hpp"

#include "api/external_handles.hpp"
#include "api/parse.hpp"

#include <set>

namespace clotho::api {

namespace {

using Property = cl_mem_properties;

/// Behind the terminator of the list that is a property's value.
const Property* parseDevices(const Context& context, const Property* p, std::vector<Ref<Device>>& devices) {
  for (; *p != CL_MEM_DEVICE_HANDLE_LIST_END_KHR; ++p) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the interface has pointers among its numbers
    devices.push_back(object(reinterpret_cast<cl_device_id>(static_cast<std::uintptr_t>(*p))));
    check(context.has(*devices.back()), CL_INVALID_DEVICE, "not a device of the context");
  }
  check(!devices.empty(), CL_INVALID_DEVICE, "a list without devices");
  return p + 1;
}

ExternalImport parseHandle(ExternalImport::Sort sort, Property value) {
  const std::optional<int> fd = descriptorIn(value);
  ExternalImport import{sort, fd.value_or(-1), {}};
  check(import.fd >= 0 && import.size().has_value(), CL_INVALID_PROPERTY, "not a descriptor of memory of this type");
  return import;
}

MemoryProperties parse(const Context& context, const Property* properties, bool isImage) {
  MemoryProperties parsed;
  if (!properties) return parsed;
  std::set<Property> seen;
  std::vector<Ref<Device>> devices;
  const Property* p = properties;
  while (*p) {
    // Before anything behind it is read.
    check(seen.insert(*p).second, CL_INVALID_PROPERTY, "a property of a memory object twice");
    const Property name = *p++;
    switch (name) {
    case CL_MEM_DEVICE_HANDLE_LIST_KHR: p = parseDevices(context, p, devices); continue;
    case CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR:
    case CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR:
      check(!parsed.external, CL_INVALID_PROPERTY, "more than one handle of external memory");
      parsed.external = parseHandle(name == CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR ? ExternalImport::Sort::DmaBuf
                                                                                  : ExternalImport::Sort::File,
                                    *p);
      break;
    case CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT:
      check(!isImage, CL_INVALID_PROPERTY, "a property of buffers");
      check(*p == CL_FALSE || allClaim(context, claims::rowOf("cl_ext_buffer_device_address")), CL_INVALID_DEVICE,
            "a device of the context gives no addresses of buffers");
      check(*p == CL_TRUE || *p == CL_FALSE, CL_INVALID_PROPERTY, "CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT is not a boolean");
      break;
    default: throw Error{CL_INVALID_PROPERTY, "unknown property of a memory object"};
    }
    ++p;
  }
  check(devices.empty() || parsed.external, CL_INVALID_PROPERTY,
        "CL_MEM_DEVICE_HANDLE_LIST_KHR without a handle of external memory");
  if (devices.empty()) devices = context.devices();
  for (const Ref<Device>& device : devices)
    check(!parsed.external || device->claims().has(claims::rowOf("cl_khr_external_memory")), CL_INVALID_DEVICE,
          "a device takes no external memory");
  if (parsed.external) parsed.external->devices = std::move(devices);
  parsed.list.assign(properties, p + 1);
  return parsed;
}

/// Whether a kernel or the host may write an object with these flags.
bool isWritable(cl_mem_flags flags) {
  if (flags & CL_MEM_IMMUTABLE_EXT) return false;
  return !(flags & CL_MEM_READ_ONLY) || !(flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS));
}

} // namespace

MemoryProperties parseBufferProperties(const Context& context, const Property* properties) {
  return parse(context, properties, false);
}

MemoryProperties parseImageProperties(const Context& context, const Property* properties) {
  return parse(context, properties, true);
}

void checkExternal(cl_mem_flags flags, const void* hostPointer) {
  check(!(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)), CL_INVALID_VALUE,
        "flags for host memory beside external memory");
  check(!hostPointer, CL_INVALID_HOST_PTR, "a host pointer beside external memory");
}

std::unique_ptr<ExternalMemory> mapExternal(const ExternalImport& import, cl_mem_flags flags, std::size_t size,
                                            cl_int tooLarge) {
  check(size <= import.size().value_or(0), tooLarge, "the external memory has fewer bytes");
  auto memory = std::make_unique<ExternalMemory>(import, size, isWritable(flags));
  // Once more: another program may have cut it before that was forbidden.
  check(size <= import.size().value_or(0), tooLarge, "the external memory has fewer bytes");
  return memory;
}

} // namespace clotho::api
