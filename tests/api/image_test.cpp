// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creation of images: every type, host pointers and pitches, images of other objects' bytes, and what is asked of them.
#include "images.hpp"

#include <atomic>
#include <chrono>
#include <sys/mman.h>
#include <thread>

namespace clotho::test {

namespace {

class ImageTest : public ImageApi {
 protected:
  void SetUp() override {
    ImageApi::SetUp();
    buffer_ = makeBuffer(4096);
  }
  /// A small image of a type; 1D image buffers are made from the fixture's buffer.
  ImageSpec smallSpec(cl_mem_object_type type) const {
    ImageSpec spec{.type = type, .size = {12, 6, 5}};
    for (unsigned i = dimensionsOf(type); i < 3; ++i)
      spec.size[i] = 1;
    if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER) spec.memory = buffer_;
    return spec;
  }

  Owned<cl_mem> buffer_;
};

TEST_F(ImageTest, QueriesOfEveryType) {
  for (cl_mem_object_type type : kImageTypes) {
    SCOPED_TRACE(type);
    const ImageSpec spec = smallSpec(type);
    Owned<cl_mem> image = makeImage(spec, 0);
    const auto format = info<cl_image_format>(image, CL_IMAGE_FORMAT);
    EXPECT_EQ(format.image_channel_order, cl_channel_order{CL_RGBA});
    EXPECT_EQ(format.image_channel_data_type, cl_channel_type{CL_UNORM_INT8});
    const bool is3D = type == CL_MEM_OBJECT_IMAGE3D, is2DArray = type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    const bool is1DArray = type == CL_MEM_OBJECT_IMAGE1D_ARRAY, is2D = type == CL_MEM_OBJECT_IMAGE2D;
    EXPECT_EQ(info<size_t>(image, CL_IMAGE_ELEMENT_SIZE), 4u);
    EXPECT_EQ(info<size_t>(image, CL_IMAGE_WIDTH), 12u);
    EXPECT_EQ(info<size_t>(image, CL_IMAGE_HEIGHT), is3D || is2D || is2DArray ? 6u : 0u);
    EXPECT_EQ(info<size_t>(image, CL_IMAGE_DEPTH), is3D ? 5u : 0u);
    EXPECT_EQ(info<size_t>(image, CL_IMAGE_ARRAY_SIZE), is2DArray ? 5u : is1DArray ? 6u : 0u);
    EXPECT_EQ(info<size_t>(image, CL_IMAGE_ROW_PITCH), 48u) << "not that of the memory";
    EXPECT_EQ(info<size_t>(image, CL_IMAGE_SLICE_PITCH), is3D || is2DArray ? 48u * 6 : is1DArray ? 48u : 0u);
    EXPECT_EQ(info<cl_mem>(image, CL_IMAGE_BUFFER), spec.memory);
    EXPECT_EQ(info<cl_uint>(image, CL_IMAGE_NUM_MIP_LEVELS), 0u);
    EXPECT_EQ(info<cl_uint>(image, CL_IMAGE_NUM_SAMPLES), 0u);

    EXPECT_EQ(memoryInfo<cl_mem_object_type>(image, CL_MEM_TYPE), type);
    EXPECT_EQ(memoryInfo<cl_mem_flags>(image, CL_MEM_FLAGS), cl_mem_flags{CL_MEM_READ_WRITE});
    EXPECT_GE(memoryInfo<size_t>(image, CL_MEM_SIZE), volume(extentOf(spec)) * 4);
    EXPECT_EQ(memoryInfo<void*>(image, CL_MEM_HOST_PTR), nullptr);
    EXPECT_EQ(memoryInfo<cl_uint>(image, CL_MEM_MAP_COUNT), 0u);
    EXPECT_EQ(memoryInfo<cl_uint>(image, CL_MEM_REFERENCE_COUNT), 1u);
    EXPECT_EQ(memoryInfo<cl_context>(image, CL_MEM_CONTEXT), context_.get());
    EXPECT_EQ(memoryInfo<cl_mem>(image, CL_MEM_ASSOCIATED_MEMOBJECT), spec.memory);
    EXPECT_EQ(memoryInfo<size_t>(image, CL_MEM_OFFSET), 0u);
    EXPECT_EQ(memoryInfo<cl_bool>(image, CL_MEM_USES_SVM_POINTER), cl_bool{CL_FALSE});
    EXPECT_TRUE(listAnswer<cl_mem_properties>(CLOTHO_INFO(clGetMemObjectInfo, image, CL_MEM_PROPERTIES)).empty());
    checkInfoProtocol([&](cl_uint name, size_t size, void* value,
                          size_t* returned) { return clGetImageInfo(image, name, size, value, returned); },
                      CL_IMAGE_WIDTH);
  }
}

TEST_F(ImageTest, DimensionsThatATypeLacksAreIgnored) {
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE1D;
  desc.image_width = 7;
  desc.image_height = desc.image_depth = desc.image_array_size = ~size_t{0};
  const cl_image_format format{CL_R, CL_FLOAT};
  cl_int status = 1;
  Owned<cl_mem> image = clCreateImage(context_, 0, &format, &desc, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(info<size_t>(image, CL_IMAGE_HEIGHT), 0u);
  EXPECT_LT(memoryInfo<size_t>(image, CL_MEM_SIZE), 4096u);
}

TEST_F(ImageTest, PropertyLists) {
  const cl_image_desc desc = describe({});
  const cl_image_format format{CL_RGBA, CL_UNORM_INT8};
  const cl_mem_properties empty[] = {0}, unknown[] = {0x7777, 1, 0};
  cl_int status = 1;
  Owned<cl_mem> image = clCreateImageWithProperties(context_, empty, 0, &format, &desc, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(listAnswer<cl_mem_properties>(CLOTHO_INFO(clGetMemObjectInfo, image, CL_MEM_PROPERTIES)),
            std::vector<cl_mem_properties>{0});
  image = clCreateImageWithProperties(context_, nullptr, 0, &format, &desc, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_TRUE(listAnswer<cl_mem_properties>(CLOTHO_INFO(clGetMemObjectInfo, image, CL_MEM_PROPERTIES)).empty());
  EXPECT_EQ(clCreateImageWithProperties(context_, unknown, 0, &format, &desc, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROPERTY);
}

TEST_F(ImageTest, CallsOfOpenCl10) {
  const cl_image_format format{CL_RG, CL_UNSIGNED_INT16};
  std::vector<std::byte> host = pattern(64 * 9 * 4);
  cl_int status = 1;
  Owned<cl_mem> image = clCreateImage2D(context_, CL_MEM_COPY_HOST_PTR, &format, 10, 9, 64, host.data(), &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(memoryInfo<cl_mem_object_type>(image, CL_MEM_TYPE), cl_mem_object_type{CL_MEM_OBJECT_IMAGE2D});
  EXPECT_EQ(info<size_t>(image, CL_IMAGE_ROW_PITCH), 64u);
  EXPECT_EQ(info<size_t>(image, CL_IMAGE_SLICE_PITCH), 0u);
  image = clCreateImage3D(context_, CL_MEM_COPY_HOST_PTR, &format, 10, 8, 4, 64, 576, host.data(), &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(memoryInfo<cl_mem_object_type>(image, CL_MEM_TYPE), cl_mem_object_type{CL_MEM_OBJECT_IMAGE3D});
  EXPECT_EQ(info<size_t>(image, CL_IMAGE_SLICE_PITCH), 576u);
  EXPECT_EQ(info<size_t>(image, CL_IMAGE_DEPTH), 4u);
  const std::vector<std::byte> seen = texels(image, {CL_MEM_OBJECT_IMAGE3D, format, {10, 8, 4}});
  EXPECT_EQ(std::memcmp(seen.data() + (3 * 8 + 7) * 40, host.data() + 3 * 576 + 7 * 64, 40), 0);
}

// A pitch of the application's says where its texels are, and queries give it back (OpenCL 3.0, table 24).
TEST_F(ImageTest, HostPointersWithPitches) {
  for (cl_mem_object_type type : kImageTypes) {
    if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER) continue;
    for (cl_mem_flags flags : {CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR, CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR})
      for (const auto& [rowPitch, slicePitch] : {std::pair{0, 0}, {80, 0}, {80, 80 * 7}, {0, 48 * 9}}) {
        SCOPED_TRACE(testing::Message() << std::hex << type << " flags " << flags << " pitches " << std::dec << rowPitch
                                        << " " << slicePitch);
        ImageSpec spec = smallSpec(type);
        spec.rowPitch = static_cast<size_t>(rowPitch);
        spec.slicePitch = static_cast<size_t>(slicePitch);
        const bool hasSlices = type != CL_MEM_OBJECT_IMAGE1D && type != CL_MEM_OBJECT_IMAGE2D;
        const bool is1DArray = type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
        const size_t row = rowPitch ? spec.rowPitch : 48;
        const size_t slice = hasSlices && slicePitch ? spec.slicePitch : is1DArray ? row : row * spec.size[1];
        std::vector<std::byte> host = pattern(slice * spec.size[1] * spec.size[2]);
        Owned<cl_mem> image = makeImage(spec, flags, host.data());
        EXPECT_EQ(info<size_t>(image, CL_IMAGE_ROW_PITCH), row);
        EXPECT_EQ(info<size_t>(image, CL_IMAGE_SLICE_PITCH), hasSlices ? slice : 0);
        EXPECT_EQ(memoryInfo<void*>(image, CL_MEM_HOST_PTR), flags & CL_MEM_USE_HOST_PTR ? host.data() : nullptr);
        const std::vector<std::byte> seen = texels(image, spec);
        for (size_t z = 0; z < spec.size[2]; ++z)
          for (size_t y = 0; y < spec.size[1]; ++y)
            ASSERT_EQ(std::memcmp(seen.data() + (z * spec.size[1] + y) * 48,
                                  host.data() + z * slice + y * (is1DArray ? slice : row), 48),
                      0)
                << y << " " << z;
      }
  }
}

TEST_F(ImageTest, A1DImageOfABufferSharesItsBytes) {
  const ImageSpec spec{CL_MEM_OBJECT_IMAGE1D_BUFFER, {CL_R, CL_UNSIGNED_INT32}, {1024, 1, 1}, 0, 0, 0, buffer_};
  Owned<cl_mem> image = makeImage(spec, 0);
  const std::vector<std::byte> written = pattern(4096);
  ASSERT_EQ(clEnqueueWriteBuffer(queue_, buffer_, CL_TRUE, 0, 4096, written.data(), 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(texels(image, spec), written);
  const std::vector<std::byte> again = pattern(4096, 2);
  setTexels(image, spec, again);
  std::vector<std::byte> seen(4096);
  ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 0, 4096, seen.data(), 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen, again);
}

TEST_F(ImageTest, ImagesOfSubBuffers) {
  const cl_buffer_region region{1024, 2048};
  cl_int status = 1;
  Owned<cl_mem> part = clCreateSubBuffer(buffer_, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const std::vector<std::byte> written = pattern(4096);
  ASSERT_EQ(clEnqueueWriteBuffer(queue_, buffer_, CL_TRUE, 0, 4096, written.data(), 0, nullptr, nullptr), CL_SUCCESS);
  const ImageSpec line{CL_MEM_OBJECT_IMAGE1D_BUFFER, {CL_RG, CL_HALF_FLOAT}, {512, 1, 1}, 0, 0, 0, part};
  Owned<cl_mem> image = makeImage(line, 0);
  EXPECT_EQ(memoryInfo<cl_mem>(image, CL_MEM_ASSOCIATED_MEMOBJECT), part.get());
  EXPECT_EQ(memoryInfo<size_t>(image, CL_MEM_OFFSET), 0u) << "an image is no sub-buffer";
  EXPECT_EQ(texels(image, line), std::vector(written.begin() + 1024, written.begin() + 3072));
  // Rows of 100 bytes, 128 bytes apart.
  const ImageSpec plane{CL_MEM_OBJECT_IMAGE2D, {CL_R, CL_UNORM_INT8}, {100, 16, 1}, 128, 0, 0, part};
  image = makeImage(plane, 0);
  EXPECT_EQ(info<size_t>(image, CL_IMAGE_ROW_PITCH), 128u);
  EXPECT_EQ(info<cl_mem>(image, CL_IMAGE_BUFFER), part.get());
  const std::vector<std::byte> seen = texels(image, plane);
  for (size_t y = 0; y < 16; ++y)
    EXPECT_EQ(std::memcmp(seen.data() + y * 100, written.data() + 1024 + y * 128, 100), 0) << y;
  // What lies between the rows is the buffer's.
  setTexels(image, plane, pattern(1600, 3));
  std::vector<std::byte> bytes(4096);
  ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 0, 4096, bytes.data(), 0, nullptr, nullptr), CL_SUCCESS);
  for (size_t y = 0; y < 16; ++y)
    EXPECT_EQ(std::memcmp(bytes.data() + 1124 + y * 128, written.data() + 1124 + y * 128, 28), 0) << y;
}

TEST_F(ImageTest, A2DImageOfABufferHasItsPitch) {
  const ImageSpec tight{CL_MEM_OBJECT_IMAGE2D, {CL_RGBA, CL_UNORM_INT8}, {25, 40, 1}, 0, 0, 0, buffer_};
  Owned<cl_mem> image = makeImage(tight, 0);
  EXPECT_EQ(info<size_t>(image, CL_IMAGE_ROW_PITCH), 100u) << "as the texels lie in the buffer";
  const std::vector<std::byte> written = pattern(4000);
  setTexels(image, tight, written);
  std::vector<std::byte> seen(4000);
  ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 0, 4000, seen.data(), 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen, written);
}

// An image of an image has its texels with another channel order (section 5.3.1.2), also if the parent is made from a
// buffer.
TEST_F(ImageTest, ImagesOfImages) {
  const std::pair<cl_image_format, cl_image_format> legal[] = {{{CL_sRGBA, CL_UNORM_INT8}, {CL_RGBA, CL_UNORM_INT8}},
                                                               {{CL_RGBA, CL_UNORM_INT8}, {CL_sRGBA, CL_UNORM_INT8}},
                                                               {{CL_sBGRA, CL_UNORM_INT8}, {CL_BGRA, CL_UNORM_INT8}},
                                                               {{CL_BGRA, CL_UNORM_INT8}, {CL_sBGRA, CL_UNORM_INT8}},
                                                               {{CL_DEPTH, CL_FLOAT}, {CL_R, CL_FLOAT}},
                                                               {{CL_DEPTH, CL_UNORM_INT16}, {CL_R, CL_UNORM_INT16}}};
  for (const auto& [seen, original] : legal)
    for (bool ofBuffer : {false, true}) {
      const ImageSpec parentSpec{
          CL_MEM_OBJECT_IMAGE2D, original, {25, 8, 1}, 0, 0, 0, ofBuffer ? buffer_.get() : nullptr};
      Owned<cl_mem> parent = makeImage(parentSpec, 0);
      ImageSpec spec{CL_MEM_OBJECT_IMAGE2D, seen, {25, 8, 1}, 0, 0, 0, parent};
      spec.rowPitch = info<size_t>(parent, CL_IMAGE_ROW_PITCH);
      Owned<cl_mem> image = makeImage(spec, 0);
      EXPECT_EQ(info<cl_image_format>(image, CL_IMAGE_FORMAT).image_channel_order, seen.image_channel_order);
      EXPECT_EQ(memoryInfo<cl_mem>(image, CL_MEM_ASSOCIATED_MEMOBJECT), parent.get());
      EXPECT_EQ(info<cl_mem>(image, CL_IMAGE_BUFFER), nullptr);
      const std::vector<std::byte> bytes = pattern(200 * texelSize(seen));
      setTexels(parent, parentSpec, bytes);
      EXPECT_EQ(texels(image, spec), bytes);
      // The child keeps its parent.
      parent = {};
      setTexels(image, spec, bytes);
      EXPECT_EQ(texels(image, spec), bytes);
    }
}

TEST_F(ImageTest, FlagsAreInherited) {
  const cl_mem_flags parents[] = {CL_MEM_READ_WRITE, CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY,
                                  CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY,
                                  CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS | CL_MEM_ALLOC_HOST_PTR};
  for (cl_mem_flags flags : parents) {
    Owned<cl_mem> buffer = makeBuffer(4096, flags);
    Owned<cl_mem> image = makeImage({.size = {16, 8, 1}, .memory = buffer}, 0);
    EXPECT_EQ(memoryInfo<cl_mem_flags>(image, CL_MEM_FLAGS), flags);
    Owned<cl_mem> view = makeImage({.format = {CL_sRGBA, CL_UNORM_INT8}, .size = {16, 8, 1}, .memory = image}, 0);
    EXPECT_EQ(memoryInfo<cl_mem_flags>(view, CL_MEM_FLAGS), flags);
  }
  std::vector<std::byte> host(4096);
  Owned<cl_mem> buffer = makeBuffer(4096, CL_MEM_USE_HOST_PTR, host.data());
  Owned<cl_mem> image = makeImage({.size = {16, 8, 1}, .memory = buffer}, CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY);
  EXPECT_EQ(memoryInfo<cl_mem_flags>(image, CL_MEM_FLAGS),
            cl_mem_flags{CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_USE_HOST_PTR});
  EXPECT_EQ(memoryInfo<void*>(image, CL_MEM_HOST_PTR), nullptr) << "not created with one";
}

TEST_F(ImageTest, Mipmaps) {
  for (cl_mem_object_type type : kImageTypes) {
    if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER) continue;
    SCOPED_TRACE(type);
    ImageSpec spec = smallSpec(type);
    spec.format = {CL_RG, CL_SNORM_INT8};
    spec.levels = 4;
    Owned<cl_mem> image = makeImage(spec);
    EXPECT_EQ(info<cl_uint>(image, CL_IMAGE_NUM_MIP_LEVELS), 4u);
    EXPECT_EQ(info<size_t>(image, CL_IMAGE_WIDTH), 12u);
    std::vector<std::vector<std::byte>> written;
    for (cl_uint level = 0; level < 4; ++level) {
      written.push_back(pattern(volume(extentOf(spec, level)) * 2, level));
      setTexels(image, spec, written.back(), level);
    }
    for (cl_uint level = 0; level < 4; ++level)
      EXPECT_EQ(texels(image, spec, level), written[level]) << level;
  }
  // One level is no mipmap, and its origin has no level.
  ImageSpec one{.levels = 1};
  Owned<cl_mem> image = makeImage(one);
  EXPECT_EQ(info<cl_uint>(image, CL_IMAGE_NUM_MIP_LEVELS), 1u);
  setTexels(image, one, pattern(16 * 8 * 4));
  EXPECT_EQ(texels(image, one), pattern(16 * 8 * 4));
}

// More than 4 GiB from the first texel to the last: in memory that is only touched where it is used.
TEST_F(ImageTest, OffsetsOfMoreThan32Bits) {
  constexpr size_t kRowPitch = size_t{1} << 20, kSlicePitch = kRowPitch * 2048, kDepth = 3;
  constexpr size_t kBytes = kSlicePitch * kDepth;
  if (valueAnswer<cl_ulong>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MAX_MEM_ALLOC_SIZE)) < kBytes || isFar())
    GTEST_SKIP() << "no image of 6 GiB";
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  {
    const ImageSpec spec{
        CL_MEM_OBJECT_IMAGE3D, {CL_RGBA, CL_UNSIGNED_INT32}, {64, 2048, kDepth}, kRowPitch, kSlicePitch};
    Owned<cl_mem> image = makeImage(spec, CL_MEM_USE_HOST_PTR, memory);
    const Origin origin{60, 2047, 2};
    const Triple region{4, 1, 1};
    const std::vector<std::byte> written = pattern(64);
    ASSERT_EQ(clEnqueueWriteImage(queue_, image, CL_TRUE, origin.data(), region.data(), 0, 0, written.data(), 0,
                                  nullptr, nullptr),
              CL_SUCCESS);
    const auto* place = static_cast<std::byte*>(memory) + 2 * kSlicePitch + 2047 * kRowPitch + 60 * 16;
    EXPECT_EQ(std::memcmp(place, written.data(), 64), 0);
    std::vector<std::byte> seen(64);
    ASSERT_EQ(clEnqueueReadImage(queue_, image, CL_TRUE, origin.data(), region.data(), 0, 0, seen.data(), 0, nullptr,
                                 nullptr),
              CL_SUCCESS);
    EXPECT_EQ(seen, written);
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  }
  munmap(memory, kBytes);
}

TEST_F(ImageTest, DestructorCallbacks) {
  struct Seen {
    std::atomic<int> count{0};
    std::atomic<cl_mem> object{nullptr};
  } seen;
  const auto callback = [](cl_mem object, void* data) {
    static_cast<Seen*>(data)->object = object;
    ++static_cast<Seen*>(data)->count;
  };
  Owned<cl_mem> image = makeImage({});
  const cl_mem handle = image;
  ASSERT_EQ(clSetMemObjectDestructorCallback(image, callback, &seen), CL_SUCCESS);
  ASSERT_EQ(clSetMemObjectDestructorCallback(image, callback, &seen), CL_SUCCESS);
  ASSERT_EQ(clRetainMemObject(image), CL_SUCCESS);
  ASSERT_EQ(clReleaseMemObject(image), CL_SUCCESS);
  EXPECT_EQ(seen.count, 0);
  image = {};
  for (int i = 0; i < 5000 && seen.count < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(seen.count, 2);
  EXPECT_EQ(seen.object, handle);
  EXPECT_EQ(clGetImageInfo(handle, CL_IMAGE_WIDTH, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
}

TEST_F(ImageTest, Migrate) {
  const ImageSpec spec;
  Owned<cl_mem> image = makeImage(spec);
  const std::vector<std::byte> written = pattern(16 * 8 * 4);
  setTexels(image, spec, written);
  cl_mem list[] = {image, buffer_};
  for (cl_mem_migration_flags flags : {cl_mem_migration_flags{0}, cl_mem_migration_flags{CL_MIGRATE_MEM_OBJECT_HOST}})
    ASSERT_EQ(clEnqueueMigrateMemObjects(queue_, 2, list, flags, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(texels(image, spec), written);
}

// Native kernels get buffers alone (section 5.10.2).
TEST_F(ImageTest, NoOperandOfNativeKernels) {
  CLOTHO_NEEDS(hasNativeKernels());
  Owned<cl_mem> image = makeImage({});
  cl_mem list[] = {image};
  void* place = nullptr;
  const void* places[] = {&place};
  EXPECT_EQ(clEnqueueNativeKernel(
                queue_, [](void*) {}, &place, sizeof place, 1, list, places, 0, nullptr, nullptr),
            CL_INVALID_MEM_OBJECT);
}

// cl_ext_immutable_memory_objects: what is made with contents and never written.
TEST_F(ImageTest, Immutable) {
  std::vector<std::byte> host = pattern(4096);
  const ImageSpec spec{.size = {32, 32, 1}};
  for (cl_mem_flags pointer : {CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR}) {
    Owned<cl_mem> image = makeImage(spec, CL_MEM_IMMUTABLE_EXT | pointer, host.data());
    EXPECT_EQ(memoryInfo<cl_mem_flags>(image, CL_MEM_FLAGS), cl_mem_flags{CL_MEM_IMMUTABLE_EXT | pointer});
    EXPECT_EQ(texels(image, spec), host);
  }
  Owned<cl_mem> buffer = makeBuffer(4096, CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR, host.data());
  ImageSpec view = spec;
  view.memory = buffer;
  Owned<cl_mem> image = makeImage(view, CL_MEM_IMMUTABLE_EXT);
  EXPECT_EQ(memoryInfo<cl_mem_flags>(image, CL_MEM_FLAGS), cl_mem_flags{CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR});
  EXPECT_EQ(texels(image, view), host);
  const cl_buffer_region region{0, 1024};
  cl_int status = 1;
  Owned<cl_mem> part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(memoryInfo<cl_mem_flags>(part, CL_MEM_FLAGS), cl_mem_flags{CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR});
}

} // namespace

} // namespace clotho::test
