// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/later_headers.hpp"
#include "fixture.hpp"

#include <memory>
#include <vector>

namespace clotho::test {

using Events = std::vector<cl_event>;

/// What the tests of semaphores have in common.
class SemaphoreApi : public Api {
 protected:
  struct Release {
    decltype(&clReleaseSemaphoreKHR) call = nullptr;
    void operator()(cl_semaphore_khr semaphore) const { call(semaphore); }
  };
  using Semaphore = std::unique_ptr<_cl_semaphore_khr, Release>;
  using Properties = std::vector<cl_semaphore_properties_khr>;
  using Semaphores = std::vector<cl_semaphore_khr>;

  void SetUp() override;

  /// Properties of a binary semaphore on the first device, followed by `more`.
  Properties binary(const Properties& more = {}) const;
  Semaphore make(const Properties& properties, cl_int expected = CL_SUCCESS);
  Semaphore make() { return make(binary()); }
  /// Failures of the call end the test.
  Owned<cl_event> signal(cl_command_queue queue, const Semaphores& semaphores, const Events& waits = {});
  Owned<cl_event> wait(cl_command_queue queue, const Semaphores& semaphores, const Events& waits = {});
  cl_semaphore_payload_khr payload(const Semaphore& semaphore) const;
  static cl_int statusAtEnd(cl_event event);
  cl_uint contextDevices() const;

  // By address: loaders do not have them.
  decltype(&::clCreateSemaphoreWithPropertiesKHR) create_ = nullptr;
  decltype(&::clRetainSemaphoreKHR) retain_ = nullptr;
  decltype(&::clReleaseSemaphoreKHR) release_ = nullptr;
  decltype(&::clGetSemaphoreInfoKHR) info_ = nullptr;
  decltype(&::clEnqueueWaitSemaphoresKHR) wait_ = nullptr;
  decltype(&::clEnqueueSignalSemaphoresKHR) signal_ = nullptr;
  decltype(&::clGetSemaphoreHandleForTypeKHR) exported_ = nullptr;
  decltype(&::clReImportSemaphoreSyncFdKHR) reimport_ = nullptr;
};

} // namespace clotho::test
