// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device that is several others (CLOTHO_DEVICES=joint): launches that are split, and such as must not be. Where
// members have memories of their own, bytes that a part lacks are not those that they should be.
#include "abi/cpu_facts.hpp"
#include "binary_parts.hpp"
#include "fixture.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <thread>
#include <tuple>

namespace clotho::test {

namespace {

constexpr const char* kSource = R"(
kernel void add(global uint* out, global const uint* a, global const uint* b, uint n) {
  size_t i = get_global_id(0);
  if (i < n) out[i] = a[i] + b[i];
}
kernel void increase(global uint* a) { a[get_global_id(0)] += 1; }
kernel void both(global uint* a, global uint* b) {
  size_t i = get_global_id(0);
  uint t = a[i];
  a[i] = b[i];
  b[i] = t;
}
kernel void stencil(global uint* out, global const uint* in, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  out[y * width + x] = in[y * width + x] * 3 + in[(y - 1) * width + x] + in[(y + 1) * width + x] * 5 +
                       in[y * width + x - 1] * 7 + in[y * width + x + 1];
}
kernel void rows(global uint* out, global const uint* in, uint width) {
  size_t y = get_global_id(0);
  uint sum = 0;
  for (uint x = 0; x < width; ++x) sum += in[y * width + x];
  for (uint x = 0; x < width; ++x) out[y * width + x] = sum + x;
}
kernel void ids(global uint* out) {
  size_t i = get_global_id(0) - get_global_offset(0);
  out[i] = (uint)(get_global_id(0) * 100 + get_local_id(0) * 10 + get_local_size(0));
}
kernel void groups(global uint* out) {
  size_t i = get_global_id(0) - get_global_offset(0);
  out[i] = (uint)(get_group_id(0) * 1000 + get_num_groups(0) * 10 + get_global_size(0) + get_global_linear_id());
}
kernel void gather(global uint* out, global const uint* in, global const uint* at) {
  size_t i = get_global_id(0);
  out[i] = in[at[i]];
}
kernel void scatter(global uint* out, global const uint* in, global const uint* at) {
  size_t i = get_global_id(0);
  out[at[i]] = in[i];
}
kernel void interleave(global uint* out, uint n) {
  uint i = (uint)get_global_id(0);
  out[i * 7 % n] = i + 1;
}
kernel void count(global uint* bins, global const uint* in) { atomic_inc(bins + in[get_global_id(0)] % 16); }
kernel void evens(global uint* a, uint n) {
  size_t i = get_global_id(0);
  if (i % 2 == 0 && i > 0 && i < n - 1) a[i] = a[i - 1] + a[i + 1];
}
kernel void tiles(global uint* out, global const uint* in, local uint* tile) {
  size_t i = get_global_id(0), l = get_local_id(0);
  tile[l] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = tile[get_local_size(0) - 1 - l];
}
kernel void tilesOfGroups(global uint* out, global const uint* in, local uint* tile) {
  size_t i = get_global_id(0), l = get_local_id(0);
  tile[l] = in[i] + (uint)(get_group_id(0) * 1000);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = tile[get_local_size(0) - 1 - l] + (uint)(get_num_groups(0) * 7);
}
kernel void fault(global uint* a, global uint* nothing) {
  a[get_global_id(0)] = 1;
  if (get_global_id(0) == 900) nothing[1 << 20] = 1;
}
kernel void texels(global uint4* out, read_only image2d_t image) {
  int x = get_global_id(0), y = get_global_id(1);
  out[y * get_image_width(image) + x] = read_imageui(image, (int2)(x, y));
}
kernel void paint(write_only image2d_t image) {
  int x = get_global_id(0), y = get_global_id(1);
  write_imageui(image, (int2)(x, y), (uint4)(x, y, x + y, 7));
}
)";

using Words = std::vector<cl_uint>;

Words numbers(size_t count, cl_uint first = 1) {
  Words words(count);
  std::iota(words.begin(), words.end(), first);
  return words;
}

class JointTest : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    program_ = buildProgram(kSource, "-cl-std=CL3.0");
  }

  Owned<cl_mem> words(const Words& contents, cl_mem_flags flags = CL_MEM_READ_WRITE) {
    return makeBuffer(contents.size() * sizeof(cl_uint), flags | CL_MEM_COPY_HOST_PTR,
                      const_cast<cl_uint*>(contents.data()));
  }
  Owned<cl_kernel> kernel(const char* name) {
    cl_int status = 1;
    Owned<cl_kernel> result = clCreateKernel(program_, name, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return result;
  }
  static void set(cl_kernel kernel, cl_uint index, cl_mem memory) {
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof memory, &memory), CL_SUCCESS);
  }
  static void set(cl_kernel kernel, cl_uint index, cl_uint number) {
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof number, &number), CL_SUCCESS);
  }
  template <class... Values> Owned<cl_kernel> kernelWith(const char* name, Values... values) {
    Owned<cl_kernel> result = kernel(name);
    cl_uint index = 0;
    (set(result, index++, values), ...);
    return result;
  }
  using Sizes = std::vector<size_t>;
  void run(cl_kernel kernel, const Sizes& global, const Sizes& local = {}, const Sizes& offset = {}) {
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, static_cast<cl_uint>(global.size()),
                                     offset.empty() ? nullptr : offset.data(), global.data(),
                                     local.empty() ? nullptr : local.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
  }
  Words read(cl_mem buffer, size_t count) {
    Words result(count);
    EXPECT_EQ(
        clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, count * sizeof(cl_uint), result.data(), 0, nullptr, nullptr),
        CL_SUCCESS);
    return result;
  }

  Owned<cl_program> program_;
};

