// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared virtual memory (section 5.6): what programs get.
#include "svm.hpp"

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <numeric>
#include <random>
#include <thread>

namespace clotho::test {

namespace {

constexpr size_t kCount = 1000;

class SvmTest : public SharedApi {
 protected:
  Owned<cl_kernel> addKernel() {
    return makeKernel("kernel void add(global uint* p, uint by) { p[get_global_id(0)] += by; }", "add");
  }
  static cl_command_type typeOf(cl_event event) {
    return valueAnswer<cl_command_type>(CLOTHO_INFO(clGetEventInfo, event, CL_EVENT_COMMAND_TYPE));
  }
};

TEST_F(SvmTest, Capabilities) {
  const auto own =
      valueAnswer<cl_device_svm_capabilities>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_SVM_CAPABILITIES));
  const cl_device_svm_capabilities all = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER |
                                         CL_DEVICE_SVM_FINE_GRAIN_SYSTEM | CL_DEVICE_SVM_ATOMICS;
  if (textAnswer(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_VENDOR)) == "NVIDIA Corporation") {
    EXPECT_TRUE(own == 0 || (own & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)); // as the driver's attributes are
    return;
  }
  EXPECT_EQ(own, isFar() ? cl_device_svm_capabilities{CL_DEVICE_SVM_COARSE_GRAIN_BUFFER} : all);
}

TEST_F(SvmTest, EveryAlignment) {
  for (cl_uint alignment : {0u, 1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u})
    for (size_t size : {size_t{1}, size_t{77}, size_t{4096}, size_t{3} << 20}) {
      void* memory = clSVMAlloc(context_, CL_MEM_READ_WRITE, size, alignment);
      ASSERT_NE(memory, nullptr) << alignment;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % (alignment ? alignment : 128), 0u);
      clSVMFree(context_, memory);
    }
}

TEST_F(SvmTest, KernelAndHostTakeTurns) {
  Svm<cl_uint> memory = allocate(kCount);
  Owned<cl_kernel> kernel = addKernel();
  const cl_uint by = 5;
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 0, memory.get()), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof by, &by), CL_SUCCESS);
  map(memory.get(), kCount * 4, CL_MAP_WRITE_INVALIDATE_REGION);
  std::iota(&memory[0], &memory[kCount], 0u);
  unmap(memory.get());
  launch(kernel, kCount);
  map(memory.get(), kCount * 4);
  for (cl_uint i = 0; i < kCount; ++i)
    ASSERT_EQ(memory[i]++, i + 5);
  unmap(memory.get());
  launch(kernel, kCount);
  map(memory.get(), kCount * 4, CL_MAP_READ);
  for (cl_uint i = 0; i < kCount; ++i)
    ASSERT_EQ(memory[i], i + 11);
  unmap(memory.get());
}

TEST_F(SvmTest, PointersIntoTheMiddle) {
  Svm<cl_uint> memory = allocate(kCount);
  Owned<cl_kernel> kernel = makeKernel("kernel void k(global uint* p) { p[(int)get_global_id(0) - 10] = 7; }", "k");
  const cl_uint zero = 0;
  ASSERT_EQ(clEnqueueSVMMemFill(queue_, memory.get(), &zero, 4, kCount * 4, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 0, &memory[500]), CL_SUCCESS);
  launch(kernel, 20);
  map(memory.get(), kCount * 4, CL_MAP_READ);
  for (size_t i = 0; i < kCount; ++i)
    ASSERT_EQ(memory[i], i >= 490 && i < 510 ? 7u : 0u) << i;
  unmap(memory.get());
}

