// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects of all kinds that one chain of commands works with, on all queues of several devices and by all threads.
#include "sharing.hpp"

namespace clotho::test {

namespace {

// --- Objects of all kinds, one command after the other, by whichever thread and queue ---

/// A buffer, its second half as a sub-buffer, an image and a shared allocation, with what has to be in them. A command
/// waits for the one before it and for nothing else, whichever thread has enqueued that on whichever queue.
class SharingChainTest : public SharingTest {
 protected:
  void SetUp() override {
    SharingTest::SetUp();
    CLOTHO_NEEDS(hasSharedMemory());
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

} // namespace

} // namespace clotho::test
