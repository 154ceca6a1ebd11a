// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cl_intel_unified_shared_memory.
#include "svm.hpp"

#include <numeric>

namespace clotho::test {

namespace {

class UsmTest : public SharedApi {
 protected:
  template <class T> static T function(const char* name) {
    return reinterpret_cast<T>(clGetExtensionFunctionAddressForPlatform(platform_, name));
  }
#define CLOTHO_FUNCTION(name) name##_fn name = function<name##_fn>(#name)
  // NOLINTBEGIN(readability-identifier-naming): names of the extension
  CLOTHO_FUNCTION(clHostMemAllocINTEL);
  CLOTHO_FUNCTION(clDeviceMemAllocINTEL);
  CLOTHO_FUNCTION(clSharedMemAllocINTEL);
  CLOTHO_FUNCTION(clMemFreeINTEL);
  CLOTHO_FUNCTION(clMemBlockingFreeINTEL);
  CLOTHO_FUNCTION(clGetMemAllocInfoINTEL);
  CLOTHO_FUNCTION(clSetKernelArgMemPointerINTEL);
  CLOTHO_FUNCTION(clEnqueueMemFillINTEL);
  CLOTHO_FUNCTION(clEnqueueMemcpyINTEL);
  CLOTHO_FUNCTION(clEnqueueMigrateMemINTEL);
  CLOTHO_FUNCTION(clEnqueueMemAdviseINTEL);
  // NOLINTEND(readability-identifier-naming)
#undef CLOTHO_FUNCTION

  template <class T> T info(const void* pointer, cl_mem_info_intel name) {
    return valueAnswer<T>(CLOTHO_INFO(clGetMemAllocInfoINTEL, context_, pointer, name));
  }
  /// One of each kind: host, device, shared with a device, shared with none.
  std::vector<void*> allocateAll(size_t size) {
    std::vector<void*> all;
    cl_int status = 1;
    const auto add = [&](void* memory) {
      EXPECT_EQ(status, CL_SUCCESS);
      all.push_back(memory);
    };
    add(clHostMemAllocINTEL(context_, nullptr, size, 0, &status));
    add(clDeviceMemAllocINTEL(context_, device_, nullptr, size, 0, &status));
    add(clSharedMemAllocINTEL(context_, device_, nullptr, size, 0, &status));
    add(clSharedMemAllocINTEL(context_, nullptr, nullptr, size, 0, &status));
    return all;
  }
  void freeAll(const std::vector<void*>& all) {
    for (void* each : all)
      EXPECT_EQ(clMemFreeINTEL(context_, each), CL_SUCCESS);
  }
};

TEST_F(UsmTest, Capabilities) {
  const cl_bitfield turns = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL;
  if (textAnswer(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_VENDOR)) == "NVIDIA Corporation") {
    const auto own =
        valueAnswer<cl_bitfield>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL));
    EXPECT_EQ(own & turns, turns);
    return;
  }
  const cl_bitfield expected = isFar() ? turns
                                       : turns | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL |
                                             CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;
  for (cl_device_info name :
       {CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL})
    EXPECT_EQ(valueAnswer<cl_bitfield>(CLOTHO_INFO(clGetDeviceInfo, device_, name)), expected);
  EXPECT_EQ(
      valueAnswer<cl_bitfield>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL)),
      isFar() ? 0 : expected);
}

