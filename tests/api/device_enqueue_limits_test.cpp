// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What enqueue_kernel refuses, what fails, how much there is room for, and what kernels are told of blocks.
#include "device_enqueue.hpp"

#include <algorithm>
#include <cstdio>

namespace clotho::test {

namespace {

constexpr cl_int kEnqueueFailure = -101, kInvalidQueue = -102, kInvalidRange = -160, kInvalidWaitList = -57,
                 kQueueFull = -161, kInvalidArgSize = -51, kNoEvent = -100, kOutOfResources = -5;

class DeviceEnqueueLimitsTest : public DeviceEnqueue {
 protected:
  /// The status that the kernel has stored first; without -g all errors are the same.
  void expectError(cl_int expected, const char* source) {
    for (const char* options : {"", "-g", "-g -cl-opt-disable"}) {
      SCOPED_TRACE(options);
      EXPECT_EQ(run(source, options, {1}, {}, 4)[0], *options ? expected : kEnqueueFailure);
    }
  }
};

/// Resident memory of this process, in bytes.
std::size_t residentBytes() {
  std::size_t total = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (std::fscanf(file, "%zu %zu", &total, &resident) != 2) resident = 0;
  std::fclose(file);
  return resident * 4096;
}

TEST_F(DeviceEnqueueLimitsTest, QueuesThatAreNone) {
  onDevice_ = {};
  expectError(kInvalidQueue, R"(kernel void parent(global int* out) {
    out[0] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ out[1] = 1; });
  })");
  expectError(kInvalidQueue, R"(kernel void parent(global int* out) {
    clk_event_t user = create_user_event(), marker;
    out[0] = enqueue_marker(get_default_queue(), 1, &user, &marker);
  })");
}

TEST_F(DeviceEnqueueLimitsTest, RangesThatAreNone) {
  for (const char* range : {"ndrange_1D(1, 5000)", "ndrange_1D(~0UL, 5, 1)", "ndrange_2D(two, mixed)", "nothing",
                            "ndrange_2D(large, two)"}) {
    SCOPED_TRACE(range);
    const std::string source = std::string(R"(kernel void parent(global int* out) {
      const size_t two[2] = {2, 2}, mixed[2] = {1, 0}, large[2] = {1UL << 40, 1UL << 40};
      ndrange_t nothing;
      nothing.workDimension = 4;
      out[0] = enqueue_kernel(get_default_queue(), 0, )") +
                               range + R"(, ^{ out[1] = 1; });
    })";
    expectError(kInvalidRange, source.c_str());
  }
  // Only with work-groups of one size.
  const char* ragged = R"(kernel void parent(global int* out) {
    out[0] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(10, 4), ^{ atomic_inc(&out[1]); });
  })";
  EXPECT_EQ(run(ragged, "-g", {1}, {}, 2), (std::vector<cl_int>{0, 10}));
  EXPECT_EQ(run(ragged, "-g -cl-uniform-work-group-size", {1}, {}, 2), (std::vector<cl_int>{kInvalidRange, 0}));
}

TEST_F(DeviceEnqueueLimitsTest, WorkGroupsThatAreTooLongAlongOneDimension) {
  const auto most = listAnswer<size_t>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MAX_WORK_ITEM_SIZES));
  ASSERT_EQ(most.size(), 3U);
  for (size_t dimension = 0; dimension < 3; ++dimension)
    for (const bool isTooLong : {false, true}) {
      const std::string size = std::to_string(most[dimension] + isTooLong);
      const std::string source = std::string(R"(kernel void parent(global int* out) {
        size_t sizes[3] = {1, 1, 1};
        sizes[)") + std::to_string(dimension) +
                                 "] = " + size + R"(;
        out[0] = enqueue_kernel(get_default_queue(), 0, ndrange_3D(sizes, sizes), ^{ atomic_inc(&out[1]); });
      })";
      SCOPED_TRACE(source);
      EXPECT_EQ(run(source.c_str(), "-g", {1}, {}, 2),
                isTooLong ? (std::vector<cl_int>{kInvalidRange, 0})
                          : (std::vector<cl_int>{0, static_cast<cl_int>(most[dimension])}));
    }
}

