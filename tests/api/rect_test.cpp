// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rectangular transfers, against a plain model of them.
#include "fixture.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

namespace clotho::test {

namespace {

using Triple = std::array<size_t, 3>;

struct Side {
  Triple origin{0, 0, 0};
  size_t row = 0, slice = 0;

  size_t at(const Triple& region, size_t y, size_t z) const {
    size_t rowPitch = row ? row : region[0], slicePitch = slice ? slice : region[1] * rowPitch;
    return origin[0] + (origin[1] + y) * rowPitch + (origin[2] + z) * slicePitch;
  }
  size_t end(const Triple& region) const { return at(region, region[1] - 1, region[2] - 1) + region[0]; }
};

void copyModel(const std::vector<unsigned char>& source, const Side& from, std::vector<unsigned char>& target,
               const Side& to, const Triple& region) {
  for (size_t z = 0; z < region[2]; ++z)
    for (size_t y = 0; y < region[1]; ++y)
      std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from.at(region, y, z)), region[0],
                  target.begin() + static_cast<std::ptrdiff_t>(to.at(region, y, z)));
}

class RectTest : public Api {
 protected:
  static constexpr size_t kBytes = 64 * 1024;
  void SetUp() override {
    Api::SetUp();
    source_.resize(kBytes);
    for (size_t i = 0; i < kBytes; ++i)
      source_[i] = static_cast<unsigned char>(i * 131 + i / 251);
    background_.assign(kBytes, 0xcd);
    a_ = makeBuffer(kBytes, CL_MEM_COPY_HOST_PTR, source_.data());
    b_ = makeBuffer(kBytes, CL_MEM_COPY_HOST_PTR, background_.data());
  }
  std::vector<unsigned char> contents(cl_mem buffer) {
    std::vector<unsigned char> seen(kBytes);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, kBytes, seen.data(), 0, nullptr, nullptr), CL_SUCCESS);
    return seen;
  }
  cl_int read(cl_mem buffer, const Side& from, void* host, const Side& to, const Triple& region) {
    return clEnqueueReadBufferRect(queue_, buffer, CL_TRUE, from.origin.data(), to.origin.data(), region.data(),
                                   from.row, from.slice, to.row, to.slice, host, 0, nullptr, nullptr);
  }
  cl_int write(cl_mem buffer, const Side& to, const void* host, const Side& from, const Triple& region) {
    return clEnqueueWriteBufferRect(queue_, buffer, CL_TRUE, to.origin.data(), from.origin.data(), region.data(),
                                    to.row, to.slice, from.row, from.slice, host, 0, nullptr, nullptr);
  }
  cl_int copy(cl_mem source, const Side& from, cl_mem target, const Side& to, const Triple& region) {
    return clEnqueueCopyBufferRect(queue_, source, target, from.origin.data(), to.origin.data(), region.data(),
                                   from.row, from.slice, to.row, to.slice, 0, nullptr, nullptr);
  }
  std::vector<unsigned char> source_, background_;
  Owned<cl_mem> a_, b_;
};

TEST_F(RectTest, RegionsArriveInPlace) {
  std::mt19937 random(7);
  auto upTo = [&](size_t most) { return std::uniform_int_distribution<size_t>(0, most)(random); };
  for (int round = 0; round < 100; ++round) {
    Triple region{1 + upTo(40), 1 + upTo(9), 1 + upTo(5)};
    auto side = [&] {
      Side side{{upTo(20), upTo(5), upTo(3)}, 0, 0};
      if (upTo(1)) side.row = region[0] + upTo(30);
      size_t row = side.row ? side.row : region[0];
      if (upTo(1)) side.slice = row * (region[1] + upTo(6));
      return side;
    };
    Side from = side(), to = side();
    ASSERT_LE(from.end(region), kBytes);
    ASSERT_LE(to.end(region), kBytes);
    std::vector<unsigned char> expected = background_, host = background_;
    copyModel(source_, from, expected, to, region);
    ASSERT_EQ(read(a_, from, host.data(), to, region), CL_SUCCESS);
    ASSERT_EQ(host, expected) << "read, round " << round;

    for (bool copies : {false, true}) {
      ASSERT_EQ(clEnqueueWriteBuffer(queue_, b_, CL_TRUE, 0, kBytes, background_.data(), 0, nullptr, nullptr),
                CL_SUCCESS);
      ASSERT_EQ(copies ? copy(a_, from, b_, to, region) : write(b_, to, source_.data(), from, region), CL_SUCCESS);
      ASSERT_EQ(contents(b_), expected) << (copies ? "copy" : "write") << ", round " << round;
    }
  }
}

TEST_F(RectTest, LastRowNeedsNoPitch) {
  Side from{{0, 0, 0}, 1024, 0}, to{};
  std::vector<unsigned char> host(64 * 16);
  EXPECT_EQ(read(a_, {{0, 0, 0}, 1024, 0}, host.data(), {}, {16, 64, 1}), CL_SUCCESS);
  from.origin = {kBytes - 63 * 1024 - 16, 0, 0};
  EXPECT_EQ(read(a_, from, host.data(), to, {16, 64, 1}), CL_SUCCESS) << "ends with the buffer's last byte";
  from.origin[0] += 1;
  EXPECT_EQ(read(a_, from, host.data(), to, {16, 64, 1}), CL_INVALID_VALUE);
}

