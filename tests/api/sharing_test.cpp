// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects that queues of several devices and threads of the host share, as appendix A of the specification allows. The
// devices are all that there are, and two sub-devices of each.
#include "sharing.hpp"

namespace clotho::test {

namespace {

// --- What one device puts into a pipe another takes ---

TEST_F(SharingTest, PacketsGoFromDeviceToDevice) {
  CLOTHO_NEEDS(hasPipes());
  constexpr cl_uint kPackets = 64;
  cl_int status = 1;
  const Owned<cl_mem> pipe = clCreatePipe(context_, CL_MEM_HOST_NO_ACCESS, 4, kPackets, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  std::mutex turn;
  Owned<cl_event> last;
  onThreads(kThreads, [&](unsigned thread) {
    const Owned<cl_kernel> put = kernelOf("put"), take = kernelOf("take");
    const Owned<cl_mem> out = makeBuffer(kPackets * 4);
    set(put, 0, pipe.get());
    set(take, 0, pipe.get());
    set(take, 1, out.get());
    const size_t items = kPackets;
    std::minstd_rand random(thread + 1);
    for (int i = 0; i < (kSanitized ? 20 : 100); ++i) {
      const cl_uint first = random() % 1'000'000;
      set(put, 1, first);
      Owned<cl_event> written, taken;
      {
        const std::lock_guard lock(turn);
        const cl_event before = last;
        EXPECT_EQ(clEnqueueNDRangeKernel(queueOf(random()), put, 1, nullptr, &items, nullptr, before ? 1 : 0,
                                         before ? &before : nullptr, written.out()),
                  CL_SUCCESS);
        const cl_event list[] = {written};
        EXPECT_EQ(clEnqueueNDRangeKernel(queueOf(random()), take, 1, nullptr, &items, nullptr, 1, list, taken.out()),
                  CL_SUCCESS);
        EXPECT_EQ(clRetainEvent(taken), CL_SUCCESS);
        last = Owned<cl_event>(taken.get());
      }
      Words seen(kPackets), expected(kPackets);
      const cl_event list[] = {taken};
      EXPECT_EQ(clEnqueueReadBuffer(queueOf(random()), out, CL_TRUE, 0, kPackets * 4, seen.data(), 1, list, nullptr),
                CL_SUCCESS);
      std::iota(expected.begin(), expected.end(), first);
      std::sort(seen.begin(), seen.end());
      EXPECT_EQ(seen, expected);
    }
  });
}

// --- Parts of one buffer at once ---

TEST_F(SharingTest, ThreadsMapPartsOfOneBufferForWritingAndAllOfItForReading) {
  constexpr size_t kPart = 4096;
  Owned<cl_mem> buffer = makeBuffer(kThreads * kPart);
  const cl_uint zero = 0;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer, &zero, 4, 0, kThreads * kPart, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  std::atomic<int> failures{0};
  constexpr int kRounds = kSanitized ? 20 : 100;
  const auto map = [&](cl_command_queue queue, cl_map_flags flags, size_t offset, size_t size) {
    cl_int status = 1;
    void* mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, offset, size, 0, nullptr, nullptr, &status);
    failures += status != CL_SUCCESS;
    return static_cast<unsigned char*>(mapped);
  };
  const auto unmap = [&](cl_command_queue queue, void* mapped) {
    Owned<cl_event> event;
    failures += clEnqueueUnmapMemObject(queue, buffer, mapped, 0, nullptr, event.out()) != CL_SUCCESS;
    const cl_event done = event;
    failures += clWaitForEvents(1, &done) != CL_SUCCESS;
  };
  onThreads(kThreads, [&](unsigned thread) {
    for (int round = 0; round < kRounds; ++round) {
      cl_command_queue queue = queueOf(thread + static_cast<unsigned>(round) * kThreads);
      unsigned char* mapped = map(queue, CL_MAP_READ | CL_MAP_WRITE, thread * kPart, kPart);
      if (!mapped) return;
      for (size_t i = 0; i < kPart; ++i)
        failures += mapped[i]++ != round;
      unmap(queue, mapped);
    }
  });
  EXPECT_EQ(failures, 0);
  onThreads(kThreads, [&](unsigned thread) {
    for (int round = 0; round < kRounds; ++round) {
      cl_command_queue queue = queueOf(thread + static_cast<unsigned>(round));
      unsigned char* mapped = map(queue, CL_MAP_READ, 0, kThreads * kPart);
      if (!mapped) return;
      failures += std::count(mapped, mapped + kThreads * kPart, kRounds) != kThreads * kPart;
      unmap(queue, mapped);
    }
  });
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetMemObjectInfo, buffer, CL_MEM_MAP_COUNT)), 0u);
}

// --- Kernels, events, programs ---

