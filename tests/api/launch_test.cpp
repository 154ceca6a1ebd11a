// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clEnqueueNDRangeKernel and clEnqueueTask.
#include "fixture.hpp"

#include <algorithm>
#include <array>

namespace clotho::test {

namespace {

constexpr const char* kSource = R"(
  kernel void where(global uint* out) {
    uint w = get_global_size(0), h = get_global_size(1);
    uint x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
         z = get_global_id(2) - get_global_offset(2);
    global uint* item = out + 8 * ((z * h + y) * w + x);
    item[0] = get_global_id(0); item[1] = get_global_id(1); item[2] = get_global_id(2);
    item[3] = get_local_size(0); item[4] = get_local_size(1); item[5] = get_local_size(2);
    item[6] = get_group_id(0) * get_local_size(0) + get_local_id(0) - x;
    item[7] = get_work_dim();
  }
  kernel __attribute__((reqd_work_group_size(4, 2, 1))) void shaped(global uint* out) {
    if (get_global_id(0) == 0 && get_global_id(1) == 0) out[0] = get_local_size(0) * 10 + get_local_size(1);
  }
  kernel void count(global uint* out) { atomic_inc(out); }
  kernel void needsLocal(global uint* out, local uint* scratch) { scratch[get_local_id(0)] = 1; out[0] = scratch[0]; }
  kernel void needsTwo(global uint* out, local uint* a, local uint* b) { a[0] = 1; b[0] = 2; out[0] = a[0]; }
)";

class LaunchTest : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    program_ = buildProgram(kSource);
    buffer_ = makeBuffer(kItems * 32);
    where_ = make("where");
  }
  Owned<cl_kernel> make(const char* name) {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program_, name, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    cl_mem raw = buffer_;
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
    return kernel;
  }
  cl_int launch(cl_kernel kernel, std::vector<size_t> global, std::vector<size_t> local = {},
                std::vector<size_t> offset = {}) {
    return clEnqueueNDRangeKernel(queue_, kernel, static_cast<cl_uint>(global.size()),
                                  offset.empty() ? nullptr : offset.data(), global.data(),
                                  local.empty() ? nullptr : local.data(), 0, nullptr, nullptr);
  }
  cl_uint first() {
    cl_uint value = ~0u;
    EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 0, 4, &value, 0, nullptr, nullptr), CL_SUCCESS);
    return value;
  }
  size_t maxGroup() {
    return valueAnswer<size_t>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  }
  static constexpr size_t kItems = 4096;
  Owned<cl_program> program_;
  Owned<cl_mem> buffer_;
  Owned<cl_kernel> where_;
};

TEST_F(LaunchTest, Errors) {
  Foreign<cl_command_queue> foreignQueue(device_);
  Foreign<cl_kernel> foreignKernel(device_);
  size_t one = 1;
  EXPECT_EQ(clEnqueueNDRangeKernel(foreignQueue, where_, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
            CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, foreignKernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
            CL_INVALID_KERNEL);
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, where_, 0, nullptr, &one, nullptr, 0, nullptr, nullptr),
            CL_INVALID_WORK_DIMENSION);
  EXPECT_EQ(launch(where_, {1, 1, 1, 1}), CL_INVALID_WORK_DIMENSION);
  EXPECT_EQ(launch(where_, {16}, {}, {~size_t{0} - 8}), CL_INVALID_GLOBAL_OFFSET);
  EXPECT_EQ(launch(where_, {16}, {0}), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(launch(where_, {16}, {3}), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(launch(where_, {16, 9}, {4, 2}), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(launch(where_, {2 * maxGroup()}, {2 * maxGroup()}), CL_INVALID_WORK_ITEM_SIZE);
  EXPECT_EQ(launch(where_, {maxGroup(), 2}, {maxGroup(), 2}), CL_INVALID_WORK_GROUP_SIZE);
  cl_int status;
  Owned<cl_kernel> unset = clCreateKernel(program_, "count", &status);
  EXPECT_EQ(launch(unset, {16}), CL_INVALID_KERNEL_ARGS);
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, where_, 1, nullptr, &one, nullptr, 1, nullptr, nullptr),
            CL_INVALID_EVENT_WAIT_LIST);
  Owned<cl_context> context = makeContext();
  Owned<cl_command_queue> other = clCreateCommandQueueWithProperties(context, device_, nullptr, &status);
  EXPECT_EQ(clEnqueueNDRangeKernel(other, where_, 1, nullptr, &one, nullptr, 0, nullptr, nullptr), CL_INVALID_CONTEXT);
  Owned<cl_event> otherEvent = clCreateUserEvent(context, &status);
  cl_event wait = otherEvent;
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, where_, 1, nullptr, &one, nullptr, 1, &wait, nullptr), CL_INVALID_CONTEXT);
}