TEST_F(SvmTest, PointersInMemory) {
  struct Node {
    Node* next;
    cl_uint value;
  };
  Svm<Node> nodes = allocate<Node>(100);
  Svm<Node> others = allocate<Node>(100);
  Svm<cl_uint> sum = allocate(1);
  map(nodes.get(), 100 * sizeof(Node));
  map(others.get(), 100 * sizeof(Node));
  for (cl_uint i = 0; i < 100; ++i) {
    nodes[i] = {&others[i], i};
    others[i] = {i < 99 ? &nodes[i + 1] : nullptr, i * 1000};
  }
  unmap(nodes.get());
  unmap(others.get());
  Owned<cl_kernel> kernel = makeKernel("struct node { global struct node* next; uint value; };"
                                       "kernel void k(global struct node* n, global uint* sum) {"
                                       "  uint s = 0; for (; n; n = n->next) s += n->value; *sum = s; }",
                                       "k");
  const void* pointers[] = {&others[50]};
  ASSERT_EQ(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 0, nodes.get()), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 1, sum.get()), CL_SUCCESS);
  cl_int status = 1;
  Owned<cl_kernel> clone = clCloneKernel(kernel, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  for (cl_kernel each : {kernel.get(), clone.get()}) {
    launch(each, 1);
    map(sum.get(), 4);
    EXPECT_EQ(sum[0], 4950u * 1001);
    sum[0] = 0;
    unmap(sum.get());
  }
}

