// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches at the limits that the device states, and beyond: what is too much has the specification's error, and the
// context's callback is told in a sentence what it was.
#include "fixture.hpp"
#include "told.hpp"

#include <array>

namespace clotho::test {

namespace {

class LimitsTest : public DeviceApi {
 protected:
  void SetUp() override {
    ASSERT_NE(device_, nullptr);
    cl_int status = 1;
    context_ = clCreateContext(nullptr, 1, &device_, Told::callback, &told_, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    queue_ = makeQueue();
    out_ = makeBuffer(kWords * sizeof(cl_ulong));
  }
  void TearDown() override {
    // The callback may come until the context is gone.
    out_ = {};
    program_ = {};
    DeviceApi::TearDown();
    told_.willEnd(context_);
    queue_ = {};
    context_ = {};
    EXPECT_TRUE(told_.hasEnded());
  }
  Owned<cl_kernel> make(const std::string& source, const char* options = "") {
    program_ = buildProgram(source.c_str(), options);
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program_, "k", &status);
    EXPECT_EQ(status, CL_SUCCESS);
    const cl_mem raw = out_;
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
    return kernel;
  }
  cl_int launch(cl_kernel kernel, const std::vector<size_t>& global, const std::vector<size_t>& local = {},
                const std::vector<size_t>& offset = {}) {
    return clEnqueueNDRangeKernel(queue_, kernel, static_cast<cl_uint>(global.size()),
                                  offset.empty() ? nullptr : offset.data(), global.data(),
                                  local.empty() ? nullptr : local.data(), 0, nullptr, nullptr);
  }
  std::array<cl_ulong, 8> result() {
    std::array<cl_ulong, kWords> seen{};
    EXPECT_EQ(clEnqueueReadBuffer(queue_, out_, CL_TRUE, 0, sizeof seen, seen.data(), 0, nullptr, nullptr), CL_SUCCESS);
    const cl_ulong nothing = 0xdead;
    EXPECT_EQ(clEnqueueFillBuffer(queue_, out_, &nothing, 8, 0, sizeof seen, 0, nullptr, nullptr), CL_SUCCESS);
    return seen;
  }

