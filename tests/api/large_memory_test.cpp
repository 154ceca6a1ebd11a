// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers so large that indices of 32 bits wrap around within them, in kernels and in commands.
#include "fixture.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace clotho::test {

namespace {

constexpr const char* kSource = R"(
  kernel void around(global const uchar* in, global uchar* out, uint off) {
    out[get_global_id(0)] = in[(uint)get_global_id(0) + off];
  }
  kernel void behind(global const uchar* in, global uchar* out, uint off) {
    in += 1UL << 31;
    out[get_global_id(0)] = in[(int)((uint)get_global_id(0) + off)];
  }
  kernel __attribute__((reqd_work_group_size(64, 1, 1))) void required(global const uchar* in, global uchar* out,
                                                                       uint off) {
    out[get_global_id(0)] = in[(uint)get_global_id(0) + off];
  }
  kernel void withBarrier(global const uchar* in, global uchar* out, uint off) {
    local uchar copy[64];
    copy[get_local_id(0)] = in[(uint)get_global_id(0) + off];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = copy[get_local_id(0)];
  }
#ifdef __opencl_c_subgroups
  kernel void withSubGroups(global const uchar* in, global uchar* out, uint off) {
    out[get_global_id(0)] = sub_group_any(0) + in[(uint)get_global_id(0) + off];
  }
#endif
  kernel void fill(global uchar* out, uint off) { out[(uint)get_global_id(0) + off] = (uchar)get_global_id(0); }
)";
constexpr size_t kItems = 64, kBefore = 29;
constexpr size_t kUnsigned = size_t{1} << 32, kSigned = size_t{1} << 31;
constexpr size_t kSize = kUnsigned + 4096;

class LargeMemoryTest : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    const auto most = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
    if (kSize > most) GTEST_SKIP() << "no buffer is larger than " << most << " bytes";
    program_ = buildProgram(kSource, "-cl-std=CL3.0");
    large_ = makeBuffer(kSize);
    small_ = makeBuffer(kItems);
  }
  Owned<cl_kernel> make(const char* name, const std::vector<cl_mem>& buffers, cl_uint off) {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program_, name, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    cl_uint index = 0;
    for (cl_mem buffer : buffers)
      EXPECT_EQ(clSetKernelArg(kernel, index++, sizeof buffer, &buffer), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof off, &off), CL_SUCCESS);
    return kernel;
  }
  void run(cl_kernel kernel) {
    const size_t global = kItems;
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &global, 0, nullptr, nullptr), CL_SUCCESS);
  }
  void write(size_t at, const std::vector<cl_uchar>& bytes) {
    ASSERT_EQ(clEnqueueWriteBuffer(queue_, large_, CL_TRUE, at, bytes.size(), bytes.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
  }
  std::vector<cl_uchar> read(cl_mem buffer, size_t at, size_t count) {
    std::vector<cl_uchar> bytes(count);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, at, count, bytes.data(), 0, nullptr, nullptr), CL_SUCCESS);
    return bytes;
  }
  static std::vector<cl_uchar> numbers(size_t from, size_t count) {
    std::vector<cl_uchar> result(count);
    std::iota(result.begin(), result.end(), static_cast<cl_uchar>(from));
    return result;
  }
  /// Work-items before the wrap are to find 0, 1, ... up to 2^32, and those behind it go on from zero.
  void reads(const char* name, cl_uint off) {
    SCOPED_TRACE(name);
    write(kUnsigned - kBefore, numbers(0, kBefore));
    write(kUnsigned, std::vector<cl_uchar>(64, 0xee));
    write(0, numbers(kBefore, kItems - kBefore));
    run(make(name, {large_, small_}, off));
    EXPECT_EQ(read(small_, 0, kItems), numbers(0, kItems));
  }

  Owned<cl_program> program_;
  Owned<cl_mem> large_, small_;
};

} // namespace

TEST_F(LargeMemoryTest, UnsignedIndicesWrapAround) {
  for (const char* name : {"around", "required", "withBarrier", "withSubGroups"})
    if (name != std::string("withSubGroups") || hasSubGroups()) reads(name, static_cast<cl_uint>(kUnsigned - kBefore));
}

TEST_F(LargeMemoryTest, SignedIndicesWrapAround) {
  reads("behind", (cl_uint{1} << 31) - static_cast<cl_uint>(kBefore));
}

TEST_F(LargeMemoryTest, StoresWrapAround) {
  run(make("fill", {large_}, static_cast<cl_uint>(kUnsigned - kBefore)));
  EXPECT_EQ(read(large_, kUnsigned - kBefore, kBefore), numbers(0, kBefore));
  EXPECT_EQ(read(large_, 0, kItems - kBefore), numbers(kBefore, kItems - kBefore));
}

