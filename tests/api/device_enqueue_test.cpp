// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that enqueue kernels (OpenCL C 3.0, section 6.15.18), at every width.
#include "device_enqueue.hpp"

#include <algorithm>
#include <numeric>

namespace clotho::test {

namespace {

class DeviceEnqueueTest : public DeviceEnqueue {};

TEST_F(DeviceEnqueueTest, EachWorkItemEnqueuesItsOwn) {
  forEachWidth([&](const std::string& options) {
    const std::vector<cl_int> out = run(R"(
      kernel void parent(global int* out) {
        const int i = get_global_id(0);
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(3),
                       ^{ out[3 * i + get_global_id(0)] = 100 * i + (int)get_global_id(0); });
      })",
                                        options, {40}, {}, 120);
    for (cl_int i = 0; i < 120; ++i)
      EXPECT_EQ(out[i], 100 * (i / 3) + i % 3) << i;
  });
}

TEST_F(DeviceEnqueueTest, UniformCallsHappenOnceForEachWorkItem) {
  forEachWidth([&](const std::string& options) {
    const std::vector<cl_int> out = run(R"(
      kernel void parent(global int* out) {
        void (^add)(void) = ^{ atomic_inc(out); };
        out[1] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), add);
        if (get_group_id(0) == 0) enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(10), add);
        if (get_global_id(0) % 3 == 1) enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(100), add);
      })",
                                        options, {48}, {16}, 2);
    EXPECT_EQ(out[0], 48 + 16 * 10 + 16 * 100);
    EXPECT_EQ(out[1], 0);
  });
}

TEST_F(DeviceEnqueueTest, AllFormsOfTheCall) {
  forEachWidth([&](const std::string& options) {
    const std::vector<cl_int> out = run(R"(
      kernel void parent(global int* out) {
        const queue_t q = get_default_queue();
        const ndrange_t one = ndrange_1D(16, 16);
        clk_event_t first, second;
        int failures = 0;
        failures += enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, ^{ out[get_local_id(0)] = get_local_id(0); }) != CLK_SUCCESS;
        failures += enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 0, NULL, &first,
                                   ^{ out[16 + get_local_id(0)] = 10 + get_local_id(0); }) != CLK_SUCCESS;
        failures += enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, ^(local void* raw) {
          local int* a = (local int*)raw;
          a[get_local_id(0)] = get_local_id(0);
          barrier(CLK_LOCAL_MEM_FENCE);
          out[32 + get_local_id(0)] = a[15 - get_local_id(0)];
        }, (uint)(16 * sizeof(int))) != CLK_SUCCESS;
        failures += enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &first, &second, ^(local void* raw, local void* other) {
          local int* a = (local int*)raw;
          local long* b = (local long*)other;
          a[get_local_id(0)] = out[16 + get_local_id(0)];
          b[get_local_id(0)] = 1000;
          barrier(CLK_LOCAL_MEM_FENCE);
          out[48 + get_local_id(0)] = a[15 - get_local_id(0)] + (int)b[3];
        }, (uint)(16 * sizeof(int)), (uint)(16 * sizeof(long))) != CLK_SUCCESS;
        release_event(first);
        release_event(second);
        out[64] = failures;
      })",
                                        options, {1}, {}, 65);
    for (cl_int i = 0; i < 16; ++i) {
      EXPECT_EQ(out[i], i);
      EXPECT_EQ(out[16 + i], 10 + i);
      EXPECT_EQ(out[32 + i], 15 - i);
      EXPECT_EQ(out[48 + i], 1010 + 15 - i);
    }
    EXPECT_EQ(out[64], 0);
  });
}