TEST_F(RectTest, ValueErrors) {
  std::vector<unsigned char> host(kBytes);
  Side plain{};
  for (Triple region : {Triple{0, 1, 1}, Triple{1, 0, 1}, Triple{1, 1, 0}}) {
    EXPECT_EQ(read(a_, plain, host.data(), plain, region), CL_INVALID_VALUE);
    EXPECT_EQ(write(a_, plain, host.data(), plain, region), CL_INVALID_VALUE);
    EXPECT_EQ(copy(a_, plain, b_, plain, region), CL_INVALID_VALUE);
  }
  constexpr Triple kRegion{16, 4, 2};
  Side shortRow{{0, 0, 0}, 15, 0}, shortSlice{{0, 0, 0}, 16, 63}, oddSlice{{0, 0, 0}, 16, 65};
  Side outside{{kBytes, 0, 0}, 0, 0}, huge{{0, ~size_t{0} / 2, 0}, 0, 0};
  for (const Side& bad : {shortRow, shortSlice, oddSlice, outside, huge}) {
    EXPECT_EQ(read(a_, bad, host.data(), plain, kRegion), CL_INVALID_VALUE);
    EXPECT_EQ(write(a_, bad, host.data(), plain, kRegion), CL_INVALID_VALUE);
    EXPECT_EQ(copy(a_, bad, b_, plain, kRegion), CL_INVALID_VALUE);
    EXPECT_EQ(copy(a_, plain, b_, bad, kRegion), CL_INVALID_VALUE);
  }
  for (const Side& bad : {shortRow, shortSlice, oddSlice}) {
    EXPECT_EQ(read(a_, plain, host.data(), bad, kRegion), CL_INVALID_VALUE);
    EXPECT_EQ(write(a_, plain, host.data(), bad, kRegion), CL_INVALID_VALUE);
  }
  EXPECT_EQ(read(a_, plain, nullptr, plain, kRegion), CL_INVALID_VALUE);
  EXPECT_EQ(write(a_, plain, nullptr, plain, kRegion), CL_INVALID_VALUE);
  EXPECT_EQ(read(a_, plain, host.data(), plain, {~size_t{0} / 4, 8, 8}), CL_INVALID_VALUE) << "sizes overflow";
}

