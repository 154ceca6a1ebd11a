// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the functions of section 5.6 and the addresses of section 5.9.2 refuse.
#include "svm.hpp"

namespace clotho::test {

namespace {

class SvmErrorsTest : public SharedApi {
 protected:
  void SetUp() override {
    SharedApi::SetUp();
    memory_ = allocate<unsigned char>(4096);
    otherContext_ = makeContext();
    cl_int status = 1;
    otherEvent_ = clCreateUserEvent(otherContext_, &status);
    ASSERT_EQ(status, CL_SUCCESS);
  }
  void TearDown() override {
    clSetUserEventStatus(otherEvent_, CL_COMPLETE);
    memory_.reset();
    Api::TearDown();
  }
  void* alloc(cl_svm_mem_flags flags, size_t size = 64, cl_uint alignment = 0) {
    void* memory = clSVMAlloc(context_, flags, size, alignment);
    clSVMFree(context_, memory);
    return memory;
  }
  cl_int setPointer(cl_kernel kernel, cl_uint index, const void* value) {
    return clSetKernelArgSVMPointer(kernel, index, value);
  }

  Svm<unsigned char> memory_;
  Owned<cl_context> otherContext_;
  Owned<cl_event> otherEvent_;
  unsigned char host_[64] = {};
};

TEST_F(SvmErrorsTest, Alloc) {
  Foreign<cl_context> foreign(context_.get());
  EXPECT_EQ(clSVMAlloc(foreign, CL_MEM_READ_WRITE, 64, 0), nullptr);
  for (cl_svm_mem_flags good : {cl_svm_mem_flags{0}, cl_svm_mem_flags{CL_MEM_READ_WRITE},
                                cl_svm_mem_flags{CL_MEM_READ_ONLY}, cl_svm_mem_flags{CL_MEM_WRITE_ONLY}})
    EXPECT_NE(alloc(good), nullptr);
  EXPECT_EQ(alloc(CL_MEM_SVM_ATOMICS), nullptr);
  EXPECT_EQ(alloc(CL_MEM_READ_WRITE | CL_MEM_READ_ONLY), nullptr);
  EXPECT_EQ(alloc(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY), nullptr);
  EXPECT_EQ(alloc(CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY), nullptr);
  for (cl_svm_mem_flags unknown : {cl_svm_mem_flags{CL_MEM_USE_HOST_PTR}, cl_svm_mem_flags{CL_MEM_ALLOC_HOST_PTR},
                                   cl_svm_mem_flags{CL_MEM_HOST_NO_ACCESS}, cl_svm_mem_flags{1} << 40})
    EXPECT_EQ(alloc(unknown), nullptr);
  EXPECT_EQ(alloc(CL_MEM_SVM_FINE_GRAIN_BUFFER) != nullptr, has(CL_DEVICE_SVM_FINE_GRAIN_BUFFER));
  EXPECT_EQ(alloc(CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS) != nullptr, has(CL_DEVICE_SVM_ATOMICS));
  const auto most = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  EXPECT_EQ(alloc(0, 0), nullptr);
  EXPECT_EQ(alloc(0, most + 1), nullptr);
  EXPECT_EQ(alloc(0, SIZE_MAX), nullptr);
  for (cl_uint bad : {3u, 24u, 127u, 129u, 256u, 4096u, 0x80000000u})
    EXPECT_EQ(alloc(0, 64, bad), nullptr) << bad;
}

TEST_F(SvmErrorsTest, AllocMoreThanThereIs) {
  if (kSanitized) GTEST_SKIP() << "sanitizers have limits of their own";
  auto most = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  for (cl_device_id each : listAnswer<cl_device_id>(CLOTHO_INFO(clGetContextInfo, context_, CL_CONTEXT_DEVICES)))
    most = std::min(most, valueAnswer<cl_ulong>(CLOTHO_INFO(clGetDeviceInfo, each, CL_DEVICE_MAX_MEM_ALLOC_SIZE)));
  std::vector<void*> pieces;
  while (pieces.size() < 100) {
    void* piece = clSVMAlloc(context_, 0, most, 0);
    if (!piece) break;
    pieces.push_back(piece);
  }
  EXPECT_LT(pieces.size(), 100u);
  for (void* piece : pieces)
    clSVMFree(context_, piece);
  void* again = clSVMAlloc(context_, 0, most, 0);
  EXPECT_NE(again, nullptr);
  clSVMFree(context_, again);
}

TEST_F(SvmErrorsTest, FreeOfWhatIsNone) {
  Foreign<cl_context> foreign(context_.get());
  clSVMFree(context_, nullptr);
  clSVMFree(foreign, memory_.get());
  clSVMFree(context_, host_);
  clSVMFree(context_, memory_.get() + 128);
  clSVMFree(otherContext_, memory_.get());
  map(memory_.get(), 4096); // it is there
  memory_[0] = 1;
  unmap(memory_.get());
}

TEST_F(SvmErrorsTest, QueueAndWaitListOfEachCommand) {
  void* freed[] = {nullptr};
  const void* pointers[] = {memory_.get()};
  unsigned char* a = memory_.get();
  struct Call {
    const char* name;
    std::function<cl_int(cl_command_queue, cl_uint, const cl_event*)> call;
  };
  const Call calls[] = {
      {"clEnqueueSVMFree",
       [&](cl_command_queue queue, cl_uint count, const cl_event* list) {
         return clEnqueueSVMFree(queue, 1, freed, nullptr, nullptr, count, list, nullptr);
       }},
      {"clEnqueueSVMMemcpy",
       [&](cl_command_queue queue, cl_uint count, const cl_event* list) {
         return clEnqueueSVMMemcpy(queue, CL_TRUE, a, host_, 8, count, list, nullptr);
       }},
      {"clEnqueueSVMMemFill",
       [&](cl_command_queue queue, cl_uint count, const cl_event* list) {
         return clEnqueueSVMMemFill(queue, a, host_, 4, 8, count, list, nullptr);
       }},
      {"clEnqueueSVMMap",
       [&](cl_command_queue queue, cl_uint count, const cl_event* list) {
         return clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, a, 8, count, list, nullptr);
       }},
      {"clEnqueueSVMUnmap", [&](cl_command_queue queue, cl_uint count,
                                const cl_event* list) { return clEnqueueSVMUnmap(queue, a, count, list, nullptr); }},
      {"clEnqueueSVMMigrateMem",
       [&](cl_command_queue queue, cl_uint count, const cl_event* list) {
         return clEnqueueSVMMigrateMem(queue, 1, pointers, nullptr, 0, count, list, nullptr);
       }},
  };
  Foreign<cl_command_queue> foreign(device_);
  Foreign<cl_event> foreignEvent(device_);
  const cl_event noEvents[] = {foreignEvent}, otherEvents[] = {otherEvent_};
  for (const Call& each : calls) {
    EXPECT_EQ(each.call(foreign, 0, nullptr), CL_INVALID_COMMAND_QUEUE) << each.name;
    EXPECT_EQ(each.call(queue_, 1, nullptr), CL_INVALID_EVENT_WAIT_LIST) << each.name;
    EXPECT_EQ(each.call(queue_, 0, otherEvents), CL_INVALID_EVENT_WAIT_LIST) << each.name;
    EXPECT_EQ(each.call(queue_, 1, noEvents), CL_INVALID_EVENT_WAIT_LIST) << each.name;
    EXPECT_EQ(each.call(queue_, 1, otherEvents), CL_INVALID_CONTEXT) << each.name;
    EXPECT_EQ(each.call(queue_, 0, nullptr), CL_SUCCESS) << each.name;
  }
  clFinish(queue_);
}

TEST_F(SvmErrorsTest, BlockingAfterAFailure) {
  Owned<cl_event> failed = makeUserEvent();
  clSetUserEventStatus(failed, -7);
  const cl_event waits[] = {failed};
  EXPECT_EQ(clEnqueueSVMMemcpy(queue_, CL_TRUE, memory_.get(), host_, 8, 1, waits, nullptr),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(clEnqueueSVMMap(queue_, CL_TRUE, CL_MAP_READ, memory_.get(), 8, 1, waits, nullptr),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(clEnqueueSVMMemcpy(queue_, CL_FALSE, memory_.get(), host_, 8, 1, waits, nullptr), CL_SUCCESS);
  clFinish(queue_);
}

TEST_F(SvmErrorsTest, EnqueueFree) {
  void* pointers[] = {memory_.get()};
  EXPECT_EQ(clEnqueueSVMFree(queue_, 0, pointers, nullptr, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueSVMFree(queue_, 1, nullptr, nullptr, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
}

TEST_F(SvmErrorsTest, Memcpy) {
  unsigned char* a = memory_.get();
  const auto copy = [&](void* target, const void* source, size_t size) {
    return clEnqueueSVMMemcpy(queue_, CL_TRUE, target, source, size, 0, nullptr, nullptr);
  };
  EXPECT_EQ(copy(nullptr, a, 8), CL_INVALID_VALUE);
  EXPECT_EQ(copy(a, nullptr, 8), CL_INVALID_VALUE);
  EXPECT_EQ(copy(a, a, 8), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(copy(a, a + 7, 8), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(copy(a + 7, a, 8), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(copy(host_ + 1, host_, 2), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(copy(a, a + 8, 8), CL_SUCCESS);
  EXPECT_EQ(copy(a + 8, a, 8), CL_SUCCESS);
  EXPECT_EQ(copy(a, a, 0), CL_SUCCESS);
}

TEST_F(SvmErrorsTest, MemFill) {
  unsigned char* a = memory_.get();
  const unsigned char pattern[256] = {};
  const auto fill = [&](void* target, const void* value, size_t patternSize, size_t size) {
    return clEnqueueSVMMemFill(queue_, target, value, patternSize, size, 0, nullptr, nullptr);
  };
  EXPECT_EQ(fill(nullptr, pattern, 4, 8), CL_INVALID_VALUE);
  EXPECT_EQ(fill(a + 2, pattern, 4, 8), CL_INVALID_VALUE);
  EXPECT_EQ(fill(a, nullptr, 4, 8), CL_INVALID_VALUE);
  for (size_t bad : {size_t{0}, size_t{3}, size_t{12}, size_t{256}})
    EXPECT_EQ(fill(a, pattern, bad, 768), CL_INVALID_VALUE) << bad;
  EXPECT_EQ(fill(a, pattern, 8, 12), CL_INVALID_VALUE);
  for (size_t good = 1; good <= 128; good *= 2)
    EXPECT_EQ(fill(a, pattern, good, 1024), CL_SUCCESS) << good;
  EXPECT_EQ(fill(a, pattern, 4, 0), CL_SUCCESS);
  clFinish(queue_);
}

TEST_F(SvmErrorsTest, Map) {
  const auto mapping = [&](cl_map_flags flags, void* pointer, size_t size) {
    return clEnqueueSVMMap(queue_, CL_TRUE, flags, pointer, size, 0, nullptr, nullptr);
  };
  EXPECT_EQ(mapping(CL_MAP_READ, nullptr, 8), CL_INVALID_VALUE);
  EXPECT_EQ(mapping(CL_MAP_READ, memory_.get(), 0), CL_INVALID_VALUE);
  EXPECT_EQ(mapping(CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, memory_.get(), 8), CL_INVALID_VALUE);
  EXPECT_EQ(mapping(CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION, memory_.get(), 8), CL_INVALID_VALUE);
  EXPECT_EQ(mapping(8, memory_.get(), 8), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueSVMUnmap(queue_, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
}

TEST_F(SvmErrorsTest, MigrateMem) {
  const void* pointers[] = {memory_.get() + 100, memory_.get()};
  const auto migrate = [&](cl_uint count, const void** list, const size_t* sizes, cl_mem_migration_flags flags) {
    return clEnqueueSVMMigrateMem(queue_, count, list, sizes, flags, 0, nullptr, nullptr);
  };
  EXPECT_EQ(migrate(0, pointers, nullptr, 0), CL_INVALID_VALUE);
  EXPECT_EQ(migrate(1, nullptr, nullptr, 0), CL_INVALID_VALUE);
  EXPECT_EQ(migrate(1, pointers, nullptr, 4), CL_INVALID_VALUE);
  const void* outside[] = {memory_.get(), host_};
  EXPECT_EQ(migrate(2, outside, nullptr, 0), CL_INVALID_VALUE);
  size_t sizes[] = {3997, 0};
  EXPECT_EQ(migrate(2, pointers, sizes, 0), CL_INVALID_VALUE);
  sizes[0] = SIZE_MAX;
  EXPECT_EQ(migrate(2, pointers, sizes, 0), CL_INVALID_VALUE);
  sizes[0] = 3996;
  EXPECT_EQ(migrate(2, pointers, sizes, 0), CL_SUCCESS);
  EXPECT_EQ(migrate(2, pointers, nullptr, CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED),
            CL_SUCCESS);
}

TEST_F(SvmErrorsTest, KernelArguments) {
  Owned<cl_kernel> kernel =
      makeKernel("kernel void k(global int* g, constant int* c, local int* l, int v, global float4* f) {}", "k");
  EXPECT_EQ(setPointer(kernel, 5, memory_.get()), CL_INVALID_ARG_INDEX);
  EXPECT_EQ(setPointer(kernel, 2, memory_.get()), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(setPointer(kernel, 3, memory_.get()), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(setPointer(kernel, 4, memory_.get() + 8), CL_INVALID_ARG_VALUE); // not aligned as a float4
  EXPECT_EQ(setPointer(kernel, 4, memory_.get() + 16), CL_SUCCESS);
  EXPECT_EQ(setPointer(kernel, 0, nullptr), CL_SUCCESS);
  EXPECT_EQ(setPointer(kernel, 1, memory_.get() + 64), CL_SUCCESS);
  alignas(16) int system[4] = {};
  bool anywhere = false;
  for (cl_device_id device : listAnswer<cl_device_id>(CLOTHO_INFO(clGetContextInfo, context_, CL_CONTEXT_DEVICES)))
    anywhere = anywhere || (valueAnswer<cl_ulong>(CLOTHO_INFO(clGetDeviceInfo, device, CL_DEVICE_SVM_CAPABILITIES)) &
                            CL_DEVICE_SVM_FINE_GRAIN_SYSTEM);
  ASSERT_EQ(setPointer(kernel, 0, system), anywhere ? CL_SUCCESS : CL_INVALID_ARG_VALUE);
  if (!anywhere) return;
  // A device that does not reach it refuses the launch.
  const cl_int four = 4;
  ASSERT_EQ(clSetKernelArg(kernel, 2, 16, nullptr), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 3, sizeof four, &four), CL_SUCCESS);
  const size_t one = 1;
  const bool reaches = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_SVM_CAPABILITIES)) &
                       CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
            reaches ? CL_SUCCESS : CL_INVALID_OPERATION);
  // And has no local size to suggest for it (clGetKernelSuggestedLocalWorkSize, which is this function's core name).
  const auto suggest = reinterpret_cast<decltype(&clGetKernelSuggestedLocalWorkSizeKHR)>(
      clGetExtensionFunctionAddressForPlatform(platform_, "clGetKernelSuggestedLocalWorkSizeKHR"));
  size_t suggested = 0;
  EXPECT_EQ(suggest(queue_, kernel, 1, nullptr, &one, &suggested), reaches ? CL_SUCCESS : CL_INVALID_OPERATION);
  ASSERT_EQ(setPointer(kernel, 0, memory_.get()), CL_SUCCESS);
  const cl_bool uses = CL_TRUE;
  ASSERT_EQ(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof uses, &uses), CL_SUCCESS);
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
            reaches ? CL_SUCCESS : CL_INVALID_OPERATION);
  clFinish(queue_);
}

TEST_F(SvmErrorsTest, ExecInfo) {
  Owned<cl_kernel> kernel = makeKernel("kernel void k(global int* g) {}", "k");
  const void* pointers[] = {memory_.get(), memory_.get() + 8, nullptr};
  const auto info = [&](cl_kernel_exec_info name, size_t size, const void* value) {
    return clSetKernelExecInfo(kernel, name, size, value);
  };
  EXPECT_EQ(info(CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers), CL_SUCCESS);
  EXPECT_EQ(info(CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, nullptr), CL_SUCCESS);
  EXPECT_EQ(info(CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(info(CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, pointers), CL_INVALID_VALUE);
  EXPECT_EQ(info(CL_KERNEL_EXEC_INFO_SVM_PTRS, 12, pointers), CL_INVALID_VALUE);
  EXPECT_EQ(info(0x11b5, 8, pointers), CL_INVALID_VALUE);
  const cl_bool no = CL_FALSE;
  EXPECT_EQ(info(CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof no, &no), CL_SUCCESS);
  EXPECT_EQ(info(CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 1, &no), CL_INVALID_VALUE);
  EXPECT_EQ(info(CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof no, nullptr), CL_INVALID_VALUE);
}

TEST_F(SvmErrorsTest, ExecInfoWithoutSystemMemory) {
  Owned<cl_kernel> kernel = makeKernel("kernel void k(global int* g) {}", "k");
  const cl_bool yes = CL_TRUE;
  const cl_int status = clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes);
  if (has(CL_DEVICE_SVM_FINE_GRAIN_SYSTEM)) EXPECT_EQ(status, CL_SUCCESS);
  cl_uint devices = 0;
  clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, 0, nullptr, &devices);
  if (isFar() && devices == 1) EXPECT_EQ(status, CL_INVALID_OPERATION);
}

TEST_F(SvmErrorsTest, BuffersThatAreTooLarge) {
  cl_int status = 1;
  for (cl_mem_flags flag : {cl_mem_flags{CL_MEM_USE_HOST_PTR}, cl_mem_flags{CL_MEM_COPY_HOST_PTR}}) {
    EXPECT_EQ(clCreateBuffer(context_, flag, 4097, memory_.get(), &status), nullptr);
    EXPECT_EQ(status, CL_INVALID_BUFFER_SIZE);
    EXPECT_EQ(clCreateBuffer(context_, flag, 4000, memory_.get() + 128, &status), nullptr);
    EXPECT_EQ(status, CL_INVALID_BUFFER_SIZE);
  }
  EXPECT_NE(makeBuffer(4096 - 128, CL_MEM_USE_HOST_PTR, memory_.get() + 128).get(), nullptr);
  Owned<cl_mem> plain = makeBuffer(64);
  EXPECT_EQ(valueAnswer<cl_bool>(CLOTHO_INFO(clGetMemObjectInfo, plain, CL_MEM_USES_SVM_POINTER)), cl_bool{CL_FALSE});
}

} // namespace

} // namespace clotho::test