TEST_F(DeviceEnqueueLimitsTest, WaitListsThatAreNone) {
  expectError(kInvalidWaitList, R"(kernel void parent(global int* out) {
    out[0] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, NULL, NULL, ^{ out[1] = 1; });
  })");
  expectError(kInvalidWaitList, R"(kernel void parent(global int* out) {
    clk_event_t event = create_user_event();
    out[0] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 0, &event, NULL, ^{ out[1] = 1; });
  })");
  expectError(kInvalidWaitList, R"(kernel void parent(global int* out) {
    clk_event_t events[2] = {create_user_event(), create_user_event()};
    set_user_event_status(events[0], CL_COMPLETE);
    set_user_event_status(events[1], CL_COMPLETE);
    release_event(events[1]);
    out[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
      clk_event_t gone[1] = {events[1]};
      out[0] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, gone, NULL, ^{ out[1] = 1; });
    });
  })");
  expectError(kInvalidWaitList, R"(kernel void parent(global int* out) {
    clk_event_t marker;
    out[0] = enqueue_marker(get_default_queue(), 0, NULL, &marker);
  })");
}

TEST_F(DeviceEnqueueLimitsTest, LocalMemoryThatIsNone) {
  expectError(kInvalidArgSize, R"(kernel void parent(global int* out) {
    out[0] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^(local void* a, local void* b) { out[1] = 1; }, 4u, 0u);
  })");
  expectError(kOutOfResources, R"(kernel void parent(global int* out) {
    out[0] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^(local void* a, local void* b) { out[1] = 1; }, 4u, 1u << 30);
  })");
}

TEST_F(DeviceEnqueueLimitsTest, LocalMemoryIsCountedWithGaps) {
  const cl_ulong most = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_LOCAL_MEM_SIZE));
  constexpr cl_ulong kAlignment = 128; // of an argument
  for (const bool fits : {true, false}) {
    const std::string source = R"(kernel void parent(global int* out) {
      out[0] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^(local void* a, local void* b) {
        *(local int*)a = 1;
        ((local int*)b)[get_local_size(0)] = 2;
        out[1] = *(local int*)a + ((local int*)b)[get_local_size(0)];
      }, 4u, )" + std::to_string(most - (fits ? kAlignment : 4)) +
                               "u);\n}";
    SCOPED_TRACE(source);
    EXPECT_EQ(run(source.c_str(), "-g", {1}, {}, 2),
              fits ? (std::vector<cl_int>{0, 3}) : (std::vector<cl_int>{kOutOfResources, 0}));
  }
}

TEST_F(DeviceEnqueueLimitsTest, CapturesThatHaveNoRoom) {
  expectError(kOutOfResources, R"(
    typedef struct { int values[5000]; } Huge;
    kernel void parent(global int* out) {
      Huge huge;
      for (int i = 0; i < 5000; ++i) huge.values[i] = i;
      out[0] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ out[1] = huge.values[out[2]]; });
    })");
}

TEST_F(DeviceEnqueueLimitsTest, EventsRunOut) {
  expectError(kNoEvent, R"(kernel void parent(global int* out) {
    while (is_valid_event(create_user_event())) ++out[2];
    clk_event_t event;
    out[0] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 0, NULL, &event, ^{ out[1] = 1; });
  })");
  const cl_uint most = valueAnswer<cl_uint>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MAX_ON_DEVICE_EVENTS));
  EXPECT_EQ(run(R"(kernel void parent(global int* out) {
    while (is_valid_event(create_user_event())) ++out[0];
  })",
                "", {1}, {}, 1)[0],
            static_cast<cl_int>(most));
}

TEST_F(DeviceEnqueueLimitsTest, AFullQueueSaysSoAndEmptiesAgain) {
  onDevice_ = {};
  onDevice_ = makeDeviceQueue(CL_QUEUE_ON_DEVICE_DEFAULT, 64 << 10);
  const char* source = R"(kernel void parent(global int* out) {
    int accepted = 0, error = 0;
    for (int i = 0; i < 1000; ++i) {
      const int status = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ atomic_inc(&out[2]); });
      if (status == CLK_SUCCESS) ++accepted; else error = status;
    }
    out[0] = accepted;
    out[1] = error;
  })";
  for (int round = 0; round < 3; ++round)
    for (const char* options : {"", "-g"}) {
      const std::vector<cl_int> out = run(source, options, {1}, {}, 3);
      EXPECT_GE(out[0], 4);
      EXPECT_LT(out[0], 1000);
      EXPECT_EQ(out[2], out[0]);
      EXPECT_EQ(out[1], *options ? kQueueFull : kEnqueueFailure);
    }
}