TEST_F(UsmTest, KernelsAndCommandsOnAllKinds) {
  constexpr size_t kCount = 1000;
  Owned<cl_kernel> kernel =
      makeKernel("kernel void k(global uint* p, constant uint* by) { p[get_global_id(0)] += *by; }", "k");
  for (void* memory : allocateAll(kCount * 4)) {
    auto* words = static_cast<cl_uint*>(memory);
    std::vector<cl_uint> host(kCount);
    std::iota(host.begin(), host.end(), 0u);
    Owned<cl_event> copied, filled;
    ASSERT_EQ(clEnqueueMemcpyINTEL(queue_, CL_FALSE, memory, host.data(), kCount * 4, 0, nullptr, copied.out()),
              CL_SUCCESS);
    const cl_uint five = 5;
    ASSERT_EQ(clEnqueueMemFillINTEL(queue_, words + 900, &five, 4, 400, 0, nullptr, filled.out()), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArgMemPointerINTEL(kernel, 0, words + 10), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArgMemPointerINTEL(kernel, 1, words + 900), CL_SUCCESS);
    launch(kernel, 500);
    ASSERT_EQ(clEnqueueMemcpyINTEL(queue_, CL_TRUE, host.data(), memory, kCount * 4, 0, nullptr, nullptr), CL_SUCCESS);
    for (cl_uint i = 0; i < kCount; ++i)
      ASSERT_EQ(host[i], i >= 900 ? 5 : i >= 10 && i < 510 ? i + 5 : i);
    EXPECT_EQ(valueAnswer<cl_command_type>(CLOTHO_INFO(clGetEventInfo, copied, CL_EVENT_COMMAND_TYPE)),
              cl_command_type{CL_COMMAND_MEMCPY_INTEL});
    EXPECT_EQ(valueAnswer<cl_command_type>(CLOTHO_INFO(clGetEventInfo, filled, CL_EVENT_COMMAND_TYPE)),
              cl_command_type{CL_COMMAND_MEMFILL_INTEL});
    EXPECT_EQ(clMemFreeINTEL(context_, memory), CL_SUCCESS);
  }
}

