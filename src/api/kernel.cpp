// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/kernel_arguments.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace clotho::api {

namespace {

/// A kernel of SPIR-V may say how much memory it takes as an argument (section 5.9.2).
void checkMaxSize(const ArgInfo& arg, size_t size) {
  check(arg.maxBytes == 0 || size <= arg.maxBytes, CL_MAX_SIZE_RESTRICTION_EXCEEDED,
        "more memory than the kernel's MaxByteOffset allows");
}

Ref<MemoryObject> memoryArgument(const Kernel& kernel, cl_mem raw) {
  Ref<MemoryObject> memory = object(raw);
  check(&memory->context() == &kernel.context(), CL_INVALID_CONTEXT,
        "memory object and kernel are of different contexts");
  return memory;
}

/// An image has to be of the argument's very type, and to allow what the argument's qualifier says (section 5.9.2).
/// Every format may be read and written at once.
void checkImageArgument(const ArgInfo& arg, const MemoryObject& memory) {
  const Image* image = memory.image();
  check(image && image->type() == arg.imageType, CL_INVALID_MEM_OBJECT, "not an image of the argument's type");
  const bool isDepth = image->shape().format.image_channel_order == CL_DEPTH;
  check(isDepth == arg.isDepth, CL_INVALID_MEM_OBJECT, "a depth image for another argument, or the other way round");
  const bool reads = arg.access != AccessQualifier::WriteOnly,
             writes = arg.access == AccessQualifier::WriteOnly || arg.access == AccessQualifier::ReadWrite;
  check(!reads || !(memory.flags() & CL_MEM_WRITE_ONLY), CL_INVALID_ARG_VALUE, "kernels only write the image");
  check(!writes || !(memory.flags() & (CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT)), CL_INVALID_ARG_VALUE,
        "kernels only read the image");
}

/// The device that a query means: null is the only one there is.
Device& queriedDevice(const Kernel& kernel, cl_device_id rawDevice) {
  const auto& devices = kernel.context().devices();
  if (!rawDevice) {
    check(devices.size() == 1, CL_INVALID_DEVICE, "the context has more than one device");
    check(kernel.codeFor(*devices.front()), CL_INVALID_DEVICE, "the kernel is not built for the device");
    return *devices.front();
  }
  const Ref<Device> device = object(rawDevice);
  check(kernel.codeFor(*device), CL_INVALID_DEVICE, "the kernel is not built for the device");
  return *device; // which the kernel keeps
}

/// As the kernel was built for the device, which queriedDevice() has answered: builds for several devices may differ.
const DeviceKernel& codeFor(const Kernel& kernel, const Device& device) { return *kernel.codeFor(device); }

/// CL_KERNEL_WORK_GROUP_SIZE: the most work-items that the kernel's own limit allows and whose private data there is
/// memory for, if need be in one work-group at a time. One at least, for applications that divide by it, even where a
/// launch will be refused.
size_t largestWorkGroup(const DeviceKernel& code, const DeviceProperties& properties) {
  const size_t room = code.largestGroup(properties.privateMemorySize, properties.maxWorkGroupSize);
  const auto& largest = code.info().largestLocalSize;
  size_t most = largest[0] != 0 ? 1 : room;
  for (const size_t size : largest)
    if (size != 0) most = std::min(room, most * size);
  return std::max<size_t>(mostOfGroup(code, most), 1);
}

/// Work-items of the local size that a query gives, one to three dimensions of it.
size_t itemsOf(size_t inputSize, const void* input) {
  const size_t dimensions = inputSize / sizeof(size_t);
  check((input && inputSize % sizeof(size_t) == 0 && dimensions >= 1 && dimensions <= 3), CL_INVALID_VALUE,
        "not a local size");
  size_t items = 1;
  for (size_t i = 0; i < dimensions; ++i) {
    const size_t size = static_cast<const size_t*>(input)[i];
    check((size > 0 && size <= SIZE_MAX / items), CL_INVALID_VALUE, "not a local size");
    items *= size;
  }
  return items;
}

/// A local size of that many whole sub-groups, in as many dimensions as there is room for; zeros if there is none.
void localSizeFor(const DeviceKernel& code, const DeviceProperties& properties, size_t count, size_t room,
                  InfoSink& out) {
  const size_t dimensions = room / sizeof(size_t);
  check((dimensions >= 1 && dimensions <= 3), CL_INVALID_VALUE, "room for no local size");
  const size_t each = subGroupSize(code, properties);
  std::array<size_t, 3> size = {0, 0, 0};
  if (count > 0 && count <= largestWorkGroup(code, properties) / each) size = {count * each, 1, 1};
  if (code.info().requiredSubGroups != 0 && count != code.info().requiredSubGroups) size = {0, 0, 0};
  const auto &required = code.info().requiredLocalSize, &largest = code.info().largestLocalSize;
  if (largest[0] != 0 && size[0] > largest[0]) size = {0, 0, 0};
  if (required[0] != 0 && (required[0] != size[0] || required[1] != 1 || required[2] != 1)) size = {0, 0, 0};
  out.list<size_t>(std::span(size).first(dimensions));
}

/// The queries of the core and of cl_khr_subgroups, which have the same numbers.
void subGroupInfo(const Kernel& kernel, cl_device_id rawDevice, cl_kernel_sub_group_info name, size_t inputSize,
                  const void* input, size_t size, void* value, size_t* sizeReturned) {
  const Device& device = queriedDevice(kernel, rawDevice);
  const DeviceProperties& properties = device.properties();
  check(properties.maxSubGroups > 0, CL_INVALID_OPERATION, "the device has no sub-groups");
  const DeviceKernel& code = codeFor(kernel, device);
  const size_t each = subGroupSize(code, properties);
  InfoSink out(size, value, sizeReturned);
  const auto rounded = [&](size_t items) { return items / each + (items % each != 0); };
  switch (name) {
  case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE: itemsOf(inputSize, input); return out.put<size_t>(each);
  case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE: return out.put<size_t>(rounded(itemsOf(inputSize, input)));
  case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT:
    check((input && inputSize == sizeof(size_t)), CL_INVALID_VALUE, "not a number of sub-groups");
    return localSizeFor(code, properties, *static_cast<const size_t*>(input), value ? size : 3 * sizeof(size_t), out);
  case CL_KERNEL_MAX_NUM_SUB_GROUPS: return out.put<size_t>(rounded(largestWorkGroup(code, properties)));
  case CL_KERNEL_COMPILE_NUM_SUB_GROUPS: return out.put<size_t>(code.info().requiredSubGroups);
  case CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL: return out.put<size_t>(code.info().requiredSubGroupSize);
  default: throw Error{CL_INVALID_VALUE, "unknown cl_kernel_sub_group_info"};
  }
}

cl_kernel_arg_address_qualifier addressQualifier(AddressQualifier qualifier) {
  switch (qualifier) {
  case AddressQualifier::Global: return CL_KERNEL_ARG_ADDRESS_GLOBAL;
  case AddressQualifier::Constant: return CL_KERNEL_ARG_ADDRESS_CONSTANT;
  case AddressQualifier::Local: return CL_KERNEL_ARG_ADDRESS_LOCAL;
  case AddressQualifier::Private: break;
  }
  return CL_KERNEL_ARG_ADDRESS_PRIVATE;
}

cl_kernel_arg_access_qualifier accessQualifier(AccessQualifier qualifier) {
  switch (qualifier) {
  case AccessQualifier::ReadOnly: return CL_KERNEL_ARG_ACCESS_READ_ONLY;
  case AccessQualifier::WriteOnly: return CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
  case AccessQualifier::ReadWrite: return CL_KERNEL_ARG_ACCESS_READ_WRITE;
  case AccessQualifier::None: break;
  }
  return CL_KERNEL_ARG_ACCESS_NONE;
}

static_assert(ArgInfo::kConst == CL_KERNEL_ARG_TYPE_CONST && ArgInfo::kRestrict == CL_KERNEL_ARG_TYPE_RESTRICT &&
              ArgInfo::kVolatile == CL_KERNEL_ARG_TYPE_VOLATILE && ArgInfo::kPipe == CL_KERNEL_ARG_TYPE_PIPE);

} // namespace

