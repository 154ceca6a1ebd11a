// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fixture.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace clotho::test {

namespace {

class BufferTest : public Api {
 protected:
  cl_int code(cl_mem_flags flags, size_t size, void* host) {
    cl_int status = 1;
    Owned<cl_mem> buffer = clCreateBuffer(context_, flags, size, host, &status);
    EXPECT_EQ(buffer.get() == nullptr, status != CL_SUCCESS);
    return status;
  }
  cl_int subCode(cl_mem parent, cl_mem_flags flags, size_t origin, size_t size) {
    cl_buffer_region region{origin, size};
    cl_int status = 1;
    Owned<cl_mem> buffer = clCreateSubBuffer(parent, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    EXPECT_EQ(buffer.get() == nullptr, status != CL_SUCCESS);
    return status;
  }
  Owned<cl_mem> makeSub(cl_mem parent, size_t origin, size_t size, cl_mem_flags flags = 0) {
    cl_buffer_region region{origin, size};
    cl_int status = 1;
    Owned<cl_mem> buffer = clCreateSubBuffer(parent, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return buffer;
  }
  template <class T> T info(cl_mem memory, cl_mem_info name) {
    return valueAnswer<T>(CLOTHO_INFO(clGetMemObjectInfo, memory, name));
  }
  size_t alignment() {
    return valueAnswer<cl_uint>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MEM_BASE_ADDR_ALIGN)) / 8;
  }
};

TEST_F(BufferTest, CreateErrors) {
  alignas(128) char host[64];
  EXPECT_EQ(code(0, 64, nullptr), CL_SUCCESS);
  EXPECT_EQ(code(1u << 20, 64, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(CL_MEM_KERNEL_READ_AND_WRITE, 64, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(CL_MEM_READ_ONLY | CL_MEM_READ_WRITE, 64, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 64, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, 64, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 64, host), CL_INVALID_VALUE);
  EXPECT_EQ(code(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 64, host), CL_INVALID_VALUE);
  EXPECT_EQ(code(CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, 64, host), CL_SUCCESS);
  EXPECT_EQ(code(CL_MEM_READ_WRITE, 0, nullptr), CL_INVALID_BUFFER_SIZE);
  cl_ulong most = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  EXPECT_EQ(code(CL_MEM_READ_WRITE, most + 1, nullptr), CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(code(CL_MEM_READ_WRITE, 64, host), CL_INVALID_HOST_PTR);
  EXPECT_EQ(code(CL_MEM_USE_HOST_PTR, 64, nullptr), CL_INVALID_HOST_PTR);
  EXPECT_EQ(code(CL_MEM_COPY_HOST_PTR, 64, nullptr), CL_INVALID_HOST_PTR);
  cl_int status;
  Foreign<cl_context> foreign(device_);
  EXPECT_EQ(clCreateBuffer(foreign, 0, 64, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
}

TEST_F(BufferTest, MemoryRunsOut) {
  cl_ulong most = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  cl_ulong all = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_GLOBAL_MEM_SIZE));
  std::vector<Owned<cl_mem>> buffers;
  cl_int status = CL_SUCCESS;
  for (cl_ulong taken = 0; status == CL_SUCCESS && taken <= 2 * all; taken += most)
    buffers.emplace_back(clCreateBuffer(context_, 0, most, nullptr, &status));
  EXPECT_EQ(status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_GE(buffers.size(), 2u) << "one of CL_DEVICE_MAX_MEM_ALLOC_SIZE has to fit";
  buffers.clear();
  EXPECT_EQ(code(0, most, nullptr), CL_SUCCESS) << "what was released is there again";
}

TEST_F(BufferTest, WithProperties) {
  cl_int status = 1;
  cl_mem_properties none[] = {0}, unknown[] = {0x7777, 1, 0};
  EXPECT_EQ(clCreateBufferWithProperties(context_, unknown, 0, 64, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROPERTY);
  Owned<cl_mem> plain = clCreateBufferWithProperties(context_, nullptr, 0, 64, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_TRUE(listAnswer<cl_mem_properties>(CLOTHO_INFO(clGetMemObjectInfo, plain, CL_MEM_PROPERTIES)).empty());
  Owned<cl_mem> listed = clCreateBufferWithProperties(context_, none, 0, 64, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(listAnswer<cl_mem_properties>(CLOTHO_INFO(clGetMemObjectInfo, listed, CL_MEM_PROPERTIES)),
            std::vector<cl_mem_properties>{0});
}

TEST_F(BufferTest, Info) {
  alignas(128) char host[512];
  Owned<cl_mem> buffer = makeBuffer(sizeof host, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, host);
  EXPECT_EQ(info<cl_mem_object_type>(buffer, CL_MEM_TYPE), cl_uint{CL_MEM_OBJECT_BUFFER});
  EXPECT_EQ(info<cl_mem_flags>(buffer, CL_MEM_FLAGS), cl_bitfield{CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY});
  EXPECT_EQ(info<size_t>(buffer, CL_MEM_SIZE), sizeof host);
  EXPECT_EQ(info<void*>(buffer, CL_MEM_HOST_PTR), host);
  EXPECT_EQ(info<cl_uint>(buffer, CL_MEM_MAP_COUNT), 0u);
  EXPECT_EQ(info<cl_context>(buffer, CL_MEM_CONTEXT), context_.get());
  EXPECT_EQ(info<cl_mem>(buffer, CL_MEM_ASSOCIATED_MEMOBJECT), nullptr);
  EXPECT_EQ(info<size_t>(buffer, CL_MEM_OFFSET), 0u);
  EXPECT_EQ(info<cl_bool>(buffer, CL_MEM_USES_SVM_POINTER), cl_uint{CL_FALSE});
  checkInfoProtocol([&](cl_uint name, size_t size, void* value,
                        size_t* ret) { return clGetMemObjectInfo(buffer, name, size, value, ret); },
                    CL_MEM_SIZE);

  Owned<cl_mem> sub = makeSub(buffer, alignment(), 100, CL_MEM_HOST_READ_ONLY);
  EXPECT_EQ(info<cl_mem_flags>(sub, CL_MEM_FLAGS),
            cl_bitfield{CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY});
  EXPECT_EQ(info<size_t>(sub, CL_MEM_SIZE), 100u);
  EXPECT_EQ(info<void*>(sub, CL_MEM_HOST_PTR), host + alignment());
  EXPECT_EQ(info<cl_mem>(sub, CL_MEM_ASSOCIATED_MEMOBJECT), buffer.get());
  EXPECT_EQ(info<size_t>(sub, CL_MEM_OFFSET), alignment());

  Owned<cl_mem> copied = makeBuffer(sizeof host, CL_MEM_COPY_HOST_PTR, host);
  EXPECT_EQ(info<void*>(copied, CL_MEM_HOST_PTR), nullptr);
  EXPECT_EQ(info<cl_mem_flags>(copied, CL_MEM_FLAGS), cl_bitfield{CL_MEM_COPY_HOST_PTR | CL_MEM_READ_WRITE});
}

TEST_F(BufferTest, CountsReferences) {
  Owned<cl_mem> buffer = makeBuffer(64);
  EXPECT_EQ(info<cl_uint>(buffer, CL_MEM_REFERENCE_COUNT), 1u);
  EXPECT_EQ(clRetainMemObject(buffer), CL_SUCCESS);
  Owned<cl_mem> sub = makeSub(buffer, 0, 16);
  EXPECT_EQ(info<cl_uint>(buffer, CL_MEM_REFERENCE_COUNT), 2u) << "a sub-buffer is no reference of the application's";
  EXPECT_EQ(clReleaseMemObject(buffer), CL_SUCCESS);
  cl_mem raw = buffer.take();
  EXPECT_EQ(clReleaseMemObject(raw), CL_SUCCESS);
  EXPECT_EQ(clReleaseMemObject(raw), CL_INVALID_MEM_OBJECT) << "alive for the sub-buffer, not the application's";
  EXPECT_EQ(info<cl_uint>(raw, CL_MEM_REFERENCE_COUNT), 0u);
  cl_uint value = 7, seen = 0;
  EXPECT_EQ(clEnqueueWriteBuffer(queue_, sub, CL_TRUE, 0, 4, &value, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clEnqueueReadBuffer(queue_, sub, CL_TRUE, 0, 4, &seen, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen, 7u);
}

TEST_F(BufferTest, SubBufferErrors) {
  Owned<cl_mem> buffer = makeBuffer(4096);
  size_t step = alignment();
  EXPECT_EQ(subCode(buffer, 0, step, 16), CL_SUCCESS);
  EXPECT_EQ(subCode(buffer, 0, 0, 4096), CL_SUCCESS);
  EXPECT_EQ(subCode(buffer, 0, step, 0), CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(subCode(buffer, 0, 4096, 16), CL_INVALID_VALUE);
  EXPECT_EQ(subCode(buffer, 0, step, 4096), CL_INVALID_VALUE);
  EXPECT_EQ(subCode(buffer, 0, step, ~size_t{0}), CL_INVALID_VALUE);
  EXPECT_EQ(subCode(buffer, 0, step / 2, 16), CL_MISALIGNED_SUB_BUFFER_OFFSET);
  EXPECT_EQ(subCode(buffer, CL_MEM_USE_HOST_PTR, step, 16), CL_INVALID_VALUE);
  EXPECT_EQ(subCode(buffer, CL_MEM_ALLOC_HOST_PTR, step, 16), CL_INVALID_VALUE);
  EXPECT_EQ(subCode(buffer, CL_MEM_COPY_HOST_PTR, step, 16), CL_INVALID_VALUE);
  EXPECT_EQ(subCode(buffer, 1u << 20, step, 16), CL_INVALID_VALUE);

  cl_int status;
  cl_buffer_region region{0, 16};
  EXPECT_EQ(clCreateSubBuffer(buffer, 0, 0x7777, &region, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  Owned<cl_mem> sub = makeSub(buffer, 0, 1024);
  EXPECT_EQ(subCode(sub, 0, 0, 16), CL_INVALID_MEM_OBJECT);
  Foreign<cl_mem> foreign(device_);
  EXPECT_EQ(subCode(foreign, 0, 0, 16), CL_INVALID_MEM_OBJECT);
}

// What the buffer forbids, its parts cannot allow (section 5.2.1).
TEST_F(BufferTest, SubBufferMayNotWiden) {
  struct {
    cl_mem_flags parent, sub;
    cl_int expected;
  } cases[] = {
      {CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE, CL_INVALID_VALUE},
      {CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY, CL_INVALID_VALUE},
      {CL_MEM_WRITE_ONLY, CL_MEM_WRITE_ONLY, CL_SUCCESS},
      {CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, CL_INVALID_VALUE},
      {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_INVALID_VALUE},
      {CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_SUCCESS},
      {CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY, CL_INVALID_VALUE},
      {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_INVALID_VALUE},
      {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, CL_INVALID_VALUE},
      {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY, CL_INVALID_VALUE},
      {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_NO_ACCESS, CL_SUCCESS},
  };
  for (const auto& c : cases) {
    Owned<cl_mem> buffer = makeBuffer(256, c.parent);
    EXPECT_EQ(subCode(buffer, c.sub, 0, 16), c.expected) << c.parent << ' ' << c.sub;
  }
}

struct Destroyed {
  int order[2] = {0, 0};
  std::atomic<bool> hostMemoryIntact{false};
  std::atomic<int> count{0};
  /// Callbacks come one after the other; who sees the count sees the order.
  void add(int number) {
    order[count.load()] = number;
    ++count;
  }
};

TEST_F(BufferTest, DestructorCallbacksLastFirst) {
  static Destroyed destroyed;
  alignas(128) static cl_uint host[16];
  Owned<cl_mem> buffer = makeBuffer(sizeof host, CL_MEM_USE_HOST_PTR, host);
  Foreign<cl_mem> foreign(device_);
  auto first = [](cl_mem, void* number) {
    destroyed.hostMemoryIntact = host[3] == 99;
    destroyed.add(*static_cast<int*>(number));
  };
  auto second = [](cl_mem, void* number) { destroyed.add(*static_cast<int*>(number)); };
  static int one = 1, two = 2;
  EXPECT_EQ(clSetMemObjectDestructorCallback(buffer, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clSetMemObjectDestructorCallback(foreign, first, &one), CL_INVALID_MEM_OBJECT);
  ASSERT_EQ(clSetMemObjectDestructorCallback(buffer, first, &one), CL_SUCCESS);
  ASSERT_EQ(clSetMemObjectDestructorCallback(buffer, second, &two), CL_SUCCESS);

  // A command that has not run yet keeps the object.
  Owned<cl_event> gate = makeUserEvent();
  cl_event wait = gate;
  cl_uint value = 99;
  ASSERT_EQ(clEnqueueWriteBuffer(queue_, buffer, CL_FALSE, 12, 4, &value, 1, &wait, nullptr), CL_SUCCESS);
  EXPECT_EQ(clReleaseMemObject(buffer.take()), CL_SUCCESS);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(destroyed.count, 0);
  EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  for (int i = 0; i < 5000 && destroyed.count < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_EQ(destroyed.count, 2);
  EXPECT_EQ(destroyed.order[0], 2);
  EXPECT_EQ(destroyed.order[1], 1);
  // The bytes of a far device were written in its own memory, and no command has read them back.
  EXPECT_TRUE(destroyed.hostMemoryIntact || isFar());
}

TEST_F(BufferTest, HostMemory) {
  alignas(128) cl_uint host[4] = {1, 2, 3, 4};
  cl_uint seen[4] = {};
  Owned<cl_mem> copied = makeBuffer(sizeof host, CL_MEM_COPY_HOST_PTR, host);
  Owned<cl_mem> used = makeBuffer(sizeof host, CL_MEM_USE_HOST_PTR, host);
  cl_uint nine = 9;
  EXPECT_EQ(clEnqueueWriteBuffer(queue_, used, CL_TRUE, 4, 4, &nine, 0, nullptr, nullptr), CL_SUCCESS);
  cl_int status = 1;
  void* mapped = clEnqueueMapBuffer(queue_, used, CL_TRUE, CL_MAP_READ, 4, 4, 0, nullptr, nullptr, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(mapped, host + 1);
  EXPECT_EQ(host[1], 9u) << "the bytes are the application's own";
  EXPECT_EQ(clEnqueueUnmapMemObject(queue_, used, mapped, 0, nullptr, nullptr), CL_SUCCESS);
  if (!isFar()) {
    ++nine;
    EXPECT_EQ(clEnqueueWriteBuffer(queue_, used, CL_TRUE, 4, 4, &nine, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(host[1], 10u) << "a device in the host's memory needs no map";
  }
  EXPECT_EQ(clEnqueueReadBuffer(queue_, copied, CL_TRUE, 0, sizeof seen, seen, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen[1], 2u) << "a copy is a copy";
}

} // namespace

} // namespace clotho::test
