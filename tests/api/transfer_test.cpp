// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Read, write, copy, fill and migration of buffers.
#include "fixture.hpp"

#include <numeric>

namespace clotho::test {

namespace {

class TransferTest : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    values_.resize(256);
    std::iota(values_.begin(), values_.end(), 0u);
    buffer_ = makeBuffer(bytes(), CL_MEM_COPY_HOST_PTR, values_.data());
    otherContext_ = makeContext();
    cl_int status;
    otherBuffer_ = clCreateBuffer(otherContext_, 0, bytes(), nullptr, &status);
    otherEvent_ = clCreateUserEvent(otherContext_, &status);
  }
  void TearDown() override {
    clSetUserEventStatus(otherEvent_, CL_COMPLETE);
    Api::TearDown();
  }
  size_t bytes() const { return values_.size() * sizeof(cl_uint); }
  std::vector<cl_uint> contents(cl_mem buffer) {
    std::vector<cl_uint> seen(values_.size());
    EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, bytes(), seen.data(), 0, nullptr, nullptr), CL_SUCCESS);
    return seen;
  }

  std::vector<cl_uint> values_;
  Owned<cl_mem> buffer_, otherBuffer_;
  Owned<cl_context> otherContext_;
  Owned<cl_event> otherEvent_;
};