TEST_F(DeviceEnqueueLimitsTest, AMillionOneAfterTheOtherTakeNoMemory) {
  onDevice_ = {};
  onDevice_ = makeDeviceQueue(CL_QUEUE_ON_DEVICE_DEFAULT, 64 << 10); // of few records
  const Owned<cl_kernel> plain = makeKernel(R"(kernel void parent(global int* out) {
    if (++out[0] < 1000000 && enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ parent(out); }))
      out[1] = 1;
  })",
                                            "parent", "-cl-std=CL3.0");
  const Owned<cl_kernel> withEvents = makeKernel(R"(kernel void parent(global int* out) {
    clk_event_t event;
    if (++out[0] >= 100000) return;
    if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &event, ^{ parent(out); }))
      out[1] = 1;
    else
      release_event(event);
  })",
                                                 "parent", "-cl-std=CL3.0");
  for (cl_kernel kernel : {plain.get(), withEvents.get()}) {
    ASSERT_NE(kernel, nullptr);
    const Owned<cl_mem> out = makeOut(2);
    const std::size_t before = residentBytes();
    EXPECT_EQ(launch(kernel, out, {1}, {}), CL_COMPLETE);
    EXPECT_EQ(read(out, 2), (std::vector<cl_int>{kernel == plain ? 1000000 : 100000, 0}));
    if (!kSanitized) {
      EXPECT_LT(residentBytes(), before + (32 << 20));
    }
  }
}

TEST_F(DeviceEnqueueLimitsTest, FaultsOfChildrenAreTheLaunchs) {
  const Owned<cl_kernel> kernel = makeKernel(R"(kernel void parent(global int* out) {
    clk_event_t event;
    enqueue_kernel(get_default_queue(), 0, ndrange_1D(4), 0, NULL, &event, ^{ *(global int*)(16 * get_global_id(0) + 8) = 1; });
    enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &event, NULL, ^{ out[1] = 1; });
    enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ out[2] = 1; });
    release_event(event);
  })",
                                             "parent", "-cl-std=CL3.0");
  ASSERT_NE(kernel.get(), nullptr);
  const Owned<cl_mem> out = makeOut(3);
  for (int i = 0; i < 3; ++i)
    EXPECT_LT(launch(kernel, out, {1}, {}), 0);
  EXPECT_EQ(read(out, 3), (std::vector<cl_int>{0, 0, 1}));
  // A launch behind it goes well.
  EXPECT_EQ(run(R"(kernel void parent(global int* out) {
    enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ out[0] = 7; });
  })",
                "", {1}, {}, 1)[0],
            7);
}

TEST_F(DeviceEnqueueLimitsTest, WhatAFaultyKernelHasEnqueuedDoesNotRun) {
  onDevice_ = {};
  onDevice_ = makeDeviceQueue(CL_QUEUE_ON_DEVICE_DEFAULT, 64 << 10);
  const Owned<cl_kernel> kernel = makeKernel(R"(kernel void parent(global int* out) {
    clk_event_t event;
    for (int i = 0; i < 4; ++i) enqueue_kernel(get_default_queue(), i % 3, ndrange_1D(1), 0, NULL, &event, ^{ out[0] = 1; });
    // The address of the event is nowhere.
    enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 0, NULL, (clk_event_t*)(16UL + get_global_id(0)), ^{ out[0] = 2; });
  })",
                                             "parent", "-cl-std=CL3.0");
  ASSERT_NE(kernel.get(), nullptr);
  const Owned<cl_mem> out = makeOut(1);
  for (int i = 0; i < 50; ++i)
    ASSERT_EQ(launch(kernel, out, {1}, {}), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(read(out, 1)[0], 0);
  EXPECT_EQ(run(R"(kernel void parent(global int* out) {
    for (int i = 0; i < 8; ++i)
      if (!enqueue_kernel(get_default_queue(), 1, ndrange_1D(1), ^{ atomic_inc(&out[0]); })) ++out[1];
  })",
                "", {1}, {}, 2),
            (std::vector<cl_int>{8, 8}));
}

TEST_F(DeviceEnqueueLimitsTest, AnEventThatFailsFailsWhoWaits) {
  const Owned<cl_kernel> kernel = makeKernel(R"(kernel void parent(global int* out) {
    clk_event_t user = create_user_event(), event;
    enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &user, &event, ^{ out[0] = 1; });
    enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &event, NULL, ^{ out[1] = 1; });
    set_user_event_status(user, -1234);
    release_event(user);
    release_event(event);
  })",
                                             "parent", "-cl-std=CL3.0");
  ASSERT_NE(kernel.get(), nullptr);
  const Owned<cl_mem> out = makeOut(2);
  EXPECT_EQ(launch(kernel, out, {1}, {}), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(read(out, 2), (std::vector<cl_int>{0, 0}));
}