void setArgument(Kernel& kernel, cl_uint index, size_t size, const void* value) {
  const std::vector<ArgInfo>& args = kernel.info().args;
  check(index < args.size(), CL_INVALID_ARG_INDEX, "the kernel has no argument of this index");
  const ArgInfo& arg = args[index];
  switch (arg.kind) {
  case ArgKind::Value:
    check(size == arg.size, CL_INVALID_ARG_SIZE, "not the size of the argument");
    check(value, CL_INVALID_ARG_VALUE, "no value");
    return kernel.setValue(index, value);
  case ArgKind::Buffer: {
    check(size == sizeof(cl_mem), CL_INVALID_ARG_SIZE, "not the size of a cl_mem");
    cl_mem raw = value ? *static_cast<const cl_mem*>(value) : nullptr;
    if (!raw) return kernel.setBuffer(index, nullptr);
    const Ref<MemoryObject> buffer = memoryArgument(kernel, raw);
    check(buffer->isBuffer(), CL_INVALID_MEM_OBJECT, "not a buffer");
    checkMaxSize(arg, buffer->size());
    check(!buffer->isImmutable() || (arg.typeQualifiers & ArgInfo::kConst), CL_INVALID_ARG_VALUE,
          "kernels only read the buffer, and the argument is not const");
    return kernel.setBuffer(index, buffer.get());
  }
  case ArgKind::Local:
    check(!value, CL_INVALID_ARG_VALUE, "local memory has no value");
    check(size > 0 || follows31(), CL_INVALID_ARG_SIZE, "local memory of no size");
    checkMaxSize(arg, size);
    return kernel.setLocal(index, size);
  case ArgKind::Image: {
    check(size == sizeof(cl_mem), CL_INVALID_ARG_SIZE, "not the size of a cl_mem");
    const Ref<MemoryObject> image = memoryArgument(kernel, value ? *static_cast<const cl_mem*>(value) : nullptr);
    checkImageArgument(arg, *image);
    return kernel.setImage(index, *image);
  }
  case ArgKind::Sampler: {
    check(size == sizeof(cl_sampler), CL_INVALID_ARG_SIZE, "not the size of a cl_sampler");
    const Ref<Sampler> sampler = object(value ? *static_cast<const cl_sampler*>(value) : nullptr);
    check(&sampler->context() == &kernel.context(), CL_INVALID_CONTEXT, "sampler and kernel are of different contexts");
    return kernel.setSampler(index, *sampler);
  }
  case ArgKind::Pipe: {
    check(size == sizeof(cl_mem), CL_INVALID_ARG_SIZE, "not the size of a cl_mem");
    const Ref<MemoryObject> pipe = memoryArgument(kernel, value ? *static_cast<const cl_mem*>(value) : nullptr);
    check(pipe->pipe(), CL_INVALID_MEM_OBJECT, "not a pipe");
    return kernel.setPipe(index, *pipe);
  }
  case ArgKind::Queue: {
    check(size == sizeof(cl_command_queue), CL_INVALID_ARG_SIZE, "not the size of a cl_command_queue");
    const Ref<DeviceCommandQueue> queue = deviceQueue(value ? *static_cast<const cl_command_queue*>(value) : nullptr,
                                                      {CL_INVALID_DEVICE_QUEUE, "not a queue on a device"});
    check(&queue->context() == &kernel.context(), CL_INVALID_CONTEXT, "queue and kernel are of different contexts");
    return kernel.setQueue(index, *queue);
  }
  }
}