  static constexpr size_t kWords = 8;
  Told told_;
  Owned<cl_program> program_;
  Owned<cl_mem> out_;
};

TEST_F(LimitsTest, LocalMemory) {
  const auto most = value<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE);
  const auto source = [](cl_ulong own) {
    return "kernel void k(global ulong* out, local uchar* mine) {"
           "  local uint own[" +
           std::to_string(own / 4) +
           "];"
           "  own[get_local_id(0)] = get_local_id(0);"
           "  own[sizeof own / 4 - 1] = 40;"
           "  mine[0] = 2;"
           "  barrier(CLK_LOCAL_MEM_FENCE);"
           "  if (get_local_id(0) == 1) out[0] = own[0] + own[sizeof own / 4 - 1] + mine[0]; }";
  };
  const auto inKiB = [](cl_ulong bytes) { return std::to_string((bytes + 1023) / 1024) + " KiB"; };
  const auto sentence = [&](cl_ulong used, cl_ulong own) {
    return "kernel 'k': a work-group uses " + inKiB(used) + " of local memory, " + inKiB(own) +
           " of which for its own variables, and the device has " + inKiB(most);
  };
  // All of it, of the kernel's own and of an argument.
  Owned<cl_kernel> kernel = make(source(most - 1024));
  ASSERT_EQ(clSetKernelArg(kernel, 1, 1024, nullptr), CL_SUCCESS);
  EXPECT_EQ(valueAnswer<cl_ulong>(CLOTHO_INFO(clGetKernelWorkGroupInfo, kernel, device_, CL_KERNEL_LOCAL_MEM_SIZE)),
            most);
  EXPECT_EQ(launch(kernel, {16}, {16}), CL_SUCCESS);
  EXPECT_EQ(result()[0], 42u);
  // A byte more, by the argument.
  ASSERT_EQ(clSetKernelArg(kernel, 1, 1025, nullptr), CL_SUCCESS);
  EXPECT_EQ(launch(kernel, {16}, {16}), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(told_.next(), sentence(most + 1, most - 1024));
  ASSERT_EQ(clSetKernelArg(kernel, 1, SIZE_MAX, nullptr), CL_SUCCESS);
  EXPECT_EQ(launch(kernel, {16}, {16}), CL_OUT_OF_RESOURCES);
  EXPECT_FALSE(told_.next().empty());
  // The kernel's own is enough to be too much: it is built, and never runs.
  kernel = make(source(most + 4));
  ASSERT_EQ(clSetKernelArg(kernel, 1, 1, nullptr), CL_SUCCESS);
  EXPECT_EQ(launch(kernel, {16}, {16}), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(told_.next(), sentence(most + 5, most + 4));
}

TEST_F(LimitsTest, WorkGroups) {
  const Owned<cl_kernel> kernel = make("kernel void k(global ulong* out) {"
                                       "  out[0] = get_local_size(0) * get_local_size(1) * get_local_size(2); }");
  const auto most = value<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  const auto told = [&](const std::string& size) {
    EXPECT_EQ(told_.next(), "kernel 'k': a work-group of " + size + " work-items, of which the device runs at most " +
                                std::to_string(most));
  };
  const auto each = list<size_t>(CL_DEVICE_MAX_WORK_ITEM_SIZES);
  const std::string text = std::to_string(most), more = std::to_string(most + 1);
  EXPECT_EQ(launch(kernel, {most}, {most}), CL_SUCCESS);
  EXPECT_EQ(result()[0], most);
  EXPECT_EQ(launch(kernel, {4, most / 4}, {4, most / 4}), CL_SUCCESS);
  EXPECT_EQ(result()[0], most);
  EXPECT_EQ(launch(kernel, {most + 1}, {most + 1}), CL_INVALID_WORK_ITEM_SIZE);
  told(more);
  EXPECT_EQ(launch(kernel, {1, 1, most + 1}, {1, 1, most + 1}), CL_INVALID_WORK_ITEM_SIZE);
  told("1 x 1 x " + more);
  EXPECT_EQ(launch(kernel, {most, 2}, {most, 2}), CL_INVALID_WORK_GROUP_SIZE);
  told(text + " x 2");
  // A product that is nothing when it is counted with 32 bits.
  EXPECT_EQ(launch(kernel, {most, most, most}, {most, most, most}),
            each.back() < most ? CL_INVALID_WORK_ITEM_SIZE : CL_INVALID_WORK_GROUP_SIZE);
  told(text + " x " + text + " x " + text);
  EXPECT_EQ(launch(kernel, {SIZE_MAX}, {SIZE_MAX}), CL_INVALID_WORK_ITEM_SIZE);
  told(std::to_string(SIZE_MAX));
}

TEST_F(LimitsTest, ArgumentsOfAllTheBytesThatThereMayBe) {
  const auto most = value<size_t>(CL_DEVICE_MAX_PARAMETER_SIZE);
  // One large argument beside the pointer.
  const size_t words = (most - sizeof(void*)) / sizeof(cl_uint);
  Owned<cl_kernel> kernel = make("typedef struct { uint w[" + std::to_string(words) +
                                 "]; } All;"
                                 "kernel void k(global ulong* out, All all) {"
                                 "  ulong sum = 0;"
                                 "  for (int i = 0; i < " +
                                 std::to_string(words) +
                                 "; ++i) sum = sum * 3 + all.w[i];"
                                 "  out[0] = sum; out[1] = all.w[get_global_size(0) - 1]; }");
  std::vector<cl_uint> all(words);
  cl_ulong sum = 0;
  for (size_t i = 0; i < words; ++i) {
    all[i] = static_cast<cl_uint>(i * 2654435761u);
    sum = sum * 3 + all[i];
  }
  ASSERT_EQ(clSetKernelArg(kernel, 1, words * sizeof(cl_uint), all.data()), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(kernel, 1, words * sizeof(cl_uint) + 4, all.data()), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(launch(kernel, {words}), CL_SUCCESS);
  EXPECT_EQ(result()[0], sum);
  EXPECT_EQ(launch(kernel, {words}), CL_SUCCESS);
  EXPECT_EQ(result()[1], all.back());

  // Many small ones.
  const size_t count = most / sizeof(cl_ulong) - 1;
  std::string parameters, body;
  for (size_t i = 0; i < count; ++i) {
    parameters += ", ulong a" + std::to_string(i);
    body += "sum = sum * 3 + a" + std::to_string(i) + ";";
  }
  kernel = make("kernel void k(global ulong* out" + parameters + ") { ulong sum = 0;" + body + "out[0] = sum; }");
  sum = 0;
  for (size_t i = 0; i < count; ++i) {
    const cl_ulong value = i * 0x9e3779b97f4a7c15u;
    ASSERT_EQ(clSetKernelArg(kernel, static_cast<cl_uint>(i + 1), sizeof value, &value), CL_SUCCESS);
    sum = sum * 3 + value;
  }
  EXPECT_EQ(launch(kernel, {1}), CL_SUCCESS);
  EXPECT_EQ(result()[0], sum);
}

constexpr const char* kLast = R"(
kernel void k(global ulong* out) {
  const size_t last[3] = {get_global_offset(0) + get_global_size(0) - 1, get_global_offset(1) + get_global_size(1) - 1,
                          get_global_offset(2) + get_global_size(2) - 1};
  if (get_global_id(0) == last[0] && get_global_id(1) == last[1] && get_global_id(2) == last[2]) {
    out[0] = get_global_id(0);
    out[1] = get_global_id(1);
    out[2] = get_global_linear_id();
    out[3] = get_group_id(0) * get_enqueued_local_size(0) + get_local_id(0);
    out[4] = get_group_id(0) == get_num_groups(0) - 1;
    out[5] = get_global_size(0);
  }
})";

TEST_F(LimitsTest, MoreWorkItemsThan32BitsCount) {
  const Owned<cl_kernel> kernel = make(kLast, "-cl-std=CL3.0");
  constexpr size_t kSigned = size_t{1} << 31, kUnsigned = size_t{1} << 32;
  for (size_t size : {kSigned - 1, kSigned + 1, kUnsigned + 3}) {
    ASSERT_EQ(launch(kernel, {size}), CL_SUCCESS);
    const auto seen = result();
    for (int i : {0, 2, 3})
      EXPECT_EQ(seen[i], size - 1) << i;
    EXPECT_EQ(seen[4], 1u);
    EXPECT_EQ(seen[5], size);
  }
  // With work-groups that do not divide it, and in two dimensions.
  ASSERT_EQ(launch(kernel, {kUnsigned + 3}, {1000}), CL_SUCCESS);
  auto seen = result();
  EXPECT_EQ(seen[0], kUnsigned + 2);
  EXPECT_EQ(seen[3], kUnsigned + 2);
  EXPECT_EQ(seen[4], 1u);
  ASSERT_EQ(launch(kernel, {65537, 65537}), CL_SUCCESS);
  seen = result();
  EXPECT_EQ(seen[0], 65536u);
  EXPECT_EQ(seen[1], 65536u);
  EXPECT_EQ(seen[2], size_t{65537} * 65537 - 1);
}

TEST_F(LimitsTest, OffsetsBeyond32Bits) {
  const Owned<cl_kernel> kernel = make(kLast, "-cl-std=CL3.0");
  const auto check = [&](size_t offset, size_t size) {
    SCOPED_TRACE(offset);
    ASSERT_EQ(launch(kernel, {size, 3}, {}, {offset, offset}), CL_SUCCESS);
    const auto seen = result();
    EXPECT_EQ(seen[0], offset + size - 1);
    EXPECT_EQ(seen[1], offset + 2);
    EXPECT_EQ(seen[2], size * 2 + size - 1);
  };
  for (size_t place : {size_t{1} << 31, size_t{1} << 32, size_t{1} << 63})
    for (size_t before : {1, 40, 100})
      check(place - before, 80);
  check(SIZE_MAX - 100, 100);
  EXPECT_EQ(launch(kernel, {101}, {}, {SIZE_MAX - 100}), CL_INVALID_GLOBAL_OFFSET);
  EXPECT_EQ(launch(kernel, {1, 1, 2}, {}, {0, 0, SIZE_MAX - 1}), CL_INVALID_GLOBAL_OFFSET);
}

TEST_F(LimitsTest, MoreWorkGroupsThan64BitsCount) {
  const Owned<cl_kernel> kernel = make(kLast, "-cl-std=CL3.0");
  const size_t half = size_t{1} << 32;
  for (const bool isChosen : {false, true}) {
    // With a local size that the driver chooses, and without.
    const std::vector<size_t> global =
        isChosen ? std::vector<size_t>{SIZE_MAX, SIZE_MAX, SIZE_MAX} : std::vector<size_t>{half, half};
    const std::vector<size_t> local = isChosen ? std::vector<size_t>{} : std::vector<size_t>{1, 1};
    EXPECT_EQ(launch(kernel, global, local), CL_OUT_OF_RESOURCES);
    EXPECT_EQ(told_.next(), "kernel 'k': more work-groups than 64 bits can count");
  }
  EXPECT_EQ(launch(kernel, {SIZE_MAX, 2}, {1, 1}), CL_OUT_OF_RESOURCES);
  EXPECT_FALSE(told_.next().empty());
}

} // namespace

} // namespace clotho::test