/// No thread sets an argument meanwhile.
TEST_F(SharingTest, ThreadsEnqueueOneKernelObject) {
  for (size_t device = 0; device < devices_.size(); ++device) {
    cl_uint sum = 0;
    Owned<cl_mem> buffer = makeBuffer(4, CL_MEM_COPY_HOST_PTR, &sum);
    const Owned<cl_kernel> kernel = kernelOf("add");
    set(kernel, 0, buffer.get());
    set(kernel, 1, cl_uint{3});
    std::atomic<int> failures{0};
    onThreads(kThreads, [&](unsigned thread) {
      cl_command_queue queue = queueOf(2 * device + thread % 2);
      const size_t items = 8;
      for (int i = 0; i < 200; ++i) {
        failures += clRetainKernel(kernel) != CL_SUCCESS;
        failures +=
            clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr) != CL_SUCCESS;
        failures += clReleaseKernel(kernel) != CL_SUCCESS;
      }
      failures += clFinish(queue) != CL_SUCCESS;
    });
    EXPECT_EQ(failures, 0);
    cl_command_queue queue = queueOf(2 * device);
    ASSERT_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &sum, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(sum, 3 * 8 * 200 * kThreads) << "device " << device;
    EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetKernelInfo, kernel, CL_KERNEL_REFERENCE_COUNT)), 1u);
  }
}

TEST_F(SharingTest, ThreadsWaitForOneEventInAllWays) {
  for (int round = 0; round < (kSanitized ? 10 : 50); ++round) {
    const Owned<cl_event> gate = makeUserEvent();
    Owned<cl_event> shared;
    const cl_event gates[] = {gate};
    ASSERT_EQ(clEnqueueMarkerWithWaitList(queueOf(static_cast<size_t>(round)), 1, gates, shared.out()), CL_SUCCESS);
    std::atomic<int> failures{0};
    std::atomic<unsigned> told{0}, ready{0};
    struct Callback {
      static void CL_CALLBACK function(cl_event, cl_int status, void* count) {
        if (status == CL_COMPLETE) ++*static_cast<std::atomic<unsigned>*>(count);
      }
    };
    onThreads(kThreads, [&](unsigned thread) {
      failures += clRetainEvent(shared) != CL_SUCCESS;
      failures += clSetEventCallback(shared, CL_COMPLETE, Callback::function, &told) != CL_SUCCESS;
      std::vector<Owned<cl_event>> after(queues_.size());
      const cl_event list[] = {shared};
      for (size_t i = 0; i < queues_.size(); ++i)
        failures += clEnqueueMarkerWithWaitList(queueOf(i), 1, list, after[i].out()) != CL_SUCCESS;
      if (++ready == kThreads) failures += clSetUserEventStatus(gate, CL_COMPLETE) != CL_SUCCESS;
      if (thread % 2) failures += clWaitForEvents(1, list) != CL_SUCCESS;
      cl_int status = 1;
      for (const Owned<cl_event>& each : after) {
        const cl_event one[] = {each};
        failures += clWaitForEvents(1, one) != CL_SUCCESS;
      }
      failures +=
          clGetEventInfo(shared, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr) != CL_SUCCESS;
      failures += status != CL_COMPLETE;
      failures += clReleaseEvent(shared) != CL_SUCCESS;
    });
    EXPECT_EQ(failures, 0);
    for (int i = 0; told < kThreads && i < 20'000; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(told, kThreads);
  }
}

TEST_F(SharingTest, ThreadsUseOneProgramAndOneSampler) {
  const cl_image_format format{CL_RGBA, CL_UNSIGNED_INT32};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = desc.image_height = kSide;
  std::atomic<int> failures{0};
  onThreads(kThreads, [&](unsigned thread) {
    for (unsigned i = 0; i < (kSanitized ? 20 : 100); ++i) {
      Words words(kWords), seen(kWords);
      std::iota(words.begin(), words.end(), thread * 1000 + i);
      cl_int status = 1;
      failures += clRetainSampler(sampler_) != CL_SUCCESS;
      failures += clRetainProgram(program_) != CL_SUCCESS;
      const Owned<cl_mem> image =
          clCreateImage(context_, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc, words.data(), &status);
      failures += status != CL_SUCCESS;
      const Owned<cl_mem> buffer = clCreateBuffer(context_, CL_MEM_WRITE_ONLY, kWords * 4, nullptr, &status);
      failures += status != CL_SUCCESS;
      const Owned<cl_kernel> kernel = clCreateKernel(program_, "sample", &status);
      failures += status != CL_SUCCESS;
      set(kernel, 0, image.get());
      set(kernel, 1, sampler_.get());
      set(kernel, 2, buffer.get());
      const size_t items = kTexels;
      Owned<cl_event> event;
      failures += clEnqueueNDRangeKernel(queueOf(thread + i), kernel, 1, nullptr, &items, nullptr, 0, nullptr,
                                         event.out()) != CL_SUCCESS;
      const cl_event list[] = {event};
      failures += clEnqueueReadBuffer(queueOf(thread + 3 * i), buffer, CL_TRUE, 0, kWords * 4, seen.data(), 1, list,
                                      nullptr) != CL_SUCCESS;
      failures += seen != words;
      failures += clReleaseSampler(sampler_) != CL_SUCCESS;
      failures += clReleaseProgram(program_) != CL_SUCCESS;
    }
  });
  EXPECT_EQ(failures, 0);
}

/// Contexts, sub-devices and all else of a thread's own, of the same devices.
TEST_F(SharingTest, EachThreadHasAContextOfItsOwn) {
  std::atomic<int> failures{0};
  onThreads(kThreads, [&](unsigned thread) {
    for (unsigned round = 0; round < (kSanitized ? 3 : 10); ++round) {
      cl_device_id root = devices_[0], part = nullptr;
      const cl_device_partition_property one[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                                  CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
      const bool hasPart = clCreateSubDevices(root, one, 1, &part, nullptr) == CL_SUCCESS;
      const cl_device_id devices[] = {root, part};
      cl_int status = 1;
      {
        const Owned<cl_context> context = clCreateContext(nullptr, hasPart ? 2 : 1, devices, nullptr, nullptr, &status);
        failures += status != CL_SUCCESS;
        const char* source = "kernel void k(global uint* p, uint n) { p[get_global_id(0)] += n + get_global_id(0); }";
        const Owned<cl_program> program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
        failures += clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr) != CL_SUCCESS;
        Words words(64, thread), seen(64);
        const Owned<cl_mem> buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 256, words.data(), &status);
        failures += status != CL_SUCCESS;
        Owned<cl_event> last;
        for (cl_uint i = 0; i < 8; ++i) {
          const Owned<cl_command_queue> queue =
              clCreateCommandQueueWithProperties(context, devices[hasPart ? i % 2 : 0], nullptr, &status);
          failures += status != CL_SUCCESS;
          const Owned<cl_kernel> kernel = clCreateKernel(program, "k", &status);
          failures += status != CL_SUCCESS;
          set(kernel, 0, buffer.get());
          set(kernel, 1, i);
          const size_t items = 64;
          const cl_event before = last;
          Owned<cl_event> event;
          failures += clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, last ? 1 : 0,
                                             last ? &before : nullptr, event.out()) != CL_SUCCESS;
          last = std::move(event);
          for (cl_uint k = 0; k < 64; ++k)
            words[k] += i + k;
          if (i < 7) continue;
          const cl_event done = last;
          failures += clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 256, seen.data(), 1, &done, nullptr) != CL_SUCCESS;
        }
        failures += seen != words;
      }
      if (hasPart) failures += clReleaseDevice(part) != CL_SUCCESS;
    }
  });
  EXPECT_EQ(failures, 0);
}

