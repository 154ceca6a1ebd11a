// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fixture.hpp"

#include <thread>

namespace clotho::test {

namespace {

class MapTest : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    buffer_ = makeBuffer(4096);
  }
  void* map(cl_mem buffer, cl_map_flags flags, size_t offset, size_t size, cl_int* status, cl_bool blocking = CL_TRUE,
            cl_uint count = 0, const cl_event* list = nullptr, cl_event* event = nullptr) {
    *status = 1;
    void* pointer = clEnqueueMapBuffer(queue_, buffer, blocking, flags, offset, size, count, list, event, status);
    EXPECT_EQ(pointer == nullptr, *status != CL_SUCCESS);
    return pointer;
  }
  cl_int mapCode(cl_mem buffer, cl_map_flags flags, size_t offset, size_t size) {
    cl_int status;
    void* pointer = map(buffer, flags, offset, size, &status);
    if (pointer) EXPECT_EQ(unmap(buffer, pointer), CL_SUCCESS);
    return status;
  }
  cl_int unmap(cl_mem buffer, void* pointer) {
    return clEnqueueUnmapMemObject(queue_, buffer, pointer, 0, nullptr, nullptr);
  }
  cl_uint mapCount(cl_mem buffer) {
    return valueAnswer<cl_uint>(CLOTHO_INFO(clGetMemObjectInfo, buffer, CL_MEM_MAP_COUNT));
  }
  Owned<cl_mem> buffer_;
};