TEST_F(SvmTest, BuffersOverIt) {
  Svm<cl_uint> memory = allocate(kCount);
  Owned<cl_mem> buffer = makeBuffer(kCount * 4, CL_MEM_USE_HOST_PTR, memory.get());
  Owned<cl_mem> inside = makeBuffer(100 * 4, CL_MEM_USE_HOST_PTR, &memory[32]);
  cl_buffer_region region{128 * 4, 64 * 4};
  cl_int status = 1;
  Owned<cl_mem> sub = clCreateSubBuffer(buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  for (cl_mem each : {buffer.get(), inside.get(), sub.get()})
    EXPECT_EQ(valueAnswer<cl_bool>(CLOTHO_INFO(clGetMemObjectInfo, each, CL_MEM_USES_SVM_POINTER)), cl_bool{CL_TRUE});
  EXPECT_EQ(valueAnswer<void*>(CLOTHO_INFO(clGetMemObjectInfo, sub, CL_MEM_HOST_PTR)), &memory[128]);
  // Commands on all of them and on the address see the same bytes, in order.
  const cl_uint patterns[] = {1, 2, 3, 4};
  ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer, &patterns[0], 4, 0, kCount * 4, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueFillBuffer(queue_, inside, &patterns[1], 4, 0, 400, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueSVMMemFill(queue_, &memory[140], &patterns[2], 4, 40, 0, nullptr, nullptr), CL_SUCCESS);
  Owned<cl_kernel> kernel =
      makeKernel("kernel void k(global uint* s, global uint* b, global uint* p) {"
                 "  if (get_global_id(0) == 0) { s[20] = 9; b[0] = s[20] + 1; p[1] = b[0] + 1; } }",
                 "k");
  cl_mem rawSub = sub, rawBuffer = buffer;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof rawSub, &rawSub), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof rawBuffer, &rawBuffer), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 2, memory.get()), CL_SUCCESS);
  launch(kernel, 16);
  auto* mapped = static_cast<cl_uint*>(
      clEnqueueMapBuffer(queue_, buffer, CL_TRUE, CL_MAP_READ, 0, kCount * 4, 0, nullptr, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(mapped, memory.get());
  for (cl_uint i = 0; i < kCount; ++i) {
    cl_uint expected = i >= 140 && i < 150 ? 3 : i >= 32 && i < 132 ? 2 : 1;
    if (i == 148) expected = 9;
    if (i == 0) expected = 10;
    if (i == 1) expected = 11;
    ASSERT_EQ(memory[i], expected) << i;
  }
  ASSERT_EQ(clEnqueueUnmapMemObject(queue_, buffer, mapped, 0, nullptr, nullptr), CL_SUCCESS);
  std::vector<cl_uint> copy(kCount);
  ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, kCount * 4, copy.data(), 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(copy[149], 3u);
  clFinish(queue_);
}

// Devices may need aligned texels, which applications need not have.
TEST_F(SvmTest, ImagesOverItAtEachAddress) {
  const Owned<cl_kernel> kernel = makeKernel("kernel void turn(read_write image2d_t image) {\n"
                                             "  const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
                                             "  write_imagef(image, at, read_imagef(image, at).wzyx + 1.0f);\n"
                                             "}",
                                             "turn", "-cl-std=CL3.0");
  ASSERT_TRUE(kernel);
  constexpr size_t kWidth = 5, kHeight = 3, kFloats = kWidth * kHeight * 4;
  const cl_image_format format{CL_RGBA, CL_FLOAT};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = kWidth;
  desc.image_height = kHeight;
  for (const size_t offset : {size_t{0}, size_t{1}, size_t{4}, size_t{8}}) {
    SCOPED_TRACE(offset);
    const Svm<std::byte> memory = allocate<std::byte>(kFloats * sizeof(float) + 16);
    ASSERT_TRUE(memory);
    std::byte* const begin = memory.get() + offset;
    std::vector<float> values(kFloats);
    for (size_t i = 0; i < kFloats; ++i)
      values[i] = static_cast<float>(i);
    map(memory.get(), kFloats * sizeof(float) + 16);
    std::memcpy(begin, values.data(), kFloats * sizeof(float));
    unmap(memory.get());
    cl_int status = 1;
    const Owned<cl_mem> image =
        clCreateImage(context_, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, &format, &desc, begin, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    const cl_mem raw = image;
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
    const size_t global[] = {kWidth, kHeight}, origin[] = {0, 0, 0}, region[] = {kWidth, kHeight, 1};
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, global, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    // The map brings what the image has to where the application sees it.
    size_t rowPitch = 0;
    void* mapped = clEnqueueMapImage(queue_, image, CL_TRUE, CL_MAP_READ, origin, region, &rowPitch, nullptr, 0,
                                     nullptr, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(mapped, begin);
    std::vector<float> seen(kFloats);
    std::memcpy(seen.data(), mapped, kFloats * sizeof(float));
    for (size_t i = 0; i < kFloats; ++i)
      ASSERT_EQ(seen[i], values[i / 4 * 4 + 3 - i % 4] + 1) << i;
    EXPECT_EQ(clEnqueueUnmapMemObject(queue_, image, mapped, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  }
}

TEST_F(SvmTest, AddressesForAllCommands) {
  Svm<cl_uint> source = allocate(kCount), target = allocate(kCount);
  std::vector<cl_uint> host(kCount);
  std::iota(host.begin(), host.end(), 1u);
  Owned<cl_mem> buffer = makeBuffer(kCount * 4);
  ASSERT_EQ(clEnqueueSVMMemcpy(queue_, CL_FALSE, source.get(), host.data(), kCount * 4, 0, nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(clEnqueueWriteBuffer(queue_, buffer, CL_FALSE, 0, kCount * 4, source.get(), 0, nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_FALSE, 0, kCount * 4, target.get(), 0, nullptr, nullptr),
            CL_SUCCESS);
  const size_t origin[] = {0, 0, 0}, region[] = {16, 10, 1};
  const size_t shifted[] = {8, 0, 0};
  ASSERT_EQ(clEnqueueReadBufferRect(queue_, buffer, CL_FALSE, shifted, origin, region, 40, 0, 40, 0, target.get(), 0,
                                    nullptr, nullptr),
            CL_SUCCESS);
  std::vector<cl_uint> result(kCount);
  ASSERT_EQ(clEnqueueSVMMemcpy(queue_, CL_TRUE, result.data(), target.get(), kCount * 4, 0, nullptr, nullptr),
            CL_SUCCESS);
  for (cl_uint i = 0; i < kCount; ++i)
    ASSERT_EQ(result[i], i < 100 && i % 10 < 4 ? i + 3 : i + 1) << i;
  // From the application's memory to itself, too.
  ASSERT_EQ(clEnqueueSVMMemcpy(queue_, CL_TRUE, host.data(), &host[500], 2000, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(host[0], 501u);
}

TEST_F(SvmTest, CommandTypesAndProfiling) {
  Owned<cl_command_queue> queue = makeQueue(CL_QUEUE_PROFILING_ENABLE);
  cl_uint* memory = static_cast<cl_uint*>(clSVMAlloc(context_, 0, 4096, 0));
  ASSERT_NE(memory, nullptr);
  cl_uint host[64] = {};
  const void* pointers[] = {memory};
  void* freed[] = {memory};
  Owned<cl_event> events[6];
  ASSERT_EQ(clEnqueueSVMMemFill(queue, memory, host, 16, 4096, 0, nullptr, events[0].out()), CL_SUCCESS);
  ASSERT_EQ(clEnqueueSVMMemcpy(queue, CL_FALSE, host, memory, sizeof host, 0, nullptr, events[1].out()), CL_SUCCESS);
  ASSERT_EQ(clEnqueueSVMMap(queue, CL_FALSE, CL_MAP_READ, memory, 4096, 0, nullptr, events[2].out()), CL_SUCCESS);
  ASSERT_EQ(clEnqueueSVMUnmap(queue, memory, 0, nullptr, events[3].out()), CL_SUCCESS);
  ASSERT_EQ(clEnqueueSVMMigrateMem(queue, 1, pointers, nullptr, 0, 0, nullptr, events[4].out()), CL_SUCCESS);
  ASSERT_EQ(clEnqueueSVMFree(queue, 1, freed, nullptr, nullptr, 0, nullptr, events[5].out()), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  const cl_command_type types[] = {CL_COMMAND_SVM_MEMFILL, CL_COMMAND_SVM_MEMCPY,      CL_COMMAND_SVM_MAP,
                                   CL_COMMAND_SVM_UNMAP,   CL_COMMAND_SVM_MIGRATE_MEM, CL_COMMAND_SVM_FREE};
  cl_ulong before = 0;
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(typeOf(events[i]), types[i]) << i;
    cl_ulong start = 0, end = 0;
    EXPECT_EQ(clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr), CL_SUCCESS);
    EXPECT_LE(before, start);
    EXPECT_LE(start, end);
    before = end;
  }
}

TEST_F(SvmTest, CommandsWaitForTheirEvents) {
  Svm<cl_uint> memory = allocate(64);
  Owned<cl_command_queue> loose = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Owned<cl_event> gate = makeUserEvent();
  const cl_event waits[] = {gate};
  const cl_uint one = 1;
  Owned<cl_event> filled, copied, mapped, unmapped;
  cl_uint host[64] = {};
  ASSERT_EQ(clEnqueueSVMMemFill(loose, memory.get(), &one, 4, 256, 1, waits, filled.out()), CL_SUCCESS);
  const cl_event afterFill[] = {filled};
  ASSERT_EQ(clEnqueueSVMMemcpy(loose, CL_FALSE, host, memory.get(), 256, 1, afterFill, copied.out()), CL_SUCCESS);
  const cl_event afterCopy[] = {copied};
  ASSERT_EQ(clEnqueueSVMMap(loose, CL_FALSE, CL_MAP_READ, memory.get(), 256, 1, afterCopy, mapped.out()), CL_SUCCESS);
  const cl_event afterMap[] = {mapped};
  ASSERT_EQ(clEnqueueSVMUnmap(loose, memory.get(), 1, afterMap, unmapped.out()), CL_SUCCESS);
  EXPECT_GT(statusOf(unmapped), CL_COMPLETE);
  EXPECT_EQ(host[0], 0u);
  clSetUserEventStatus(gate, CL_COMPLETE);
  const cl_event last[] = {unmapped};
  ASSERT_EQ(clWaitForEvents(1, last), CL_SUCCESS);
  EXPECT_EQ(host[63], 1u);
}

TEST_F(SvmTest, FineGrain) {
  if (!has(CL_DEVICE_SVM_FINE_GRAIN_BUFFER)) GTEST_SKIP() << "a device without";
  Svm<cl_uint> memory = allocate(kCount, CL_MEM_SVM_FINE_GRAIN_BUFFER);
  Owned<cl_kernel> kernel = addKernel();
  const cl_uint by = 3;
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 0, memory.get()), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof by, &by), CL_SUCCESS);
  std::iota(&memory[0], &memory[kCount], 0u);
  launch(kernel, kCount);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  for (cl_uint i = 0; i < kCount; ++i)
    ASSERT_EQ(memory[i], i + 3);
}

TEST_F(SvmTest, SystemMemory) {
  if (!has(CL_DEVICE_SVM_FINE_GRAIN_SYSTEM)) GTEST_SKIP() << "a device without";
  std::vector<cl_uint> memory(kCount);
  std::vector<cl_uint*> places(kCount);
  for (size_t i = 0; i < kCount; ++i)
    places[i] = &memory[kCount - 1 - i];
  Owned<cl_kernel> kernel = makeKernel(
      "kernel void k(global uint* global* p) { *p[get_global_id(0)] = (uint)get_global_id(0); }", "k", "-cl-std=CL3.0");
  const cl_bool uses = CL_TRUE;
  ASSERT_EQ(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof uses, &uses), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 0, places.data()), CL_SUCCESS);
  launch(kernel, kCount);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  for (cl_uint i = 0; i < kCount; ++i)
    ASSERT_EQ(memory[kCount - 1 - i], i);
}

/// While the kernel runs, host and kernel hand a number to and fro.
TEST_F(SvmTest, HostAndRunningKernelTalk) {
  if (!has(CL_DEVICE_SVM_ATOMICS)) GTEST_SKIP() << "a device without";
  Svm<std::atomic<cl_int>> talk = allocate<std::atomic<cl_int>>(64, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
  Svm<cl_int> data = allocate<cl_int>(4096, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
  Owned<cl_kernel> kernel = makeKernel(
      "kernel void k(global atomic_int* talk, global int* data, int rounds) {"
      "  for (int r = 0; r < rounds; ++r) {"
      "    while (atomic_load_explicit(talk, memory_order_acquire, memory_scope_all_svm_devices) != 2 * r + 1);"
      "    for (int i = 0; i < 4096; ++i) data[i] = data[i] + r;"
      "    atomic_store_explicit(talk, 2 * r + 2, memory_order_release, memory_scope_all_svm_devices);"
      "  } }",
      "k", "-cl-std=CL3.0");
  constexpr cl_int kRounds = 200;
  std::fill_n(data.get(), 4096, 0);
  talk[0] = 0;
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 0, talk.get()), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 1, data.get()), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 2, sizeof kRounds, &kRounds), CL_SUCCESS);
  launch(kernel, 1);
  ASSERT_EQ(clFlush(queue_), CL_SUCCESS);
  for (cl_int r = 0; r < kRounds; ++r) {
    for (cl_int i = 0; i < 4096; ++i)
      data[i] = r * 100 + i;
    talk[0].store(2 * r + 1, std::memory_order_release);
    while (talk[0].load(std::memory_order_acquire) != 2 * r + 2)
      std::this_thread::yield();
    for (cl_int i = 0; i < 4096; ++i)
      ASSERT_EQ(data[i], r * 101 + i);
  }
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
}

/// Host and kernel count in the same place at once.
TEST_F(SvmTest, AtomicsOfHostAndKernel) {
  if (!has(CL_DEVICE_SVM_ATOMICS)) GTEST_SKIP() << "a device without";
  Svm<std::atomic<cl_uint>> counter =
      allocate<std::atomic<cl_uint>>(1, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
  Owned<cl_kernel> kernel =
      makeKernel("kernel void k(global atomic_uint* c) {"
                 "  for (int i = 0; i < 1000; ++i)"
                 "    atomic_fetch_add_explicit(c, 1, memory_order_relaxed, memory_scope_all_svm_devices); }",
                 "k", "-cl-std=CL3.0");
  counter[0] = 0;
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 0, counter.get()), CL_SUCCESS);
  launch(kernel, 64);
  ASSERT_EQ(clFlush(queue_), CL_SUCCESS);
  for (int i = 0; i < 100000; ++i)
    ++counter[0];
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(counter[0], 164000u);
}

