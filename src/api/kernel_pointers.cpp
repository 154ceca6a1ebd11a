// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses as arguments of kernels, and what kernels reach beside their arguments (section 5.9.2).
#include "api/kernel_arguments.hpp"
#include "base/later_headers.hpp"

#include <cstring>

namespace clotho::api {

namespace {

using PointerKind = Kernel::PointerKind;

bool isIn(const Context& context, cl_device_svm_capabilities capability) {
  return (context.anySvm() & capability) != 0;
}

void checkHasSvm(const Context& context) {
  check(context.anySvm() != 0, CL_INVALID_OPERATION, "no device of the context has shared virtual memory");
}

const ArgInfo& pointerArgument(const Kernel& kernel, cl_uint index, cl_int otherwise) {
  const std::vector<ArgInfo>& args = kernel.info().args;
  check(index < args.size(), CL_INVALID_ARG_INDEX, "the kernel has no argument of this index");
  check(args[index].kind == ArgKind::Buffer, otherwise, "an address for what is no pointer to global memory");
  return args[index];
}

template <class T> T valueOf(size_t size, const void* value) {
  check(value && size == sizeof(T), CL_INVALID_VALUE, "not the size of the value, or no value");
  T result;
  std::memcpy(&result, value, sizeof result);
  return result;
}

/// No list at all is an empty one, as OpenCL 3.0 has it. Programs take the list from shared memory that they have not
/// mapped, as the conformance suite does.
std::vector<const void*> pointersIn(const Context& context, size_t size, const void* value) {
  check(size % sizeof(void*) == 0, CL_INVALID_VALUE, "not a whole number of addresses");
  check((size > 0) == (value != nullptr) && (size > 0 || follows30()), CL_INVALID_VALUE,
        "addresses and their size do not agree");
  std::vector<const void*> pointers(size / sizeof(void*));
  if (size > 0) context.sharedMemory().copyFrom(static_cast<void*>(pointers.data()), value, size);
  return pointers;
}

} // namespace

void setSvmPointer(Kernel& kernel, cl_uint index, const void* value) {
  checkHasSvm(kernel.context());
  const ArgInfo& arg = pointerArgument(kernel, index, CL_INVALID_ARG_VALUE);
  check(reinterpret_cast<std::uintptr_t>(value) % arg.alignment == 0, CL_INVALID_ARG_VALUE,
        "the address is not aligned as the argument's type");
  Context& context = kernel.context();
  check(!value || isIn(context, CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) || context.sharedMemory().contains(value),
        CL_INVALID_ARG_VALUE, "an address in memory that no device of the context reaches");
  kernel.setPointer(index, PointerKind::Svm, value);
}

void setExecInfo(Kernel& kernel, cl_kernel_exec_info name, size_t size, const void* value) {
  switch (name) {
  case CL_KERNEL_EXEC_INFO_SVM_PTRS:
    checkHasSvm(kernel.context());
    return kernel.setIndirect(PointerKind::Svm, pointersIn(kernel.context(), size, value));
  case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM: {
    const bool uses = valueOf<cl_bool>(size, value) != CL_FALSE;
    check(!uses || isIn(kernel.context(), CL_DEVICE_SVM_FINE_GRAIN_SYSTEM), CL_INVALID_OPERATION,
          "no device of the context reaches all of the host's memory");
    return kernel.setUsesSystemMemory(uses);
  }
  case CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL:
    return kernel.setIndirect(PointerKind::Unified, pointersIn(kernel.context(), size, value));
  case CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT:
    return kernel.setIndirect(PointerKind::Device, pointersIn(kernel.context(), size, value));
  // Kernels reach all of it anyway.
  case CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL:
  case CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL:
  case CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL:
  case CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR: return static_cast<void>(valueOf<cl_bool>(size, value));
  default: throw Error{CL_INVALID_VALUE, "unknown cl_kernel_exec_info"};
  }
}

cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel rawKernel, cl_uint index, const void* value) {
  return callBriefly([&] { setSvmPointer(*object(rawKernel), index, value); });
}

cl_int CL_API_CALL clSetKernelArgMemPointerINTEL(cl_kernel rawKernel, cl_uint index, const void* value) {
  return callBriefly([&] {
    const Ref<Kernel> kernel = object(rawKernel);
    pointerArgument(*kernel, index, CL_INVALID_ARG_VALUE);
    kernel->setPointer(index, PointerKind::Unified, value);
  });
}

cl_int CL_API_CALL clSetKernelArgDevicePointerEXT(cl_kernel rawKernel, cl_uint index, cl_mem_device_address_ext value) {
  return callBriefly([&] {
    const Ref<Kernel> kernel = object(rawKernel);
    const ArgInfo& arg = pointerArgument(*kernel, index, CL_INVALID_ARG_INDEX);
    check(arg.address == AddressQualifier::Global, CL_INVALID_ARG_INDEX, "not a pointer to global memory");
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the interface has addresses of devices as numbers
    kernel->setPointer(index, PointerKind::Device, reinterpret_cast<const void*>(value));
  });
}

cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel rawKernel, cl_kernel_exec_info name, size_t size, const void* value) {
  return call([&] { setExecInfo(*object(rawKernel), name, size, value); });
}

} // namespace clotho::api