TEST_F(DeviceEnqueueTest, CapturesOfEachTypeAndSize) {
  forEachWidth([&](const std::string& options) {
    const std::vector<cl_int> out = run(R"(
      typedef struct { char c; double d; short s[3]; } Mixed;
      typedef struct { int values[300]; } Large;
      kernel void parent(global int* out) {
        const int i = get_global_id(0);
        const char c = (char)i; const short s = (short)(i * 3); const long l = (long)i << 40; const float f = i + 0.5f;
        const double16 d = (double16)(i + 0.25); const uchar3 u = (uchar3)(i, i + 1, i + 2);
        const Mixed m = {(char)(i + 1), i * 2.0, {(short)i, (short)-i, 7}};
        Large large;
        for (int k = 0; k < 300; ++k) large.values[k] = k * i;
        global int* mine = out + 8 * i;
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
          mine[0] = c; mine[1] = s; mine[2] = (int)(l >> 40); mine[3] = (int)(f * 2);
          mine[4] = (int)(d.sf * 4); mine[5] = u.x + u.y + u.z; mine[6] = m.c + (int)m.d + m.s[1] + m.s[2];
          mine[7] = large.values[299];
        });
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ atomic_inc(&out[800]); });
      })",
                                        options, {100}, {}, 801);
    for (cl_int i = 0; i < 100; ++i) {
      const cl_int* mine = &out[8 * i];
      EXPECT_EQ(mine[0], i);
      EXPECT_EQ(mine[1], 3 * i);
      EXPECT_EQ(mine[2], i);
      EXPECT_EQ(mine[3], 2 * i + 1);
      EXPECT_EQ(mine[4], 4 * i + 1);
      EXPECT_EQ(mine[5], 3 * i + 3);
      EXPECT_EQ(mine[6], i + 1 + 2 * i - i + 7);
      EXPECT_EQ(mine[7], 299 * i);
    }
    EXPECT_EQ(out[800], 100);
  });
}

TEST_F(DeviceEnqueueTest, BlocksEnqueueBlocks) {
  forEachWidth([&](const std::string& options) {
    const std::vector<cl_int> out = run(R"(
      kernel void parent(global int* out) {
        const int i = get_global_id(0);
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), ^{
          const int k = get_global_id(0);
          out[1000 + 4 * i + k] = 1;
          enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), ^{
            const int m = get_global_id(0);
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(4),
                           ^{ out[64 * i + 16 * k + 4 * m + get_global_id(0)] = i + k + m + (int)get_global_id(0); });
          });
        });
      })",
                                        options, {5}, {}, 1100);
    for (cl_int i = 0; i < 320; ++i)
      EXPECT_EQ(out[i], i / 64 + i / 16 % 4 + i / 4 % 4 + i % 4) << i;
    for (cl_int i = 0; i < 20; ++i)
      EXPECT_EQ(out[1000 + i], 1);
  });
}

TEST_F(DeviceEnqueueTest, FlagsSayWhatComesBefore) {
  forEachWidth([&](const std::string& options) {
    // Sums of what all work-items of the kernel, or of the work-group, have stored.
    const std::vector<cl_int> out = run(R"(
      kernel void parent(global int* out) {
        const int i = get_global_id(0), group = get_group_id(0), size = get_local_size(0), all = get_global_size(0);
        if (get_local_id(0) == 0)
          enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1), ^{
            int sum = 0;
            for (int k = 0; k < size; ++k) sum += out[group * size + k];
            out[1024 + group] = sum;
          });
        if (i == 0)
          enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
            int sum = 0;
            for (int k = 0; k < all; ++k) sum += out[k];
            out[2000] = sum;
          });
        out[i] = i;
      })",
                                        options, {1024}, {32}, 2001);
    for (cl_int group = 0; group < 32; ++group)
      EXPECT_EQ(out[1024 + group], 32 * 32 * group + 31 * 16) << group;
    EXPECT_EQ(out[2000], 1023 * 512);
  });
}

TEST_F(DeviceEnqueueTest, ChildrenWaitForTheirLists) {
  forEachWidth([&](const std::string& options) {
    const std::vector<cl_int> out = run(R"(
      kernel void parent(global int* out) {
        const queue_t q = get_default_queue();
        global int* mine = out + get_global_id(0);
        *mine = 1;
        clk_event_t events[8];
        for (int k = 0; k < 8; ++k) {
          enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), k == 0 ? 0 : 1, k == 0 ? NULL : &events[k - 1],
                         &events[k], ^{ *mine = *mine * 3 + k; });
        }
        // The wait list has several events, more than have room in a node.
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 8, events, NULL, ^{ *mine = -*mine; });
        for (int k = 0; k < 8; ++k) release_event(events[k]);
      })",
                                        options, {20}, {}, 20);
    cl_int expected = 1;
    for (cl_int k = 0; k < 8; ++k)
      expected = expected * 3 + k;
    for (cl_int each : out)
      EXPECT_EQ(each, -expected);
  });
}

