// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maps of images (OpenCL 3.0, section 5.3.6) and their book-keeping.
#include "images.hpp"

namespace clotho::test {

namespace {

class ImageMapTest : public ImageApi {
 protected:
  struct Mapped {
    std::byte* bytes;
    size_t rowPitch, slicePitch;
    cl_int status;
  };
  Mapped map(cl_mem image, cl_map_flags flags, Origin origin, Triple size, bool hasSlicePitch = true) {
    Mapped result{nullptr, 99, 99, 1};
    result.bytes = static_cast<std::byte*>(
        clEnqueueMapImage(queue_, image, CL_TRUE, flags, origin.data(), size.data(), &result.rowPitch,
                          hasSlicePitch ? &result.slicePitch : nullptr, 0, nullptr, nullptr, &result.status));
    EXPECT_EQ(result.bytes == nullptr, result.status != CL_SUCCESS);
    return result;
  }
  cl_int unmap(cl_mem image, const Mapped& mapped) {
    return clEnqueueUnmapMemObject(queue_, image, mapped.bytes, 0, nullptr, nullptr);
  }
  cl_uint mapCount(cl_mem image) { return memoryInfo<cl_uint>(image, CL_MEM_MAP_COUNT); }
};

TEST_F(ImageMapTest, HostPointersAreWhatIsMapped) {
  std::vector<std::byte> host = pattern(80 * 9 * 5);
  for (cl_mem_object_type type :
       {CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D}) {
    SCOPED_TRACE(type);
    const bool is1DArray = type == CL_MEM_OBJECT_IMAGE1D_ARRAY, hasSlices = type != CL_MEM_OBJECT_IMAGE2D;
    ImageSpec spec{.type = type, .size = {12, 8, dimensionsOf(type) == 3 ? 5U : 1U}, .rowPitch = 80};
    if (hasSlices) spec.slicePitch = is1DArray ? 160 : 720;
    if (is1DArray) spec.size[1] = 4;
    Owned<cl_mem> image = makeImage(spec, CL_MEM_USE_HOST_PTR, host.data());
    const size_t z = spec.size[2] - 1;
    const Mapped mapped = map(image, CL_MAP_WRITE, {3, 2, z}, {4, 2, 1});
    ASSERT_EQ(mapped.status, CL_SUCCESS);
    EXPECT_EQ(mapped.bytes, host.data() + z * 720 + 2 * (is1DArray ? 160 : 80) + 12);
    EXPECT_EQ(mapped.rowPitch, 80u);
    EXPECT_EQ(mapped.slicePitch, hasSlices ? spec.slicePitch : 0);
    mapped.bytes[0] = std::byte{0x77};
    ASSERT_EQ(unmap(image, mapped), CL_SUCCESS);
    const std::vector<std::byte> seen = texels(image, spec);
    EXPECT_EQ(seen[((z * spec.size[1] + 2) * 12 + 3) * 4], std::byte{0x77});
  }
}

TEST_F(ImageMapTest, PitchesOfEveryType) {
  Owned<cl_mem> buffer = makeBuffer(4096);
  for (cl_mem_object_type type : kImageTypes) {
    SCOPED_TRACE(type);
    ImageSpec spec{.type = type, .size = {10, 6, 3}};
    for (unsigned i = dimensionsOf(type); i < 3; ++i)
      spec.size[i] = 1;
    if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER) spec.memory = buffer;
    Owned<cl_mem> image = makeImage(spec);
    const Mapped mapped = map(image, CL_MAP_READ, {}, extentOf(spec));
    ASSERT_EQ(mapped.status, CL_SUCCESS);
    const bool is1DArray = type == CL_MEM_OBJECT_IMAGE1D_ARRAY, hasSlices = is1DArray || dimensionsOf(type) == 3;
    EXPECT_GE(mapped.rowPitch, 40u);
    if (hasSlices)
      EXPECT_GE(mapped.slicePitch, mapped.rowPitch * (is1DArray ? 1 : 6));
    else
      EXPECT_EQ(mapped.slicePitch, 0u);
    ASSERT_EQ(unmap(image, mapped), CL_SUCCESS);
    const Mapped without = map(image, CL_MAP_READ, {}, extentOf(spec), false);
    EXPECT_EQ(without.status, hasSlices ? CL_INVALID_VALUE : CL_SUCCESS);
    if (without.bytes) EXPECT_EQ(unmap(image, without), CL_SUCCESS);
    EXPECT_EQ(mapCount(image), 0u);
  }
}

TEST_F(ImageMapTest, ImagesOfBuffersAreMappedInTheBuffer) {
  std::vector<std::byte> host = pattern(4096);
  Owned<cl_mem> buffer = makeBuffer(4096, CL_MEM_USE_HOST_PTR, host.data());
  const cl_buffer_region region{1024, 2048};
  cl_int status = 1;
  Owned<cl_mem> part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_mem> image = makeImage({.size = {8, 16, 1}, .rowPitch = 64, .memory = part});
  const Mapped mapped = map(image, CL_MAP_READ, {2, 3}, {4, 4, 1});
  ASSERT_EQ(mapped.status, CL_SUCCESS);
  EXPECT_EQ(mapped.bytes, host.data() + 1024 + 3 * 64 + 8);
  EXPECT_EQ(mapped.rowPitch, 64u);
  EXPECT_EQ(mapCount(image), 1u);
  EXPECT_EQ(mapCount(part), 0u) << "another object";
  ASSERT_EQ(unmap(image, mapped), CL_SUCCESS);
}

// Regions that are mapped for writing have no texel in common (section 5.3.6), whatever objects they are mapped by.
TEST_F(ImageMapTest, OverlapsOfWrites) {
  Owned<cl_mem> buffer = makeBuffer(4096);
  Owned<cl_mem> image = makeImage({.size = {16, 16, 1}, .rowPitch = 64, .memory = buffer});
  const Mapped left = map(image, CL_MAP_WRITE, {0, 0}, {8, 16, 1});
  ASSERT_EQ(left.status, CL_SUCCESS);
  EXPECT_EQ(map(image, CL_MAP_WRITE, {7, 15}, {1, 1, 1}).status, CL_INVALID_OPERATION);
  EXPECT_EQ(map(image, CL_MAP_WRITE_INVALIDATE_REGION, {0, 0}, {16, 16, 1}).status, CL_INVALID_OPERATION);
  const Mapped right = map(image, CL_MAP_WRITE, {8, 0}, {8, 16, 1});
  ASSERT_EQ(right.status, CL_SUCCESS) << "the columns beside";
  const Mapped reads = map(image, CL_MAP_READ, {0, 0}, {16, 16, 1});
  ASSERT_EQ(reads.status, CL_SUCCESS) << "reading is no matter";
  EXPECT_EQ(mapCount(image), 3u);
  cl_int status = 1;
  EXPECT_EQ(clEnqueueMapBuffer(queue_, buffer, CL_TRUE, CL_MAP_WRITE, 64, 64, 0, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_OPERATION);
  void* behind = clEnqueueMapBuffer(queue_, buffer, CL_TRUE, CL_MAP_WRITE, 1024, 64, 0, nullptr, nullptr, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(clEnqueueUnmapMemObject(queue_, image, behind, 0, nullptr, nullptr), CL_INVALID_VALUE) << "another object";
  EXPECT_EQ(clEnqueueUnmapMemObject(queue_, buffer, behind, 0, nullptr, nullptr), CL_SUCCESS);
  for (const Mapped& mapped : {right, reads, left})
    EXPECT_EQ(unmap(image, mapped), CL_SUCCESS);
  EXPECT_EQ(unmap(image, left), CL_INVALID_VALUE) << "unmapped already";
  EXPECT_EQ(mapCount(image), 0u);
}

TEST_F(ImageMapTest, LevelsOfMipmaps) {
  const ImageSpec spec{.type = CL_MEM_OBJECT_IMAGE3D, .size = {16, 8, 4}, .levels = 3};
  Owned<cl_mem> image = makeImage(spec);
  std::vector<Mapped> all;
  for (cl_uint level = 0; level < 3; ++level) {
    all.push_back(map(image, CL_MAP_WRITE_INVALIDATE_REGION, {0, 0, 0, level}, extentOf(spec, level)));
    ASSERT_EQ(all.back().status, CL_SUCCESS);
    const Triple size = extentOf(spec, level);
    for (size_t z = 0; z < size[2]; ++z)
      for (size_t y = 0; y < size[1]; ++y)
        std::memset(all.back().bytes + z * all.back().slicePitch + y * all.back().rowPitch, static_cast<int>(level + 1),
                    size[0] * 4);
  }
  for (const Mapped& mapped : all)
    ASSERT_EQ(unmap(image, mapped), CL_SUCCESS);
  for (cl_uint level = 0; level < 3; ++level)
    for (std::byte byte : texels(image, spec, level))
      ASSERT_EQ(byte, static_cast<std::byte>(level + 1));
}

TEST_F(ImageMapTest, MapThatFailsLaterNeverWas) {
  const ImageSpec spec;
  Owned<cl_mem> image = makeImage(spec);
  Owned<cl_event> gate = makeUserEvent(), mapped;
  cl_event wait = gate;
  const Origin origin{};
  size_t rowPitch = 0;
  cl_int status = 1;
  clEnqueueMapImage(queue_, image, CL_FALSE, CL_MAP_WRITE, origin.data(), spec.size.data(), &rowPitch, nullptr, 1,
                    &wait, mapped.out(), &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(mapCount(image), 1u);
  ASSERT_EQ(clSetUserEventStatus(gate, -5), CL_SUCCESS);
  wait = mapped;
  EXPECT_EQ(clWaitForEvents(1, &wait), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(mapCount(image), 0u);
  const Mapped next = map(image, CL_MAP_WRITE, origin, spec.size);
  ASSERT_EQ(next.status, CL_SUCCESS);
  EXPECT_EQ(unmap(image, next), CL_SUCCESS);
}

TEST_F(ImageMapTest, APointerIsGivenBeforeTheCommandRuns) {
  const ImageSpec spec;
  std::vector<std::byte> written = pattern(16 * 8 * 4);
  Owned<cl_mem> image = makeImage(spec);
  Owned<cl_event> gate = makeUserEvent(), mapped;
  cl_event wait = gate;
  const Origin origin{};
  size_t rowPitch = 0;
  ASSERT_EQ(clEnqueueWriteImage(queue_, image, CL_FALSE, origin.data(), spec.size.data(), 0, 0, written.data(), 1,
                                &wait, nullptr),
            CL_SUCCESS);
  cl_int status = 1;
  auto* bytes =
      static_cast<std::byte*>(clEnqueueMapImage(queue_, image, CL_FALSE, CL_MAP_READ, origin.data(), spec.size.data(),
                                                &rowPitch, nullptr, 0, nullptr, mapped.out(), &status));
  ASSERT_EQ(status, CL_SUCCESS);
  ASSERT_NE(bytes, nullptr);
  EXPECT_EQ(mapCount(image), 1u);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  cl_event list[] = {mapped};
  ASSERT_EQ(clWaitForEvents(1, list), CL_SUCCESS);
  for (size_t y = 0; y < 8; ++y)
    EXPECT_EQ(std::memcmp(bytes + y * rowPitch, written.data() + y * 64, 64), 0);
  EXPECT_EQ(clEnqueueUnmapMemObject(queue_, image, bytes, 0, nullptr, nullptr), CL_SUCCESS);
}

} // namespace

} // namespace clotho::test
