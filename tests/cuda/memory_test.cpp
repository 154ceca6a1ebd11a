// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How bytes get to and from a GPU: which copies wait for which, by the fake driver, whose streams can be held.
#include <CL/cl.h>
#include <gtest/gtest.h>

#include <cstring>
#include <dlfcn.h>
#include <vector>

namespace {

class GpuMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    cl_platform_id platform = nullptr;
    ASSERT_EQ(clGetPlatformIDs(1, &platform, nullptr), CL_SUCCESS);
    ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device_, nullptr), CL_SUCCESS);
    cl_int status = 1;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    queue_ = clCreateCommandQueueWithProperties(context_, device_, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    hold_ = reinterpret_cast<int (*)(int)>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), "fakeCudaHold"));
    ASSERT_NE(hold_, nullptr);
    unpinned_ = reinterpret_cast<int (*)()>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), "fakeCudaUnpinned"));
    ASSERT_NE(unpinned_, nullptr);
  }
  void TearDown() override {
    hold_(0);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }
  cl_mem buffer(std::size_t bytes, cl_mem_flags flags = CL_MEM_READ_WRITE, void* host = nullptr) {
    cl_int status = 1;
    cl_mem made = clCreateBuffer(context_, flags, bytes, host, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return made;
  }
  void write(cl_mem to, const void* from, std::size_t bytes, cl_bool blocking = CL_FALSE) {
    EXPECT_EQ(clEnqueueWriteBuffer(queue_, to, blocking, 0, bytes, from, 0, nullptr, nullptr), CL_SUCCESS);
  }
  void read(cl_mem from, void* to, std::size_t bytes, cl_bool blocking = CL_FALSE) {
    EXPECT_EQ(clEnqueueReadBuffer(queue_, from, blocking, 0, bytes, to, 0, nullptr, nullptr), CL_SUCCESS);
  }
  void fill(cl_mem to, int value, std::size_t bytes) {
    EXPECT_EQ(clEnqueueFillBuffer(queue_, to, &value, sizeof value, 0, bytes, 0, nullptr, nullptr), CL_SUCCESS);
  }

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  int (*hold_)(int) = nullptr;
  int (*unpinned_)() = nullptr; ///< how many copies of memory that is not pinned there were
};

TEST_F(GpuMemoryTest, SmallCopiesWaitForNoHost) {
  constexpr std::size_t kBytes = 4096;
  cl_mem first = buffer(kBytes), second = buffer(kBytes);
  std::vector<int> values(kBytes / sizeof(int), 3), seen(values.size());
  hold_(1);
  // Each of these comes behind the one before it, which cannot end.
  write(first, values.data(), kBytes);
  EXPECT_EQ(clEnqueueCopyBuffer(queue_, first, second, 0, 0, kBytes, 0, nullptr, nullptr), CL_SUCCESS);
  read(second, seen.data(), kBytes);
  fill(second, 5, kBytes);
  std::vector<int> late(values.size(), 9);
  write(first, late.data(), kBytes); // its bytes are read when it is in the stream, which is at once
  late.assign(late.size(), 0);
  EXPECT_EQ(seen[0], 0);
  hold_(0);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(seen, values);
  read(first, late.data(), kBytes, CL_TRUE);
  EXPECT_EQ(late.back(), 9);
  clReleaseMemObject(first);
  clReleaseMemObject(second);
}

TEST_F(GpuMemoryTest, AWriteOfBytesThatAReadBringsWaitsForThem) {
  for (const std::size_t bytes : {std::size_t{4}, std::size_t{4096}, std::size_t{1} << 20}) {
    cl_mem first = buffer(bytes), second = buffer(bytes);
    std::vector<char> between(bytes, 1);
    fill(first, 0x07070707, bytes);
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
    hold_(1);
    read(first, between.data(), bytes);
    write(second, between.data(), bytes);
    hold_(0);
    std::vector<char> seen(bytes);
    read(second, seen.data(), bytes, CL_TRUE);
    EXPECT_EQ(seen, std::vector<char>(bytes, 7)) << bytes;
    clReleaseMemObject(first);
    clReleaseMemObject(second);
  }
}

TEST_F(GpuMemoryTest, MoreSmallCopiesThanThereIsPinnedMemoryFor) {
  constexpr std::size_t kBytes = 60'000, kCount = 300;
  cl_mem memory = buffer(kBytes * kCount);
  std::vector<char> values(kBytes * kCount), seen(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<char>(i / 7);
  for (std::size_t i = 0; i < kCount; ++i)
    EXPECT_EQ(
        clEnqueueWriteBuffer(queue_, memory, CL_FALSE, i * kBytes, kBytes, &values[i * kBytes], 0, nullptr, nullptr),
        CL_SUCCESS);
  for (std::size_t i = 0; i < kCount; ++i)
    EXPECT_EQ(clEnqueueReadBuffer(queue_, memory, CL_FALSE, i * kBytes, kBytes, &seen[i * kBytes], 0, nullptr, nullptr),
              CL_SUCCESS);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(seen, values);
  clReleaseMemObject(memory);
}

TEST_F(GpuMemoryTest, MemoryComesAndGoesWhileCommandsRun) {
  cl_mem used = buffer(1024), other = buffer(1024);
  hold_(1);
  fill(used, 1, 1024);
  clReleaseMemObject(other);
  other = buffer(1 << 20);
  hold_(0);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  clReleaseMemObject(used);
  clReleaseMemObject(other);
}

TEST_F(GpuMemoryTest, FreeMemoryIsGivenBackBeforeTheLackOfItIsTold) {
  constexpr std::size_t kGiB = std::size_t{1} << 30; // of the driver's 8
  clReleaseMemObject(buffer(5 * kGiB));
  cl_mem most = buffer(6 * kGiB);
  cl_int status = 1;
  EXPECT_EQ(clCreateBuffer(context_, CL_MEM_READ_WRITE, 3 * kGiB, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  clReleaseMemObject(most);
  clReleaseMemObject(buffer(3 * kGiB));
}

TEST_F(GpuMemoryTest, ManyPrintingLaunchesShareFewBuffers) {
  const char* source = "kernel void k(int i) { printf(\"%d\", i); }";
  cl_int status = 1;
  cl_program program = clCreateProgramWithSource(context_, 1, &source, nullptr, &status);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  cl_kernel kernel = clCreateKernel(program, "k", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  constexpr int kMore = 200; // than the driver, which has 128 MiB in this test, has room for
  const std::size_t global = 1;
  std::vector<cl_event> events(kMore);
  hold_(1);
  for (int i = 0; i < kMore; ++i) {
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof i, &i), CL_SUCCESS);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, nullptr, 0, nullptr, &events[i]), CL_SUCCESS);
  }
  hold_(0);
  EXPECT_EQ(clWaitForEvents(kMore, events.data()), CL_SUCCESS);
  for (cl_event each : events)
    clReleaseEvent(each);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
}