/// Sub-devices share as their device does.
TEST_F(SvmTest, SubDevices) {
  CLOTHO_NEEDS(hasSubDevices());
  const cl_device_partition_property ones[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1,
                                               CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  cl_device_id parts[2] = {};
  ASSERT_EQ(clCreateSubDevices(device_, ones, 2, parts, nullptr), CL_SUCCESS);
  cl_int status = 1;
  {
    Owned<cl_context> context = clCreateContext(nullptr, 1, parts, nullptr, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    Owned<cl_command_queue> queue = clCreateCommandQueueWithProperties(context, parts[0], nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(
        valueAnswer<cl_device_svm_capabilities>(CLOTHO_INFO(clGetDeviceInfo, parts[0], CL_DEVICE_SVM_CAPABILITIES)),
        valueAnswer<cl_device_svm_capabilities>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_SVM_CAPABILITIES)));
    void* memory = clSVMAlloc(context, 0, 4096, 0);
    ASSERT_NE(memory, nullptr);
    const cl_uint three = 3;
    cl_uint found = 0;
    ASSERT_EQ(clEnqueueSVMMemFill(queue, memory, &three, 4, 4096, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, &found, memory, 4, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(found, 3u);
    clSVMFree(context, memory);
  }
  for (cl_device_id part : parts)
    clReleaseDevice(part);
}

/// Memory is freed with its context, as the application cannot free it afterwards.
TEST_F(SvmTest, GoesWithItsContext) {
  constexpr size_t kLarge = size_t{64} << 20;
  for (int i = 0; i < 2000; ++i) {
    Owned<cl_context> context = makeContext();
    ASSERT_NE(clSVMAlloc(context, 0, kLarge, 0), nullptr) << i;
  }
}

sigjmp_buf caught;
void jump(int) { siglongjmp(caught, 1); }

/// Whether reading there is a fault.
bool isProtected(const volatile cl_uint* place) {
  struct sigaction handler = {}, before = {};
  handler.sa_handler = jump;
  sigaction(SIGSEGV, &handler, &before);
  volatile bool faulted = true;
  if (sigsetjmp(caught, 1) == 0) {
    static_cast<void>(*place);
    faulted = false;
  }
  sigaction(SIGSEGV, &before, nullptr);
  return faulted;
}

/// On a device that cannot share while it works, a map that is missing is found out, and a pointer that the kernel was
/// not said to reach.
TEST_F(SvmTest, MissingMapsAreFoundOut) {
  Svm<cl_uint> memory = allocate(kCount), other = allocate(kCount);
  const bool isCareful = !has(CL_DEVICE_SVM_FINE_GRAIN_BUFFER);
  EXPECT_EQ(isProtected(memory.get()), isCareful);
  map(memory.get(), 4);
  map(&memory[10], 4);
  EXPECT_FALSE(isProtected(memory.get()));
  unmap(memory.get());
  clFinish(queue_);
  EXPECT_FALSE(isProtected(memory.get())); // one map is left
  unmap(&memory[10]);
  clFinish(queue_);
  EXPECT_EQ(isProtected(memory.get()), isCareful);
  EXPECT_EQ(isProtected(&memory[kCount - 1]), isCareful);
  // A buffer over it is mapped like any other.
  Owned<cl_mem> buffer = makeBuffer(kCount * 4, CL_MEM_USE_HOST_PTR, memory.get());
  cl_int status = 1;
  void* mapped = clEnqueueMapBuffer(queue_, buffer, CL_TRUE, CL_MAP_WRITE, 0, 400, 0, nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_FALSE(isProtected(memory.get()));
  ASSERT_EQ(clEnqueueUnmapMemObject(queue_, buffer, mapped, 0, nullptr, nullptr), CL_SUCCESS);
  clFinish(queue_);
  EXPECT_EQ(isProtected(memory.get()), isCareful);

  Owned<cl_kernel> kernel = makeKernel("kernel void k(global uint* global* p) { **p = 1; }", "k", "-cl-std=CL3.0");
  map(memory.get(), 8);
  cl_uint* place = &other[5];
  std::memcpy(memory.get(), &place, sizeof place);
  unmap(memory.get());
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 0, memory.get()), CL_SUCCESS);
  const size_t one = 1;
  for (bool isSaid : {false, true}) {
    const void* pointers[] = {other.get()};
    if (isSaid)
      ASSERT_EQ(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers), CL_SUCCESS);
    Owned<cl_event> event;
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, 0, nullptr, event.out()), CL_SUCCESS);
    clFinish(queue_);
    EXPECT_EQ(statusOf(event), isCareful && !isSaid ? CL_OUT_OF_RESOURCES : CL_COMPLETE);
  }
}