TEST_F(DeviceEnqueueTest, AnEventIsCompleteWithWhatItsKernelHasEnqueued) {
  forEachWidth([&](const std::string& options) {
    const std::vector<cl_int> out = run(R"(
      kernel void parent(global int* out) {
        const queue_t q = get_default_queue();
        clk_event_t outer;
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8), 0, NULL, &outer, ^{
          enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8), ^{
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(8), ^{ atomic_inc(&out[0]); });
          });
        });
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &outer, NULL, ^{ out[1] = out[0]; });
        release_event(outer);
      })",
                                        options, {1}, {}, 2);
    EXPECT_EQ(out[0], 512);
    EXPECT_EQ(out[1], 512);
  });
}

TEST_F(DeviceEnqueueTest, UserEventsHoldBack) {
  forEachWidth([&](const std::string& options) {
    const std::vector<cl_int> out = run(R"(
      kernel void parent(global int* out) {
        const queue_t q = get_default_queue();
        global int* mine = out + 3 * get_global_id(0);
        clk_event_t user = create_user_event(), done;
        mine[2] = is_valid_event(user);
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &user, &done, ^{ mine[1] = mine[0]; });
        // By another kernel, later.
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
          mine[0] = 17;
          set_user_event_status(user, CL_COMPLETE);
          release_event(user);
        });
        release_event(done);
      })",
                                        options, {33}, {}, 99);
    for (cl_int i = 0; i < 33; ++i) {
      EXPECT_EQ(out[3 * i + 1], 17) << i;
      EXPECT_EQ(out[3 * i + 2], 1) << i;
    }
  });
}

TEST_F(DeviceEnqueueTest, MarkersWaitAndAreWaitedFor) {
  forEachWidth([&](const std::string& options) {
    const std::vector<cl_int> out = run(R"(
      kernel void parent(global int* out) {
        const queue_t q = get_default_queue();
        clk_event_t both[2], marker;
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &both[0], ^{ out[0] = 1; });
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &both[1], ^{ out[1] = 2; });
        out[3] = enqueue_marker(q, 2, both, &marker);
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &marker, NULL, ^{ out[2] = out[0] + out[1]; });
        release_event(both[0]); release_event(both[1]); release_event(marker);
      })",
                                        options, {1}, {}, 4);
    EXPECT_EQ(out[2], 3);
    EXPECT_EQ(out[3], 0);
  });
}

TEST_F(DeviceEnqueueTest, EventsAreCountedAndForgotten) {
  forEachWidth([&](const std::string& options) {
    const std::vector<cl_int> out = run(R"(
      kernel void parent(global int* out) {
        clk_event_t user = create_user_event();
        retain_event(user);
        release_event(user);
        out[0] = is_valid_event(user);
        set_user_event_status(user, CL_COMPLETE);
        out[1] = is_valid_event(user);
        release_event(user);
      })",
                                        options, {1}, {}, 2);
    EXPECT_EQ(out[0], 1);
    EXPECT_EQ(out[1], 1);
  });
  // A kernel that forgets its events takes none from those that come after it.
  const Owned<cl_kernel> forgets = makeKernel(R"(
    kernel void forgets(global int* out) {
      clk_event_t event;
      for (int i = 0; i < 1000; ++i) {
        clk_event_t user = create_user_event();
        if (!is_valid_event(user)) atomic_inc(out);
      }
      if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &event, ^{ out[1] = 1; })) atomic_inc(out);
    })",
                                              "forgets", "-cl-std=CL3.0");
  const Owned<cl_mem> out = makeOut(2);
  for (int i = 0; i < 40; ++i)
    launch(forgets, out, {1}, {});
  EXPECT_EQ(read(out, 2), (std::vector<cl_int>{0, 1}));
}

