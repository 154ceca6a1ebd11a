// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches whose local size does not divide their global size: who may make them, and what becomes of them.
#include "fixture.hpp"

#include <atomic>
#include <mutex>
#include <numeric>
#include <thread>

namespace clotho::test {

namespace {

constexpr const char* kSource = R"(
  kernel void sizes(global uint* out) { out[get_global_id(0)] = get_local_size(0); }
  kernel __attribute__((reqd_work_group_size(4, 1, 1))) void shaped(global uint* out) {
    out[get_global_id(0)] = get_local_size(0);
  }
)";

class NonUniformTest : public DeviceApi {
 protected:
  void SetUp() override {
    DeviceApi::SetUp();
    buffer_ = makeBuffer(kItems * sizeof(cl_uint));
  }
  cl_int launch(cl_kernel kernel, std::vector<size_t> global, std::vector<size_t> local = {}) {
    return clEnqueueNDRangeKernel(queue_, kernel, static_cast<cl_uint>(global.size()), nullptr, global.data(),
                                  local.empty() ? nullptr : local.data(), 0, nullptr, nullptr);
  }
  Owned<cl_kernel> kernelOf(cl_program program, const char* name) {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program, name, &status);
    EXPECT_EQ(status, CL_SUCCESS) << buildLog(program);
    cl_mem raw = buffer_;
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
    return kernel;
  }
  std::vector<cl_uint> contents(size_t count) {
    std::vector<cl_uint> values(count);
    EXPECT_EQ(
        clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 0, count * sizeof(cl_uint), values.data(), 0, nullptr, nullptr),
        CL_SUCCESS);
    return values;
  }
  /// Ten work-items in groups of four, with and without a required size, with the local size given or not.
  void expectSupport(cl_program program, bool supported, const std::string& what) {
    SCOPED_TRACE(what);
    const cl_int expected = supported ? CL_SUCCESS : CL_INVALID_WORK_GROUP_SIZE;
    Owned<cl_kernel> sizes = kernelOf(program, "sizes"), shaped = kernelOf(program, "shaped");
    for (cl_kernel kernel : {cl_kernel{sizes}, cl_kernel{shaped}}) {
      const cl_uint zero = 0;
      ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer_, &zero, 4, 0, 40, 0, nullptr, nullptr), CL_SUCCESS);
      EXPECT_EQ(launch(kernel, {10}, {4}), expected);
      EXPECT_EQ(contents(10),
                supported ? std::vector<cl_uint>({4, 4, 4, 4, 4, 4, 4, 4, 2, 2}) : std::vector<cl_uint>(10));
      EXPECT_EQ(launch(kernel, {8}, {4}), CL_SUCCESS) << "a multiple is always right";
    }
    EXPECT_EQ(launch(shaped, {10}), expected) << "without a local size it is the required one";
    EXPECT_EQ(launch(shaped, {10}, {5}), CL_INVALID_WORK_GROUP_SIZE) << "and no other";
    EXPECT_EQ(launch(shaped, {3}, {3}), CL_INVALID_WORK_GROUP_SIZE) << "not even of the launch's size";
    EXPECT_EQ(launch(sizes, {10}), CL_SUCCESS);
  }
  Owned<cl_program> compiled(const char* source, const char* options) {
    Owned<cl_program> program = makeProgram(source);
    EXPECT_EQ(clCompileProgram(program, 0, nullptr, options, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS)
        << buildLog(program);
    return program;
  }
  Owned<cl_program> link(const std::vector<cl_program>& programs, const char* options = "") {
    cl_int status = 1;
    Owned<cl_program> program = clLinkProgram(context_, 0, nullptr, options, static_cast<cl_uint>(programs.size()),
                                              programs.data(), nullptr, nullptr, &status);
    EXPECT_EQ(status, CL_SUCCESS) << buildLog(program);
    return program;
  }
  static constexpr size_t kItems = 1 << 16;
  Owned<cl_mem> buffer_;
};

struct Language {
  const char* options;
  bool supports;
};
constexpr Language kLanguages[] = {
    {"", false},
    {"-cl-std=CL1.0", false},
    {"-cl-std=CL1.1", false},
    {"-cl-std=CL1.2", false},
    {"-cl-std=CL2.0", true},
    {"-cl-std=CL3.0", true},
    {"-cl-uniform-work-group-size", false},
    {"-cl-std=CL2.0 -cl-uniform-work-group-size", false},
    {"-cl-uniform-work-group-size -cl-std=CL3.0", false},
    {"-cl-std=CL3.0 -cl-opt-disable", true},
};

TEST_F(NonUniformTest, TheDeviceSaysSo) {
  EXPECT_EQ(value<cl_bool>(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT), cl_bool{CL_TRUE});
}

TEST_F(NonUniformTest, LanguageAndOptionDecide) {
  for (const Language& language : kLanguages)
    expectSupport(buildProgram(kSource, language.options), language.supports, language.options);
}