cl_kernel CL_API_CALL clCreateKernel(cl_program rawProgram, const char* name, cl_int* status) {
  return create(status, [&] {
    const Ref<Program> program = object(rawProgram);
    check(name, CL_INVALID_VALUE, "no name");
    return handOut(make<Kernel>(*program, std::string_view(name)));
  });
}

cl_int CL_API_CALL clCreateKernelsInProgram(cl_program rawProgram, cl_uint entries, cl_kernel* kernels,
                                            cl_uint* count) {
  return call([&] {
    const Ref<Program> program = object(rawProgram);
    std::vector<Program::Build> builds = program->builds();
    auto built =
        std::find_if(builds.begin(), builds.end(), [](const Program::Build& build) { return build.code != nullptr; });
    check(built != builds.end(), CL_INVALID_PROGRAM_EXECUTABLE, "the program is not built for any device");
    std::vector<std::string_view> names;
    for (const BuiltKernel& each : built->result->kernels)
      if (each.info.role == KernelRole::Entry) names.push_back(each.info.name);
    check(!kernels || entries >= names.size(), CL_INVALID_VALUE, "room for fewer kernels than there are");
    std::vector<Ref<Kernel>> made;
    if (kernels)
      for (std::string_view name : names)
        made.push_back(make<Kernel>(*program, name));
    for (size_t i = 0; i < made.size(); ++i)
      kernels[i] = handOut(std::move(made[i]));
    if (count) *count = static_cast<cl_uint>(names.size());
  });
}

cl_kernel CL_API_CALL clCloneKernel(cl_kernel rawKernel, cl_int* status) {
  return create(status, [&] { return handOut(make<Kernel>(Kernel::CloneOf{*object(rawKernel)})); });
}

cl_int CL_API_CALL clRetainKernel(cl_kernel rawKernel) {
  return call([&] { retain(rawKernel); });
}

cl_int CL_API_CALL clReleaseKernel(cl_kernel rawKernel) {
  return call([&] { release(rawKernel); });
}

cl_int CL_API_CALL clSetKernelArg(cl_kernel rawKernel, cl_uint index, size_t size, const void* value) {
  return callBriefly([&] { setArgument(*object(rawKernel), index, size, value); });
}