TEST_F(LaunchTest, TaskErrors) {
  Foreign<cl_command_queue> foreignQueue(device_);
  Foreign<cl_kernel> foreignKernel(device_);
  EXPECT_EQ(clEnqueueTask(foreignQueue, where_, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueTask(queue_, foreignKernel, 0, nullptr, nullptr), CL_INVALID_KERNEL);
  EXPECT_EQ(clEnqueueTask(queue_, where_, 1, nullptr, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(clEnqueueTask(queue_, make("shaped"), 0, nullptr, nullptr), CL_INVALID_WORK_GROUP_SIZE);
}

TEST_F(LaunchTest, RequiredWorkGroupSize) {
  Owned<cl_kernel> shaped = make("shaped");
  EXPECT_EQ(launch(shaped, {16, 4}, {4, 2}), CL_SUCCESS);
  EXPECT_EQ(launch(shaped, {16, 4}, {2, 4}), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(launch(shaped, {16}, {8}), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(launch(shaped, {18, 4}), CL_INVALID_WORK_GROUP_SIZE);
  cl_uint zero = 0;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer_, &zero, 4, 0, 4, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(launch(shaped, {16, 4}), CL_SUCCESS) << "nobody chose, so it is the required one";
  EXPECT_EQ(first(), 42u);
}

TEST_F(LaunchTest, LocalMemoryIsLimited) {
  Owned<cl_kernel> kernel = make("needsLocal");
  size_t most = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_LOCAL_MEM_SIZE));
  ASSERT_EQ(clSetKernelArg(kernel, 1, most, nullptr), CL_SUCCESS);
  EXPECT_EQ(launch(kernel, {16}, {16}), CL_SUCCESS);
  EXPECT_EQ(first(), 1u);
  ASSERT_EQ(clSetKernelArg(kernel, 1, most + 1, nullptr), CL_SUCCESS);
  EXPECT_EQ(launch(kernel, {16}, {16}), CL_OUT_OF_RESOURCES);
  // Sums that do not fit in 64 bits are too much, too.
  kernel = make("needsTwo");
  for (size_t size : {SIZE_MAX, SIZE_MAX - 127, SIZE_MAX / 2 + 1}) {
    ASSERT_EQ(clSetKernelArg(kernel, 1, size, nullptr), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 2, size == SIZE_MAX / 2 + 1 ? size : 256, nullptr), CL_SUCCESS);
    EXPECT_EQ(launch(kernel, {16}, {16}), CL_OUT_OF_RESOURCES) << size;
  }
}

TEST_F(LaunchTest, EmptyRangesSucceedInTheirPlace) {
  Owned<cl_event> gate = makeUserEvent(), event;
  cl_event wait = gate;
  for (const std::vector<size_t>& global : {std::vector<size_t>{0}, {4, 0}, {4, 4, 0}}) {
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, where_, static_cast<cl_uint>(global.size()), nullptr, global.data(),
                                     nullptr, 1, &wait, event.out()),
              CL_SUCCESS);
    EXPECT_GT(statusOf(event), CL_COMPLETE) << "it waits like any command";
  }
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, where_, 2, nullptr, nullptr, nullptr, 0, nullptr, event.out()), CL_SUCCESS);
  EXPECT_GT(statusOf(event), CL_COMPLETE);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  wait = event;
  EXPECT_EQ(clWaitForEvents(1, &wait), CL_SUCCESS);
  EXPECT_EQ(valueAnswer<cl_command_type>(CLOTHO_INFO(clGetEventInfo, event, CL_EVENT_COMMAND_TYPE)),
            cl_uint{CL_COMMAND_NDRANGE_KERNEL});
}