TEST_F(DeviceEnqueueTest, TimesOfWhatWasEnqueued) {
  forEachWidth([&](const std::string& options) {
    const Owned<cl_kernel> kernel = makeKernel(R"(
      kernel void parent(global ulong* out) {
        const queue_t q = get_default_queue();
        clk_event_t event, marker;
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &event, ^{
          for (int i = 0; i < 10000; ++i) atomic_inc((volatile global int*)&out[6]);
          enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1),
                         ^{ for (int i = 0; i < 100000; ++i) atomic_inc((volatile global int*)&out[7]); });
        });
        capture_event_profiling_info(event, CLK_PROFILING_COMMAND_EXEC_TIME, out);
        // Who waits for the event finds them, and may ask again.
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &event, &marker, ^{
          out[2] = out[0];
          capture_event_profiling_info(event, CLK_PROFILING_COMMAND_EXEC_TIME, out + 4);
          release_event(event);
        });
        release_event(marker);
      })",
                                               "parent", ("-cl-std=CL3.0 " + options).c_str());
    const Owned<cl_mem> out = makeOut(16);
    launch(kernel, out, {1}, {});
    const std::vector<cl_int> words = read(out, 16);
    cl_ulong times[8];
    std::memcpy(times, words.data(), sizeof times);
    EXPECT_GT(times[0], 1000u);
    EXPECT_GT(times[1], times[0]);
    EXPECT_EQ(times[2], times[0]);
    EXPECT_EQ(times[4], times[0]);
    EXPECT_EQ(times[5], times[1]);
  });
}

TEST_F(DeviceEnqueueTest, RangesOfAllForms) {
  forEachWidth([&](const std::string& options) {
    const std::vector<cl_int> out = run(R"(
      void note(global int* out) {
        if (get_global_linear_id() != 0) return;
        out[0] = get_work_dim();
        for (int i = 0; i < 3; ++i) {
          out[1 + i] = get_global_size(i); out[4 + i] = get_global_offset(i); out[7 + i] = get_enqueued_local_size(i);
        }
      }
      kernel void parent(global int* out) {
        const queue_t q = get_default_queue();
        const size_t o[3] = {1, 2, 3}, g[3] = {6, 4, 9}, l[3] = {3, 2, 2};
        enqueue_kernel(q, 0, ndrange_1D(6), ^{ note(out); });
        enqueue_kernel(q, 0, ndrange_1D(6, 3), ^{ note(out + 10); });
        enqueue_kernel(q, 0, ndrange_1D(1, 6, 3), ^{ note(out + 20); });
        enqueue_kernel(q, 0, ndrange_2D(g), ^{ note(out + 30); });
        enqueue_kernel(q, 0, ndrange_2D(g, l), ^{ note(out + 40); });
        enqueue_kernel(q, 0, ndrange_2D(o, g, l), ^{ note(out + 50); });
        enqueue_kernel(q, 0, ndrange_3D(g), ^{ note(out + 60); });
        enqueue_kernel(q, 0, ndrange_3D(g, l), ^{ note(out + 70); });
        enqueue_kernel(q, 0, ndrange_3D(o, g, l), ^{ note(out + 80); atomic_inc(out + 90); });
        enqueue_kernel(q, 0, ndrange_1D(0), ^{ note(out + 91); });
      })",
                                        options, {1}, {}, 101);
    const auto dimensions = [&](int at) { return at / 30 + 1; };
    for (int at = 0; at < 90; at += 10) {
      const int offset[3] = {1, 2, 3}, global[3] = {6, 4, 9}, local[3] = {3, 2, 2};
      const int form = at / 10 % 3;
      EXPECT_EQ(out[at], dimensions(at));
      for (int i = 0; i < 3; ++i) {
        const bool isUsed = i < dimensions(at);
        EXPECT_EQ(out[at + 1 + i], isUsed ? global[i] : 1) << at;
        EXPECT_EQ(out[at + 4 + i], isUsed && form == 2 ? offset[i] : 0) << at;
        if (form > 0) {
          EXPECT_EQ(out[at + 7 + i], isUsed ? local[i] : 1) << at;
        }
      }
    }
    EXPECT_EQ(out[90], 6 * 4 * 9); // of which one dimension is no multiple of the local size
    EXPECT_EQ(out[91], 0);
  });
}