TEST_F(NonUniformTest, BinariesKeepIt) {
  for (const Language& language : kLanguages) {
    Owned<cl_program> again = throughBinary(buildProgram(kSource, language.options));
    ASSERT_EQ(clBuildProgram(again, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
    expectSupport(again, language.supports, language.options);
    // What is compiled only has no code yet.
    Owned<cl_program> part = throughBinary(compiled(kSource, language.options));
    expectSupport(link({part}), language.supports, language.options);
  }
}

/// Section 5.10: one part that is for uniform work-groups only makes the whole program so, whichever has the kernel.
TEST_F(NonUniformTest, LinkedPartsAgreeOnTheLess) {
  constexpr const char* kOther = "int other(int x) { return x + 1; }\n";
  for (const Language& kernels : kLanguages)
    for (const char* options : {"-cl-std=CL1.2", "-cl-std=CL3.0", "-cl-std=CL2.0 -cl-uniform-work-group-size"}) {
      const bool supports = kernels.supports && std::string(options) == "-cl-std=CL3.0";
      const std::string what = std::string(kernels.options) + " with " + options;
      Owned<cl_program> user = compiled(kSource, kernels.options), other = compiled(kOther, options);
      expectSupport(link({user, other}), supports, what);
      expectSupport(link({other, user}), supports, what + ", in the other order");
      Owned<cl_program> library = link({other}, "-create-library");
      expectSupport(link({user, throughBinary(library)}), supports, what + ", from a library's binary");
    }
}

TEST_F(NonUniformTest, TheGroupMayNotBeTooLargeAllTheSame) {
  Owned<cl_program> program = buildProgram(kSource, "-cl-std=CL3.0");
  Owned<cl_kernel> kernel = kernelOf(program, "sizes");
  size_t most = value<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  EXPECT_EQ(launch(kernel, {10}, {0}), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(launch(kernel, {10, 1}, {most, 2}), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(launch(kernel, {10}, {2 * most}), CL_INVALID_WORK_ITEM_SIZE);
  ASSERT_EQ(launch(kernel, {10}, {most}), CL_SUCCESS);
  EXPECT_EQ(contents(10), std::vector<cl_uint>(10, 10));
}

/// Every work-item once, in groups of the sizes that they are told, when the driver chooses.
TEST_F(NonUniformTest, ChosenSizesOfPrimes) {
  Owned<cl_kernel> kernel = makeKernel(R"(
      kernel void count(global uint* items, global uint* groups, local uint* counter) {
        if (get_local_linear_id() == 0) *counter = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_inc(counter);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint size = get_local_size(0) * get_local_size(1) * get_local_size(2);
        items[get_global_linear_id()] += *counter == size;
        if (get_local_linear_id() == 0) atomic_inc(groups);
      })",
                                       "count", "-cl-std=CL3.0");
  Owned<cl_mem> groups = makeBuffer(sizeof(cl_uint));
  cl_mem raw = buffer_, rawGroups = groups;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof rawGroups, &rawGroups), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 2, sizeof(cl_uint), nullptr), CL_SUCCESS);
  for (const std::vector<size_t>& global :
       {std::vector<size_t>{10007}, {65521}, {257}, {1009, 61}, {2, 10007}, {31, 37, 53}, {1, 10007}, {127, 1, 509}}) {
    const size_t items = std::accumulate(global.begin(), global.end(), size_t{1}, std::multiplies<>());
    cl_uint zero = 0, count = 0;
    ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer_, &zero, 4, 0, kItems * 4, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clEnqueueFillBuffer(queue_, groups, &zero, 4, 0, 4, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(launch(kernel, global), CL_SUCCESS);
    EXPECT_EQ(contents(items), std::vector<cl_uint>(items, 1)) << global[0];
    ASSERT_EQ(clEnqueueReadBuffer(queue_, groups, CL_TRUE, 0, 4, &count, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_LE(count, items / 16) << "groups are of a good size, at " << global[0];
  }
}

TEST_F(NonUniformTest, AFaultNamesTheWorkGroupAtTheEnd) {
  CLOTHO_NEEDS(survivesFaults());
  struct Messages {
    std::mutex mutex;
    std::string text;
  } messages;
  cl_int status = 1;
  Owned<cl_context> context = clCreateContext(
      nullptr, 1, &device_,
      [](const char* text, const void*, size_t, void* data) {
        auto& own = *static_cast<Messages*>(data);
        std::lock_guard lock(own.mutex);
        own.text += text;
      },
      &messages, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_command_queue> queue = clCreateCommandQueueWithProperties(context, device_, nullptr, &status);
  const char* source = "kernel void k(ulong address, uint x, uint y, uint z) {"
                       " if (get_group_id(0) == x && get_group_id(1) == y && get_group_id(2) == z)"
                       "   *(global int*)address = 1; }";
  Owned<cl_program> program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr), CL_SUCCESS);
  Owned<cl_kernel> kernel = clCreateKernel(program, "k", &status);
  cl_ulong address = 0x1230;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof address, &address), CL_SUCCESS);
  const size_t global[] = {11, 7, 5}, local[] = {4, 2, 2}; // 3 x 4 x 3 groups, the last of each shorter
  for (const std::array<cl_uint, 3>& group :
       {std::array<cl_uint, 3>{1, 1, 1}, {2, 1, 0}, {1, 3, 1}, {0, 2, 2}, {2, 3, 0}, {2, 0, 2}, {1, 3, 2}, {2, 3, 2}}) {
    for (cl_uint i = 0; i < 3; ++i)
      ASSERT_EQ(clSetKernelArg(kernel, 1 + i, sizeof group[i], &group[i]), CL_SUCCESS);
    {
      std::lock_guard lock(messages.mutex);
      messages.text.clear();
    }
    ASSERT_EQ(clEnqueueNDRangeKernel(queue, kernel, 3, nullptr, global, local, 0, nullptr, nullptr), CL_SUCCESS);
    clFinish(queue);
    const std::string expected = "work-group (" + std::to_string(group[0]) + ", " + std::to_string(group[1]) + ", " +
                                 std::to_string(group[2]) + "): write to unmapped address 0x1230";
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    std::string text;
    while (text.empty() && std::chrono::steady_clock::now() < limit) {
      std::this_thread::yield();
      std::lock_guard lock(messages.mutex);
      text = messages.text;
    }
    EXPECT_NE(text.find(expected), std::string::npos) << text << ", not " << expected;
  }
}

} // namespace

} // namespace clotho::test