TEST_F(LaunchTest, EveryItemOnceWithItsIds) {
  struct Case {
    std::vector<size_t> global, local, offset;
  };
  const Case cases[] = {
      {{64}, {}, {}},
      {{64}, {16}, {100}},
      {{1}, {1}, {}},
      {{4096}, {}, {7}},
      {{1021}, {}, {}},
      {{16, 16}, {4, 2}, {}},
      {{12, 10}, {}, {3, 5}},
      {{31, 37}, {}, {}},
      {{2, 1000}, {}, {}},
      {{8, 8, 8}, {4, 2, 8}, {1, 2, 3}},
      {{5, 7, 11}, {}, {}},
      {{1, 1, 3000}, {}, {}},
      {{16, 16, 16}, {}, {9, 8, 7}},
  };
  for (const Case& c : cases) {
    cl_uint none = ~0u;
    ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer_, &none, 4, 0, kItems * 32, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(launch(where_, c.global, c.local, c.offset), CL_SUCCESS);
    std::vector<std::array<cl_uint, 8>> items(kItems);
    ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 0, kItems * 32, items.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    auto size = [](const std::vector<size_t>& v, size_t i, size_t standard) { return i < v.size() ? v[i] : standard; };
    size_t w = size(c.global, 0, 1), h = size(c.global, 1, 1), d = size(c.global, 2, 1);
    const std::array<cl_uint, 8>& start = items[0];
    size_t groupItems = size_t{start[3]} * start[4] * start[5];
    EXPECT_LE(groupItems, maxGroup());
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(size(c.global, i, 1) % start[3 + i], 0u) << "the chosen local size divides the global size";
      if (!c.local.empty()) EXPECT_EQ(start[3 + i], size(c.local, i, 1));
    }
    size_t wrong = 0;
    for (size_t z = 0; z < d; ++z)
      for (size_t y = 0; y < h; ++y)
        for (size_t x = 0; x < w; ++x) {
          const std::array<cl_uint, 8>& item = items[(z * h + y) * w + x];
          wrong += item[0] != x + size(c.offset, 0, 0) || item[1] != y + size(c.offset, 1, 0) ||
                   item[2] != z + size(c.offset, 2, 0) || item[6] != 0 || item[7] != c.global.size() ||
                   !std::equal(item.begin() + 3, item.begin() + 6, start.begin() + 3);
        }
    EXPECT_EQ(wrong, 0u) << "of " << w << 'x' << h << 'x' << d;
    if (w * h * d < kItems) EXPECT_EQ(items[w * h * d][0], none) << "an item too many";
  }
}

