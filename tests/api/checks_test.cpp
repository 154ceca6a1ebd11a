// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checked kernels: CLOTHO_CHECK=memory CLOTHO_CHECK_FAIL=1. tests/checked has the faults that are found.
#include "base/bytes.hpp"
#include "compiler/client/binary_format.hpp"
#include "compiler/client/build_key.hpp"
#include "fixture.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace clotho::test {

namespace {

struct Messages {
  std::mutex mutex;
  std::condition_variable arrived;
  std::string text;
};

void CL_CALLBACK note(const char* message, const void*, size_t, void* messages) {
  auto& all = *static_cast<Messages*>(messages);
  const std::lock_guard lock(all.mutex);
  all.text += message;
  all.arrived.notify_all();
}

constexpr const char* kSource = "kernel void shift(global int* a) {\n"
                                "  a[get_global_id(0)] = a[get_global_id(0) + 1];\n"
                                "}\n";

class ChecksTest : public DeviceApi {
 protected:
  void SetUp() override {
    cl_int status;
    context_ = Owned<cl_context>(clCreateContext(nullptr, 1, &device_, note, &messages(), &status));
    ASSERT_EQ(status, CL_SUCCESS);
    queue_ = makeQueue();
  }
  /// Status of a launch over a buffer of 64 numbers.
  cl_int run(const Owned<cl_kernel>& kernel, size_t items) {
    const Owned<cl_mem> buffer = makeBuffer(64 * sizeof(cl_int));
    cl_mem memory = buffer.get();
    EXPECT_EQ(clSetKernelArg(kernel.get(), 0, sizeof memory, &memory), CL_SUCCESS);
    cl_event event = nullptr;
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel.get(), 1, nullptr, &items, nullptr, 0, nullptr, &event),
              CL_SUCCESS);
    const Owned<cl_event> owned(event);
    clWaitForEvents(1, &event);
    return statusOf(event);
  }
  /// Never destroyed: a callback may still run while the process ends.
  static Messages& messages() {
    static auto& all = *new Messages;
    return all;
  }
};

TEST_F(ChecksTest, FaultsFailTheLaunchAndReachTheCallback) {
  const Owned<cl_kernel> kernel = makeKernel(kSource, "shift");
  EXPECT_EQ(run(kernel, 63), CL_COMPLETE);
  EXPECT_EQ(run(kernel, 64), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  std::unique_lock lock(messages().mutex); // a thread for callbacks calls it
  messages().arrived.wait_for(lock, std::chrono::seconds(60), [] { return !messages().text.empty(); });
  EXPECT_NE(messages().text.find(":2:25: runtime error: read of 4 bytes, just behind argument 0 'a' (256 bytes)"),
            std::string::npos)
      << messages().text;
  EXPECT_NE(messages().text.find("work-item (63, 0, 0)"), std::string::npos) << messages().text;
}

TEST_F(ChecksTest, ProgramsMaySayWhatTheyWant) {
  EXPECT_EQ(run(makeKernel(kSource, "shift", "-clotho-check=barrier"), 63), CL_COMPLETE);
  const Owned<cl_kernel> divides = makeKernel(
      "kernel void k(global int* a) { a[0] = 1 / (int)(get_global_size(0) - 64); }", "k", "-clotho-check=value");
  EXPECT_EQ(run(divides, 64), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(run(divides, 63), CL_COMPLETE);
}

// Applications that keep binaries must not find those without checks, and where they do, the code is built anew.
TEST_F(ChecksTest, BinariesWithoutChecks) {
  char version[64] = {};
  ASSERT_EQ(clGetDeviceInfo(device_, CL_DRIVER_VERSION, sizeof version, version, nullptr), CL_SUCCESS);
  EXPECT_NE(std::string(version).find("+check"), std::string::npos) << version;

  const Owned<cl_program> unchecked = buildProgram(kSource, "-clotho-check=none");
  size_t size = 0;
  ASSERT_EQ(clGetProgramInfo(unchecked, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr), CL_SUCCESS);
  std::string bytes(size, '\0');
  char* place = bytes.data();
  ASSERT_EQ(clGetProgramInfo(unchecked, CL_PROGRAM_BINARIES, sizeof place, static_cast<void*>(&place), nullptr),
            CL_SUCCESS);
  ByteReader in(std::string_view(bytes).substr(kBinaryMagic.size() + 4 + 8 + 8));
  const cl_uint type = in.u32();
  in.text(); // options
  ASSERT_EQ(in.text(), targetIdentity(Target()));
  ASSERT_EQ(in.text(), "memory");
  std::optional<BuildResult> result = parseResult(in.text());
  ASSERT_TRUE(result);
  for (const char* checks : {"memory", ""}) {
    const std::string binary = encodeBinary(type, "", Target(), checks, *result);
    const auto* given = reinterpret_cast<const unsigned char*>(binary.data());
    size = binary.size();
    cl_int status;
    const Owned<cl_program> program(clCreateProgramWithBinary(context_, 1, &device_, &size, &given, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    ASSERT_EQ(clBuildProgram(program, 1, &device_, "", nullptr, nullptr), CL_SUCCESS);
    const Owned<cl_kernel> kernel(clCreateKernel(program, "shift", &status));
    ASSERT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(run(kernel, 64), *checks ? CL_COMPLETE : CL_OUT_OF_RESOURCES);
  }
}

TEST_F(ChecksTest, LocalArgumentsHaveTheirOwnBounds) {
  const Owned<cl_kernel> kernel = makeKernel("kernel void k(global int* a, local int* b, local int* c) {\n"
                                             "  b[get_global_id(0)] = 1; c[0] = 2; a[0] = c[0];\n"
                                             "}\n",
                                             "k");
  ASSERT_EQ(clSetKernelArg(kernel.get(), 1, 16, nullptr), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel.get(), 2, 16, nullptr), CL_SUCCESS);
  EXPECT_EQ(run(kernel, 4), CL_COMPLETE);
  EXPECT_EQ(run(kernel, 5), CL_OUT_OF_RESOURCES);
}

} // namespace

} // namespace clotho::test
