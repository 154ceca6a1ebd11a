// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A layer as loaders load it (OPENCL_LAYERS), for programs that are run as tests: it puts their buffers beside
// inaccessible pages, so that a kernel which reads or writes past a buffer's end fails. Every third buffer is guarded
// at its begin instead. The memory is left to the end of the process.
#include "guarded_memory.hpp"

#include <CL/cl_layer.h>
#include <atomic>
#include <cstring>
#include <stdexcept>

#define LAYER_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr char kName[] = "guarded buffers";

const cl_icd_dispatch* target = nullptr;
cl_icd_dispatch table;

bool isSupported(cl_context context) {
  cl_uint count = 0;
  if (target->clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, nullptr) != CL_SUCCESS ||
      count != 1)
    return false;
  cl_device_id device = nullptr;
  return target->clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, nullptr) == CL_SUCCESS &&
         GuardedMemory::isSupported(device);
}

cl_mem CL_API_CALL createBuffer(cl_context context, cl_mem_flags flags, size_t size, void* contents, cl_int* status) {
  static std::atomic<unsigned> made = 0;
  constexpr cl_mem_flags kOthers = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR;
  if ((flags & kOthers) == 0 && ((flags & CL_MEM_COPY_HOST_PTR) != 0) == (contents != nullptr) && size != 0 &&
      isSupported(context)) {
    try {
      const auto side = made++ % 3 == 2 ? GuardedMemory::Side::Begin : GuardedMemory::Side::End;
      const auto* memory = new GuardedMemory(context, size, side);
      if (contents) std::memcpy(memory->data(), contents, size);
      contents = memory->data();
      flags = (flags & ~cl_mem_flags{CL_MEM_COPY_HOST_PTR}) | CL_MEM_USE_HOST_PTR;
    } catch (const std::exception&) {
      // As the program asked for it, then.
    }
  }
  return target->clCreateBuffer(context, flags, size, contents, status);
}

cl_int give(const void* data, size_t length, size_t size, void* value, size_t* sizeReturned) {
  if (value && size < length) return CL_INVALID_VALUE;
  if (value) std::memcpy(value, data, length);
  if (sizeReturned) *sizeReturned = length;
  return CL_SUCCESS;
}

} // namespace

LAYER_EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void* value, size_t* sizeReturned) {
  constexpr cl_layer_api_version kVersion = CL_LAYER_API_VERSION_100;
  if (name == CL_LAYER_API_VERSION) return give(&kVersion, sizeof kVersion, size, value, sizeReturned);
  if (name == CL_LAYER_NAME) return give(kName, sizeof kName, size, value, sizeReturned);
  return CL_INVALID_VALUE;
}

LAYER_EXPORT cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch* below, cl_uint* entriesReturned,
                                            const cl_icd_dispatch** layer) {
  constexpr cl_uint kEntries = sizeof(cl_icd_dispatch) / sizeof(void*);
  if (!below || !entriesReturned || !layer || entries < kEntries) return CL_INVALID_VALUE;
  target = below;
  table = *below;
  table.clCreateBuffer = createBuffer;
  *entriesReturned = kEntries;
  *layer = &table;
  return CL_SUCCESS;
}
