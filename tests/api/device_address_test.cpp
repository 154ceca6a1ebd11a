// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cl_ext_buffer_device_address.
#include "base/later_headers.hpp"
#include "svm.hpp"

#include <algorithm>
#include <array>

namespace clotho::test {

namespace {

using Address = cl_mem_device_address_ext;

class DeviceAddressTest : public Api {
 protected:
  static constexpr size_t kCount = 1024;

  void SetUp() override {
    Api::SetUp();
    setPointer = reinterpret_cast<decltype(setPointer)>(
        clGetExtensionFunctionAddressForPlatform(platform_, "clSetKernelArgDevicePointerEXT"));
    ASSERT_NE(setPointer, nullptr);
    devices_ = listAnswer<cl_device_id>(CLOTHO_INFO(clGetContextInfo, context_, CL_CONTEXT_DEVICES));
    for (cl_device_id device : devices_) {
      cl_int status = 1;
      queues_.emplace_back(clCreateCommandQueueWithProperties(context_, device, nullptr, &status));
      ASSERT_EQ(status, CL_SUCCESS);
    }
  }
  Owned<cl_mem> makeAddressed(cl_mem_flags flags = CL_MEM_READ_WRITE, void* host = nullptr) {
    cl_int status = 1;
    Owned<cl_mem> buffer = clCreateBufferWithProperties(context_, kProperties, flags, kCount * 4, host, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return buffer;
  }
  std::vector<Address> addresses(cl_mem buffer) {
    return listAnswer<Address>(CLOTHO_INFO(clGetMemObjectInfo, buffer, CL_MEM_DEVICE_ADDRESS_EXT));
  }
  std::vector<cl_uint> contents(cl_mem buffer) {
    std::vector<cl_uint> words(kCount);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, kCount * 4, words.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    return words;
  }
  void run(size_t device, cl_kernel kernel, size_t items) {
    ASSERT_EQ(clEnqueueNDRangeKernel(queues_[device], kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
              CL_SUCCESS);
    ASSERT_EQ(clFinish(queues_[device]), CL_SUCCESS);
  }

  static constexpr cl_mem_properties kProperties[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, 0};
  decltype(&clSetKernelArgDevicePointerEXT) setPointer = nullptr;
  std::vector<cl_device_id> devices_;
  std::vector<Owned<cl_command_queue>> queues_;
};

TEST_F(DeviceAddressTest, IsWhatKernelsSee) {
  Owned<cl_mem> buffer = makeAddressed(), result = makeBuffer(8);
  const std::vector<Address> known = addresses(buffer);
  ASSERT_EQ(known.size(), devices_.size());
  Owned<cl_kernel> kernel = makeKernel("kernel void k(global int* b, global ulong* a) { *a = (ulong)b; }", "k");
  cl_mem rawBuffer = buffer, rawResult = result;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof rawBuffer, &rawBuffer), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof rawResult, &rawResult), CL_SUCCESS);
  for (int round = 0; round < 2; ++round) // it never moves
    for (size_t i = 0; i < devices_.size(); ++i) {
      run(i, kernel, 1);
      Address seen = 0;
      ASSERT_EQ(clEnqueueReadBuffer(queues_[i], result, CL_TRUE, 0, 8, &seen, 0, nullptr, nullptr), CL_SUCCESS);
      EXPECT_EQ(seen, known[i]);
      EXPECT_NE(seen, 0u);
    }
}

/// Each device changes the buffer by its own address of it, one after the other.
TEST_F(DeviceAddressTest, AsArguments) {
  std::vector<cl_uint> host(kCount, 7);
  Owned<cl_mem> buffer = makeAddressed(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, host.data());
  const std::vector<Address> known = addresses(buffer);
  Owned<cl_kernel> kernel = makeKernel("kernel void k(global uint* p) { p[(int)get_global_id(0) - 4] += 1; }", "k");
  for (cl_uint round = 0; round < 3; ++round)
    for (size_t i = 0; i < devices_.size(); ++i) {
      ASSERT_EQ(setPointer(kernel, 0, 0), CL_SUCCESS);
      ASSERT_EQ(setPointer(kernel, 0, known[i] + 16), CL_SUCCESS);
      run(i, kernel, kCount);
    }
  EXPECT_EQ(contents(buffer), std::vector<cl_uint>(kCount, 7 + 3 * static_cast<cl_uint>(devices_.size())));
}

TEST_F(DeviceAddressTest, InMemory) {
  Owned<cl_mem> first = makeAddressed(), second = makeAddressed(), places = makeBuffer(16), result = makeBuffer(4);
  Owned<cl_kernel> kernel =
      makeKernel("struct places { global uint* from; global uint* to; };"
                 "kernel void k(global struct places* p) { size_t i = get_global_id(0); p->to[i] = p->from[i] * 2; }",
                 "k");
  std::vector<cl_uint> host(kCount);
  for (cl_uint i = 0; i < kCount; ++i)
    host[i] = i;
  cl_mem raw = places;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
  for (size_t i = 0; i < devices_.size(); ++i) {
    const Address pair[] = {addresses(first)[i], addresses(second)[i]};
    ASSERT_EQ(clEnqueueWriteBuffer(queue_, first, CL_TRUE, 0, kCount * 4, host.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    ASSERT_EQ(clEnqueueWriteBuffer(queue_, places, CL_TRUE, 0, sizeof pair, pair, 0, nullptr, nullptr), CL_SUCCESS);
    const Address inside[] = {pair[0] + 40, pair[1]};
    ASSERT_EQ(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, sizeof inside, inside), CL_SUCCESS);
    cl_int status = 1;
    Owned<cl_kernel> clone = clCloneKernel(kernel, &status);
    run(i, clone, kCount);
    for (cl_uint& word : host)
      word *= 2;
    ASSERT_EQ(contents(second), host);
  }
}

/// A buffer that a kernel is given by its address is kept while the kernel runs, though the application releases it.
TEST_F(DeviceAddressTest, KeepsTheBuffer) {
  Owned<cl_kernel> kernel =
      makeKernel("kernel void k(global uint* p, global uint* r) { r[get_global_id(0)] = p[3]; }", "k");
  Owned<cl_mem> result = makeBuffer(kCount * 4);
  cl_mem raw = result;
  ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof raw, &raw), CL_SUCCESS);
  for (cl_uint round = 0; round < 20; ++round) {
    std::vector<cl_uint> host(kCount, round);
    Owned<cl_mem> buffer = makeAddressed(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, host.data());
    ASSERT_EQ(setPointer(kernel, 0, addresses(buffer)[0]), CL_SUCCESS);
    Owned<cl_event> gate = makeUserEvent();
    const cl_event waits[] = {gate};
    const size_t items = kCount;
    ASSERT_EQ(clEnqueueNDRangeKernel(queues_[0], kernel, 1, nullptr, &items, nullptr, 1, waits, nullptr), CL_SUCCESS);
    buffer = {};
    std::vector<Owned<cl_mem>> others; // which would have its memory
    const cl_uint wrong = ~0u;
    for (int i = 0; i < 4; ++i) {
      others.push_back(makeBuffer(kCount * 4));
      ASSERT_EQ(clEnqueueFillBuffer(queue_, others.back(), &wrong, 4, 0, kCount * 4, 0, nullptr, nullptr), CL_SUCCESS);
    }
    clFinish(queue_);
    clSetUserEventStatus(gate, CL_COMPLETE);
    clFinish(queues_[0]);
    ASSERT_EQ(contents(result), host);
  }
}

