// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of shared virtual memory (cl_khr_unified_svm, 0.9, which is provisional). Of its text there are the names and
// what the working group has published of it: where that leaves an error open, the closest of the core is taken.
#include "api/shared_memory.hpp"
#include "api/svm_types.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace clotho::api {

namespace {

using Capabilities = cl_svm_capabilities_khr;
using Kind = SharedTraits::Kind;

constexpr Capabilities kDeviceAccess =
    CL_SVM_CAPABILITY_DEVICE_READ_KHR | CL_SVM_CAPABILITY_DEVICE_WRITE_KHR | CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR;
constexpr Capabilities kHostAccess = CL_SVM_CAPABILITY_HOST_READ_KHR | CL_SVM_CAPABILITY_HOST_WRITE_KHR;
constexpr Capabilities kAnywhere = CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR | CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR;
constexpr Capabilities kConcurrent =
    CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR | CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR;

/// A type: how allocations of it are made, and what devices can do with it that share it with the host at any time, or
/// only while they run a command.
struct Type {
  Kind kind;
  Capabilities near, far;
};

constexpr Capabilities kSingle = CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR | kDeviceAccess;
constexpr Capabilities kIndirect = CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR;
constexpr Capabilities kCoarse = kSingle | kAnywhere | CL_SVM_CAPABILITY_HOST_MAP_KHR;
constexpr Capabilities kOfDevice = kSingle | kIndirect | CL_SVM_CAPABILITY_DEVICE_OWNED_KHR;
constexpr Capabilities kOfHost = kSingle | kIndirect | kAnywhere | kHostAccess | CL_SVM_CAPABILITY_HOST_OWNED_KHR;
constexpr Capabilities kOfBoth = kSingle | kIndirect | kAnywhere | kHostAccess;
constexpr Type kTypes[kSvmTypes] = {
    {Kind::CoarseGrain, kCoarse, kCoarse},
    {Kind::FineGrain, kCoarse | kHostAccess | kConcurrent, 0},
    {Kind::Device, kOfDevice, kOfDevice},
    {Kind::Host, kOfHost | kConcurrent, kOfHost},
    {Kind::Shared, kOfBoth | kConcurrent, kOfBoth},
    {Kind::Shared, kCoarse | kHostAccess | kConcurrent | kIndirect | CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR, 0},
};

cl_uint typeOf(const SharedAllocation& allocation) {
  const auto* found = std::find_if(std::begin(kTypes), std::end(kTypes),
                                   [&](const Type& type) { return type.kind == allocation.traits.kind; });
  return static_cast<cl_uint>(found - std::begin(kTypes));
}

/// The values of a property list.
struct Wishes {
  Ref<Device> device{};
  cl_svm_alloc_access_flags_khr access = 0;
  size_t alignment = 0;
};

Wishes wishesIn(const Context& context, const cl_svm_alloc_properties_khr* properties) {
  constexpr cl_svm_alloc_access_flags_khr kKnown =
      CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR | CL_SVM_ALLOC_ACCESS_HOST_NOWRITE_KHR |
      CL_SVM_ALLOC_ACCESS_DEVICE_NOREAD_KHR | CL_SVM_ALLOC_ACCESS_DEVICE_NOWRITE_KHR;
  Wishes wishes;
  for (const cl_svm_alloc_properties_khr* p = properties; p && *p; p += 2) {
    for (const cl_svm_alloc_properties_khr* earlier = properties; earlier != p; earlier += 2)
      check(*earlier != *p, CL_INVALID_PROPERTY, "a property given twice");
    switch (*p) {
    case CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR:
      wishes.device =
          object(reinterpret_cast<cl_device_id>(p[1])); // NOLINT(performance-no-int-to-ptr): a list of numbers
      check(context.has(*wishes.device), CL_INVALID_DEVICE, "the device does not belong to the context");
      break;
    case CL_SVM_ALLOC_ACCESS_FLAGS_KHR:
      wishes.access = p[1];
      check(!(wishes.access & ~kKnown), CL_INVALID_PROPERTY, "unknown access flag");
      break;
    case CL_SVM_ALLOC_ALIGNMENT_KHR:
      wishes.alignment = p[1];
      check(isAlignment(wishes.alignment, SharedMemory::kMostAligned), CL_INVALID_PROPERTY,
            "an alignment that is no power of two up to 64 KiB");
      break;
    default: throw Error{CL_INVALID_PROPERTY, "unknown property of allocations"};
    }
  }
  return wishes;
}

/// Capabilities for each type: of a device, or of some device of the context.
std::vector<Capabilities> capabilitiesFor(const Context& context, const Device* device) {
  if (device) return svmTypesOf(*device);
  std::vector<Capabilities> any(kSvmTypes, 0);
  for (const Ref<Device>& each : context.devices()) {
    const std::vector<Capabilities> own = svmTypesOf(*each);
    for (cl_uint i = 0; i < kSvmTypes; ++i)
      any[i] |= own[i];
  }
  return any;
}

void* allocate(Context& context, const cl_svm_alloc_properties_khr* properties, cl_uint type, size_t size) {
  check(type < kSystemSvmType, CL_INVALID_VALUE, "not the index of a type that can be allocated");
  Wishes wishes = wishesIn(context, properties);
  const Capabilities can = capabilitiesFor(context, wishes.device.get())[type];
  check(can != 0, CL_INVALID_OPERATION, "the device does not have this type");
  check(wishes.device || (can & CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR), CL_INVALID_PROPERTY,
        "the type needs a device with which the allocation is associated");
  // Memory that every device of a context is to reach, every one of them has to be able to reach.
  const auto& devices = context.devices();
  check(!(can & CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR) ||
            std::all_of(devices.begin(), devices.end(),
                        [&](const Ref<Device>& device) { return svmTypesOf(*device)[type] != 0; }),
        CL_INVALID_OPERATION, "a device of the context does not have this type");
  const bool fits =
      wishes.device ? size > 0 && size <= wishes.device->properties().maxAllocationSize : fitsAllDevices(context, size);
  check(fits, CL_INVALID_BUFFER_SIZE, "zero, or more than CL_DEVICE_MAX_MEM_ALLOC_SIZE");
  SharedTraits traits;
  traits.kind = kTypes[type].kind;
  traits.access = wishes.access;
  traits.device = std::move(wishes.device);
  traits.properties = propertyList(properties);
  return allocateShared(context, size, wishes.alignment, std::move(traits));
}

} // namespace