/// The kernel's pointer is to a part that is small.
TEST_F(LargeMemoryTest, PartOfLargeMemory) {
  cl_int status = 1;
  const cl_buffer_region region = {0, 4096};
  Owned<cl_mem> part = clCreateSubBuffer(large_, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  write(0, numbers(7, kItems));
  run(make("around", {part, small_}, 0));
  EXPECT_EQ(read(small_, 0, kItems), numbers(7, kItems));
}

// --- Commands whose sizes, offsets and pitches do not fit in 32 bits ---

TEST_F(LargeMemoryTest, TransfersAcrossTheLimits) {
  for (size_t limit : {kSigned, kUnsigned}) {
    write(limit - kBefore, numbers(limit >> 31, kItems));
    EXPECT_EQ(read(large_, limit - kBefore, kItems), numbers(limit >> 31, kItems));
    ASSERT_EQ(clEnqueueCopyBuffer(queue_, large_, small_, limit - 5, 3, 20, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(read(small_, 3, 20), numbers((limit >> 31) + kBefore - 5, 20));
    const cl_uint pattern = 0x04030201;
    ASSERT_EQ(clEnqueueFillBuffer(queue_, large_, &pattern, 4, limit - 8, 16, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(read(large_, limit - 8, 4), numbers(1, 4));
    EXPECT_EQ(read(large_, limit + 4, 4), numbers(1, 4));
    EXPECT_EQ(read(large_, limit + 8, 1)[0], numbers(limit >> 31, kItems)[kBefore + 8]);

    cl_int status = 1;
    auto* mapped = static_cast<cl_uchar*>(clEnqueueMapBuffer(queue_, large_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                                             limit - 4, 8, 0, nullptr, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(mapped[7], 4);
    mapped[7] = 99;
    ASSERT_EQ(clEnqueueUnmapMemObject(queue_, large_, mapped, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(read(large_, limit + 3, 1)[0], 99);
  }
  std::vector<cl_uchar> bytes(8);
  for (size_t offset : {kSize - 7, kSize, SIZE_MAX - 3})
    EXPECT_EQ(clEnqueueReadBuffer(queue_, large_, CL_TRUE, offset, 8, bytes.data(), 0, nullptr, nullptr),
              CL_INVALID_VALUE)
        << offset;
  EXPECT_EQ(clEnqueueCopyBuffer(queue_, large_, large_, 0, kSigned, kSigned + 1, 0, nullptr, nullptr),
            CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(clEnqueueCopyBuffer(queue_, large_, small_, 0, 0, kUnsigned + 1, 0, nullptr, nullptr), CL_INVALID_VALUE)
      << "one byte, if it were counted with 32 bits";
}

/// Three rows, of which the second begins behind 2^31 bytes and the third behind 2^32.
TEST_F(LargeMemoryTest, RectanglesWithLargePitches) {
  constexpr size_t kRow = 16;
  const size_t at[3] = {8, 0, 0}, none[3] = {0, 0, 0};
  for (const bool bySlices : {false, true}) {
    const size_t region[3] = {kRow, bySlices ? 1U : 3U, bySlices ? 3U : 1U};
    const size_t rowPitch = bySlices ? 0 : kSigned, slicePitch = bySlices ? kSigned : 0;
    const std::vector<cl_uchar> rows = numbers(bySlices ? 100 : 1, 3 * kRow);
    std::vector<cl_uchar> seen(3 * kRow);
    ASSERT_EQ(clEnqueueWriteBufferRect(queue_, large_, CL_TRUE, at, none, region, rowPitch, slicePitch, 0, 0,
                                       rows.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    for (size_t row = 0; row < 3; ++row)
      EXPECT_EQ(read(large_, 8 + row * kSigned, kRow), numbers(rows[row * kRow], kRow)) << row;
    ASSERT_EQ(clEnqueueReadBufferRect(queue_, large_, CL_TRUE, at, none, region, rowPitch, slicePitch, 0, 0,
                                      seen.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(seen, rows);
    ASSERT_EQ(clEnqueueCopyBufferRect(queue_, large_, small_, at, none, region, rowPitch, slicePitch, 0, 0, 0, nullptr,
                                      nullptr),
              CL_SUCCESS);
    EXPECT_EQ(read(small_, 0, 3 * kRow), rows);
  }
  const size_t four[3] = {kRow, 4, 1}, huge[3] = {kRow, size_t{1} << 33, size_t{1} << 33};
  std::vector<cl_uchar> seen(4 * kRow);
  EXPECT_EQ(clEnqueueReadBufferRect(queue_, large_, CL_TRUE, at, none, four, kSigned, 0, 0, 0, seen.data(), 0, nullptr,
                                    nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(
      clEnqueueReadBufferRect(queue_, large_, CL_TRUE, at, none, huge, 0, 0, 0, 0, seen.data(), 0, nullptr, nullptr),
      CL_INVALID_VALUE)
      << "a size that 64 bits do not hold";
}

TEST_F(LargeMemoryTest, PartsBehindTheLimits) {
  for (size_t limit : {kSigned, kUnsigned}) {
    cl_int status = 1;
    const cl_buffer_region region = {limit, 256}, before = {limit - 256, 512};
    Owned<cl_mem> part = clCreateSubBuffer(large_, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    Owned<cl_mem> both = clCreateSubBuffer(large_, 0, CL_BUFFER_CREATE_TYPE_REGION, &before, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(valueAnswer<size_t>(CLOTHO_INFO(clGetMemObjectInfo, part, CL_MEM_OFFSET)), limit);
    run(make("fill", {part}, 0));
    EXPECT_EQ(read(both, 256, kItems), numbers(0, kItems));
    EXPECT_EQ(read(large_, limit, kItems), numbers(0, kItems));
  }
}

TEST_F(LargeMemoryTest, SharedMemoryBehindTheLimits) {
  CLOTHO_NEEDS(hasSharedMemory());
  large_ = {}; // there may be no room for two
  auto* shared = static_cast<cl_uchar*>(clSVMAlloc(context_, CL_MEM_READ_WRITE, kSize, 0));
  ASSERT_NE(shared, nullptr);
  for (size_t limit : {kSigned, kUnsigned}) {
    cl_uchar* at = shared + limit;
    const std::vector<cl_uchar> bytes = numbers(limit >> 31, kItems);
    std::vector<cl_uchar> seen(kItems);
    ASSERT_EQ(clEnqueueSVMMemcpy(queue_, CL_TRUE, at - kBefore, bytes.data(), kItems, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clEnqueueSVMMemcpy(queue_, CL_TRUE, seen.data(), at - kBefore, kItems, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(seen, bytes);
    const cl_uint pattern = 0x04030201;
    ASSERT_EQ(clEnqueueSVMMemFill(queue_, at - 8, &pattern, 4, 16, 0, nullptr, nullptr), CL_SUCCESS);
    const Owned<cl_kernel> kernel = make("fill", {small_}, 0);
    ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 0, at + 512), CL_SUCCESS);
    run(kernel);
    ASSERT_EQ(clEnqueueSVMMap(queue_, CL_TRUE, CL_MAP_READ, at - 16, 1024, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(std::vector<cl_uchar>(at - 8, at - 4), numbers(1, 4));
    EXPECT_EQ(std::vector<cl_uchar>(at + 4, at + 8), numbers(1, 4));
    EXPECT_EQ(at[8], bytes[kBefore + 8]);
    EXPECT_EQ(std::vector<cl_uchar>(at + 512, at + 512 + kItems), numbers(0, kItems));
    ASSERT_EQ(clEnqueueSVMUnmap(queue_, at - 16, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  }
  clSVMFree(context_, shared);
}

/// Touches more than four gigabytes, in the memory of the first device.
TEST_F(LargeMemoryTest, FillsAndCopiesOfMoreThan32BitsCount) {
  if (kSanitized) GTEST_SKIP() << "their shadows take as much again";
  const cl_uint pattern = 0x04030201;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, large_, &pattern, 4, 0, kSize, 0, nullptr, nullptr), CL_SUCCESS);
  for (size_t place : {size_t{0}, kSigned - 4, kSigned, kUnsigned - 4, kUnsigned, kSize - 4})
    EXPECT_EQ(read(large_, place, 4), numbers(1, 4)) << place;
  constexpr size_t kCopied = kSigned + 64, kTo = kSize - kCopied;
  for (size_t place : {size_t{0}, kCopied - kItems})
    write(place, numbers(place >> 20, kItems));
  ASSERT_EQ(clEnqueueCopyBuffer(queue_, large_, large_, 0, kTo, kCopied, 0, nullptr, nullptr), CL_SUCCESS);
  for (size_t place : {size_t{0}, kCopied - kItems})
    EXPECT_EQ(read(large_, kTo + place, kItems), numbers(place >> 20, kItems)) << place;
  EXPECT_EQ(read(large_, kTo - 4, 4), numbers(1, 4)) << "before it";
}

TEST_F(LargeMemoryTest, ImagesOfBuffersBehindTheLimits) {
  // As many texels as there may be, of the last bytes.
  const auto texels =
      std::min(valueAnswer<size_t>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE)), kSize / 2);
  const cl_image_format format{CL_R, CL_UNSIGNED_INT16};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
  desc.image_width = texels;
  desc.buffer = large_;
  cl_int status = 1;
  Owned<cl_mem> image = clCreateImage(context_, 0, &format, &desc, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  desc.image_width = kSize / 2 + 1;
  EXPECT_EQ(Owned<cl_mem>(clCreateImage(context_, 0, &format, &desc, nullptr, &status)).get(), nullptr);
  program_ = buildProgram("kernel void last(read_write image1d_buffer_t image, int at) {"
                          "  write_imageui(image, at, (uint4)(read_imageui(image, at).x + 7)); }",
                          "-cl-std=CL3.0");
  Owned<cl_kernel> kernel = clCreateKernel(program_, "last", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const cl_mem raw = image;
  const auto at = static_cast<cl_int>(texels - 1);
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof at, &at), CL_SUCCESS);
  write((texels - 1) * 2, {1, 2});
  const size_t one = 1;
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(read(large_, (texels - 1) * 2, 2), (std::vector<cl_uchar>{8, 2}));
  const size_t origin[3] = {texels - 1, 0, 0}, region[3] = {1, 1, 1};
  cl_ushort texel = 0;
  ASSERT_EQ(clEnqueueReadImage(queue_, image, CL_TRUE, origin, region, 0, 0, &texel, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(texel, 0x0208);
}

} // namespace clotho::test