TEST_F(DeviceAddressTest, OfSharedMemory) {
  CLOTHO_NEEDS(hasSharedMemory());
  void* memory = clSVMAlloc(context_, 0, kCount * 4, 0);
  ASSERT_NE(memory, nullptr);
  {
    Owned<cl_mem> buffer = makeAddressed(CL_MEM_USE_HOST_PTR, memory);
    for (Address address : addresses(buffer))
      EXPECT_EQ(address, reinterpret_cast<Address>(memory));
  }
  clSVMFree(context_, memory);
}

TEST_F(DeviceAddressTest, Errors) {
  const cl_mem_properties twice[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT,
                                     CL_TRUE, 0};
  const cl_mem_properties noBool[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 2, 0};
  const cl_mem_properties unknown[] = {CL_MEM_DEVICE_ADDRESS_EXT, CL_TRUE, 0};
  const cl_mem_properties no[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_FALSE, 0};
  cl_int status = 1;
  for (const cl_mem_properties* bad : {twice, noBool, unknown}) {
    EXPECT_EQ(clCreateBufferWithProperties(context_, bad, 0, 64, nullptr, &status), nullptr);
    EXPECT_EQ(status, CL_INVALID_PROPERTY);
  }
  Owned<cl_mem> without = clCreateBufferWithProperties(context_, no, 0, 64, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_mem> plain = makeBuffer(64), buffer = makeAddressed();
  std::array<Address, 16> place{};
  for (cl_mem each : {without.get(), plain.get()})
    EXPECT_EQ(clGetMemObjectInfo(each, CL_MEM_DEVICE_ADDRESS_EXT, sizeof place, place.data(), nullptr),
              CL_INVALID_OPERATION);
  EXPECT_EQ(clGetMemObjectInfo(buffer, CL_MEM_DEVICE_ADDRESS_EXT, 4, place.data(), nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(listAnswer<cl_mem_properties>(CLOTHO_INFO(clGetMemObjectInfo, buffer, CL_MEM_PROPERTIES)),
            (std::vector<cl_mem_properties>{CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, 0}));
  Owned<cl_kernel> kernel = makeKernel("kernel void k(global int* g, constant int* c, local int* l, int v) {}", "k");
  Foreign<cl_kernel> foreign(context_.get());
  EXPECT_EQ(setPointer(foreign, 0, 0), CL_INVALID_KERNEL);
  for (cl_uint bad : {1u, 2u, 3u, 4u})
    EXPECT_EQ(setPointer(kernel, bad, 0x15465), CL_INVALID_ARG_INDEX);
  EXPECT_EQ(setPointer(kernel, 0, 0x15465), CL_SUCCESS); // whatever it points to
  const Address list[] = {1};
  EXPECT_EQ(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 8, list), CL_SUCCESS);
  EXPECT_EQ(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 0, nullptr), CL_SUCCESS);
  EXPECT_EQ(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 4, list), CL_INVALID_VALUE);
  EXPECT_EQ(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 8, nullptr), CL_INVALID_VALUE);
}

} // namespace

} // namespace clotho::test
