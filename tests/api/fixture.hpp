// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// What the tests of the OpenCL calls have in common. They go through the ICD loader, as applications do.
namespace clotho::test {

/// Sanitizers end a program that asks for more memory than there can be, where it would get std::bad_alloc.
#if defined(__has_feature)
inline constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

cl_int release(cl_context handle);
cl_int release(cl_command_queue handle);
cl_int release(cl_mem handle);
cl_int release(cl_sampler handle);
cl_int release(cl_program handle);
cl_int release(cl_kernel handle);
cl_int release(cl_event handle);

/// Releases what it holds.
template <class T> class Owned {
 public:
  Owned() = default;
  Owned(T handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_) release(handle_);
  }
  operator T() const { return handle_; }
  T get() const { return handle_; }
  /// For calls that give a handle through a pointer.
  T* out() {
    if (handle_) release(std::exchange(handle_, nullptr));
    return &handle_;
  }
  T take() { return std::exchange(handle_, nullptr); }

 private:
  T handle_ = nullptr;
};

/// Something that is no object of the driver's and yet has a dispatch table, so that the loader passes it on.
template <class T> class Foreign {
 public:
  template <class U> explicit Foreign(U like) : dispatch_(*reinterpret_cast<void* const*>(like)) {}
  operator T() { return reinterpret_cast<T>(this); }

 private:
  void* dispatch_;
  std::byte rest_[512] = {};
};

/// The answer of a clGet*Info call as bytes, by its two-step protocol; fails the test when a step fails.
using InfoCall = std::function<cl_int(size_t, void*, size_t*)>;
std::vector<std::byte> answer(const InfoCall& call);
std::string textAnswer(const InfoCall& call);
template <class T> T valueAnswer(const InfoCall& call) {
  std::vector<std::byte> bytes = answer(call);
  T value{};
  EXPECT_EQ(bytes.size(), sizeof value);
  if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}
template <class T> std::vector<T> listAnswer(const InfoCall& call) {
  std::vector<std::byte> bytes = answer(call);
  EXPECT_EQ(bytes.size() % sizeof(T), 0u);
  std::vector<T> list(bytes.size() / sizeof(T));
  if (!list.empty()) std::memcpy(list.data(), bytes.data(), list.size() * sizeof(T));
  return list;
}
/// What holds for every clGet*Info call: unknown names and small sizes are CL_INVALID_VALUE, a null value is ignored.
void checkInfoProtocol(const std::function<cl_int(cl_uint, size_t, void*, size_t*)>& call, cl_uint someName);

#define CLOTHO_INFO(function, ...)                                                                                     \
  [&](size_t size, void* value, size_t* sizeReturned) { return function(__VA_ARGS__, size, value, sizeReturned); }

/// Skips a test that needs an ability which OpenCL leaves to devices. Fixtures that call it in SetUp are followed by
/// `if (IsSkipped()) return;` in the SetUp of derived ones.
#define CLOTHO_NEEDS(ability)                                                                                          \
  if (!(ability)) GTEST_SKIP() << "the device lacks an ability: " #ability

/// A context on the first device, and what most tests want of it. With CLOTHO_TEST_ALL_DEVICES in the environment the
/// context has all devices, and the tests work with the first.
class Api : public testing::Test {
 protected:
  static void SetUpTestSuite();
  void SetUp() override;
  void TearDown() override;

  Owned<cl_context> makeContext();
  Owned<cl_command_queue> makeQueue(cl_command_queue_properties properties = 0);
  Owned<cl_mem> makeBuffer(size_t size, cl_mem_flags flags = CL_MEM_READ_WRITE, void* host = nullptr);
  Owned<cl_event> makeUserEvent();
  Owned<cl_program> makeProgram(const char* source);
  Owned<cl_program> buildProgram(const char* source, const char* options = "");
  /// Another one, of what CL_PROGRAM_BINARIES gives for it.
  Owned<cl_program> throughBinary(cl_program program);
  Owned<cl_kernel> makeKernel(const char* source, const char* name, const char* options = "");
  std::string buildLog(cl_program program);
  /// Whether the device works in a memory of its own, not in the host's (CLOTHO_CPU_DEVICES).
  static bool isFar(cl_device_id device = device_);
  /// Whether the device is one of a clotho-node.
  static bool isOfNode(cl_device_id device = device_);
  /// Whether the device lists the extension, or the feature of OpenCL C.
  static bool claims(const std::string& name);
  static bool isCpu();
  /// A fault of a kernel costs its command, where others lose the device with it.
  static bool survivesFaults() { return isCpu(); }
  /// Whether binaries of programs have code for the device; a node makes it of the portable module.
  static bool hasMachineCode() { return !isOfNode(); }
  // Abilities that have queries of their own.
  /// Kernels can enqueue others.
  static bool hasDeviceQueues();
  static bool hasNativeKernels();
  static bool hasPipes();
  static bool hasSharedMemory();
  static bool hasSubDevices();
  static bool hasSubGroups();
  cl_int statusOf(cl_event event);

  static cl_platform_id platform_;
  static cl_device_id device_;
  Owned<cl_context> context_;
  Owned<cl_command_queue> queue_;
};

/// What the device says of itself.
class DeviceApi : public Api {
 protected:
  template <class T> static T value(cl_device_info name) {
    return valueAnswer<T>(CLOTHO_INFO(clGetDeviceInfo, device_, name));
  }
  static std::string text(cl_device_info name) { return textAnswer(CLOTHO_INFO(clGetDeviceInfo, device_, name)); }
  template <class T> static std::vector<T> list(cl_device_info name) {
    return listAnswer<T>(CLOTHO_INFO(clGetDeviceInfo, device_, name));
  }
};

} // namespace clotho::test