TEST_F(LaunchTest, TaskIsOneItem) {
  Owned<cl_kernel> count = make("count");
  cl_uint zero = 0;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer_, &zero, 4, 0, 4, 0, nullptr, nullptr), CL_SUCCESS);
  Owned<cl_event> event;
  ASSERT_EQ(clEnqueueTask(queue_, count, 0, nullptr, event.out()), CL_SUCCESS);
  EXPECT_EQ(first(), 1u);
  EXPECT_EQ(valueAnswer<cl_command_type>(CLOTHO_INFO(clGetEventInfo, event, CL_EVENT_COMMAND_TYPE)),
            cl_uint{CL_COMMAND_TASK});
  ASSERT_EQ(launch(count, {100'000}), CL_SUCCESS);
  EXPECT_EQ(first(), 100'001u);
}

TEST_F(LaunchTest, LaunchKeepsBuffersAndArgumentValues) {
  Owned<cl_kernel> kernel = makeKernel("kernel void add(global int* p, int v) { atomic_add(p, v); }", "add");
  cl_uint zero = 0;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer_, &zero, 4, 0, 4, 0, nullptr, nullptr), CL_SUCCESS);
  Owned<cl_event> gate = makeUserEvent();
  cl_event wait = gate;
  cl_mem raw = buffer_;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
  size_t one = 1;
  for (cl_int value : {1, 20, 300}) {
    ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof value, &value), CL_SUCCESS);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, 1, &wait, nullptr), CL_SUCCESS);
  }
  // Only a waiting launch holds this buffer.
  Owned<cl_mem> gone = makeBuffer(4);
  raw = gone;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, 1, &wait, nullptr), CL_SUCCESS);
  ASSERT_EQ(clReleaseMemObject(gone.take()), CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(first(), 321u);
}

TEST_F(LaunchTest, ReleasedBufferArgumentIsRefused) {
  Owned<cl_kernel> count = make("count");
  Owned<cl_mem> gone = makeBuffer(4);
  cl_mem raw = gone;
  ASSERT_EQ(clSetKernelArg(count, 0, sizeof raw, &raw), CL_SUCCESS);
  ASSERT_EQ(clReleaseMemObject(gone.take()), CL_SUCCESS);
  EXPECT_EQ(launch(count, {16}), CL_INVALID_MEM_OBJECT);
}

TEST_F(LaunchTest, SubBufferArgument) {
  cl_uint zero = 0;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer_, &zero, 4, 0, 4096, 0, nullptr, nullptr), CL_SUCCESS);
  cl_buffer_region region{1024, 16};
  cl_int status = 1;
  Owned<cl_mem> part = clCreateSubBuffer(buffer_, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_kernel> count = make("count");
  cl_mem raw = part;
  ASSERT_EQ(clSetKernelArg(count, 0, sizeof raw, &raw), CL_SUCCESS);
  ASSERT_EQ(launch(count, {50}), CL_SUCCESS);
  cl_uint seen[257];
  ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 0, sizeof seen, seen, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen[0], 0u);
  EXPECT_EQ(seen[256], 50u);
}

// More arguments than a launch holds without further memory.
TEST_F(LaunchTest, ManyArguments) {
  std::string source = "kernel void sum(global int* out";
  for (int i = 0; i < 40; ++i)
    source += ", global const int* b" + std::to_string(i) + ", int v" + std::to_string(i);
  source += ") {\n  int s = 0;\n";
  for (int i = 0; i < 40; ++i)
    source += "  s += *b" + std::to_string(i) + " + v" + std::to_string(i) + ";\n";
  source += "  *out = s;\n}\n";
  Owned<cl_kernel> kernel = makeKernel(source.c_str(), "sum");
  std::vector<Owned<cl_mem>> inputs;
  cl_mem raw = buffer_;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
  cl_uint expected = 0;
  for (cl_uint i = 0; i < 40; ++i) {
    cl_int in = static_cast<cl_int>(i * i), value = static_cast<cl_int>(1000 + i);
    raw = inputs.emplace_back(makeBuffer(4, CL_MEM_COPY_HOST_PTR, &in));
    ASSERT_EQ(clSetKernelArg(kernel, 1 + 2 * i, sizeof raw, &raw), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 2 + 2 * i, sizeof value, &value), CL_SUCCESS);
    expected += i * i + 1000 + i;
  }
  ASSERT_EQ(clEnqueueTask(queue_, kernel, 0, nullptr, nullptr), CL_SUCCESS);
  inputs.clear();
  EXPECT_EQ(first(), expected);
}

} // namespace

} // namespace clotho::test