TEST_F(GpuMemoryTest, LargeCopiesGoByWayOfPinnedMemory) {
  constexpr std::size_t kBytes = (std::size_t{37} << 20) + 12;
  cl_mem memory = buffer(kBytes);
  std::vector<char> values(kBytes), seen(kBytes);
  for (std::size_t i = 0; i < kBytes; ++i)
    values[i] = static_cast<char>(i / 5);
  const int before = unpinned_();
  write(memory, values.data(), kBytes);
  read(memory, seen.data(), kBytes, CL_TRUE);
  EXPECT_EQ(seen, values);
  // Rows with gaps, and rows that are larger than a piece.
  for (const std::size_t rowBytes : {std::size_t{3000}, (std::size_t{5} << 20) + 4}) {
    const std::size_t pitch = rowBytes + 100, rows = kBytes / pitch;
    const std::size_t origin[3] = {0, 0, 0}, region[3] = {rowBytes, rows, 1};
    std::vector<char> part(kBytes, 0);
    ASSERT_EQ(clEnqueueReadBufferRect(queue_, memory, CL_TRUE, origin, origin, region, pitch, 0, pitch, 0, part.data(),
                                      0, nullptr, nullptr),
              CL_SUCCESS);
    for (std::size_t i = 0; i < kBytes; ++i)
      ASSERT_EQ(part[i], i / pitch < rows && i % pitch < rowBytes ? values[i] : 0) << i;
  }
  EXPECT_EQ(unpinned_(), before);
  clReleaseMemObject(memory);
}

TEST_F(GpuMemoryTest, CopiesOfPinnedMemoryWaitForNoHost) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  cl_mem pinned = buffer(kBytes, CL_MEM_ALLOC_HOST_PTR), memory = buffer(kBytes);
  cl_int status = 1;
  auto* bytes = static_cast<char*>(
      clEnqueueMapBuffer(queue_, pinned, CL_TRUE, CL_MAP_WRITE, 0, kBytes, 0, nullptr, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  std::memset(bytes, 3, kBytes);
  hold_(1);
  write(memory, bytes, kBytes);
  int value = 0;
  write(memory, &value, sizeof value); // its bytes are read when it is in the stream, which is at once
  value = 4;
  read(memory, bytes, kBytes);
  hold_(0);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(bytes[0], 0);
  EXPECT_EQ(bytes[kBytes - 1], 3);
  ASSERT_EQ(clEnqueueUnmapMemObject(queue_, pinned, bytes, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  clReleaseMemObject(pinned);
  clReleaseMemObject(memory);
}

TEST_F(GpuMemoryTest, AddressesOfTheHostAreCopiedThere) {
  std::vector<int> values(5000, 4), seen(5000);
  ASSERT_EQ(
      clEnqueueSVMMemcpy(queue_, CL_TRUE, seen.data(), values.data(), values.size() * sizeof(int), 0, nullptr, nullptr),
      CL_SUCCESS);
  EXPECT_EQ(seen, values);
}

TEST_F(GpuMemoryTest, RowsOfRectanglesAreKeptApart) {
  constexpr std::size_t kPitch = 40, kRows = 6, kSlices = 3, kSize = kPitch * kRows * kSlices;
  cl_mem memory = buffer(kSize);
  fill(memory, 0, kSize);
  std::vector<char> values(kSize), seen(kSize, 9);
  for (std::size_t i = 0; i < kSize; ++i)
    values[i] = static_cast<char>(i % 100 + 1);
  const std::size_t origin[3] = {4, 1, 1}, region[3] = {20, 3, 2};
  ASSERT_EQ(clEnqueueWriteBufferRect(queue_, memory, CL_FALSE, origin, origin, region, kPitch, kPitch * kRows, kPitch,
                                     kPitch * kRows, values.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(clEnqueueReadBufferRect(queue_, memory, CL_TRUE, origin, origin, region, kPitch, kPitch * kRows, kPitch,
                                    kPitch * kRows, seen.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  for (std::size_t z = 0; z < kSlices; ++z)
    for (std::size_t y = 0; y < kRows; ++y)
      for (std::size_t x = 0; x < kPitch; ++x) {
        const bool isIn = z >= 1 && y >= 1 && y < 4 && x >= 4 && x < 24;
        const std::size_t i = (z * kRows + y) * kPitch + x;
        EXPECT_EQ(seen[i], isIn ? values[i] : 9) << i;
      }
  clReleaseMemObject(memory);
}

} // namespace
