// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_enqueue.hpp"

namespace clotho::test {

void DeviceEnqueue::SetUp() {
  Api::SetUp();
  onDevice_ = makeDeviceQueue(CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_PROFILING_ENABLE);
}

void DeviceEnqueue::TearDown() {
  onDevice_ = {};
  Api::TearDown();
}

Owned<cl_command_queue> DeviceEnqueue::makeDeviceQueue(cl_command_queue_properties further, cl_uint bytes) {
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES,
                                            CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | further,
                                            bytes == 0 ? 0 : static_cast<cl_queue_properties>(CL_QUEUE_SIZE), bytes, 0};
  cl_int status = 1;
  Owned<cl_command_queue> queue = clCreateCommandQueueWithProperties(context_, device_, properties, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  return queue;
}

void DeviceEnqueue::forEachWidth(const std::function<void(const std::string& options)>& test) {
  for (const char* width : {"1", "4", "8", "16"}) {
    SCOPED_TRACE(std::string("width ") + width);
    test(std::string("-clotho-width=") + width);
  }
}

Owned<cl_mem> DeviceEnqueue::makeOut(size_t ints) {
  Owned<cl_mem> buffer = makeBuffer(ints * sizeof(cl_int));
  const cl_int zero = 0;
  EXPECT_EQ(clEnqueueFillBuffer(queue_, buffer, &zero, sizeof zero, 0, ints * sizeof(cl_int), 0, nullptr, nullptr),
            CL_SUCCESS);
  return buffer;
}

std::vector<cl_int> DeviceEnqueue::read(cl_mem buffer, size_t ints) {
  std::vector<cl_int> values(ints);
  EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, ints * sizeof(cl_int), values.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  return values;
}

cl_int DeviceEnqueue::launch(cl_kernel kernel, cl_mem out, const std::vector<size_t>& global,
                             const std::vector<size_t>& local) {
  EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof out, &out), CL_SUCCESS);
  Owned<cl_event> event;
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, static_cast<cl_uint>(global.size()), nullptr, global.data(),
                                   local.empty() ? nullptr : local.data(), 0, nullptr, event.out()),
            CL_SUCCESS);
  const cl_event wait = event;
  clWaitForEvents(1, &wait);
  return statusOf(event);
}

std::vector<cl_int> DeviceEnqueue::run(const char* source, const std::string& options,
                                       const std::vector<size_t>& global, const std::vector<size_t>& local,
                                       size_t ints) {
  const Owned<cl_kernel> kernel = makeKernel(source, "parent", ("-cl-std=CL3.0 " + options).c_str());
  const Owned<cl_mem> out = makeOut(ints);
  if (!kernel) return std::vector<cl_int>(ints);
  EXPECT_EQ(launch(kernel, out, global, local), CL_COMPLETE);
  return read(out, ints);
}

} // namespace clotho::test
