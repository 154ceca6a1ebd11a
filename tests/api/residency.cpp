// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "residency.hpp"

#include <algorithm>
#include <numeric>

namespace clotho::test {

Words numbered(size_t count, cl_uint first) {
  Words words(count);
  std::iota(words.begin(), words.end(), first);
  return words;
}

namespace residency {

cl_uint replaced(cl_uint number, cl_uint item) { return number * 2654435761U + item; }
cl_uint changed(cl_uint old, cl_uint number, cl_uint item) { return old * 3 + number + item; }
void changeOdd(Words& words, size_t begin, size_t end, cl_uint number) {
  for (size_t i = begin; i < end; ++i)
    if ((i - begin) % 2) words[i] += number;
}
cl_uint combined(cl_uint a, cl_uint b) { return a * 7 + b; }

} // namespace residency

namespace {

constexpr const char* kSource = R"(
kernel void replace(global uint* words, uint number) {
  uint i = get_global_id(0);
  words[i] = number * 2654435761u + i;
}
kernel void change(global uint* words, uint number) {
  uint i = get_global_id(0);
  words[i] = words[i] * 3 + number + i;
}
kernel void change_odd(global uint* words, uint number) {
  uint i = get_global_id(0);
  if (i & 1) words[i] += number;
}
kernel void combine(global uint* to, global const uint* a, global const uint* b) {
  uint i = get_global_id(0);
  to[i] = a[i] * 7 + b[i];
}
kernel void fault(global uint* words, uint address) {
  *(global uint*)(ulong)address = words[0];
})";

constexpr size_t kLeastPlaces = 3;

} // namespace

void Residency::SetUp() {
  ASSERT_NE(device_, nullptr);
  cl_uint count = 0;
  ASSERT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, 0, nullptr, &count), CL_SUCCESS);
  devices_.resize(count);
  ASSERT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, count, devices_.data(), nullptr), CL_SUCCESS);
  cl_int status = 1;
  context_ = clCreateContext(nullptr, count, devices_.data(), nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  queue_ = makeQueue();
  for (size_t i = 0; i < std::max<size_t>(kLeastPlaces, count); ++i) {
    const cl_command_queue_properties timed = i % 2 == 1 ? CL_QUEUE_PROFILING_ENABLE : 0;
    for (const cl_command_queue_properties order : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
      const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, timed | order, 0};
      (order ? loose_ : ordered_)
          .emplace_back(clCreateCommandQueueWithProperties(context_, deviceOf(i), list, &status));
      ASSERT_EQ(status, CL_SUCCESS);
    }
  }
  program_ = buildProgram(kSource);
}

void Residency::TearDown() {
  for (const auto* queues : {&ordered_, &loose_})
    for (const Owned<cl_command_queue>& queue : *queues)
      EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  Api::TearDown();
}

Owned<cl_mem> Residency::makeWords(const Words& words, cl_mem_flags flags) {
  return makeBuffer(words.size() * sizeof(cl_uint), flags | CL_MEM_COPY_HOST_PTR, const_cast<cl_uint*>(words.data()));
}

Owned<cl_mem> Residency::part(cl_mem buffer, size_t first, size_t count, cl_mem_flags flags) {
  const cl_buffer_region region{first * sizeof(cl_uint), count * sizeof(cl_uint)};
  cl_int status = 1;
  Owned<cl_mem> result(clCreateSubBuffer(buffer, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
  EXPECT_EQ(status, CL_SUCCESS);
  return result;
}

Owned<cl_event> Residency::launch(cl_command_queue queue, const char* name, const std::vector<Argument>& arguments,
                                  size_t items, const Events& waits) {
  cl_int status = 1;
  // Kernels are not to be shared by threads that set arguments.
  const Owned<cl_kernel> kernel(clCreateKernel(program_, name, &status));
  EXPECT_EQ(status, CL_SUCCESS);
  for (cl_uint i = 0; i < arguments.size(); ++i)
    std::visit([&](auto value) { EXPECT_EQ(clSetKernelArg(kernel, i, sizeof value, &value), CL_SUCCESS); },
               arguments[i]);
  Owned<cl_event> event;
  EXPECT_EQ(
      clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, countOf(waits), listOf(waits), event.out()),
      CL_SUCCESS);
  return event;
}

Owned<cl_event> Residency::replace(cl_command_queue queue, cl_mem buffer, Words& model, cl_uint number,
                                   const Events& waits, size_t begin, size_t count) {
  for (size_t i = 0; i < count; ++i)
    model[begin + i] = residency::replaced(number, static_cast<cl_uint>(i));
  return launch(queue, "replace", {buffer, number}, count, waits);
}

Owned<cl_event> Residency::change(cl_command_queue queue, cl_mem buffer, Words& model, cl_uint number,
                                  const Events& waits, size_t begin, size_t count) {
  for (size_t i = 0; i < count; ++i)
    model[begin + i] = residency::changed(model[begin + i], number, static_cast<cl_uint>(i));
  return launch(queue, "change", {buffer, number}, count, waits);
}

Words Residency::read(cl_command_queue queue, cl_mem buffer, size_t count, const Events& waits) {
  Words words(count);
  EXPECT_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, count * sizeof(cl_uint), words.data(), countOf(waits),
                                listOf(waits), nullptr),
            CL_SUCCESS);
  return words;
}

void Residency::expectEverywhere(cl_mem buffer, const Words& expected) {
  for (size_t place = 0; place < places(); ++place)
    EXPECT_EQ(read(loose(place), buffer, expected.size()), expected) << "at place " << place;
}

} // namespace clotho::test
