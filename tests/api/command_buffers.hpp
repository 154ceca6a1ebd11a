// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/command_buffer_header.hpp"
#include "base/later_headers.hpp"
#include "fixture.hpp"

#include <utility>
#include <vector>

namespace clotho::test {

using Words = std::vector<cl_uint>;
using Points = std::vector<cl_sync_point_khr>;
using Fields = std::vector<khr::cl_command_properties_khr>;

/// The functions of command buffers, found by their names.
struct CommandBufferCalls {
  explicit CommandBufferCalls(cl_platform_id platform);

#define CLOTHO_CALL(name) khr::name##_t* name = nullptr;
#define CLOTHO_CALLS                                                                                                   \
  CLOTHO_CALL(clCreateCommandBufferKHR)                                                                                \
  CLOTHO_CALL(clFinalizeCommandBufferKHR)                                                                              \
  CLOTHO_CALL(clRetainCommandBufferKHR)                                                                                \
  CLOTHO_CALL(clReleaseCommandBufferKHR)                                                                               \
  CLOTHO_CALL(clEnqueueCommandBufferKHR)                                                                               \
  CLOTHO_CALL(clCommandBarrierWithWaitListKHR)                                                                         \
  CLOTHO_CALL(clCommandCopyBufferKHR)                                                                                  \
  CLOTHO_CALL(clCommandCopyBufferRectKHR)                                                                              \
  CLOTHO_CALL(clCommandCopyBufferToImageKHR)                                                                           \
  CLOTHO_CALL(clCommandCopyImageKHR)                                                                                   \
  CLOTHO_CALL(clCommandCopyImageToBufferKHR)                                                                           \
  CLOTHO_CALL(clCommandFillBufferKHR)                                                                                  \
  CLOTHO_CALL(clCommandFillImageKHR)                                                                                   \
  CLOTHO_CALL(clCommandSVMMemcpyKHR)                                                                                   \
  CLOTHO_CALL(clCommandSVMMemFillKHR)                                                                                  \
  CLOTHO_CALL(clCommandNDRangeKernelKHR)                                                                               \
  CLOTHO_CALL(clGetCommandBufferInfoKHR)                                                                               \
  CLOTHO_CALL(clUpdateMutableCommandsKHR)                                                                              \
  CLOTHO_CALL(clGetMutableCommandInfoKHR)                                                                              \
  CLOTHO_CALL(clRemapCommandBufferKHR)
  CLOTHO_CALLS
#undef CLOTHO_CALL
};

/// A command buffer of the tests: it releases itself, and records with few words. What fails fails the test.
class TestBuffer {
 public:
  TestBuffer() = default;
  TestBuffer(const CommandBufferCalls& calls, cl_command_buffer_khr handle) : calls_(&calls), handle_(handle) {}
  TestBuffer(TestBuffer&& other) noexcept : calls_(other.calls_), handle_(std::exchange(other.handle_, nullptr)) {}
  TestBuffer& operator=(TestBuffer&& other) noexcept {
    std::swap(calls_, other.calls_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~TestBuffer();
  operator cl_command_buffer_khr() const { return handle_; }
  cl_command_buffer_khr take() { return std::exchange(handle_, nullptr); }

  struct Place {
    cl_command_queue queue = nullptr;
    Points after{};
    Fields properties{};
    cl_mutable_command_khr* handle = nullptr;
    size_t local = 0;
  };
  cl_sync_point_khr launch(cl_kernel kernel, size_t items, const Place& place);
  cl_sync_point_khr launch(cl_kernel kernel, size_t items) { return launch(kernel, items, Place()); }
  cl_sync_point_khr copy(cl_mem source, cl_mem target, size_t bytes, const Place& place);
  cl_sync_point_khr fill(cl_mem buffer, cl_uint value, size_t bytes, const Place& place);
  cl_sync_point_khr barrier(const Place& place);
  void finalize();
  /// Runs it on its own queues.
  void enqueue(cl_event* event = nullptr, const std::vector<cl_event>& waits = {});
  cl_command_buffer_state_khr state() const;

 private:
  static cl_uint countOf(const Points& points) { return static_cast<cl_uint>(points.size()); }
  static const cl_sync_point_khr* listOf(const Points& points) { return points.empty() ? nullptr : points.data(); }

  const CommandBufferCalls* calls_ = nullptr;
  cl_command_buffer_khr handle_ = nullptr;
};

/// Kernels whose order can be seen by what they leave, and what is common to the tests.
class CommandBufferApi : public Api {
 protected:
  static constexpr size_t kWords = 64;
  static constexpr size_t kBytes = kWords * sizeof(cl_uint);

  void SetUp() override;

  TestBuffer makeCommandBuffer(const std::vector<cl_command_queue>& queues,
                               std::vector<cl_command_buffer_properties_khr> properties = {});
  TestBuffer makeCommandBuffer() { return makeCommandBuffer({queue_.get()}); }
  TestBuffer makeMutable(cl_command_buffer_flags_khr flags = CL_COMMAND_BUFFER_MUTABLE_KHR) {
    return makeCommandBuffer({queue_.get()}, {CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0});
  }
  Owned<cl_mem> makeWords(const Words& words);
  Words read(cl_mem buffer, cl_command_queue queue = nullptr);
  /// A kernel of the program of these tests with its arguments: `step` makes words[i] * 3 + number + i of each word.
  Owned<cl_kernel> kernel(const char* name, cl_mem buffer, cl_uint number);
  static void set(cl_kernel kernel, cl_mem buffer, cl_uint number);
  static Words stepped(Words words, cl_uint number);
  template <class T> T info(cl_command_buffer_khr buffer, cl_command_buffer_info_khr name) {
    return valueAnswer<T>(CLOTHO_INFO(calls_->clGetCommandBufferInfoKHR, buffer, name));
  }

  const CommandBufferCalls* calls_ = nullptr;
  Owned<cl_program> program_;
};

} // namespace clotho::test
