// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fixture.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace clotho::test {
namespace {

/// Sub-groups that wait for others of their work-group, or for the host (OpenCL 2.2, section 3.2.2).
class ForwardProgressTest : public Api {
 protected:
  void launch(cl_kernel kernel, std::size_t items) {
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &items, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFlush(queue_), CL_SUCCESS);
  }
  void set(cl_kernel kernel, cl_uint index, cl_mem value) {
    ASSERT_EQ(clSetKernelArg(kernel, index, sizeof value, static_cast<const void*>(&value)), CL_SUCCESS);
  }
};

TEST_F(ForwardProgressTest, VectorsWaitForEachOther) {
  // The kernel cannot know that both pointers are the same, so it runs many work-items at once, of which one waits.
  constexpr const char* kSource = R"(
kernel void relay(volatile global uint* read, volatile global uint* written, global float* out) {
  const uint wave = get_local_id(0) / 64, waves = get_local_size(0) / 64;
  float value = get_local_id(0);
  if (get_local_id(0) % 64 == 17 && wave + 1 < waves)
    while (read[wave + 1] == 0) value += 0.0f;
  if (get_local_id(0) % 64 == 17) written[wave] = wave + 1 < waves ? read[wave + 1] + 1 : 1;
  out[get_global_id(0)] = value * 2;
})";
  for (const char* options : {"", "-clotho-width=1", "-clotho-width=16", "-clotho-width=64", "-cl-opt-disable"}) {
    constexpr std::size_t kItems = 1024;
    Owned<cl_mem> flags = makeBuffer(kItems), out = makeBuffer(kItems * 4);
    const cl_uint zero = 0;
    ASSERT_EQ(clEnqueueFillBuffer(queue_, flags, &zero, 4, 0, kItems, 0, nullptr, nullptr), CL_SUCCESS);
    Owned<cl_kernel> kernel = makeKernel(kSource, "relay", options);
    set(kernel, 0, flags);
    set(kernel, 1, flags);
    set(kernel, 2, out);
    launch(kernel, kItems);
    cl_uint first = 0;
    ASSERT_EQ(clEnqueueReadBuffer(queue_, flags, CL_TRUE, 0, 4, &first, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(first, kItems / 64) << options;
    std::vector<float> values(kItems);
    ASSERT_EQ(clEnqueueReadBuffer(queue_, out, CL_TRUE, 0, kItems * 4, values.data(), 0, nullptr, nullptr), CL_SUCCESS);
    for (std::size_t i = 0; i < kItems; ++i)
      ASSERT_EQ(values[i], static_cast<float>(2 * i)) << options << " at " << i;
  }
}

TEST_F(ForwardProgressTest, TheHostAnswersAnotherSubGroup) {
  if (isFar()) GTEST_SKIP() << "the host's memory is not the device's";
  // The first waits for the host, which waits for the last.
  constexpr const char* kSource = R"(
kernel void ask(volatile global uint* answer, volatile global uint* question) {
  if (get_local_id(0) == 0)
    while (*answer == 0)
      ;
  if (get_local_id(0) == get_local_size(0) - 1) *question = 1;
})";
  Owned<cl_kernel> kernel = makeKernel(kSource, "ask");
  alignas(4096) static std::atomic<cl_uint> answer, question;
  answer = question = 0;
  Owned<cl_mem> first = makeBuffer(4, CL_MEM_USE_HOST_PTR, &answer),
                second = makeBuffer(4, CL_MEM_USE_HOST_PTR, &question);
  set(kernel, 0, first);
  set(kernel, 1, second);
  launch(kernel, 256);
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (question == 0 && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(question, 1u);
  answer = 1;
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
}

TEST_F(ForwardProgressTest, AFaultEndsThemAll) {
  constexpr const char* kSource = R"(
kernel void fault(volatile global uint* flag, global uint* nowhere) {
  if (get_local_id(0) == get_local_size(0) - 1) nowhere[(ulong)1 << 40] = 1;
  while (*flag == 0)
    ;
})";
  Owned<cl_kernel> kernel = makeKernel(kSource, "fault");
  Owned<cl_mem> flag = makeBuffer(4);
  const cl_uint zero = 0;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, flag, &zero, 4, 0, 4, 0, nullptr, nullptr), CL_SUCCESS);
  set(kernel, 0, flag);
  set(kernel, 1, flag);
  const std::size_t items = 256;
  Owned<cl_event> event;
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &items, 0, nullptr, event.out()), CL_SUCCESS);
  const cl_event raw = event;
  EXPECT_EQ(clWaitForEvents(1, &raw), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_LT(statusOf(event), 0);
  // The thread runs others as if nothing had been.
  const cl_uint one = 1;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, flag, &one, 4, 0, 4, 0, nullptr, nullptr), CL_SUCCESS);
  Owned<cl_kernel> good =
      makeKernel("kernel void k(volatile global uint* flag) { while (*flag == 0); *flag = 3; }", "k");
  set(good, 0, flag);
  launch(good, 256);
  cl_uint seen = 0;
  ASSERT_EQ(clEnqueueReadBuffer(queue_, flag, CL_TRUE, 0, 4, &seen, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen, 3u);
}

TEST_F(ForwardProgressTest, ManySubGroupsWithPrivateArrays) {
  constexpr const char* kSource = R"(
kernel void many(volatile global uint* read, volatile global uint* written, global uint* out) {
  uint values[300];
  for (uint i = 0; i < 300; ++i) values[i] = i * get_global_id(0) + out[i % 7];
  if (get_global_id(0) == 0)
    while (read[0] == 0)
      ;
  if (get_global_id(0) == get_global_size(0) - 1) written[0] = 1;
  uint sum = 0;
  for (uint i = 0; i < 300; ++i) sum += values[(i * 7 + get_global_id(0)) % 300];
  out[get_global_id(0) + 7] = sum;
})";
  for (const char* options : {"", "-clotho-width=1"}) {
    constexpr std::size_t kItems = 4096;
    Owned<cl_mem> flag = makeBuffer(4), out = makeBuffer((kItems + 7) * 4);
    const cl_uint zero = 0;
    ASSERT_EQ(clEnqueueFillBuffer(queue_, flag, &zero, 4, 0, 4, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clEnqueueFillBuffer(queue_, out, &zero, 4, 0, (kItems + 7) * 4, 0, nullptr, nullptr), CL_SUCCESS);
    Owned<cl_kernel> kernel = makeKernel(kSource, "many", options);
    set(kernel, 0, flag);
    set(kernel, 1, flag);
    set(kernel, 2, out);
    launch(kernel, kItems);
    std::vector<cl_uint> values(kItems + 7);
    ASSERT_EQ(clEnqueueReadBuffer(queue_, out, CL_TRUE, 0, values.size() * 4, values.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    for (cl_uint i = 0; i < kItems; ++i)
      ASSERT_EQ(values[i + 7], i * (299 * 300 / 2)) << options << " at " << i;
  }
}

} // namespace
} // namespace clotho::test