std::vector<Capabilities> svmTypesOf(const Device& device) {
  const DeviceProperties& properties = device.properties();
  const auto has = [&](cl_device_svm_capabilities which) { return (properties.svmCapabilities & which) != 0; };
  // Without atomic operations that hold between host and device.
  const Capabilities none = has(CL_DEVICE_SVM_ATOMICS) ? 0 : CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR;
  const auto isThere = [&](const Type& type) {
    if (type.near & CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR) return has(CL_DEVICE_SVM_FINE_GRAIN_SYSTEM);
    switch (type.kind) {
    case Kind::CoarseGrain: return has(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
    case Kind::FineGrain: return has(CL_DEVICE_SVM_FINE_GRAIN_BUFFER);
    case Kind::Device: return properties.unifiedMemory.device != 0;
    case Kind::Host: return properties.unifiedMemory.host != 0;
    case Kind::Shared: return properties.unifiedMemory.sharedCross != 0;
    }
    return false;
  };
  std::vector<Capabilities> types;
  for (const Type& type : kTypes)
    types.push_back(!isThere(type) ? 0 : has(CL_DEVICE_SVM_FINE_GRAIN_BUFFER) ? type.near & ~none : type.far);
  return types;
}

std::vector<Capabilities> commonSvmTypes(std::span<const Ref<Device>> devices) {
  std::vector<Capabilities> common(kSvmTypes, 0);
  for (const Ref<Device>& device : devices) {
    const std::vector<Capabilities> own = svmTypesOf(*device);
    for (cl_uint i = 0; i < kSvmTypes; ++i)
      if (own[i] != 0) common[i] = common[i] == 0 ? own[i] : common[i] & own[i];
  }
  return common;
}

void* CL_API_CALL clSVMAllocWithPropertiesKHR(cl_context rawContext, const cl_svm_alloc_properties_khr* properties,
                                              cl_uint type, size_t size, cl_int* status) {
  return create(status, [&] { return allocate(*object(rawContext), properties, type, size); });
}

cl_int CL_API_CALL clSVMFreeWithPropertiesKHR(cl_context rawContext, const cl_svm_free_properties_khr* properties,
                                              cl_svm_free_flags_khr flags, void* pointer) {
  return call([&] {
    const Ref<Context> context = object(rawContext);
    check(!properties || *properties == 0, CL_INVALID_PROPERTY, "no properties are defined");
    check(flags == 0, CL_INVALID_VALUE, "no flags are defined");
    check(!pointer || context->sharedMemory().free(pointer), CL_INVALID_VALUE, "not the address of an allocation");
  });
}

cl_int CL_API_CALL clGetSVMPointerInfoKHR(cl_context rawContext, cl_device_id rawDevice, const void* pointer,
                                          cl_svm_pointer_info_khr name, size_t size, void* value,
                                          size_t* sizeReturned) {
  return call([&] {
    const Ref<Context> context = object(rawContext);
    const Ref<Device> device = rawDevice ? object(rawDevice) : Ref<Device>();
    check(!device || context->has(*device), CL_INVALID_DEVICE, "the device does not belong to the context");
    const std::optional<SharedAllocation> allocation = context->sharedMemory().find(pointer);
    constexpr cl_uint kNone = std::numeric_limits<cl_uint>::max();
    const cl_uint type = allocation ? typeOf(*allocation) : kNone;
    InfoSink out(size, value, sizeReturned);
    switch (name) {
    case CL_SVM_INFO_TYPE_INDEX_KHR: return out.put<cl_uint>(type);
    case CL_SVM_INFO_CAPABILITIES_KHR: {
      if (type == kNone) return out.put<Capabilities>(0);
      return out.put<Capabilities>(device ? svmTypesOf(*device)[type] : commonSvmTypes(context->devices())[type]);
    }
    case CL_SVM_INFO_PROPERTIES_KHR:
      if (!allocation) return out.list<cl_svm_alloc_properties_khr>({});
      return out.list<cl_svm_alloc_properties_khr>(allocation->traits.properties);
    case CL_SVM_INFO_ACCESS_FLAGS_KHR:
      return out.put<cl_svm_alloc_access_flags_khr>(allocation ? allocation->traits.access : 0);
    case CL_SVM_INFO_BASE_PTR_KHR: return out.put<void*>(allocation ? allocation->begin : nullptr);
    case CL_SVM_INFO_SIZE_KHR: return out.put<size_t>(allocation ? allocation->size : 0);
    case CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR:
      return out.put<cl_device_id>(allocation ? allocation->traits.device.get() : nullptr);
    default: throw Error{CL_INVALID_VALUE, "unknown cl_svm_pointer_info_khr"};
    }
  });
}

// The type that has all that is required and, of these, most of what is desired; the earlier of equal ones.
cl_int CL_API_CALL clGetSVMSuggestedTypeIndexKHR(cl_context rawContext, cl_svm_capabilities_khr required,
                                                 cl_svm_capabilities_khr desired,
                                                 const cl_svm_alloc_properties_khr* properties, size_t,
                                                 cl_uint* suggested) {
  return call([&] {
    const Ref<Context> context = object(rawContext);
    const Wishes wishes = wishesIn(*context, properties);
    check(suggested, CL_INVALID_VALUE, "nowhere to put the answer");
    const std::vector<Capabilities> can = capabilitiesFor(*context, wishes.device.get());
    cl_uint best = std::numeric_limits<cl_uint>::max();
    int most = -1;
    for (cl_uint i = 0; i < kSvmTypes; ++i) {
      const int count = std::popcount(can[i] & desired);
      if (can[i] == 0 || (can[i] & required) != required || count <= most) continue;
      best = i;
      most = count;
    }
    *suggested = best;
  });
}

} // namespace clotho::api