TEST_F(TransferTest, ReadErrors) {
  char host[64];
  cl_event none = nullptr, other = otherEvent_;
  auto code = [&](cl_mem buffer, size_t offset, size_t size, void* pointer, cl_uint count = 0,
                  const cl_event* list = nullptr) {
    cl_event event = nullptr;
    cl_int result = clEnqueueReadBuffer(queue_, buffer, CL_FALSE, offset, size, pointer, count, list, &event);
    EXPECT_EQ(event == nullptr, result != CL_SUCCESS);
    if (event) clReleaseEvent(event);
    return result;
  };
  Foreign<cl_command_queue> foreignQueue(device_);
  EXPECT_EQ(clEnqueueReadBuffer(foreignQueue, buffer_, CL_TRUE, 0, 4, host, 0, nullptr, nullptr),
            CL_INVALID_COMMAND_QUEUE);
  Foreign<cl_mem> foreign(device_);
  EXPECT_EQ(code(foreign, 0, 4, host), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(code(nullptr, 0, 4, host), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(code(otherBuffer_, 0, 4, host), CL_INVALID_CONTEXT);
  EXPECT_EQ(code(buffer_, 0, 4, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer_, bytes(), 4, host), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer_, bytes() - 3, 4, host), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer_, 8, ~size_t{0}, host), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer_, ~size_t{0}, 8, host), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer_, 0, 4, host, 1, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(code(buffer_, 0, 4, host, 0, &other), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(code(buffer_, 0, 4, host, 1, &none), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(code(buffer_, 0, 4, host, 1, &other), CL_INVALID_CONTEXT);
  EXPECT_EQ(code(buffer_, bytes(), 0, host), CL_SUCCESS) << "nothing, at the very end";
  Owned<cl_mem> writeOnly = makeBuffer(64, CL_MEM_HOST_WRITE_ONLY), noAccess = makeBuffer(64, CL_MEM_HOST_NO_ACCESS);
  EXPECT_EQ(code(writeOnly, 0, 4, host), CL_INVALID_OPERATION);
  EXPECT_EQ(code(noAccess, 0, 4, host), CL_INVALID_OPERATION);
}

TEST_F(TransferTest, WriteErrors) {
  char host[64] = {};
  cl_event other = otherEvent_;
  auto code = [&](cl_mem buffer, size_t offset, size_t size, const void* pointer, cl_uint count = 0,
                  const cl_event* list = nullptr) {
    return clEnqueueWriteBuffer(queue_, buffer, CL_TRUE, offset, size, pointer, count, list, nullptr);
  };
  Foreign<cl_command_queue> foreignQueue(device_);
  EXPECT_EQ(clEnqueueWriteBuffer(foreignQueue, buffer_, CL_TRUE, 0, 4, host, 0, nullptr, nullptr),
            CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(code(nullptr, 0, 4, host), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(code(otherBuffer_, 0, 4, host), CL_INVALID_CONTEXT);
  EXPECT_EQ(code(buffer_, 0, 4, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer_, bytes() - 3, 4, host), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer_, 8, ~size_t{0}, host), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer_, 0, 4, host, 1, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(code(buffer_, 0, 4, host, 1, &other), CL_INVALID_CONTEXT);
  EXPECT_EQ(code(buffer_, 4, 0, host), CL_SUCCESS);
  Owned<cl_mem> readOnly = makeBuffer(64, CL_MEM_HOST_READ_ONLY), noAccess = makeBuffer(64, CL_MEM_HOST_NO_ACCESS);
  EXPECT_EQ(code(readOnly, 0, 4, host), CL_INVALID_OPERATION);
  EXPECT_EQ(code(noAccess, 0, 4, host), CL_INVALID_OPERATION);
}

TEST_F(TransferTest, CopyErrors) {
  Owned<cl_mem> target = makeBuffer(bytes());
  cl_event other = otherEvent_;
  auto code = [&](cl_mem source, cl_mem destination, size_t from, size_t to, size_t size, cl_uint count = 0,
                  const cl_event* list = nullptr) {
    return clEnqueueCopyBuffer(queue_, source, destination, from, to, size, count, list, nullptr);
  };
  Foreign<cl_command_queue> foreignQueue(device_);
  EXPECT_EQ(clEnqueueCopyBuffer(foreignQueue, buffer_, target, 0, 0, 4, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(code(nullptr, target, 0, 0, 4), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(code(buffer_, nullptr, 0, 0, 4), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(code(otherBuffer_, target, 0, 0, 4), CL_INVALID_CONTEXT);
  EXPECT_EQ(code(buffer_, otherBuffer_, 0, 0, 4), CL_INVALID_CONTEXT);
  EXPECT_EQ(code(buffer_, target, bytes() - 3, 0, 4), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer_, target, 0, bytes() - 3, 4), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer_, target, 0, 0, ~size_t{0}), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer_, target, 0, 0, 4, 1, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(code(buffer_, target, 0, 0, 4, 1, &other), CL_INVALID_CONTEXT);
  EXPECT_EQ(code(buffer_, buffer_, 0, 8, 16), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(code(buffer_, buffer_, 8, 0, 16), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(code(buffer_, buffer_, 0, 16, 16), CL_SUCCESS);
}

TEST_F(TransferTest, CopyOverlapIsSeenAcrossSubBuffers) {
  cl_int status;
  cl_buffer_region low{0, 512}, high{256, 512};
  Owned<cl_mem> a = clCreateSubBuffer(buffer_, 0, CL_BUFFER_CREATE_TYPE_REGION, &low, &status);
  Owned<cl_mem> b = clCreateSubBuffer(buffer_, 0, CL_BUFFER_CREATE_TYPE_REGION, &high, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  auto code = [&](cl_mem source, cl_mem target, size_t from, size_t to, size_t size) {
    return clEnqueueCopyBuffer(queue_, source, target, from, to, size, 0, nullptr, nullptr);
  };
  EXPECT_EQ(code(a, b, 256, 0, 16), CL_MEM_COPY_OVERLAP) << "byte 256 of the one is byte 0 of the other";
  EXPECT_EQ(code(a, b, 0, 0, 256), CL_SUCCESS);
  EXPECT_EQ(code(a, b, 0, 0, 257), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(code(buffer_, b, 256, 0, 16), CL_MEM_COPY_OVERLAP) << "whole and part";
  EXPECT_EQ(code(buffer_, b, 0, 0, 16), CL_SUCCESS);
}

TEST_F(TransferTest, FillErrors) {
  cl_uint pattern[64] = {};
  cl_event other = otherEvent_;
  auto code = [&](cl_mem buffer, const void* bytes, size_t patternSize, size_t offset, size_t size, cl_uint count = 0,
                  const cl_event* list = nullptr) {
    return clEnqueueFillBuffer(queue_, buffer, bytes, patternSize, offset, size, count, list, nullptr);
  };
  Foreign<cl_command_queue> foreignQueue(device_);
  EXPECT_EQ(clEnqueueFillBuffer(foreignQueue, buffer_, pattern, 4, 0, 4, 0, nullptr, nullptr),
            CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(code(nullptr, pattern, 4, 0, 4), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(code(otherBuffer_, pattern, 4, 0, 4), CL_INVALID_CONTEXT);
  EXPECT_EQ(code(buffer_, nullptr, 4, 0, 4), CL_INVALID_VALUE);
  for (size_t size : {0, 3, 12, 24, 256})
    EXPECT_EQ(code(buffer_, pattern, size, 0, 768), CL_INVALID_VALUE) << size;
  EXPECT_EQ(code(buffer_, pattern, 8, 4, 8), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer_, pattern, 8, 8, 12), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer_, pattern, 8, bytes(), 8), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer_, pattern, 8, 8, ~size_t{0} - 7), CL_INVALID_VALUE);
  EXPECT_EQ(code(buffer_, pattern, 4, 0, 4, 1, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(code(buffer_, pattern, 4, 0, 4, 1, &other), CL_INVALID_CONTEXT);
  Owned<cl_mem> noAccess = makeBuffer(64, CL_MEM_HOST_NO_ACCESS | CL_MEM_READ_ONLY);
  EXPECT_EQ(code(noAccess, pattern, 4, 0, 4), CL_SUCCESS) << "the flags are about other accesses";
}

TEST_F(TransferTest, FillRepeatsThePattern) {
  for (size_t patternSize = 1; patternSize <= 128; patternSize *= 2) {
    std::vector<unsigned char> pattern(patternSize);
    std::iota(pattern.begin(), pattern.end(), static_cast<unsigned char>(patternSize));
    std::vector<unsigned char> expected(bytes(), 0xee), seen(bytes());
    ASSERT_EQ(clEnqueueWriteBuffer(queue_, buffer_, CL_TRUE, 0, bytes(), expected.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    size_t offset = 128, size = 512;
    for (size_t i = 0; i < size; ++i)
      expected[offset + i] = pattern[i % patternSize];
    ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer_, pattern.data(), patternSize, offset, size, 0, nullptr, nullptr),
              CL_SUCCESS);
    pattern.assign(patternSize, 0); // the call has its own copy
    ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 0, bytes(), seen.data(), 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(seen, expected) << "pattern of " << patternSize;
  }
}

TEST_F(TransferTest, PartsGoWhereTheyShould) {
  Owned<cl_mem> target = makeBuffer(bytes());
  cl_uint zero = 0;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, target, &zero, 4, 0, bytes(), 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueCopyBuffer(queue_, buffer_, target, 40, 80, 400, 0, nullptr, nullptr), CL_SUCCESS);
  cl_uint written[2] = {1000, 1001};
  ASSERT_EQ(clEnqueueWriteBuffer(queue_, target, CL_TRUE, 800, 8, written, 0, nullptr, nullptr), CL_SUCCESS);
  std::vector<cl_uint> expected(values_.size(), 0u);
  for (size_t i = 0; i < 100; ++i)
    expected[20 + i] = values_[10 + i];
  expected[200] = 1000;
  expected[201] = 1001;
  EXPECT_EQ(contents(target), expected);
}

TEST_F(TransferTest, LargeCopiesArriveWhole) {
  constexpr size_t kCount = 5'000'011;
  std::vector<cl_uint> source(kCount), seen(kCount);
  for (size_t i = 0; i < kCount; ++i)
    source[i] = static_cast<cl_uint>(i * 2654435761u);
  Owned<cl_mem> a = makeBuffer(kCount * 4, CL_MEM_COPY_HOST_PTR, source.data()), b = makeBuffer(kCount * 4);
  ASSERT_EQ(clEnqueueCopyBuffer(queue_, a, b, 0, 0, kCount * 4, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueReadBuffer(queue_, b, CL_TRUE, 0, kCount * 4, seen.data(), 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_TRUE(source == seen);
}

TEST_F(TransferTest, HostPointerInsideTheBuffersOwnMemory) {
  alignas(128) static cl_uint host[64];
  std::iota(host, host + 64, 0u);
  Owned<cl_mem> buffer = makeBuffer(sizeof host, CL_MEM_USE_HOST_PTR, host);
  EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, sizeof host, host, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(host[63], 63u);
  EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, 128, host + 4, 0, nullptr, nullptr), CL_SUCCESS);
  for (cl_uint i = 0; i < 32; ++i)
    EXPECT_EQ(host[4 + i], i) << "as memmove";
}

TEST_F(TransferTest, EventTypes) {
  auto type = [](cl_event event) {
    return valueAnswer<cl_command_type>(CLOTHO_INFO(clGetEventInfo, event, CL_EVENT_COMMAND_TYPE));
  };
  Owned<cl_mem> target = makeBuffer(bytes());
  cl_uint value = 1;
  Owned<cl_event> event;
  ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 0, 4, &value, 0, nullptr, event.out()), CL_SUCCESS);
  EXPECT_EQ(type(event), cl_uint{CL_COMMAND_READ_BUFFER});
  ASSERT_EQ(clEnqueueWriteBuffer(queue_, buffer_, CL_TRUE, 0, 4, &value, 0, nullptr, event.out()), CL_SUCCESS);
  EXPECT_EQ(type(event), cl_uint{CL_COMMAND_WRITE_BUFFER});
  ASSERT_EQ(clEnqueueCopyBuffer(queue_, buffer_, target, 0, 0, 4, 0, nullptr, event.out()), CL_SUCCESS);
  EXPECT_EQ(type(event), cl_uint{CL_COMMAND_COPY_BUFFER});
  ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer_, &value, 4, 0, 4, 0, nullptr, event.out()), CL_SUCCESS);
  EXPECT_EQ(type(event), cl_uint{CL_COMMAND_FILL_BUFFER});
  cl_mem memory = buffer_;
  ASSERT_EQ(clEnqueueMigrateMemObjects(queue_, 1, &memory, 0, 0, nullptr, event.out()), CL_SUCCESS);
  EXPECT_EQ(type(event), cl_uint{CL_COMMAND_MIGRATE_MEM_OBJECTS});
}

TEST_F(TransferTest, MigrateErrors) {
  cl_mem list[] = {buffer_}, none[] = {nullptr}, others[] = {otherBuffer_};
  cl_event other = otherEvent_;
  auto code = [&](cl_uint count, const cl_mem* memory, cl_mem_migration_flags flags, cl_uint waits = 0,
                  const cl_event* events = nullptr) {
    return clEnqueueMigrateMemObjects(queue_, count, memory, flags, waits, events, nullptr);
  };
  Foreign<cl_command_queue> foreignQueue(device_);
  EXPECT_EQ(clEnqueueMigrateMemObjects(foreignQueue, 1, list, 0, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(code(0, list, 0), CL_INVALID_VALUE);
  EXPECT_EQ(code(1, nullptr, 0), CL_INVALID_VALUE);
  EXPECT_EQ(code(1, list, 1u << 10), CL_INVALID_VALUE);
  EXPECT_EQ(code(1, none, 0), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(code(1, others, 0), CL_INVALID_CONTEXT);
  EXPECT_EQ(code(1, list, 0, 1, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(code(1, list, 0, 1, &other), CL_INVALID_CONTEXT);
  EXPECT_EQ(code(1, list, CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED), CL_SUCCESS);
}

TEST_F(TransferTest, MigrationKeepsContents) {
  cl_int status = 1;
  const cl_uint alignment = valueAnswer<cl_uint>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MEM_BASE_ADDR_ALIGN));
  const cl_buffer_region region{alignment / 8, 64};
  Owned<cl_mem> part = clCreateSubBuffer(buffer_, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_mem> second = makeBuffer(bytes(), CL_MEM_USE_HOST_PTR, values_.data());
  const cl_mem list[] = {buffer_, second, part};
  for (cl_mem_migration_flags flags : {cl_mem_migration_flags{CL_MIGRATE_MEM_OBJECT_HOST}, cl_mem_migration_flags{0}}) {
    Owned<cl_event> go = makeUserEvent(), moved;
    cl_event wait = go;
    ASSERT_EQ(clEnqueueMigrateMemObjects(queue_, 3, list, flags, 1, &wait, moved.out()), CL_SUCCESS);
    EXPECT_GT(statusOf(moved), CL_COMPLETE) << "it has to wait";
    ASSERT_EQ(clSetUserEventStatus(go, CL_COMPLETE), CL_SUCCESS);
    EXPECT_EQ(contents(buffer_), values_);
    EXPECT_EQ(contents(second), values_);
    EXPECT_EQ(statusOf(moved), CL_COMPLETE);
  }
  Owned<cl_event> never = makeUserEvent(), failed;
  cl_event wait = never;
  Owned<cl_command_queue> other = makeQueue();
  ASSERT_EQ(clEnqueueMigrateMemObjects(other, 3, list, CL_MIGRATE_MEM_OBJECT_HOST, 1, &wait, failed.out()), CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(never, -7), CL_SUCCESS);
  cl_event last = failed;
  EXPECT_EQ(clWaitForEvents(1, &last), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_LT(statusOf(failed), 0);
}

TEST_F(TransferTest, BlockingCallsReportFailedDependencies) {
  Owned<cl_event> failed = makeUserEvent();
  ASSERT_EQ(clSetUserEventStatus(failed, -42), CL_SUCCESS);
  cl_event wait = failed, out = nullptr;
  cl_uint value = 5, before = contents(buffer_)[0];
  EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 0, 4, &value, 1, &wait, &out),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(value, 5u);
  EXPECT_EQ(clEnqueueWriteBuffer(queue_, buffer_, CL_TRUE, 0, 4, &value, 1, &wait, &out),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(out, nullptr);
  EXPECT_EQ(contents(buffer_)[0], before) << "the command was not to run";
}

} // namespace

} // namespace clotho::test