// Recursion from one to the next would need more than a worker's stack.
TEST_F(DeviceEnqueueLimitsTest, LongChainsOfMarkersEnd) {
  const char* source = R"(kernel void parent(global int* out) {
    clk_event_t user = create_user_event(), last = user;
    retain_event(user);
    for (int i = 0; i < 12000; ++i) {
      clk_event_t next;
      if (enqueue_marker(get_default_queue(), 1, &last, &next)) { ++out[1]; break; }
      release_event(last);
      last = next;
    }
    enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &last, NULL, ^{ out[0] = 1; });
    set_user_event_status(user, STATUS);
    release_event(last);
    release_event(user);
  })";
  for (const bool isError : {false, true}) {
    const Owned<cl_kernel> kernel =
        makeKernel(source, "parent", isError ? "-cl-std=CL3.0 -DSTATUS=-1" : "-cl-std=CL3.0 -DSTATUS=CL_COMPLETE");
    ASSERT_NE(kernel.get(), nullptr);
    const Owned<cl_mem> out = makeOut(2);
    EXPECT_EQ(launch(kernel, out, {1}, {}), isError ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_COMPLETE);
    EXPECT_EQ(read(out, 2), (std::vector<cl_int>{isError ? 0 : 1, 0}));
  }
}

TEST_F(DeviceEnqueueLimitsTest, PlacesForTimesThatAreNoneAreAFault) {
  const Owned<cl_kernel> kernel = makeKernel(R"(kernel void parent(global int* out) {
    clk_event_t event;
    enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 0, NULL, &event, ^{ out[0] = 1; });
    capture_event_profiling_info(event, CLK_PROFILING_COMMAND_EXEC_TIME, (global void*)(8UL));
  })",
                                             "parent", "-cl-std=CL3.0");
  ASSERT_NE(kernel.get(), nullptr);
  const Owned<cl_mem> out = makeOut(1);
  EXPECT_EQ(launch(kernel, out, {1}, {}), CL_OUT_OF_RESOURCES);
}

TEST_F(DeviceEnqueueLimitsTest, WhatKernelsAreToldOfBlocks) {
  forEachWidth([&](const std::string& options) {
    const std::vector<cl_int> out = run(R"(
      kernel void parent(global int* out) {
        void (^plain)(void) = ^{ out[20] = 1; };
        out[0] = get_kernel_work_group_size(plain);
        out[1] = get_kernel_preferred_work_group_size_multiple(plain);
        out[2] = get_kernel_work_group_size(^(local void* a) { out[20] = 1; });
        out[3] = get_kernel_preferred_work_group_size_multiple(^(local void* a) { out[20] = 1; });
        void (^groups)(void) = ^{
          if (get_global_id(0) != 0) return;
          out[4] = get_max_sub_group_size();
          out[5] = get_num_sub_groups();
        };
        const ndrange_t range = ndrange_1D(100, 50);
        out[6] = get_kernel_max_sub_group_size_for_ndrange(range, groups);
        out[7] = get_kernel_sub_group_count_for_ndrange(range, groups);
        enqueue_kernel(get_default_queue(), 0, range, groups);
      })",
                                        options, {1}, {}, 21);
    EXPECT_GE(out[0], 1024);
    EXPECT_GE(out[1], 1);
    EXPECT_GE(out[2], 1024);
    EXPECT_GE(out[3], 1);
    EXPECT_EQ(out[6], out[4]);
    EXPECT_EQ(out[7], out[5]);
  });
}

TEST_F(DeviceEnqueueLimitsTest, HostsSeeTheKernelsEndBeforeItsCompletion) {
  Owned<cl_command_queue> queue = makeQueue(CL_QUEUE_PROFILING_ENABLE);
  const Owned<cl_kernel> kernel = makeKernel(R"(kernel void parent(global int* out) {
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1),
                   ^{ for (int i = 0; i < 200000; ++i) atomic_inc(out); });
  })",
                                             "parent", "-cl-std=CL3.0");
  ASSERT_NE(kernel.get(), nullptr);
  const Owned<cl_mem> out = makeOut(1);
  const cl_mem raw = out;
  clFinish(queue_);
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
  Owned<cl_event> event;
  const size_t one = 1;
  ASSERT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, event.out()), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  const auto time = [&](cl_profiling_info what) {
    return valueAnswer<cl_ulong>(CLOTHO_INFO(clGetEventProfilingInfo, event, what));
  };
  EXPECT_LE(time(CL_PROFILING_COMMAND_START), time(CL_PROFILING_COMMAND_END));
  EXPECT_GT(time(CL_PROFILING_COMMAND_COMPLETE), time(CL_PROFILING_COMMAND_END) + 10000);
}

} // namespace

} // namespace clotho::test
