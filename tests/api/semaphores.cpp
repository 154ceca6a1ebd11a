// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "semaphores.hpp"

namespace clotho::test {

namespace {

template <class T> void find(T& function, const char* name, cl_platform_id platform) {
  function = reinterpret_cast<T>(clGetExtensionFunctionAddressForPlatform(platform, name));
  ASSERT_NE(function, nullptr) << name;
}

cl_uint countOf(const auto& list) { return static_cast<cl_uint>(list.size()); }
const cl_event* listOf(const Events& events) { return events.empty() ? nullptr : events.data(); }

} // namespace

void SemaphoreApi::SetUp() {
  Api::SetUp();
  CLOTHO_NEEDS(claims("cl_khr_semaphore"));
  find(create_, "clCreateSemaphoreWithPropertiesKHR", platform_);
  find(retain_, "clRetainSemaphoreKHR", platform_);
  find(release_, "clReleaseSemaphoreKHR", platform_);
  find(info_, "clGetSemaphoreInfoKHR", platform_);
  find(wait_, "clEnqueueWaitSemaphoresKHR", platform_);
  find(signal_, "clEnqueueSignalSemaphoresKHR", platform_);
  find(exported_, "clGetSemaphoreHandleForTypeKHR", platform_);
  find(reimport_, "clReImportSemaphoreSyncFdKHR", platform_);
}

cl_uint SemaphoreApi::contextDevices() const {
  return valueAnswer<cl_uint>(CLOTHO_INFO(clGetContextInfo, context_, CL_CONTEXT_NUM_DEVICES));
}

SemaphoreApi::Properties SemaphoreApi::binary(const Properties& more) const {
  Properties properties = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR};
  if (contextDevices() > 1)
    properties.insert(properties.end(),
                      {CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, reinterpret_cast<cl_semaphore_properties_khr>(device_),
                       CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR});
  properties.insert(properties.end(), more.begin(), more.end());
  properties.push_back(0);
  return properties;
}

SemaphoreApi::Semaphore SemaphoreApi::make(const Properties& properties, cl_int expected) {
  cl_int status = 1;
  Semaphore semaphore(create_(context_, properties.data(), &status), Release{release_});
  EXPECT_EQ(status, expected);
  EXPECT_EQ(semaphore != nullptr, expected == CL_SUCCESS);
  return semaphore;
}

Owned<cl_event> SemaphoreApi::signal(cl_command_queue queue, const Semaphores& semaphores, const Events& waits) {
  Owned<cl_event> event;
  EXPECT_EQ(signal_(queue, countOf(semaphores), semaphores.data(), nullptr, countOf(waits), listOf(waits), event.out()),
            CL_SUCCESS);
  return event;
}

Owned<cl_event> SemaphoreApi::wait(cl_command_queue queue, const Semaphores& semaphores, const Events& waits) {
  Owned<cl_event> event;
  EXPECT_EQ(wait_(queue, countOf(semaphores), semaphores.data(), nullptr, countOf(waits), listOf(waits), event.out()),
            CL_SUCCESS);
  return event;
}

cl_semaphore_payload_khr SemaphoreApi::payload(const Semaphore& semaphore) const {
  return valueAnswer<cl_semaphore_payload_khr>(CLOTHO_INFO(info_, semaphore.get(), CL_SEMAPHORE_PAYLOAD_KHR));
}

cl_int SemaphoreApi::statusAtEnd(cl_event event) {
  static_cast<void>(clWaitForEvents(1, &event));
  return valueAnswer<cl_int>(CLOTHO_INFO(clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS));
}

} // namespace clotho::test