/// What host and kernel see of memory that both own needs no map.
TEST_F(UsmTest, HostTouchesItBetweenCommands) {
  cl_int status = 1;
  auto* shared = static_cast<cl_uint*>(clSharedMemAllocINTEL(context_, device_, nullptr, 400, 0, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_kernel> kernel = makeKernel("kernel void k(global uint* p) { p[get_global_id(0)] *= 2; }", "k");
  ASSERT_EQ(clSetKernelArgMemPointerINTEL(kernel, 0, shared), CL_SUCCESS);
  for (cl_uint round = 0; round < 10; ++round) {
    std::iota(shared, shared + 100, round);
    launch(kernel, 100);
    clFinish(queue_);
    for (cl_uint i = 0; i < 100; ++i)
      ASSERT_EQ(shared[i], 2 * (round + i));
  }
  EXPECT_EQ(clMemFreeINTEL(context_, shared), CL_SUCCESS);
}

TEST_F(UsmTest, Queries) {
  std::vector<void*> all = allocateAll(4096);
  const cl_unified_shared_memory_type_intel types[] = {CL_MEM_TYPE_HOST_INTEL, CL_MEM_TYPE_DEVICE_INTEL,
                                                       CL_MEM_TYPE_SHARED_INTEL, CL_MEM_TYPE_SHARED_INTEL};
  const cl_device_id devices[] = {nullptr, device_, device_, nullptr};
  for (size_t i = 0; i < all.size(); ++i) {
    auto* inside = static_cast<char*>(all[i]) + 4095;
    EXPECT_EQ(info<cl_unified_shared_memory_type_intel>(inside, CL_MEM_ALLOC_TYPE_INTEL), types[i]);
    EXPECT_EQ(info<void*>(inside, CL_MEM_ALLOC_BASE_PTR_INTEL), all[i]);
    EXPECT_EQ(info<size_t>(inside, CL_MEM_ALLOC_SIZE_INTEL), 4096u);
    EXPECT_EQ(info<cl_device_id>(inside, CL_MEM_ALLOC_DEVICE_INTEL), devices[i]);
    EXPECT_EQ(info<cl_mem_alloc_flags_intel>(inside, CL_MEM_ALLOC_FLAGS_INTEL), 0u);
  }
  checkInfoProtocol([&](cl_uint name, size_t size, void* value,
                        size_t* ret) { return clGetMemAllocInfoINTEL(context_, all[0], name, size, value, ret); },
                    CL_MEM_ALLOC_SIZE_INTEL);
  Svm<char> svm = allocate<char>(64);
  int here = 0;
  for (const void* unknown :
       {static_cast<const void*>(nullptr), static_cast<const void*>(&here), static_cast<const void*>(svm.get())}) {
    EXPECT_EQ(info<cl_unified_shared_memory_type_intel>(unknown, CL_MEM_ALLOC_TYPE_INTEL),
              cl_uint{CL_MEM_TYPE_UNKNOWN_INTEL});
    EXPECT_EQ(info<void*>(unknown, CL_MEM_ALLOC_BASE_PTR_INTEL), nullptr);
    EXPECT_EQ(info<size_t>(unknown, CL_MEM_ALLOC_SIZE_INTEL), 0u);
    EXPECT_EQ(info<cl_device_id>(unknown, CL_MEM_ALLOC_DEVICE_INTEL), nullptr);
  }
  freeAll(all);
  cl_int status = 1;
  const cl_mem_properties_intel flags[] = {
      CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_WRITE_COMBINED_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0};
  void* placed = clSharedMemAllocINTEL(context_, nullptr, flags, 64, 16, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(info<cl_mem_alloc_flags_intel>(placed, CL_MEM_ALLOC_FLAGS_INTEL), cl_bitfield(flags[1]));
  EXPECT_EQ(clMemFreeINTEL(context_, placed), CL_SUCCESS);
}

TEST_F(UsmTest, AllocationErrors) {
  Foreign<cl_context> foreign(context_.get());
  Foreign<cl_device_id> noDevice(device_);
  cl_int status = 1;
  const auto most = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  // Each kind with a context, properties, a size and an alignment.
  using Allocate = std::function<void*(cl_context, const cl_mem_properties_intel*, size_t, cl_uint)>;
  const Allocate kinds[] = {
      [&](cl_context context, const cl_mem_properties_intel* properties, size_t size, cl_uint alignment) {
        return clHostMemAllocINTEL(context, properties, size, alignment, &status);
      },
      [&](cl_context context, const cl_mem_properties_intel* properties, size_t size, cl_uint alignment) {
        return clDeviceMemAllocINTEL(context, device_, properties, size, alignment, &status);
      },
      [&](cl_context context, const cl_mem_properties_intel* properties, size_t size, cl_uint alignment) {
        return clSharedMemAllocINTEL(context, device_, properties, size, alignment, &status);
      },
      [&](cl_context context, const cl_mem_properties_intel* properties, size_t size, cl_uint alignment) {
        return clSharedMemAllocINTEL(context, nullptr, properties, size, alignment, &status);
      }};
  const cl_mem_properties_intel unknown[] = {CL_MEM_ALLOC_SIZE_INTEL, 1, 0};
  const cl_mem_properties_intel badFlag[] = {CL_MEM_ALLOC_FLAGS_INTEL, 1 << 20, 0};
  const cl_mem_properties_intel twice[] = {CL_MEM_ALLOC_FLAGS_INTEL, 0, CL_MEM_ALLOC_FLAGS_INTEL, 0, 0};
  const cl_mem_properties_intel onHost[] = {CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0};
  const cl_mem_properties_intel both[] = {
      CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL,
      0};
  for (size_t kind = 0; kind < 4; ++kind) {
    const auto fails = [&](void* memory, cl_int expected) {
      EXPECT_EQ(memory, nullptr) << kind;
      EXPECT_EQ(status, expected) << kind;
    };
    fails(kinds[kind](foreign, nullptr, 64, 0), CL_INVALID_CONTEXT);
    for (cl_uint bad : {3u, 129u, 384u, 131072u, 0x80000000u})
      fails(kinds[kind](context_, nullptr, 64, bad), CL_INVALID_VALUE);
    fails(kinds[kind](context_, nullptr, 0, 0), CL_INVALID_BUFFER_SIZE);
    fails(kinds[kind](context_, nullptr, most + 1, 0), CL_INVALID_BUFFER_SIZE);
    for (const cl_mem_properties_intel* properties : {unknown, badFlag, twice, both})
      fails(kinds[kind](context_, properties, 64, 0), CL_INVALID_PROPERTY);
    if (kind < 2) fails(kinds[kind](context_, onHost, 64, 0), CL_INVALID_PROPERTY);
    // Beyond the size of the largest type, too: programs ask for pages.
    for (cl_uint good = 0; good <= 65536; good = good ? good * 2 : 1) {
      void* memory = kinds[kind](context_, kind < 2 ? nullptr : onHost, 100, good);
      ASSERT_EQ(status, CL_SUCCESS);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % (good ? good : 128), 0u);
      EXPECT_EQ(clMemFreeINTEL(context_, memory), CL_SUCCESS);
    }
  }
  EXPECT_EQ(clDeviceMemAllocINTEL(context_, nullptr, nullptr, 64, 0, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_DEVICE);
  EXPECT_EQ(clDeviceMemAllocINTEL(context_, noDevice, nullptr, 64, 0, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_DEVICE);
  EXPECT_EQ(clSharedMemAllocINTEL(context_, noDevice, nullptr, 64, 0, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_DEVICE);
}

TEST_F(UsmTest, FreeErrors) {
  cl_int status = 1;
  auto* memory = static_cast<char*>(clHostMemAllocINTEL(context_, nullptr, 64, 0, &status));
  Svm<char> svm = allocate<char>(64);
  Owned<cl_context> other = makeContext();
  Foreign<cl_context> foreign(context_.get());
  for (auto release : {clMemFreeINTEL, clMemBlockingFreeINTEL}) {
    EXPECT_EQ(release(foreign, memory), CL_INVALID_CONTEXT);
    EXPECT_EQ(release(context_, memory + 1), CL_INVALID_VALUE);
    EXPECT_EQ(release(context_, &status), CL_INVALID_VALUE);
    EXPECT_EQ(release(context_, svm.get()), CL_INVALID_VALUE);
    EXPECT_EQ(release(other, memory), CL_INVALID_VALUE);
    EXPECT_EQ(release(context_, nullptr), CL_SUCCESS);
  }
  memory[0] = 1; // it is there
  EXPECT_EQ(clMemFreeINTEL(context_, memory), CL_SUCCESS);
  EXPECT_EQ(clMemFreeINTEL(context_, memory), CL_INVALID_VALUE);
}

TEST_F(UsmTest, BlockingFreeWaits) {
  cl_int status = 1;
  constexpr size_t kHalf = 8 << 20; // one for each queue: nothing orders them
  void* memory = clSharedMemAllocINTEL(context_, nullptr, nullptr, 2 * kHalf, 0, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_command_queue> loose = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Owned<cl_event> events[2];
  const cl_uint one = 1;
  ASSERT_EQ(clEnqueueMemFillINTEL(queue_, memory, &one, 4, kHalf, 0, nullptr, events[0].out()), CL_SUCCESS);
  void* second = static_cast<std::byte*>(memory) + kHalf;
  ASSERT_EQ(clEnqueueMemFillINTEL(loose, second, &one, 4, kHalf, 0, nullptr, events[1].out()), CL_SUCCESS);
  EXPECT_EQ(clMemBlockingFreeINTEL(context_, memory), CL_SUCCESS);
  EXPECT_EQ(statusOf(events[0]), CL_COMPLETE);
  EXPECT_EQ(statusOf(events[1]), CL_COMPLETE);
}

TEST_F(UsmTest, ArgumentsAndExecInfo) {
  Owned<cl_kernel> kernel = makeKernel("kernel void k(global int* g, local int* l, int v) {}", "k");
  Foreign<cl_kernel> foreign(context_.get());
  int here = 0;
  EXPECT_EQ(clSetKernelArgMemPointerINTEL(foreign, 0, &here), CL_INVALID_KERNEL);
  EXPECT_EQ(clSetKernelArgMemPointerINTEL(kernel, 3, &here), CL_INVALID_ARG_INDEX);
  EXPECT_EQ(clSetKernelArgMemPointerINTEL(kernel, 1, &here), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(clSetKernelArgMemPointerINTEL(kernel, 2, &here), CL_INVALID_ARG_VALUE);
  // Since version 1.1 any pointer is one.
  EXPECT_EQ(clSetKernelArgMemPointerINTEL(kernel, 0, &here), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArgMemPointerINTEL(kernel, 0, nullptr), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArgMemPointerINTEL(kernel, 0, reinterpret_cast<void*>(1)), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 1, 16, nullptr), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 2, 4, &here), CL_SUCCESS);
  launch(kernel, 16);
  const cl_bool yes = CL_TRUE;
  for (cl_kernel_exec_info name :
       {CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
        CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL}) {
    EXPECT_EQ(clSetKernelExecInfo(kernel, name, sizeof yes, &yes), CL_SUCCESS);
    EXPECT_EQ(clSetKernelExecInfo(kernel, name, 1, &yes), CL_INVALID_VALUE);
    EXPECT_EQ(clSetKernelExecInfo(kernel, name, sizeof yes, nullptr), CL_INVALID_VALUE);
  }
  const void* pointers[] = {&here};
  EXPECT_EQ(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof pointers, pointers), CL_SUCCESS);
  EXPECT_EQ(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 7, pointers), CL_INVALID_VALUE);
  clFinish(queue_);
}

TEST_F(UsmTest, CommandErrors) {
  cl_int status = 1;
  auto* memory = static_cast<char*>(clHostMemAllocINTEL(context_, nullptr, 4096, 0, &status));
  const char pattern[256] = {};
  Foreign<cl_command_queue> foreign(device_);
  EXPECT_EQ(clEnqueueMemFillINTEL(foreign, memory, pattern, 4, 8, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueMemFillINTEL(queue_, nullptr, pattern, 4, 8, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueMemFillINTEL(queue_, memory + 2, pattern, 4, 8, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueMemFillINTEL(queue_, memory, nullptr, 4, 8, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueMemFillINTEL(queue_, memory, pattern, 256, 256, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueMemFillINTEL(queue_, memory, pattern, 4, 10, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueMemFillINTEL(queue_, memory, pattern, 4, 8, 1, nullptr, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(clEnqueueMemcpyINTEL(foreign, CL_TRUE, memory, pattern, 8, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueMemcpyINTEL(queue_, CL_TRUE, nullptr, pattern, 8, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueMemcpyINTEL(queue_, CL_TRUE, memory, nullptr, 8, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueMemcpyINTEL(queue_, CL_TRUE, memory, memory + 4, 8, 0, nullptr, nullptr), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(clEnqueueMemcpyINTEL(queue_, CL_TRUE, memory, pattern, 8, 1, nullptr, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(clEnqueueMigrateMemINTEL(foreign, memory, 64, 0, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueMigrateMemINTEL(queue_, memory, 64, 8, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueMigrateMemINTEL(queue_, memory, 64, 0, 1, nullptr, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(clEnqueueMemAdviseINTEL(foreign, memory, 64, 0, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueMemAdviseINTEL(queue_, memory, 64, 0x4208, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueMemAdviseINTEL(queue_, memory, 64, 0, 1, nullptr, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  Owned<cl_event> migrated, advised;
  EXPECT_EQ(clEnqueueMigrateMemINTEL(queue_, memory, 64, 0, 0, nullptr, migrated.out()), CL_SUCCESS);
  EXPECT_EQ(clEnqueueMemAdviseINTEL(queue_, memory, 64, 0, 0, nullptr, advised.out()), CL_SUCCESS);
  EXPECT_EQ(valueAnswer<cl_command_type>(CLOTHO_INFO(clGetEventInfo, migrated, CL_EVENT_COMMAND_TYPE)),
            cl_command_type{CL_COMMAND_MIGRATEMEM_INTEL});
  EXPECT_EQ(valueAnswer<cl_command_type>(CLOTHO_INFO(clGetEventInfo, advised, CL_EVENT_COMMAND_TYPE)),
            cl_command_type{CL_COMMAND_MEMADVISE_INTEL});
  EXPECT_EQ(clMemBlockingFreeINTEL(context_, memory), CL_SUCCESS);
}

} // namespace

} // namespace clotho::test