/// Kernels on all devices and the host count in one place at once.
TEST_F(SharingTest, AtomicsOfAllDevicesAndTheHost) {
  for (cl_device_id device : devices_)
    if (!(valueAnswer<cl_device_svm_capabilities>(CLOTHO_INFO(clGetDeviceInfo, device, CL_DEVICE_SVM_CAPABILITIES)) &
          CL_DEVICE_SVM_ATOMICS))
      GTEST_SKIP() << "a device shares no atomics";
  auto* sum = static_cast<cl_uint*>(
      clSVMAlloc(context_, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 64, 0));
  ASSERT_NE(sum, nullptr);
  *sum = 0;
  std::atomic<int> failures{0};
  const size_t items = 64;
  constexpr unsigned kLaunches = 20;
  onThreads(kThreads, [&](unsigned thread) {
    const Owned<cl_kernel> kernel = kernelOf("addShared");
    failures += clSetKernelArgSVMPointer(kernel, 0, sum) != CL_SUCCESS;
    for (unsigned i = 0; i < kLaunches; ++i) {
      failures += clEnqueueNDRangeKernel(queueOf(thread + i), kernel, 1, nullptr, &items, nullptr, 0, nullptr,
                                         nullptr) != CL_SUCCESS;
      for (int k = 0; k < 1000; ++k)
        std::atomic_ref<cl_uint>(*sum).fetch_add(1, std::memory_order_relaxed);
    }
    for (const Owned<cl_command_queue>& queue : queues_)
      failures += clFinish(queue) != CL_SUCCESS;
  });
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(*sum, kThreads * kLaunches * (1000 + 100 * items));
  clSVMFree(context_, sum);
}

} // namespace

} // namespace clotho::test