TEST_F(MapTest, Errors) {
  EXPECT_EQ(mapCode(buffer_, CL_MAP_READ, 0, 16), CL_SUCCESS);
  EXPECT_EQ(mapCode(buffer_, CL_MAP_READ, 0, 0), CL_INVALID_VALUE);
  EXPECT_EQ(mapCode(buffer_, CL_MAP_READ, 4090, 16), CL_INVALID_VALUE);
  EXPECT_EQ(mapCode(buffer_, CL_MAP_READ, 8, ~size_t{0}), CL_INVALID_VALUE);
  EXPECT_EQ(mapCode(buffer_, 1u << 10, 0, 16), CL_INVALID_VALUE);
  EXPECT_EQ(mapCode(buffer_, CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_READ, 0, 16), CL_INVALID_VALUE);
  EXPECT_EQ(mapCode(buffer_, CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_WRITE, 0, 16), CL_INVALID_VALUE);
  EXPECT_EQ(mapCode(buffer_, CL_MAP_WRITE_INVALIDATE_REGION, 0, 16), CL_SUCCESS);
  EXPECT_EQ(mapCode(nullptr, CL_MAP_READ, 0, 16), CL_INVALID_MEM_OBJECT);
  cl_int status;
  Foreign<cl_command_queue> foreign(device_);
  EXPECT_EQ(clEnqueueMapBuffer(foreign, buffer_, CL_TRUE, CL_MAP_READ, 0, 16, 0, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_COMMAND_QUEUE);
  map(buffer_, CL_MAP_READ, 0, 16, &status, CL_TRUE, 1, nullptr);
  EXPECT_EQ(status, CL_INVALID_EVENT_WAIT_LIST);

  Owned<cl_context> context = makeContext();
  Owned<cl_mem> other = clCreateBuffer(context, 0, 64, nullptr, &status);
  EXPECT_EQ(mapCode(other, CL_MAP_READ, 0, 16), CL_INVALID_CONTEXT);
  EXPECT_EQ(mapCount(buffer_), 0u) << "what fails leaves no map";
}

TEST_F(MapTest, HostAccessFlags) {
  struct {
    cl_mem_flags buffer;
    cl_map_flags map;
    cl_int expected;
  } cases[] = {{CL_MEM_HOST_WRITE_ONLY, CL_MAP_READ, CL_INVALID_OPERATION},
               {CL_MEM_HOST_WRITE_ONLY, CL_MAP_WRITE, CL_SUCCESS},
               {CL_MEM_HOST_READ_ONLY, CL_MAP_WRITE, CL_INVALID_OPERATION},
               {CL_MEM_HOST_READ_ONLY, CL_MAP_WRITE_INVALIDATE_REGION, CL_INVALID_OPERATION},
               {CL_MEM_HOST_READ_ONLY, CL_MAP_READ, CL_SUCCESS},
               {CL_MEM_HOST_NO_ACCESS, CL_MAP_READ, CL_INVALID_OPERATION},
               {CL_MEM_HOST_NO_ACCESS, CL_MAP_WRITE, CL_INVALID_OPERATION}};
  for (const auto& c : cases)
    EXPECT_EQ(mapCode(makeBuffer(64, c.buffer), c.map, 0, 16), c.expected) << c.buffer << ' ' << c.map;
}

TEST_F(MapTest, UnmapErrors) {
  cl_int status;
  char* pointer = static_cast<char*>(map(buffer_, CL_MAP_READ, 64, 64, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(unmap(buffer_, pointer + 1), CL_INVALID_VALUE);
  EXPECT_EQ(unmap(buffer_, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(unmap(nullptr, pointer), CL_INVALID_MEM_OBJECT);
  Foreign<cl_command_queue> foreign(device_);
  EXPECT_EQ(clEnqueueUnmapMemObject(foreign, buffer_, pointer, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueUnmapMemObject(queue_, buffer_, pointer, 1, nullptr, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  Owned<cl_context> context = makeContext();
  Owned<cl_mem> other = clCreateBuffer(context, 0, 64, nullptr, &status);
  EXPECT_EQ(unmap(other, pointer), CL_INVALID_CONTEXT);
  EXPECT_EQ(mapCount(buffer_), 1u);
  EXPECT_EQ(unmap(buffer_, pointer), CL_SUCCESS);
  EXPECT_EQ(unmap(buffer_, pointer), CL_INVALID_VALUE) << "unmapped twice";
}

TEST_F(MapTest, ReadMapsOverlapWriteMapsDoNot) {
  cl_int status;
  void* first = map(buffer_, CL_MAP_READ, 0, 64, &status);
  void* second = map(buffer_, CL_MAP_READ, 0, 64, &status);
  EXPECT_EQ(first, second);
  EXPECT_EQ(mapCount(buffer_), 2u);
  EXPECT_EQ(unmap(buffer_, first), CL_SUCCESS);
  EXPECT_EQ(mapCount(buffer_), 1u);
  EXPECT_EQ(unmap(buffer_, second), CL_SUCCESS);

  void* written = map(buffer_, CL_MAP_WRITE, 0, 64, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  map(buffer_, CL_MAP_WRITE, 32, 64, &status);
  EXPECT_EQ(status, CL_INVALID_OPERATION);
  EXPECT_EQ(mapCode(buffer_, CL_MAP_WRITE, 64, 64), CL_SUCCESS);
  cl_buffer_region region{0, 128};
  Owned<cl_mem> sub = clCreateSubBuffer(buffer_, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(mapCode(sub, CL_MAP_WRITE_INVALIDATE_REGION, 0, 16), CL_INVALID_OPERATION) << "the same bytes";
  EXPECT_EQ(mapCode(sub, CL_MAP_WRITE, 64, 16), CL_SUCCESS);
  EXPECT_EQ(mapCount(sub), 0u);
  EXPECT_EQ(unmap(sub, written), CL_INVALID_VALUE) << "mapped through another object";
  EXPECT_EQ(unmap(buffer_, written), CL_SUCCESS);
  EXPECT_EQ(mapCode(buffer_, CL_MAP_WRITE, 32, 64), CL_SUCCESS);
}

TEST_F(MapTest, BytesGoBothWays) {
  cl_uint pattern = 0x01020304, seen = 0;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer_, &pattern, 4, 0, 4096, 0, nullptr, nullptr), CL_SUCCESS);
  cl_int status;
  auto* words = static_cast<cl_uint*>(map(buffer_, CL_MAP_READ | CL_MAP_WRITE, 8, 64, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(words[3], pattern) << "what was enqueued before is done";
  words[3] = 77;
  ASSERT_EQ(unmap(buffer_, words), CL_SUCCESS);
  ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 8 + 12, 4, &seen, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen, 77u);
}

TEST_F(MapTest, HostPointerIsWhereItWas) {
  alignas(128) char host[256];
  Owned<cl_mem> buffer = makeBuffer(sizeof host, CL_MEM_USE_HOST_PTR, host);
  cl_int status;
  void* pointer = map(buffer, CL_MAP_READ, 24, 8, &status);
  EXPECT_EQ(pointer, host + 24);
  EXPECT_EQ(unmap(buffer, pointer), CL_SUCCESS);
}

TEST_F(MapTest, PointerComesAtOnceAndTheEventInOrder) {
  Owned<cl_event> gate = makeUserEvent(), mapped, unmapped;
  cl_event wait = gate;
  cl_int status;
  void* pointer = map(buffer_, CL_MAP_WRITE, 0, 64, &status, CL_FALSE, 1, &wait, mapped.out());
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_GT(statusOf(mapped), CL_COMPLETE);
  EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  wait = mapped;
  EXPECT_EQ(clWaitForEvents(1, &wait), CL_SUCCESS);
  EXPECT_EQ(clEnqueueUnmapMemObject(queue_, buffer_, pointer, 1, &wait, unmapped.out()), CL_SUCCESS);
  wait = unmapped;
  EXPECT_EQ(clWaitForEvents(1, &wait), CL_SUCCESS);
  EXPECT_EQ(valueAnswer<cl_command_type>(CLOTHO_INFO(clGetEventInfo, mapped, CL_EVENT_COMMAND_TYPE)),
            cl_uint{CL_COMMAND_MAP_BUFFER});
  EXPECT_EQ(valueAnswer<cl_command_type>(CLOTHO_INFO(clGetEventInfo, unmapped, CL_EVENT_COMMAND_TYPE)),
            cl_uint{CL_COMMAND_UNMAP_MEM_OBJECT});
}

TEST_F(MapTest, FailedDependencyOfABlockingMap) {
  Owned<cl_event> failed = makeUserEvent();
  ASSERT_EQ(clSetUserEventStatus(failed, -5), CL_SUCCESS);
  cl_event wait = failed;
  cl_int status;
  map(buffer_, CL_MAP_WRITE, 0, 64, &status, CL_TRUE, 1, &wait);
  EXPECT_EQ(status, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(mapCount(buffer_), 0u);
}

// What has not been mapped is not to be unmapped: nothing stays in the way of the next map.
TEST_F(MapTest, MapThatFailsLaterNeverWas) {
  cl_buffer_region region{1024, 1024};
  cl_int status;
  Owned<cl_mem> sub = clCreateSubBuffer(buffer_, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  for (cl_mem buffer : {buffer_.get(), sub.get()})
    for (const cl_map_flags flags : {CL_MAP_READ, CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION}) {
      Owned<cl_event> gate = makeUserEvent(), mapped;
      cl_event wait = gate;
      void* pointer = map(buffer, flags, 0, 64, &status, CL_FALSE, 1, &wait, mapped.out());
      ASSERT_EQ(status, CL_SUCCESS);
      EXPECT_EQ(mapCount(buffer), 1u);
      ASSERT_EQ(clSetUserEventStatus(gate, -5), CL_SUCCESS);
      wait = mapped;
      EXPECT_EQ(clWaitForEvents(1, &wait), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
      EXPECT_EQ(mapCount(buffer), 0u);
      EXPECT_EQ(unmap(buffer, pointer), CL_INVALID_VALUE);
      EXPECT_EQ(mapCode(buffer, CL_MAP_WRITE, 0, 64), CL_SUCCESS);
    }
}

// The application may end a map before its command has run, and begin another one, which the failure does not end.
TEST_F(MapTest, MapThatFailsAfterItsEndTakesNoOther) {
  Owned<cl_command_queue> another = makeQueue();
  Owned<cl_event> gate = makeUserEvent(), mapped;
  cl_event wait = gate;
  cl_int status;
  void* pointer = map(buffer_, CL_MAP_WRITE, 0, 64, &status, CL_FALSE, 1, &wait, mapped.out());
  ASSERT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(unmap(buffer_, pointer), CL_SUCCESS);
  void* second = clEnqueueMapBuffer(another, buffer_, CL_TRUE, CL_MAP_WRITE, 0, 64, 0, nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(gate, -5), CL_SUCCESS);
  wait = mapped;
  EXPECT_EQ(clWaitForEvents(1, &wait), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(mapCount(buffer_), 1u);
  EXPECT_EQ(clEnqueueUnmapMemObject(another, buffer_, second, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clFinish(another), CL_SUCCESS);
}

// For later calls a map is over when its end is enqueued. If that fails, what was written is there all the same.
TEST_F(MapTest, FailedEndOfAMapLosesNothing) {
  cl_uint pattern = 0x01020304, seen = 0;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer_, &pattern, 4, 0, 4096, 0, nullptr, nullptr), CL_SUCCESS);
  cl_int status;
  auto* words = static_cast<cl_uint*>(map(buffer_, CL_MAP_WRITE, 0, 64, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  words[1] = 99;
  Owned<cl_event> failed = makeUserEvent(), unmapped;
  ASSERT_EQ(clSetUserEventStatus(failed, -5), CL_SUCCESS);
  cl_event wait = failed;
  ASSERT_EQ(clEnqueueUnmapMemObject(queue_, buffer_, words, 1, &wait, unmapped.out()), CL_SUCCESS);
  wait = unmapped;
  EXPECT_EQ(clWaitForEvents(1, &wait), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(mapCount(buffer_), 0u);
  ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 4, 4, &seen, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen, 99u);
  EXPECT_EQ(mapCode(buffer_, CL_MAP_WRITE, 0, 64), CL_SUCCESS);
}

TEST_F(MapTest, FailedMapEndsNoOtherAtItsAddress) {
  Owned<cl_command_queue> another = makeQueue();
  Owned<cl_event> gate = makeUserEvent();
  cl_int blockedStatus = 1, status;
  std::thread blocked([&] {
    cl_event wait = gate;
    map(buffer_, CL_MAP_READ, 0, 64, &blockedStatus, CL_TRUE, 1, &wait);
  });
  while (mapCount(buffer_) == 0)
    std::this_thread::yield();
  void* pointer = clEnqueueMapBuffer(another, buffer_, CL_TRUE, CL_MAP_WRITE, 0, 32, 0, nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(gate, -5), CL_SUCCESS);
  blocked.join();
  EXPECT_EQ(blockedStatus, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(mapCode(buffer_, CL_MAP_WRITE, 0, 16), CL_INVALID_OPERATION) << "still mapped for writing";
  EXPECT_EQ(unmap(buffer_, pointer), CL_SUCCESS);
  EXPECT_EQ(mapCount(buffer_), 0u);
}

} // namespace

} // namespace clotho::test