/// Their lanes follow dimension 1, along which they store next to each other.
TEST_F(DeviceEnqueueTest, ChildrenWhoseRowsAreAlongDimensionOne) {
  forEachWidth([&](const std::string& options) {
    const std::vector<cl_int> out = run(R"(
      void fill(global int* out) {
        const int x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
        out[x * 40 + y] = get_global_id(0) + 100 * get_global_id(1) + 10000 * get_local_size(0);
      }
      kernel void parent(global int* out) {
        const queue_t q = get_default_queue();
        const size_t o[2] = {1, 2}, g[2] = {7, 40}, l[2] = {3, 16};
        enqueue_kernel(q, 0, ndrange_2D(o, g, l), ^{ fill(out); });
        enqueue_kernel(q, 0, ndrange_2D(g), ^{ fill(out + 280); });
      })",
                                        options, {1}, {}, 560);
    for (int x = 0; x < 7; ++x)
      for (int y = 0; y < 40; ++y) {
        EXPECT_EQ(out[x * 40 + y], x + 1 + 100 * (y + 2) + 10000 * (x < 6 ? 3 : 1)) << x << ' ' << y;
        EXPECT_EQ(out[280 + x * 40 + y] % 10000, x + 100 * y) << x << ' ' << y;
      }
  });
}

TEST_F(DeviceEnqueueTest, ChildrenOfKernelsWithBarriersAndSubGroups) {
  forEachWidth([&](const std::string& options) {
    const std::vector<cl_int> out = run(R"(
      kernel void parent(global int* out) {
        local int sum;
        if (get_local_id(0) == 0) sum = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_add(&sum, (int)get_local_id(0));
        barrier(CLK_LOCAL_MEM_FENCE);
        const int total = sum, id = get_global_id(0), inGroup = sub_group_reduce_add(1);
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(32, 32), ^{
          const int items = sub_group_reduce_add(1);
          barrier(CLK_GLOBAL_MEM_FENCE);
          if (get_local_id(0) == 0) out[id] = total + (items > 0) + (inGroup > 0);
        });
        barrier(CLK_LOCAL_MEM_FENCE);
        if (sub_group_all(1)) out[128 + id] = 1;
      })",
                                        options, {64}, {32}, 192);
    for (int i = 0; i < 64; ++i) {
      EXPECT_EQ(out[i], 31 * 16 + 2);
      EXPECT_EQ(out[128 + i], 1);
    }
  });
}

TEST_F(DeviceEnqueueTest, BlocksAreCalledToo) {
  forEachWidth([&](const std::string& options) {
    const std::vector<cl_int> out = run(R"(
      void enqueueFor(queue_t q, global int* out, int value) {
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ out[1] += value; });
      }
      kernel void parent(global int* out) {
        const int step = 5;
        int (^twice)(int) = ^(int x) { return x * 2 + step; };
        out[0] = twice(twice(1));
        void (^both)(void) = ^{ atomic_add(&out[2], step); };
        both();
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(3), both);
        enqueueFor(get_default_queue(), out, 9);
      })",
                                        options, {1}, {}, 3);
    EXPECT_EQ(out[0], (1 * 2 + 5) * 2 + 5);
    EXPECT_EQ(out[1], 9);
    EXPECT_EQ(out[2], 20);
  });
}

TEST_F(DeviceEnqueueTest, ProgramsFromBinariesEnqueue) {
  const Owned<cl_program> first = buildProgram(R"(
    kernel void parent(global int* out) {
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8),
                     ^{ out[get_global_id(0)] = 1; });
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8), ^(local void* p) {
        local int* mine = (local int*)p;
        mine[get_local_id(0)] = 2;
        out[8 + get_global_id(0)] = mine[get_local_id(0)];
      }, 64u);
    })",
                                               "-cl-std=CL3.0");
  const Owned<cl_program> again = throughBinary(first);
  ASSERT_EQ(clBuildProgram(again, 1, &device_, "", nullptr, nullptr), CL_SUCCESS);
  cl_int status = 1;
  const Owned<cl_kernel> kernel = clCreateKernel(again, "parent", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const Owned<cl_mem> out = makeOut(16);
  launch(kernel, out, {1}, {});
  const std::vector<cl_int> values = read(out, 16);
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(values[i], i < 8 ? 1 : 2);
}

