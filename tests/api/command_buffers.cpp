// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command_buffers.hpp"

namespace clotho::test {

namespace {

constexpr const char* kSource = R"(
kernel void step(global uint* words, uint number) {
  uint i = get_global_id(0);
  words[i] = words[i] * 3 + number + i;
}
kernel void put(global uint* words, uint number) { words[get_global_id(0)] = number; }
kernel void count(global uint* words, uint number) { atomic_add(words, number); }
kernel void sizes(global uint* words, uint number) {
  size_t i = get_global_id(0) - get_global_offset(0);
  words[i] = get_global_size(0) * 10000 + get_local_size(0) * 100 + get_global_offset(0) + number;
}
kernel void fault(global uint* words, uint number) { *(global uint*)(ulong)number = words[0]; }
kernel void say(global uint* words, uint number) { printf("%u:%u\n", number, words[0]++); }
)";

} // namespace

CommandBufferCalls::CommandBufferCalls(cl_platform_id platform) {
#define CLOTHO_CALL(name)                                                                                              \
  name = reinterpret_cast<khr::name##_t*>(clGetExtensionFunctionAddressForPlatform(platform, #name));                  \
  EXPECT_NE(name, nullptr) << #name;
  CLOTHO_CALLS
#undef CLOTHO_CALL
}

TestBuffer::~TestBuffer() {
  if (handle_) EXPECT_EQ(calls_->clReleaseCommandBufferKHR(handle_), CL_SUCCESS);
}

cl_sync_point_khr TestBuffer::launch(cl_kernel kernel, size_t items, const Place& place) {
  cl_sync_point_khr point = 0;
  EXPECT_EQ(calls_->clCommandNDRangeKernelKHR(handle_, place.queue,
                                              place.properties.empty() ? nullptr : place.properties.data(), kernel, 1,
                                              nullptr, &items, place.local ? &place.local : nullptr,
                                              countOf(place.after), listOf(place.after), &point, place.handle),
            CL_SUCCESS);
  return point;
}

cl_sync_point_khr TestBuffer::copy(cl_mem source, cl_mem target, size_t bytes, const Place& place) {
  cl_sync_point_khr point = 0;
  EXPECT_EQ(calls_->clCommandCopyBufferKHR(handle_, place.queue, nullptr, source, target, 0, 0, bytes,
                                           countOf(place.after), listOf(place.after), &point, nullptr),
            CL_SUCCESS);
  return point;
}

cl_sync_point_khr TestBuffer::fill(cl_mem buffer, cl_uint value, size_t bytes, const Place& place) {
  cl_sync_point_khr point = 0;
  EXPECT_EQ(calls_->clCommandFillBufferKHR(handle_, place.queue, nullptr, buffer, &value, sizeof value, 0, bytes,
                                           countOf(place.after), listOf(place.after), &point, nullptr),
            CL_SUCCESS);
  return point;
}

cl_sync_point_khr TestBuffer::barrier(const Place& place) {
  cl_sync_point_khr point = 0;
  EXPECT_EQ(calls_->clCommandBarrierWithWaitListKHR(handle_, place.queue, nullptr, countOf(place.after),
                                                    listOf(place.after), &point, nullptr),
            CL_SUCCESS);
  return point;
}

void TestBuffer::finalize() { EXPECT_EQ(calls_->clFinalizeCommandBufferKHR(handle_), CL_SUCCESS); }

void TestBuffer::enqueue(cl_event* event, const std::vector<cl_event>& waits) {
  EXPECT_EQ(calls_->clEnqueueCommandBufferKHR(0, nullptr, handle_, static_cast<cl_uint>(waits.size()),
                                              waits.empty() ? nullptr : waits.data(), event),
            CL_SUCCESS);
}

cl_command_buffer_state_khr TestBuffer::state() const {
  return valueAnswer<cl_command_buffer_state_khr>(
      CLOTHO_INFO(calls_->clGetCommandBufferInfoKHR, handle_, CL_COMMAND_BUFFER_STATE_KHR));
}

void CommandBufferApi::SetUp() {
  Api::SetUp();
  CLOTHO_NEEDS(claims("cl_khr_command_buffer"));
  static const CommandBufferCalls calls(platform_);
  calls_ = &calls;
  program_ = buildProgram(kSource);
}

TestBuffer CommandBufferApi::makeCommandBuffer(const std::vector<cl_command_queue>& queues,
                                               std::vector<cl_command_buffer_properties_khr> properties) {
  cl_int status = 1;
  TestBuffer buffer(*calls_,
                    calls_->clCreateCommandBufferKHR(static_cast<cl_uint>(queues.size()), queues.data(),
                                                     properties.empty() ? nullptr : properties.data(), &status));
  EXPECT_EQ(status, CL_SUCCESS);
  return buffer;
}

Owned<cl_mem> CommandBufferApi::makeWords(const Words& words) {
  return makeBuffer(words.size() * sizeof(cl_uint), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                    const_cast<cl_uint*>(words.data()));
}

Words CommandBufferApi::read(cl_mem buffer, cl_command_queue queue) {
  Words words(valueAnswer<size_t>(CLOTHO_INFO(clGetMemObjectInfo, buffer, CL_MEM_SIZE)) / sizeof(cl_uint));
  EXPECT_EQ(clEnqueueReadBuffer(queue ? queue : queue_.get(), buffer, CL_TRUE, 0, words.size() * sizeof(cl_uint),
                                words.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  return words;
}

void CommandBufferApi::set(cl_kernel kernel, cl_mem buffer, cl_uint number) {
  EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof number, &number), CL_SUCCESS);
}

Owned<cl_kernel> CommandBufferApi::kernel(const char* name, cl_mem buffer, cl_uint number) {
  cl_int status = 1;
  Owned<cl_kernel> kernel = clCreateKernel(program_, name, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  if (buffer) set(kernel, buffer, number);
  return kernel;
}

Words CommandBufferApi::stepped(Words words, cl_uint number) {
  for (cl_uint i = 0; i < words.size(); ++i)
    words[i] = words[i] * 3 + number + i;
  return words;
}

} // namespace clotho::test