/// Random commands on shared memory, by address and through buffers, against the same on the host.
TEST_F(SvmTest, RandomCommands) {
  constexpr size_t kWords = 2048, kBlocks = 3;
  Owned<cl_kernel> kernel = makeKernel("kernel void k(global uint* to, global const uint* from, uint by) {"
                                       "  size_t i = get_global_id(0); to[i] = to[i] * 3 + from[i] + by; }",
                                       "k");
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](size_t limit) { return random() % limit; };
    Owned<cl_command_queue> queue = makeQueue();
    std::vector<std::vector<cl_uint>> model(kBlocks, std::vector<cl_uint>(kWords));
    std::vector<Svm<cl_uint>> blocks;
    std::vector<Owned<cl_mem>> buffers;
    for (size_t i = 0; i < kBlocks; ++i) {
      blocks.push_back(allocate(kWords));
      buffers.push_back(makeBuffer(kWords * 4, CL_MEM_USE_HOST_PTR, blocks[i].get()));
      const cl_uint zero = 0;
      ASSERT_EQ(clEnqueueSVMMemFill(queue, blocks[i].get(), &zero, 4, kWords * 4, 0, nullptr, nullptr), CL_SUCCESS);
    }
    for (int step = 0; step < 100; ++step) {
      const size_t a = below(kBlocks), b = (a + 1 + below(kBlocks - 1)) % kBlocks;
      const size_t count = 1 + below(kWords / 2), from = below(kWords - count), to = below(kWords - count);
      const cl_uint number = random();
      switch (below(7)) {
      case 0:
        ASSERT_EQ(clEnqueueSVMMemFill(queue, &blocks[a][to], &number, 4, count * 4, 0, nullptr, nullptr), CL_SUCCESS);
        std::fill_n(&model[a][to], count, number);
        break;
      case 1:
        ASSERT_EQ(clEnqueueSVMMemcpy(queue, step % 2, &blocks[a][to], &blocks[b][from], count * 4, 0, nullptr, nullptr),
                  CL_SUCCESS);
        std::copy_n(&model[b][from], count, &model[a][to]);
        break;
      case 2:
        ASSERT_EQ(clEnqueueCopyBuffer(queue, buffers[b], buffers[a], from * 4, to * 4, count * 4, 0, nullptr, nullptr),
                  CL_SUCCESS);
        std::copy_n(&model[b][from], count, &model[a][to]);
        break;
      case 3:
        ASSERT_EQ(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, &blocks[a][to], count * 4, 0, nullptr, nullptr),
                  CL_SUCCESS);
        std::fill_n(&blocks[a][to], count, number);
        std::fill_n(&model[a][to], count, number);
        ASSERT_EQ(clEnqueueSVMUnmap(queue, &blocks[a][to], 0, nullptr, nullptr), CL_SUCCESS);
        break;
      case 4: {
        const void* pointers[] = {&blocks[a][to], &blocks[b][from]};
        const size_t sizes[] = {count * 4, 0};
        ASSERT_EQ(clEnqueueSVMMigrateMem(queue, 2, pointers, sizes, 0, 0, nullptr, nullptr), CL_SUCCESS);
        break;
      }
      default: {
        // One side by its address, the other by its address or as a buffer.
        cl_mem raw = buffers[b];
        const bool isBuffer = below(2);
        ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 0, &blocks[a][to]), CL_SUCCESS);
        ASSERT_EQ(isBuffer ? clSetKernelArg(kernel, 1, sizeof raw, &raw)
                           : clSetKernelArgSVMPointer(kernel, 1, &blocks[b][from]),
                  CL_SUCCESS);
        ASSERT_EQ(clSetKernelArg(kernel, 2, sizeof number, &number), CL_SUCCESS);
        ASSERT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &count, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
        for (size_t i = 0; i < count; ++i)
          model[a][to + i] = model[a][to + i] * 3 + model[b][(isBuffer ? 0 : from) + i] + number;
      }
      }
    }
    for (size_t i = 0; i < kBlocks; ++i) {
      std::vector<cl_uint> result(kWords);
      ASSERT_EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, result.data(), blocks[i].get(), kWords * 4, 0, nullptr, nullptr),
                CL_SUCCESS);
      ASSERT_EQ(result, model[i]) << "seed " << seed;
    }
  }
}

} // namespace

} // namespace clotho::test
