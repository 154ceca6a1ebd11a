// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects that queues of several devices and threads of the host share, as appendix A of the specification allows. The
// devices are all that there are, and two sub-devices of each.
#include "fixture.hpp"
#include "svm.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>

namespace clotho::test {

namespace {

constexpr unsigned kThreads = 4;
constexpr size_t kSide = 16, kTexels = kSide * kSide, kWords = 4 * kTexels; // RGBA, words of 32 bits
using Words = std::vector<cl_uint>;

constexpr const char* kSource = R"(
kernel void change(global uint* words, uint number) {
  size_t i = get_global_id(0);
  words[i] = words[i] * 3 + number + i;
}
kernel void changeTexels(read_write image2d_t image, uint number) {
  int2 at = (int2)(get_global_id(0) % 16, get_global_id(0) / 16);
  write_imageui(image, at, read_imageui(image, at) * 3 + number);
}
kernel void sample(read_only image2d_t image, sampler_t sampler, global uint4* to) {
  float2 at = (float2)(get_global_id(0) % 16, get_global_id(0) / 16);
  to[get_global_id(0)] = read_imageui(image, sampler, at + 0.5f);
}
kernel void put(write_only pipe uint pipe_, uint first) {
  uint value = first + get_global_id(0);
  write_pipe(pipe_, &value);
}
kernel void take(read_only pipe uint pipe_, global uint* out) {
  uint value = 0;
  out[get_global_id(0)] = read_pipe(pipe_, &value) == 0 ? value : ~0u;
}
kernel void add(global uint* sum, uint number) { atomic_add(sum, number); }
kernel void addShared(global atomic_uint* sum) {
  for (int i = 0; i < 100; ++i)
    atomic_fetch_add_explicit(sum, 1, memory_order_relaxed, memory_scope_all_svm_devices);
}
)";

template <class Body> void onThreads(unsigned count, Body&& body) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i)
    threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads)
    thread.join();
}

class SharingTest : public Api {
 protected:
  void SetUp() override {
    ASSERT_NE(device_, nullptr);
    cl_uint count = 0;
    ASSERT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, 0, nullptr, &count), CL_SUCCESS);
    devices_.resize(count);
    ASSERT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, count, devices_.data(), nullptr), CL_SUCCESS);
    for (cl_uint i = 0; i < count; ++i)
      addParts(devices_[i]);
    cl_int status = 1;
    context_ = clCreateContext(nullptr, cl_uint(devices_.size()), devices_.data(), nullptr, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    for (cl_device_id device : devices_)
      for (const cl_queue_properties properties : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
        const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
        queues_.emplace_back(clCreateCommandQueueWithProperties(context_, device, list, &status));
        ASSERT_EQ(status, CL_SUCCESS);
      }
    queue_ = makeQueue();
    program_ = buildProgram(kSource, "-cl-std=CL3.0");
    sampler_ = clCreateSampler(context_, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &status);
    ASSERT_EQ(status, CL_SUCCESS);
  }
  void TearDown() override {
    for (const Owned<cl_command_queue>& queue : queues_)
      EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    queues_.clear();
    sampler_ = {};
    program_ = {};
    Api::TearDown();
    context_ = {};
    for (cl_device_id part : parts_)
      EXPECT_EQ(clReleaseDevice(part), CL_SUCCESS);
  }
  Owned<cl_kernel> kernelOf(const char* name) {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program_, name, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return kernel;
  }
  template <class T> static void set(cl_kernel kernel, cl_uint index, const T& value) {
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof value, &value), CL_SUCCESS);
  }
  cl_command_queue queueOf(size_t index) const { return queues_[index % queues_.size()]; }

  std::vector<cl_device_id> devices_, parts_;
  std::vector<Owned<cl_command_queue>> queues_; ///< of each device one in order and one out of order
  Owned<cl_program> program_;
  Owned<cl_sampler> sampler_;

 private:
  void addParts(cl_device_id root) {
    if (valueAnswer<cl_uint>(CLOTHO_INFO(clGetDeviceInfo, root, CL_DEVICE_MAX_COMPUTE_UNITS)) < 2) return;
    const cl_device_partition_property each[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1,
                                                 CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_id parts[2] = {};
    ASSERT_EQ(clCreateSubDevices(root, each, 2, parts, nullptr), CL_SUCCESS);
    parts_.insert(parts_.end(), parts, parts + 2);
    devices_.insert(devices_.end(), parts, parts + 2);
  }
};