TEST_F(DeviceEnqueueTest, BlocksAreNoKernelsOfTheProgram) {
  const Owned<cl_program> program = buildProgram(R"(
    kernel void one(global int* out) {
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8), ^{ out[0] = 1; });
    }
    kernel void two(global int* out) { out[0] = 2; })",
                                                 "-cl-std=CL3.0");
  EXPECT_EQ(textAnswer(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_KERNEL_NAMES)), "one;two");
  EXPECT_EQ(valueAnswer<size_t>(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_NUM_KERNELS)), 2u);
  cl_kernel kernels[2] = {};
  cl_uint count = 0;
  ASSERT_EQ(clCreateKernelsInProgram(program, 2, kernels, &count), CL_SUCCESS);
  EXPECT_EQ(count, 2u);
  for (cl_kernel kernel : kernels)
    clReleaseKernel(kernel);
  cl_int status = 1;
  EXPECT_EQ(clCreateKernel(program, "__one_block_invoke_kernel", &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_KERNEL_NAME);
}

TEST_F(DeviceEnqueueTest, OtherQueuesWaitForWhatLaunchesHaveEnqueued) {
  constexpr int kLaunches = 20, kOfEach = 10;
  const char* source = R"(
    kernel void parent(global int* out) {
      for (int i = 0; i < 5; ++i)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(2), ^{ atomic_inc(out); });
    }
    kernel void look(global int* out, global int* seen, int i) { seen[i] = out[0]; }
  )";
  const Owned<cl_kernel> parent = makeKernel(source, "parent", "-cl-std=CL3.0"),
                         look = makeKernel(source, "look", "-cl-std=CL3.0");
  ASSERT_TRUE(parent && look);
  const Owned<cl_mem> out = makeOut(1), seen = makeOut(kLaunches);
  clFinish(queue_);
  const Owned<cl_command_queue> second = makeQueue(), looking = makeQueue();
  const cl_mem rawOut = out, rawSeen = seen;
  ASSERT_EQ(clSetKernelArg(parent, 0, sizeof rawOut, &rawOut), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(look, 0, sizeof rawOut, &rawOut), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(look, 1, sizeof rawSeen, &rawSeen), CL_SUCCESS);
  const size_t one = 1;
  for (cl_int i = 0; i < kLaunches; ++i) {
    cl_command_queue queue = i % 2 == 0 ? queue_.get() : second.get();
    Owned<cl_event> event;
    ASSERT_EQ(clEnqueueNDRangeKernel(queue, parent, 1, nullptr, &one, nullptr, 0, nullptr, event.out()), CL_SUCCESS);
    ASSERT_EQ(clFlush(queue), CL_SUCCESS);
    const cl_event wait = event;
    ASSERT_EQ(clSetKernelArg(look, 2, sizeof i, &i), CL_SUCCESS);
    ASSERT_EQ(clEnqueueNDRangeKernel(looking, look, 1, nullptr, &one, nullptr, 1, &wait, nullptr), CL_SUCCESS);
  }
  for (cl_command_queue queue : {queue_.get(), second.get(), looking.get()})
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  EXPECT_EQ(read(out, 1)[0], kLaunches * kOfEach);
  const std::vector<cl_int> values = read(seen, kLaunches);
  for (int i = 0; i < kLaunches; ++i)
    EXPECT_GE(values[static_cast<size_t>(i)], kOfEach * (i / 2 + 1)) << "launch " << i;
}

TEST_F(DeviceEnqueueTest, LinesOfAllKernelsComeInTheOrderOfTheQueue) {
  const char* source = R"(
    kernel void plain(int i) { printf("a%d ", i); }
    kernel void parent(int i) {
      printf("b%d ", i);
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ printf("c%d ", i); });
    }
  )";
  const Owned<cl_kernel> plain = makeKernel(source, "plain", "-cl-std=CL3.0"),
                         parent = makeKernel(source, "parent", "-cl-std=CL3.0");
  ASSERT_TRUE(plain && parent);
  testing::internal::CaptureStdout();
  std::string expected;
  const size_t one = 1;
  for (cl_int i = 0; i < 20; ++i) {
    for (cl_kernel kernel : {plain.get(), parent.get(), plain.get()}) {
      EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof i, &i), CL_SUCCESS);
      EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    }
    const std::string number = std::to_string(i) + ' ';
    expected += "a" + number + "b" + number + "c" + number + "a" + number;
  }
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), expected);
}

} // namespace

} // namespace clotho::test