cl_int CL_API_CALL clGetKernelInfo(cl_kernel rawKernel, cl_kernel_info name, size_t size, void* value,
                                   size_t* sizeReturned) {
  return call([&] {
    const Ref<Kernel> kernel = object(rawKernel);
    InfoSink out(size, value, sizeReturned);
    switch (name) {
    case CL_KERNEL_FUNCTION_NAME: return out.text(kernel->info().name);
    case CL_KERNEL_NUM_ARGS: return out.put<cl_uint>(static_cast<cl_uint>(kernel->info().args.size()));
    case CL_KERNEL_REFERENCE_COUNT: return out.put<cl_uint>(kernel->apiRefs());
    case CL_KERNEL_CONTEXT: return out.put<cl_context>(&kernel->context());
    case CL_KERNEL_PROGRAM: return out.put<cl_program>(&kernel->program());
    case CL_KERNEL_ATTRIBUTES: return out.text(kernel->info().attributes);
    default: throw Error{CL_INVALID_VALUE, "unknown cl_kernel_info"};
    }
  });
}

cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel rawKernel, cl_uint index, cl_kernel_arg_info name, size_t size,
                                      void* value, size_t* sizeReturned) {
  return call([&] {
    const Ref<Kernel> kernel = object(rawKernel);
    InfoSink out(size, value, sizeReturned);
    check(index < kernel->info().args.size(), CL_INVALID_ARG_INDEX, "the kernel has no argument of this index");
    check(kernel->info().hasArgInfo, CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "not built with -cl-kernel-arg-info");
    const ArgInfo& arg = kernel->info().args[index];
    switch (name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
      return out.put<cl_kernel_arg_address_qualifier>(addressQualifier(arg.address));
    case CL_KERNEL_ARG_ACCESS_QUALIFIER: return out.put<cl_kernel_arg_access_qualifier>(accessQualifier(arg.access));
    case CL_KERNEL_ARG_TYPE_NAME: return out.text(arg.typeName);
    case CL_KERNEL_ARG_TYPE_QUALIFIER: return out.put<cl_kernel_arg_type_qualifier>(arg.typeQualifiers);
    case CL_KERNEL_ARG_NAME: return out.text(arg.name);
    default: throw Error{CL_INVALID_VALUE, "unknown cl_kernel_arg_info"};
    }
  });
}

cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel rawKernel, cl_device_id rawDevice, cl_kernel_work_group_info name,
                                            size_t size, void* value, size_t* sizeReturned) {
  return call([&] {
    const Ref<Kernel> kernel = object(rawKernel);
    const Device& device = queriedDevice(*kernel, rawDevice);
    const DeviceProperties& properties = device.properties();
    const DeviceKernel& code = codeFor(*kernel, device);
    const KernelInfo& info = code.info();
    InfoSink out(size, value, sizeReturned);
    switch (name) {
    case CL_KERNEL_WORK_GROUP_SIZE: return out.put<size_t>(largestWorkGroup(code, properties));
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
      return out.list<size_t>(
          std::to_array<size_t>({info.requiredLocalSize[0], info.requiredLocalSize[1], info.requiredLocalSize[2]}));
    case CL_KERNEL_LOCAL_MEM_SIZE: return out.put<cl_ulong>(kernel->localBytes());
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
      return out.put<size_t>(std::max<size_t>(code.limits().subGroupSize, properties.preferredGroupMultiple));
    case CL_KERNEL_SPILL_MEM_SIZE_INTEL:
      check(device.claims().has(claims::rowOf("cl_intel_required_subgroup_size")), CL_INVALID_VALUE,
            "a query of an extension that the device does not have");
      return out.put<cl_ulong>(0); // registers spill to the stack, which is no memory of a device's own
    case CL_KERNEL_PRIVATE_MEM_SIZE: return out.put<cl_ulong>(code.limits().privateBytes);
    case CL_KERNEL_GLOBAL_WORK_SIZE: {
      check(kernel->program().origin() == Program::Origin::BuiltIn, CL_INVALID_VALUE,
            "neither a custom device nor a built-in kernel");
      std::array<size_t, 3> sizes;
      sizes.fill(SIZE_MAX);
      return out.list<size_t>(sizes);
    }
    default: throw Error{CL_INVALID_VALUE, "unknown cl_kernel_work_group_info"};
    }
  });
}

cl_int CL_API_CALL clGetKernelSubGroupInfo(cl_kernel rawKernel, cl_device_id rawDevice, cl_kernel_sub_group_info name,
                                           size_t inputSize, const void* input, size_t size, void* value,
                                           size_t* sizeReturned) {
  return call([&] { subGroupInfo(*object(rawKernel), rawDevice, name, inputSize, input, size, value, sizeReturned); });
}

cl_int CL_API_CALL clGetKernelSubGroupInfoKHR(cl_kernel rawKernel, cl_device_id rawDevice,
                                              cl_kernel_sub_group_info name, size_t inputSize, const void* input,
                                              size_t size, void* value, size_t* sizeReturned) {
  return call([&] { subGroupInfo(*object(rawKernel), rawDevice, name, inputSize, input, size, value, sizeReturned); });
}

} // namespace clotho::api