// --- Objects of all kinds, one command after the other, by whichever thread and queue ---

/// A buffer, its second half as a sub-buffer, an image and a shared allocation, with what has to be in them. A command
/// waits for the one before it and for nothing else, whichever thread has enqueued that on whichever queue.
class SharingChainTest : public SharingTest {
 protected:
  void SetUp() override {
    SharingTest::SetUp();
    words_.resize(kWords);
    std::iota(words_.begin(), words_.end(), 1);
    texels_ = shared_ = words_;
    buffer_ = makeBuffer(kWords * 4, CL_MEM_COPY_HOST_PTR, words_.data());
    const cl_buffer_region second{kWords * 2, kWords * 2};
    cl_int status = 1;
    half_ = clCreateSubBuffer(buffer_, 0, CL_BUFFER_CREATE_TYPE_REGION, &second, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    const cl_image_format format{CL_RGBA, CL_UNSIGNED_INT32};
    cl_image_desc desc{};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = desc.image_height = kSide;
    image_ = clCreateImage(context_, CL_MEM_COPY_HOST_PTR, &format, &desc, texels_.data(), &status);
    ASSERT_EQ(status, CL_SUCCESS);
    allocation_ = static_cast<cl_uint*>(clSVMAlloc(context_, CL_MEM_READ_WRITE, kWords * 4, 0));
    ASSERT_NE(allocation_, nullptr);
    ASSERT_EQ(clEnqueueSVMMap(queue_, CL_TRUE, CL_MAP_WRITE, allocation_, kWords * 4, 0, nullptr, nullptr), CL_SUCCESS);
    std::copy(shared_.begin(), shared_.end(), allocation_);
    ASSERT_EQ(clEnqueueSVMUnmap(queue_, allocation_, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  }
  void TearDown() override {
    for (const Owned<cl_command_queue>& queue : queues_)
      EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    clSVMFree(context_, allocation_);
    last_ = {};
    half_ = {};
    buffer_ = {};
    image_ = {};
    SharingTest::TearDown();
  }

  /// What a thread reads while others go on.
  struct Reading {
    Words seen = Words(kWords), expected;
    Owned<cl_event> done;
    bool isRight() const {
      const cl_event event = done;
      return clWaitForEvents(1, &event) == CL_SUCCESS && seen == expected;
    }
  };

  cl_uint waits() const { return last_ ? 1 : 0; }
  const cl_event* waitList() {
    before_ = last_;
    return last_ ? &before_ : nullptr;
  }
  /// The event of the next command, which becomes the last one.
  cl_event* next() { return &next_; }
  void done(cl_int status) {
    ASSERT_EQ(status, CL_SUCCESS);
    last_ = Owned<cl_event>(next_);
  }
  void run(cl_command_queue queue, cl_kernel kernel, size_t items) {
    done(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, waits(), waitList(), next()));
  }
  void change(Words& words, size_t begin, size_t end, cl_uint number) {
    for (size_t i = begin; i < end; ++i)
      words[i] = words[i] * 3 + number + static_cast<cl_uint>(i - begin);
  }
  void mapAndChange(cl_command_queue queue, cl_uint number);
  void step(unsigned what, cl_command_queue queue, cl_uint number, std::vector<std::unique_ptr<Reading>>& readings);

  static constexpr size_t kOrigin[3] = {0, 0, 0}, kWhole[3] = {kSide, kSide, 1};
  Owned<cl_mem> buffer_, half_, image_;
  cl_uint* allocation_ = nullptr;
  std::mutex turn_; ///< of what follows
  Words words_, texels_, shared_;
  Owned<cl_event> last_;
  cl_event before_ = nullptr, next_ = nullptr;
};

/// The host has the turn while it works in what it has mapped.
void SharingChainTest::mapAndChange(cl_command_queue queue, cl_uint number) {
  cl_int status = 1;
  constexpr cl_map_flags kBoth = CL_MAP_READ | CL_MAP_WRITE;
  auto* words = static_cast<cl_uint*>(
      clEnqueueMapBuffer(queue, half_, CL_TRUE, kBoth, 0, kWords * 2, waits(), waitList(), nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  size_t pitch = 0;
  auto* texels = static_cast<std::byte*>(
      clEnqueueMapImage(queue, image_, CL_TRUE, kBoth, kOrigin, kWhole, &pitch, nullptr, 0, nullptr, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(clEnqueueSVMMap(queue, CL_TRUE, kBoth, allocation_, kWords * 4, 0, nullptr, nullptr), CL_SUCCESS);
  for (size_t i = 0; i < kWords / 2; ++i) {
    EXPECT_EQ(words[i], words_[kWords / 2 + i]) << i;
    words[i] = words_[kWords / 2 + i] = number + static_cast<cl_uint>(i);
  }
  for (size_t y = 0; y < kSide; ++y) {
    auto* row = reinterpret_cast<cl_uint*>(texels + y * pitch);
    for (size_t x = 0; x < 4 * kSide; ++x) {
      EXPECT_EQ(row[x], texels_[y * 4 * kSide + x]) << x << ' ' << y;
      row[x] = texels_[y * 4 * kSide + x] = number * 5 + static_cast<cl_uint>(x);
    }
  }
  for (size_t i = 0; i < kWords; ++i) {
    EXPECT_EQ(allocation_[i], shared_[i]) << i;
    allocation_[i] = shared_[i] = number * 7 + static_cast<cl_uint>(i);
  }
  std::array<Owned<cl_event>, 3> ends;
  ASSERT_EQ(clEnqueueUnmapMemObject(queue, half_, words, 0, nullptr, ends[0].out()), CL_SUCCESS);
  ASSERT_EQ(clEnqueueUnmapMemObject(queue, image_, texels, 0, nullptr, ends[1].out()), CL_SUCCESS);
  ASSERT_EQ(clEnqueueSVMUnmap(queue, allocation_, 0, nullptr, ends[2].out()), CL_SUCCESS);
  const cl_event list[] = {ends[0], ends[1], ends[2]};
  done(clEnqueueMarkerWithWaitList(queue, 3, list, next()));
}

void SharingChainTest::step(unsigned what, cl_command_queue queue, cl_uint number,
                            std::vector<std::unique_ptr<Reading>>& readings) {
  const auto reading = [&](const Words& expected) -> Reading& {
    Reading& made = *readings.emplace_back(std::make_unique<Reading>());
    made.expected = expected;
    return made;
  };
  /// The event is the thread's own, too.
  const auto read = [&](Reading& made, cl_int status) {
    done(status);
    EXPECT_EQ(clRetainEvent(last_), CL_SUCCESS);
    made.done = Owned<cl_event>(last_.get());
  };
  switch (what) {
  case 0: {
    const Owned<cl_kernel> kernel = kernelOf("change");
    set(kernel, 0, buffer_.get());
    set(kernel, 1, number);
    change(words_, 0, kWords, number);
    return run(queue, kernel, kWords);
  }
  case 1: {
    const Owned<cl_kernel> kernel = kernelOf("change");
    set(kernel, 0, half_.get());
    set(kernel, 1, number);
    change(words_, kWords / 2, kWords, number);
    return run(queue, kernel, kWords / 2);
  }
  case 2: {
    const Owned<cl_kernel> kernel = kernelOf("changeTexels");
    set(kernel, 0, image_.get());
    set(kernel, 1, number);
    for (cl_uint& word : texels_)
      word = word * 3 + number;
    return run(queue, kernel, kTexels);
  }
  case 3: {
    const Owned<cl_kernel> kernel = kernelOf("sample");
    set(kernel, 0, image_.get());
    set(kernel, 1, sampler_.get());
    set(kernel, 2, buffer_.get());
    words_ = texels_;
    return run(queue, kernel, kTexels);
  }
  case 4: {
    const Owned<cl_kernel> kernel = kernelOf("change");
    EXPECT_EQ(clSetKernelArgSVMPointer(kernel, 0, allocation_), CL_SUCCESS);
    set(kernel, 1, number);
    change(shared_, 0, kWords, number);
    return run(queue, kernel, kWords);
  }
  case 5:
    texels_ = words_;
    return done(clEnqueueCopyBufferToImage(queue, buffer_, image_, 0, kOrigin, kWhole, waits(), waitList(), next()));
  case 6:
    std::copy(texels_.begin(), texels_.begin() + kWords / 2, words_.begin() + kWords / 2);
    {
      const size_t upper[3] = {kSide, kSide / 2, 1};
      return done(clEnqueueCopyImageToBuffer(queue, image_, half_, kOrigin, upper, 0, waits(), waitList(), next()));
    }
  case 7:
    std::fill(words_.begin() + 8, words_.begin() + 72, number);
    return done(clEnqueueFillBuffer(queue, buffer_, &number, 4, 32, 256, waits(), waitList(), next()));
  case 8: {
    const cl_uint colour[4] = {number, number + 1, 2, 3};
    for (size_t i = 0; i < kWords / 2; ++i)
      texels_[i] = colour[i % 4];
    const size_t upper[3] = {kSide, kSide / 2, 1};
    return done(clEnqueueFillImage(queue, image_, colour, kOrigin, upper, waits(), waitList(), next()));
  }
  case 9:
    std::fill(shared_.begin() + 16, shared_.begin() + 32, number);
    return done(clEnqueueSVMMemFill(queue, allocation_ + 16, &number, 4, 64, waits(), waitList(), next()));
  case 10: {
    Reading& made = reading(words_);
    return read(made, clEnqueueReadBuffer(queue, buffer_, CL_FALSE, 0, kWords * 4, made.seen.data(), waits(),
                                          waitList(), next()));
  }
  case 11: {
    Reading& made = reading(texels_);
    return read(made, clEnqueueReadImage(queue, image_, CL_FALSE, kOrigin, kWhole, 0, 0, made.seen.data(), waits(),
                                         waitList(), next()));
  }
  case 12: {
    Reading& made = reading(shared_);
    return read(made, clEnqueueSVMMemcpy(queue, CL_FALSE, made.seen.data(), allocation_, kWords * 4, waits(),
                                         waitList(), next()));
  }
  default: return mapAndChange(queue, number);
  }
}

TEST_F(SharingChainTest, EachCommandFindsWhatTheOneBeforeHasLeft) {
  constexpr int kSteps = kSanitized ? 150 : 600;
  onThreads(kThreads, [&](unsigned thread) {
    std::minstd_rand random(thread + 1);
    std::vector<std::unique_ptr<Reading>> readings;
    for (int i = 0; i < kSteps && !HasFatalFailure(); ++i) {
      const unsigned what = random() % 14, queue = random(), number = random();
      {
        const std::lock_guard lock(turn_);
        step(what, queueOf(queue), number, readings);
      }
      if (readings.size() < 4) continue;
      for (const auto& made : readings)
        EXPECT_TRUE(made->isRight());
      readings.clear();
    }
    for (const auto& made : readings)
      EXPECT_TRUE(made->isRight());
  });
  // What is left is the same for every queue.
  std::vector<std::unique_ptr<Reading>> readings;
  for (size_t i = 0; i < queues_.size(); ++i)
    for (unsigned what : {10, 11, 12})
      step(what, queueOf(i), 0, readings);
  for (const auto& made : readings)
    EXPECT_TRUE(made->isRight());
}

// --- What one device puts into a pipe another takes ---

TEST_F(SharingTest, PacketsGoFromDeviceToDevice) {
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

/// Nobody sets an argument meanwhile.
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
