// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "fixture.hpp"

#include <string>
#include <vector>

namespace clotho::test {

/// Kernels that enqueue kernels, in a context whose device has a default queue.
class DeviceEnqueue : public Api {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// A queue on the device; `bytes` of 0: of the size that the device prefers.
  Owned<cl_command_queue> makeDeviceQueue(cl_command_queue_properties further, cl_uint bytes = 0);
  /// With build options for each number of work-items that run at once.
  static void forEachWidth(const std::function<void(const std::string& options)>& test);
  Owned<cl_mem> makeOut(size_t ints);
  std::vector<cl_int> read(cl_mem buffer, size_t ints);
  /// Runs a kernel whose first argument is the buffer, and waits for it. Its status.
  cl_int launch(cl_kernel kernel, cl_mem out, const std::vector<size_t>& global, const std::vector<size_t>& local);
  /// Runs `parent` of a source with a buffer of so many zeros, and gives that back.
  std::vector<cl_int> run(const char* source, const std::string& options, const std::vector<size_t>& global,
                          const std::vector<size_t>& local, size_t ints);

  Owned<cl_command_queue> onDevice_;
};

} // namespace clotho::test