void stencil(Words& out, const Words& in, int width, int height) {
  for (int y = 1; y < height - 1; ++y)
    for (int x = 1; x < width - 1; ++x) {
      const auto at = [&](int row, int column) { return in[static_cast<size_t>(row * width + column)]; };
      out[static_cast<size_t>(y * width + x)] =
          at(y, x) * 3 + at(y - 1, x) + at(y + 1, x) * 5 + at(y, x - 1) * 7 + at(y, x + 1);
    }
}

TEST_F(JointTest, SaysWhatItIs) {
  EXPECT_EQ(textAnswer(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_NAME)).rfind("Clotho: ", 0), 0u);
  EXPECT_GE(valueAnswer<cl_uint>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MAX_COMPUTE_UNITS)), 2u);
  EXPECT_EQ(valueAnswer<cl_device_id>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_PARENT_DEVICE)), nullptr);
}

TEST_F(JointTest, ElementsBehindAGuard) {
  constexpr size_t kCount = 10'000;
  const Words a = numbers(kCount), b = numbers(kCount, 77);
  Owned<cl_mem> out = words(Words(kCount)), first = words(a, CL_MEM_READ_ONLY), second = words(b);
  Owned<cl_kernel> add = kernelWith("add", out.get(), first.get(), second.get(), cl_uint{kCount - 100});
  run(add, {10'240}, {64});
  Words expected(kCount);
  for (size_t i = 0; i < kCount - 100; ++i)
    expected[i] = a[i] + b[i];
  EXPECT_EQ(read(out, kCount), expected);
}

TEST_F(JointTest, OneBufferForAllArguments) {
  constexpr size_t kCount = 4096;
  Words model = numbers(kCount);
  Owned<cl_mem> buffer = words(model);
  Owned<cl_kernel> add = kernelWith("add", buffer.get(), buffer.get(), buffer.get(), cl_uint{kCount});
  for (int i = 0; i < 3; ++i) {
    run(add, {kCount}, {64});
    for (cl_uint& word : model)
      word *= 2;
  }
  EXPECT_EQ(read(buffer, kCount), model);
}

// Code for arguments that share no memory alone is made anew. Here it would not even load.
TEST_F(JointTest, BinariesWithoutExactCode) {
  constexpr size_t kCount = 4096;
  size_t size = 0;
  ASSERT_EQ(clGetProgramInfo(program_, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr), CL_SUCCESS);
  std::vector<unsigned char> bytes(size);
  unsigned char* pointer = bytes.data();
  ASSERT_EQ(clGetProgramInfo(program_, CL_PROGRAM_BINARIES, sizeof pointer, &pointer, nullptr), CL_SUCCESS);
  bool isForCpu = true;
  bytes = forged(bytes, [&](BuildResult& result) {
    for (BuiltKernel& each : result.kernels) {
      std::optional<cpu::CpuKernelFacts> facts = cpu::decodeFacts(each.facts);
      isForCpu = isForCpu && facts;
      if (!facts) continue;
      facts->lacksExact = true;
      each.facts = cpu::encodeFacts(*facts);
    }
    result.object = "\177ELF trap";
  });
  if (!isForCpu) GTEST_SKIP() << "its code is not for a CPU";
  cl_int status = 1;
  const unsigned char* data = bytes.data();
  size = bytes.size();
  program_ = clCreateProgramWithBinary(context_, 1, &device_, &size, &data, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(program_, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  Words model = numbers(kCount);
  Owned<cl_mem> buffer = words(model);
  run(kernelWith("increase", buffer.get()), {kCount}, {64});
  for (cl_uint& word : model)
    ++word;
  EXPECT_EQ(read(buffer, kCount), model);
}

TEST_F(JointTest, SubBuffersThatOverlap) {
  constexpr size_t kCount = 4096, kShift = 1024, kUsed = 2048;
  const Words contents = numbers(kCount);
  Owned<cl_mem> buffer = words(contents);
  const auto part = [&](size_t first) {
    const cl_buffer_region region{first * sizeof(cl_uint), kUsed * sizeof(cl_uint)};
    cl_int status = 1;
    Owned<cl_mem> result = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return result;
  };
  Owned<cl_mem> low = part(0), high = part(2 * kShift), middle = part(kShift);
  // Sub-buffers that are apart; then two that have bytes in common.
  run(kernelWith("both", low.get(), high.get()), {kUsed}, {64});
  Words model = contents;
  std::swap_ranges(model.begin(), model.begin() + kUsed, model.begin() + 2 * kShift);
  EXPECT_EQ(read(buffer, kCount), model);
  run(kernelWith("add", low.get(), middle.get(), middle.get(), cl_uint{kShift}), {kShift}, {64});
  for (size_t i = 0; i < kShift; ++i)
    model[i] = 2 * model[kShift + i];
  EXPECT_EQ(read(buffer, kCount), model);
}

TEST_F(JointTest, StencilOfManySteps) {
  for (const auto& [width, height, rows] : {std::array{64, 96, 8}, std::array{130, 67, 1}, std::array{32, 3, 1}}) {
    const auto count = static_cast<size_t>(width * height);
    Words now = numbers(count), next(count);
    Owned<cl_mem> in = words(now), out = words(next);
    for (int step = 0; step < 9; ++step) {
      Owned<cl_kernel> kernel =
          kernelWith("stencil", out.get(), in.get(), static_cast<cl_uint>(width), static_cast<cl_uint>(height));
      run(kernel, {static_cast<size_t>((width + 15) / 16 * 16), static_cast<size_t>((height + rows - 1) / rows * rows)},
          {16, static_cast<size_t>(rows)});
      stencil(next, now, width, height);
      std::swap(in, out);
      std::swap(now, next);
      if (step == 4) EXPECT_EQ(read(in, count), now);
    }
    EXPECT_EQ(read(in, count), now);
    EXPECT_EQ(read(out, count), next);
  }
}

TEST_F(JointTest, LoopsOverRows) {
  constexpr size_t kRows = 300, kWidth = 33;
  const Words contents = numbers(kRows * kWidth);
  Owned<cl_mem> in = words(contents), out = words(Words(contents.size()));
  run(kernelWith("rows", out.get(), in.get(), cl_uint{kWidth}), {kRows}, {10});
  Words expected(contents.size());
  for (size_t y = 0; y < kRows; ++y) {
    const auto row = contents.begin() + static_cast<std::ptrdiff_t>(y * kWidth);
    const cl_uint sum = std::accumulate(row, row + kWidth, 0u);
    for (cl_uint x = 0; x < kWidth; ++x)
      expected[y * kWidth + x] = sum + x;
  }
  EXPECT_EQ(read(out, expected.size()), expected);
}

TEST_F(JointTest, OffsetsAndIncompleteGroups) {
  for (const auto& [global, local, offset] : {std::array<size_t, 3>{1000, 64, 5}, std::array<size_t, 3>{77, 7, 0},
                                              std::array<size_t, 3>{3, 2, 100}, std::array<size_t, 3>{1, 1, 3}}) {
    Owned<cl_mem> out = words(Words(global));
    run(kernelWith("ids", out.get()), {global}, {local}, {offset});
    Words expected(global);
    for (size_t i = 0; i < global; ++i)
      expected[i] =
          static_cast<cl_uint>((i + offset) * 100 + i % local * 10 + std::min(local, global - i / local * local));
    EXPECT_EQ(read(out, global), expected);
    run(kernelWith("groups", out.get()), {global}, {local}, {offset});
    for (size_t i = 0; i < global; ++i)
      expected[i] = static_cast<cl_uint>(i / local * 1000 + (global + local - 1) / local * 10 + global + i);
    EXPECT_EQ(read(out, global), expected);
  }
}

TEST_F(JointTest, ReadsWhereverAnIndexSays) {
  constexpr size_t kCount = 5000;
  const Words contents = numbers(kCount, 3);
  Words at(kCount);
  for (size_t i = 0; i < kCount; ++i)
    at[i] = static_cast<cl_uint>(i * 4999 % kCount);
  Owned<cl_mem> in = words(contents), index = words(at), out = words(Words(kCount));
  run(kernelWith("gather", out.get(), in.get(), index.get()), {kCount});
  Words expected(kCount);
  for (size_t i = 0; i < kCount; ++i)
    expected[i] = contents[at[i]];
  EXPECT_EQ(read(out, kCount), expected);
}

// Each would be wrong if parts ran with memories of their own: what one part writes is lost where another part has
// written bytes around it.
TEST_F(JointTest, WhatCannotBeSplitRunsWhole) {
  constexpr size_t kCount = 5000;
  const Words contents = numbers(kCount, 3);
  Words at(kCount);
  for (size_t i = 0; i < kCount; ++i)
    at[i] = static_cast<cl_uint>(i * 4999 % kCount);
  Owned<cl_mem> in = words(contents), index = words(at), out = words(Words(kCount));
  run(kernelWith("scatter", out.get(), in.get(), index.get()), {kCount});
  Words expected(kCount);
  for (size_t i = 0; i < kCount; ++i)
    expected[at[i]] = contents[i];
  EXPECT_EQ(read(out, kCount), expected);

  run(kernelWith("interleave", out.get(), cl_uint{kCount}), {kCount});
  for (size_t i = 0; i < kCount; ++i)
    expected[i * 7 % kCount] = static_cast<cl_uint>(i + 1);
  EXPECT_EQ(read(out, kCount), expected);

  Owned<cl_mem> bins = words(Words(16));
  run(kernelWith("count", bins.get(), in.get()), {kCount});
  Words counted(16);
  for (cl_uint each : contents)
    ++counted[each % 16];
  EXPECT_EQ(read(bins, 16), counted);

  run(kernelWith("evens", out.get(), cl_uint{kCount}), {kCount});
  const Words before = expected;
  for (size_t i = 2; i < kCount - 1; i += 2)
    expected[i] = before[i - 1] + before[i + 1];
  EXPECT_EQ(read(out, kCount), expected);
}

TEST_F(JointTest, WorkGroupsWithLocalMemory) {
  constexpr size_t kCount = 4096, kGroup = 32;
  const Words contents = numbers(kCount);
  Owned<cl_mem> in = words(contents), out = words(Words(kCount));
  Words expected(kCount);
  for (const auto& [name, ofGroup, ofAll] :
       {std::tuple("tiles", 0u, 0u), std::tuple("tilesOfGroups", 1000u, cl_uint{kCount / kGroup * 7})}) {
    Owned<cl_kernel> tiles = kernelWith(name, out.get(), in.get());
    ASSERT_EQ(clSetKernelArg(tiles, 2, kGroup * sizeof(cl_uint), nullptr), CL_SUCCESS);
    run(tiles, {kCount}, {kGroup});
    for (size_t i = 0; i < kCount; ++i)
      expected[i] =
          contents[i / kGroup * kGroup + kGroup - 1 - i % kGroup] + static_cast<cl_uint>(i / kGroup) * ofGroup + ofAll;
    EXPECT_EQ(read(out, kCount), expected) << name;
  }
}

TEST_F(JointTest, CopiesFillsAndMapsOfWhatPartsHaveWritten) {
  constexpr size_t kCount = 8192;
  Words model = numbers(kCount);
  Owned<cl_mem> buffer = words(model), other = words(Words(kCount));
  Owned<cl_kernel> increase = kernelWith("increase", buffer.get());
  const auto all = [&] {
    run(increase, {kCount}, {64});
    for (cl_uint& word : model)
      ++word;
  };
  all();
  cl_int status = 1;
  auto* mapped = static_cast<cl_uint*>(clEnqueueMapBuffer(queue_, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                                          1000 * sizeof(cl_uint), 5000 * sizeof(cl_uint), 0, nullptr,
                                                          nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  for (size_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(mapped[i], model[1000 + i]);
    mapped[i] = model[1000 + i] = static_cast<cl_uint>(i * i);
  }
  ASSERT_EQ(clEnqueueUnmapMemObject(queue_, buffer, mapped, 0, nullptr, nullptr), CL_SUCCESS);
  all();
  const cl_uint pattern = 0xabcd;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer, &pattern, sizeof pattern, 2000 * sizeof(cl_uint),
                                3000 * sizeof(cl_uint), 0, nullptr, nullptr),
            CL_SUCCESS);
  std::fill_n(model.begin() + 2000, 3000, pattern);
  all();
  ASSERT_EQ(clEnqueueCopyBuffer(queue_, buffer, other, 0, 0, kCount * sizeof(cl_uint), 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(read(other, kCount), model);
  EXPECT_EQ(read(buffer, kCount), model);
  const Words fresh = numbers(100, 1'000'000);
  ASSERT_EQ(clEnqueueWriteBuffer(queue_, buffer, CL_TRUE, 4050 * sizeof(cl_uint), 100 * sizeof(cl_uint), fresh.data(),
                                 0, nullptr, nullptr),
            CL_SUCCESS);
  std::copy(fresh.begin(), fresh.end(), model.begin() + 4050);
  all();
  EXPECT_EQ(read(buffer, kCount), model);
}

TEST_F(JointTest, EventsHaveTheTimesOfAllParts) {
  Owned<cl_command_queue> timed = makeQueue(CL_QUEUE_PROFILING_ENABLE);
  Owned<cl_mem> buffer = words(numbers(1 << 16));
  Owned<cl_kernel> increase = kernelWith("increase", buffer.get());
  cl_ulong before = 0;
  for (int i = 0; i < 4; ++i) {
    Owned<cl_event> event;
    const size_t global = 1 << 16;
    ASSERT_EQ(clEnqueueNDRangeKernel(timed, increase, 1, nullptr, &global, nullptr, 0, nullptr, event.out()),
              CL_SUCCESS);
    cl_event handle = event;
    ASSERT_EQ(clWaitForEvents(1, &handle), CL_SUCCESS);
    cl_ulong last = before;
    for (cl_profiling_info time : {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
                                   CL_PROFILING_COMMAND_END}) {
      const auto now = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetEventProfilingInfo, handle, time));
      EXPECT_LE(last, now);
      last = now;
    }
    before = last;
  }
}

TEST_F(JointTest, AFailingPartFailsTheCommand) {
  CLOTHO_NEEDS(survivesFaults());
  Owned<cl_mem> buffer = words(Words(1024));
  Owned<cl_kernel> fault = kernelWith("fault", buffer.get(), cl_mem{nullptr});
  const size_t global = 1024, local = 64;
  Owned<cl_event> event;
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, fault, 1, nullptr, &global, &local, 0, nullptr, event.out()), CL_SUCCESS);
  cl_event handle = event;
  EXPECT_EQ(clWaitForEvents(1, &handle), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(statusOf(event), CL_OUT_OF_RESOURCES);
  Owned<cl_mem> other = words(numbers(1024));
  run(kernelWith("increase", other.get()), {1024}, {64});
  EXPECT_EQ(read(other, 1024), numbers(1024, 2));
}

TEST_F(JointTest, OutOfOrderQueuesAndWaitLists) {
  constexpr size_t kCount = 4096;
  Owned<cl_command_queue> loose = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Words model = numbers(kCount);
  Owned<cl_mem> buffer = words(model);
  Owned<cl_kernel> increase = kernelWith("increase", buffer.get());
  Owned<cl_event> gate = makeUserEvent(), last;
  cl_event before = gate;
  for (int i = 0; i < 50; ++i) {
    Owned<cl_event> event;
    const size_t global = kCount, local = 64;
    ASSERT_EQ(clEnqueueNDRangeKernel(loose, increase, 1, nullptr, &global, &local, 1, &before, event.out()),
              CL_SUCCESS);
    last = std::move(event);
    before = last;
  }
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(clWaitForEvents(1, &before), CL_SUCCESS);
  EXPECT_EQ(read(buffer, kCount), numbers(kCount, 51));
}

// Commands of two queues change bytes of one buffer that are apart; the launches run whole, so they use all of it.
TEST_F(JointTest, QueuesThatShareABuffer) {
  constexpr size_t kCount = 1 << 16, kHalf = kCount / 2, kBytes = kHalf * sizeof(cl_uint);
  constexpr cl_uint kRounds = 40;
  cl_int status = 1;
  Owned<cl_command_queue> other = clCreateCommandQueueWithProperties(context_, device_, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_mem> buffer = words(Words(kCount, 0));
  Owned<cl_kernel> launch = kernelWith("interleave", buffer.get(), cl_uint{kHalf});
  for (cl_uint round = 1; round <= kRounds; ++round) {
    const Words sent(kHalf, round);
    const size_t global = kHalf;
    ASSERT_EQ(clEnqueueWriteBuffer(other, buffer, CL_FALSE, kBytes, kBytes, sent.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, launch, 1, nullptr, &global, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFlush(queue_), CL_SUCCESS);
    ASSERT_EQ(clFinish(other), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
    const Words all = read(buffer, kCount);
    ASSERT_EQ(static_cast<size_t>(std::count(all.begin() + kHalf, all.end(), round)), kHalf) << "round " << round;
  }
}

// The launches run whole, and take all of the buffer with them, which takes longer than the pause.
TEST_F(JointTest, MapsBesideLaunches) {
  if (kSanitized) GTEST_SKIP() << "bytes that go along with the launch are written meanwhile, which does no harm";
  constexpr size_t kCount = 1 << 23, kHalf = kCount / 2, kBytes = kHalf * sizeof(cl_uint), kWritten = 1000;
  constexpr cl_uint kRounds = 20;
  constexpr std::chrono::milliseconds kPause{1};
  Owned<cl_command_queue> other = makeQueue(0);
  Owned<cl_mem> buffer = words(Words(kCount, 0));
  Owned<cl_kernel> launch = kernelWith("interleave", buffer.get(), cl_uint{kHalf});
  for (cl_uint round = 1; round <= kRounds; ++round) {
    cl_int status = 1;
    auto* mapped = static_cast<cl_uint*>(clEnqueueMapBuffer(other, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, kBytes,
                                                            kBytes, 0, nullptr, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    ASSERT_EQ(std::count(mapped, mapped + kWritten, round - 1), kWritten) << "round " << round;
    run(launch, {kHalf});
    ASSERT_EQ(clFlush(queue_), CL_SUCCESS);
    std::this_thread::sleep_for(kPause);
    std::fill_n(mapped, kWritten, round);
    ASSERT_EQ(clEnqueueUnmapMemObject(other, buffer, mapped, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFinish(other), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  }
  const Words all = read(buffer, kCount);
  EXPECT_EQ(std::count(all.begin() + kHalf, all.begin() + kHalf + kWritten, kRounds), kWritten);
  for (size_t i = 0; i < kHalf; ++i)
    ASSERT_EQ(all[i * 7 % kHalf], i + 1);
}

TEST_F(JointTest, Images) {
  CLOTHO_NEEDS(valueAnswer<cl_bool>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_IMAGE_SUPPORT)));
  constexpr size_t kWidth = 24, kHeight = 40;
  const cl_image_format format{CL_RGBA, CL_UNSIGNED_INT32};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = kWidth;
  desc.image_height = kHeight;
  cl_int status = 1;
  Owned<cl_mem> image = clCreateImage(context_, CL_MEM_READ_WRITE, &format, &desc, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_mem> out = words(Words(kWidth * kHeight * 4));
  run(kernelWith("paint", image.get()), {kWidth, kHeight}, {8, 4});
  run(kernelWith("texels", out.get(), image.get()), {kWidth, kHeight}, {8, 4});
  const Words found = read(out, kWidth * kHeight * 4);
  for (size_t i = 0; i < kWidth * kHeight; ++i) {
    const auto x = static_cast<cl_uint>(i % kWidth), y = static_cast<cl_uint>(i / kWidth);
    ASSERT_EQ((std::array{found[4 * i], found[4 * i + 1], found[4 * i + 2], found[4 * i + 3]}),
              (std::array{x, y, x + y, 7u}));
  }
}

} // namespace

} // namespace clotho::test