TEST_F(RectTest, NullArrays) {
  std::vector<unsigned char> host(kBytes);
  size_t zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};
  auto readCode = [&](const size_t* a, const size_t* b, const size_t* c) {
    return clEnqueueReadBufferRect(queue_, a_, CL_TRUE, a, b, c, 0, 0, 0, 0, host.data(), 0, nullptr, nullptr);
  };
  auto writeCode = [&](const size_t* a, const size_t* b, const size_t* c) {
    return clEnqueueWriteBufferRect(queue_, a_, CL_TRUE, a, b, c, 0, 0, 0, 0, host.data(), 0, nullptr, nullptr);
  };
  auto copyCode = [&](const size_t* a, const size_t* b, const size_t* c) {
    return clEnqueueCopyBufferRect(queue_, a_, b_, a, b, c, 0, 0, 0, 0, 0, nullptr, nullptr);
  };
  EXPECT_EQ(readCode(nullptr, zero, one), CL_INVALID_VALUE);
  EXPECT_EQ(readCode(zero, nullptr, one), CL_INVALID_VALUE);
  EXPECT_EQ(readCode(zero, zero, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(writeCode(nullptr, zero, one), CL_INVALID_VALUE);
  EXPECT_EQ(writeCode(zero, nullptr, one), CL_INVALID_VALUE);
  EXPECT_EQ(writeCode(zero, zero, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(copyCode(nullptr, zero, one), CL_INVALID_VALUE);
  EXPECT_EQ(copyCode(zero, nullptr, one), CL_INVALID_VALUE);
  EXPECT_EQ(copyCode(zero, zero, nullptr), CL_INVALID_VALUE);
}

TEST_F(RectTest, ObjectErrors) {
  std::vector<unsigned char> host(kBytes);
  size_t zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};
  Owned<cl_context> context = makeContext();
  cl_int status;
  Owned<cl_mem> other = clCreateBuffer(context, 0, kBytes, nullptr, &status);
  Owned<cl_event> otherEvent = clCreateUserEvent(context, &status);
  cl_event wait = otherEvent;
  Foreign<cl_command_queue> foreign(device_);
  EXPECT_EQ(
      clEnqueueReadBufferRect(foreign, a_, CL_TRUE, zero, zero, one, 0, 0, 0, 0, host.data(), 0, nullptr, nullptr),
      CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(
      clEnqueueWriteBufferRect(foreign, a_, CL_TRUE, zero, zero, one, 0, 0, 0, 0, host.data(), 0, nullptr, nullptr),
      CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueCopyBufferRect(foreign, a_, b_, zero, zero, one, 0, 0, 0, 0, 0, nullptr, nullptr),
            CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(read(nullptr, {}, host.data(), {}, {1, 1, 1}), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(write(nullptr, {}, host.data(), {}, {1, 1, 1}), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(copy(nullptr, {}, b_, {}, {1, 1, 1}), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(copy(a_, {}, nullptr, {}, {1, 1, 1}), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(read(other, {}, host.data(), {}, {1, 1, 1}), CL_INVALID_CONTEXT);
  EXPECT_EQ(write(other, {}, host.data(), {}, {1, 1, 1}), CL_INVALID_CONTEXT);
  EXPECT_EQ(copy(other, {}, b_, {}, {1, 1, 1}), CL_INVALID_CONTEXT);
  EXPECT_EQ(copy(a_, {}, other, {}, {1, 1, 1}), CL_INVALID_CONTEXT);
  EXPECT_EQ(clEnqueueReadBufferRect(queue_, a_, CL_TRUE, zero, zero, one, 0, 0, 0, 0, host.data(), 1, &wait, nullptr),
            CL_INVALID_CONTEXT);
  EXPECT_EQ(
      clEnqueueWriteBufferRect(queue_, a_, CL_TRUE, zero, zero, one, 0, 0, 0, 0, host.data(), 1, nullptr, nullptr),
      CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(clEnqueueCopyBufferRect(queue_, a_, b_, zero, zero, one, 0, 0, 0, 0, 1, nullptr, nullptr),
            CL_INVALID_EVENT_WAIT_LIST);
  Owned<cl_mem> noAccess = makeBuffer(64, CL_MEM_HOST_NO_ACCESS);
  EXPECT_EQ(read(noAccess, {}, host.data(), {}, {1, 1, 1}), CL_INVALID_OPERATION);
  EXPECT_EQ(write(noAccess, {}, host.data(), {}, {1, 1, 1}), CL_INVALID_OPERATION);
}

TEST_F(RectTest, FailedDependencyOfABlockingCall) {
  Owned<cl_event> failed = makeUserEvent();
  ASSERT_EQ(clSetUserEventStatus(failed, -1), CL_SUCCESS);
  cl_event wait = failed;
  size_t zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};
  unsigned char host = 0;
  EXPECT_EQ(clEnqueueReadBufferRect(queue_, a_, CL_TRUE, zero, zero, one, 0, 0, 0, 0, &host, 1, &wait, nullptr),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(clEnqueueWriteBufferRect(queue_, a_, CL_TRUE, zero, zero, one, 0, 0, 0, 0, &host, 1, &wait, nullptr),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

// Appendix D: regions of one buffer may interleave as long as no byte is in both.
TEST_F(RectTest, OverlapInOneBuffer) {
  constexpr Triple kRegion{16, 8, 2};
  Side from{{0, 0, 0}, 64, 1024};
  auto to = [&](size_t x, size_t y, size_t z) { return Side{{x, y, z}, 64, 1024}; };
  EXPECT_EQ(copy(a_, from, a_, to(0, 0, 0), kRegion), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(copy(a_, from, a_, to(15, 0, 0), kRegion), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(copy(a_, from, a_, to(16, 0, 0), kRegion), CL_SUCCESS) << "beside it";
  EXPECT_EQ(copy(a_, from, a_, to(0, 7, 0), kRegion), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(copy(a_, from, a_, to(0, 8, 0), kRegion), CL_SUCCESS) << "below it";
  EXPECT_EQ(copy(a_, from, a_, to(0, 0, 1), kRegion), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(copy(a_, from, a_, to(0, 0, 2), kRegion), CL_SUCCESS) << "behind it";
  EXPECT_EQ(copy(a_, from, a_, to(56, 0, 0), kRegion), CL_MEM_COPY_OVERLAP) << "wraps into the next row";
  EXPECT_EQ(copy(a_, from, a_, {{16, 0, 0}, 128, 1024}, kRegion), CL_INVALID_VALUE) << "other pitches";
}

TEST_F(RectTest, OverlapAcrossSubBuffers) {
  cl_int status;
  cl_buffer_region low{0, 4096}, high{1024, 4096};
  Owned<cl_mem> first = clCreateSubBuffer(a_, 0, CL_BUFFER_CREATE_TYPE_REGION, &low, &status);
  Owned<cl_mem> second = clCreateSubBuffer(a_, 0, CL_BUFFER_CREATE_TYPE_REGION, &high, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Side side{{0, 0, 0}, 64, 0};
  EXPECT_EQ(copy(first, side, second, side, {16, 17, 1}), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(copy(first, side, second, side, {16, 16, 1}), CL_SUCCESS);
  EXPECT_EQ(copy(first, side, second, {{16, 0, 0}, 64, 0}, {16, 32, 1}), CL_SUCCESS) << "interleaved";
}

} // namespace

} // namespace clotho::test
