// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The errors that creations of images give (OpenCL 3.0, section 5.3.1).
#include "images.hpp"

#include <functional>

namespace clotho::test {

namespace {

constexpr cl_image_format kRgba8{CL_RGBA, CL_UNORM_INT8};

class ImageCreateTest : public ImageApi {
 protected:
  void SetUp() override {
    ImageApi::SetUp();
    image_ = makeImage(spec_);
    buffer_ = makeBuffer(4096);
    otherContext_ = makeContext();
    cl_int status = 1;
    otherBuffer_ = clCreateBuffer(otherContext_, 0, 4096, nullptr, &status);
    const cl_image_desc desc = describe(spec_);
    otherImage_ = clCreateImage(otherContext_, 0, &spec_.format, &desc, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
  }
  cl_int createCode(const ImageSpec& spec, cl_mem_flags flags = CL_MEM_READ_WRITE, void* host = nullptr) {
    const cl_image_desc desc = describe(spec);
    cl_int status = 1;
    Owned<cl_mem> image = clCreateImage(context_, flags, &spec.format, &desc, host, &status);
    EXPECT_EQ(image.get() == nullptr, status != CL_SUCCESS);
    return status;
  }
  cl_int descriptionCode(const cl_image_desc& desc, cl_mem_flags flags = 0, void* host = nullptr,
                         const cl_image_format* format = &kRgba8) {
    cl_int status = 1;
    Owned<cl_mem> image = clCreateImage(context_, flags, format, &desc, host, &status);
    EXPECT_EQ(image.get() == nullptr, status != CL_SUCCESS);
    return status;
  }

  const ImageSpec spec_{.size = {16, 8, 1}};
  Owned<cl_mem> image_, buffer_, otherBuffer_, otherImage_;
  Owned<cl_context> otherContext_;
};

TEST_F(ImageCreateTest, Flags) {
  std::vector<std::byte> host(4096);
  const cl_mem_flags wrong[] = {1U << 20,
                                CL_MEM_READ_WRITE | CL_MEM_READ_ONLY,
                                CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY,
                                CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
                                CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
                                CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR,
                                CL_MEM_KERNEL_READ_AND_WRITE,
                                CL_MEM_IMMUTABLE_EXT,
                                CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR | CL_MEM_READ_WRITE,
                                CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR | CL_MEM_WRITE_ONLY,
                                CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_WRITE_ONLY};
  for (cl_mem_flags flags : wrong)
    EXPECT_EQ(createCode(spec_, flags, host.data()), CL_INVALID_VALUE) << std::hex << flags;
  const cl_image_desc desc = describe(spec_);
  cl_int status = 1;
  EXPECT_EQ(clCreateImageWithProperties(context_, nullptr, 1U << 20, &kRgba8, &desc, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateImage2D(context_, 1U << 20, &kRgba8, 4, 4, 0, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateImage3D(context_, 1U << 20, &kRgba8, 4, 4, 4, 0, 0, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
}

TEST_F(ImageCreateTest, Contexts) {
  Foreign<cl_context> foreign(device_);
  const cl_image_desc desc = describe(spec_);
  cl_int status = 1;
  EXPECT_EQ(clCreateImage(foreign, 0, &kRgba8, &desc, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
}

TEST_F(ImageCreateTest, Formats) {
  const cl_image_format illegal[] = {{0, CL_UNORM_INT8},
                                     {CL_RGBA, 0},
                                     {CL_RGB, CL_UNORM_INT8},
                                     {CL_sRGB, CL_UNORM_INT8}, // 24 bits
                                     {CL_sRGBA, CL_UNORM_INT16},
                                     {CL_BGRA, CL_FLOAT},
                                     {CL_ABGR, CL_UNORM_INT16},
                                     {CL_INTENSITY, CL_SIGNED_INT8},
                                     {CL_LUMINANCE, CL_UNSIGNED_INT32},
                                     {CL_RGBA, CL_UNORM_SHORT_565},
                                     {CL_R, CL_UNORM_INT_101010},
                                     {CL_RGB, CL_UNORM_INT_101010_2},
                                     {CL_DEPTH, CL_UNORM_INT8},
                                     {CL_DEPTH_STENCIL, CL_UNORM_INT24}};
  const cl_image_desc desc = describe(spec_);
  for (const cl_image_format& format : illegal)
    EXPECT_EQ(descriptionCode(desc, 0, nullptr, &format), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)
        << std::hex << format.image_channel_order << " " << format.image_channel_data_type;
  EXPECT_EQ(descriptionCode(desc, 0, nullptr, nullptr), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  cl_int status = 1;
  EXPECT_EQ(clCreateImageWithProperties(context_, nullptr, 0, nullptr, &desc, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  EXPECT_EQ(clCreateImage2D(context_, 0, nullptr, 4, 4, 0, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  EXPECT_EQ(clCreateImage3D(context_, 0, &illegal[2], 4, 4, 4, 0, 0, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
}

// Legal formats that no device has for the type.
TEST_F(ImageCreateTest, UnsupportedFormats) {
  const cl_image_format depth{CL_DEPTH, CL_FLOAT};
  for (cl_mem_object_type type : {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE3D})
    EXPECT_EQ(createCode({type, depth, {4, 1, 1}}), CL_IMAGE_FORMAT_NOT_SUPPORTED);
  EXPECT_EQ(createCode({CL_MEM_OBJECT_IMAGE1D_BUFFER, depth, {4, 1, 1}, 0, 0, 0, buffer_}),
            CL_IMAGE_FORMAT_NOT_SUPPORTED);
  const cl_image_desc desc = describe({CL_MEM_OBJECT_IMAGE3D, depth, {4, 4, 4}});
  cl_int status = 1;
  EXPECT_EQ(clCreateImageWithProperties(context_, nullptr, 0, &depth, &desc, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_IMAGE_FORMAT_NOT_SUPPORTED);
  EXPECT_EQ(clCreateImage3D(context_, 0, &depth, 4, 4, 4, 0, 0, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_IMAGE_FORMAT_NOT_SUPPORTED);
}

TEST_F(ImageCreateTest, Descriptions) {
  std::vector<std::byte> host(1 << 16);
  cl_int status = 1;
  EXPECT_EQ(clCreateImage(context_, 0, &kRgba8, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(clCreateImageWithProperties(context_, nullptr, 0, &kRgba8, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_IMAGE_DESCRIPTOR);
  const auto code = [&](const std::function<void(cl_image_desc&)>& change, cl_mem_flags flags = 0,
                        void* pointer = nullptr) {
    cl_image_desc desc = describe({CL_MEM_OBJECT_IMAGE3D, kRgba8, {8, 4, 4}});
    change(desc);
    return descriptionCode(desc, flags, pointer);
  };
  const cl_mem_flags use = CL_MEM_USE_HOST_PTR;
  EXPECT_EQ(code([](cl_image_desc&) {}), CL_SUCCESS);
  EXPECT_EQ(code([](cl_image_desc& desc) { desc.image_type = CL_MEM_OBJECT_BUFFER; }), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(code([](cl_image_desc& desc) { desc.image_type = 0; }), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(code([](cl_image_desc& desc) { desc.num_samples = 1; }), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(code([](cl_image_desc& desc) { desc.image_row_pitch = 64; }), CL_INVALID_IMAGE_DESCRIPTOR)
      << "a pitch without a host pointer";
  EXPECT_EQ(code([](cl_image_desc& desc) { desc.image_slice_pitch = 256; }), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(code([](cl_image_desc& desc) { desc.image_row_pitch = 64; }, use, host.data()), CL_SUCCESS);
  EXPECT_EQ(code([](cl_image_desc& desc) { desc.image_row_pitch = 28; }, use, host.data()),
            CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(code([](cl_image_desc& desc) { desc.image_row_pitch = 66; }, use, host.data()),
            CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(code([](cl_image_desc& desc) { desc.image_slice_pitch = 96; }, use, host.data()),
            CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(code([](cl_image_desc& desc) { desc.image_slice_pitch = 144; }, use, host.data()),
            CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(code([](cl_image_desc& desc) { desc.image_row_pitch = size_t{1} << 62; }, use, host.data()),
            CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(code([](cl_image_desc& desc) { desc.image_slice_pitch = size_t{1} << 63; }, use, host.data()),
            CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(code([&](cl_image_desc& desc) { desc.mem_object = buffer_; }), CL_INVALID_IMAGE_DESCRIPTOR)
      << "a 3D image of a buffer";
  EXPECT_EQ(code([&](cl_image_desc& desc) { desc.mem_object = image_; }), CL_INVALID_IMAGE_DESCRIPTOR);
  Foreign<cl_mem> foreign(device_);
  EXPECT_EQ(code([&](cl_image_desc& desc) { desc.mem_object = foreign; }), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(code([&](cl_image_desc& desc) { desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER; }),
            CL_INVALID_IMAGE_DESCRIPTOR)
      << "no buffer";
}

TEST_F(ImageCreateTest, Mipmaps) {
  std::vector<std::byte> host(4096);
  const auto code = [&](ImageSpec spec, cl_uint levels, cl_mem_flags flags = 0, void* pointer = nullptr) {
    spec.levels = levels;
    return createCode(spec, flags, pointer);
  };
  EXPECT_EQ(code(spec_, 5), CL_SUCCESS) << "16, 8, 4, 2, 1";
  EXPECT_EQ(code(spec_, 16), CL_SUCCESS) << "1, again and again";
  EXPECT_EQ(code(spec_, 17), CL_INVALID_IMAGE_DESCRIPTOR) << "more than the largest image has";
  EXPECT_EQ(code(spec_, ~0U), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(code(spec_, 2, CL_MEM_USE_HOST_PTR, host.data()), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(code(spec_, 2, CL_MEM_COPY_HOST_PTR, host.data()), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(code({CL_MEM_OBJECT_IMAGE2D, {CL_DEPTH, CL_FLOAT}, {8, 8, 1}}, 2), CL_SUCCESS)
      << "OpenCL C reads its levels";
  EXPECT_EQ(code({CL_MEM_OBJECT_IMAGE1D_BUFFER, kRgba8, {8, 1, 1}, 0, 0, 0, buffer_}, 2), CL_INVALID_IMAGE_DESCRIPTOR);
}

TEST_F(ImageCreateTest, Sizes) {
  for (cl_mem_object_type type : kImageTypes)
    for (unsigned i = 0; i < dimensionsOf(type); ++i)
      for (size_t size : {size_t{0}, size_t{1} << 32, ~size_t{0}}) {
        ImageSpec spec{type, kRgba8, {4, 4, 4}};
        spec.size[i] = size;
        if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER) spec.memory = buffer_;
        EXPECT_EQ(createCode(spec), CL_INVALID_IMAGE_SIZE) << std::hex << type << " " << i << " " << size;
      }
  const size_t width = valueAnswer<size_t>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_IMAGE2D_MAX_WIDTH));
  EXPECT_EQ(createCode({CL_MEM_OBJECT_IMAGE1D, {CL_R, CL_UNORM_INT8}, {width, 1, 1}}), CL_SUCCESS);
  EXPECT_EQ(createCode({CL_MEM_OBJECT_IMAGE1D, {CL_R, CL_UNORM_INT8}, {width + 1, 1, 1}}), CL_INVALID_IMAGE_SIZE);
  cl_int status = 1;
  const cl_image_desc desc = describe({CL_MEM_OBJECT_IMAGE2D, kRgba8, {0, 4, 1}});
  EXPECT_EQ(clCreateImageWithProperties(context_, nullptr, 0, &kRgba8, &desc, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_IMAGE_SIZE);
  std::vector<std::byte> host(4096);
  // The calls of OpenCL 1.0 say so of pitches, too.
  EXPECT_EQ(clCreateImage2D(context_, 0, &kRgba8, 0, 4, 0, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_IMAGE_SIZE);
  EXPECT_EQ(clCreateImage2D(context_, CL_MEM_USE_HOST_PTR, &kRgba8, 4, 4, 8, host.data(), &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_IMAGE_SIZE);
  EXPECT_EQ(clCreateImage3D(context_, 0, &kRgba8, 4, 4, 0, 0, 0, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_IMAGE_SIZE);
  EXPECT_EQ(clCreateImage3D(context_, CL_MEM_USE_HOST_PTR, &kRgba8, 4, 4, 4, 16, 32, host.data(), &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_IMAGE_SIZE);
}

TEST_F(ImageCreateTest, HostPointers) {
  std::vector<std::byte> host(4096);
  EXPECT_EQ(createCode(spec_, CL_MEM_USE_HOST_PTR), CL_INVALID_HOST_PTR);
  EXPECT_EQ(createCode(spec_, CL_MEM_COPY_HOST_PTR), CL_INVALID_HOST_PTR);
  EXPECT_EQ(createCode(spec_, CL_MEM_ALLOC_HOST_PTR, host.data()), CL_INVALID_HOST_PTR);
  EXPECT_EQ(createCode(spec_, 0, host.data()), CL_INVALID_HOST_PTR);
  EXPECT_EQ(createCode({.memory = buffer_}, 0, host.data()), CL_INVALID_HOST_PTR);
  const cl_image_desc desc = describe(spec_);
  cl_int status = 1;
  EXPECT_EQ(clCreateImageWithProperties(context_, nullptr, 0, &kRgba8, &desc, host.data(), &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_HOST_PTR);
  EXPECT_EQ(clCreateImage2D(context_, CL_MEM_USE_HOST_PTR, &kRgba8, 4, 4, 0, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_HOST_PTR);
  EXPECT_EQ(clCreateImage3D(context_, 0, &kRgba8, 4, 4, 4, 0, 0, host.data(), &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_HOST_PTR);
}

// The largest image of the type with the largest texels: more than any machine has.
TEST_F(ImageCreateTest, MoreThanThereIsMemoryFor) {
  const cl_image_format format{CL_RGBA, CL_FLOAT};
  const ImageSpec spec{CL_MEM_OBJECT_IMAGE3D, format, {16384, 16384, 16384}};
  EXPECT_EQ(createCode(spec), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  const cl_image_desc desc = describe(spec);
  cl_int status = 1;
  EXPECT_EQ(clCreateImageWithProperties(context_, nullptr, 0, &format, &desc, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_EQ(clCreateImage3D(context_, 0, &format, 16384, 16384, 16384, 0, 0, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  // This image is too large by its pitch. A pitch requires a host pointer, whose memory the driver does not read.
  std::vector<std::byte> host(64);
  EXPECT_EQ(clCreateImage2D(context_, CL_MEM_USE_HOST_PTR, &format, 4, 16384, size_t{1} << 40, host.data(), &status),
            nullptr);
  EXPECT_EQ(status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

TEST_F(ImageCreateTest, OfABuffer) {
  const auto line = [&](size_t width, cl_mem memory) {
    return createCode({CL_MEM_OBJECT_IMAGE1D_BUFFER, kRgba8, {width, 1, 1}, 0, 0, 0, memory});
  };
  EXPECT_EQ(line(1024, buffer_), CL_SUCCESS);
  EXPECT_EQ(line(1025, buffer_), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(line(4, image_), CL_INVALID_IMAGE_DESCRIPTOR) << "no buffer";
  EXPECT_EQ(line(4, otherBuffer_), CL_INVALID_IMAGE_DESCRIPTOR) << "of another context";
  const auto plane = [&](Triple size, size_t rowPitch, const cl_image_format& format = kRgba8) {
    return createCode({CL_MEM_OBJECT_IMAGE2D, format, size, rowPitch, 0, 0, buffer_});
  };
  EXPECT_EQ(plane({16, 64, 1}, 64), CL_SUCCESS);
  EXPECT_EQ(plane({16, 65, 1}, 64), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(plane({16, 33, 1}, 128), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(plane({16, 4, 1}, 60), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  EXPECT_EQ(plane({16, 4, 1}, 66), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  cl_image_desc desc = describe({CL_MEM_OBJECT_IMAGE2D, kRgba8, {16, 4, 1}, 0, 0, 0, buffer_});
  desc.image_slice_pitch = 256;
  EXPECT_EQ(descriptionCode(desc), CL_INVALID_IMAGE_DESCRIPTOR);
  desc = describe({CL_MEM_OBJECT_IMAGE1D_BUFFER, kRgba8, {16, 1, 1}, 0, 0, 0, buffer_});
  desc.image_row_pitch = 60;
  EXPECT_EQ(descriptionCode(desc), CL_INVALID_IMAGE_DESCRIPTOR);
  desc.image_row_pitch = 128;
  EXPECT_EQ(descriptionCode(desc), CL_SUCCESS) << "one row";
  // A host pointer has to be aligned for texels.
  std::vector<std::byte> host(4096);
  Owned<cl_mem> odd = makeBuffer(4000, CL_MEM_USE_HOST_PTR, host.data() + 1);
  EXPECT_EQ(createCode({CL_MEM_OBJECT_IMAGE2D, {CL_R, CL_UNORM_INT8}, {16, 4, 1}, 0, 0, 0, odd}), CL_SUCCESS);
  EXPECT_EQ(createCode({CL_MEM_OBJECT_IMAGE2D, kRgba8, {16, 4, 1}, 0, 0, 0, odd}), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
}

TEST_F(ImageCreateTest, OfAnImage) {
  const auto code = [&](const ImageSpec& spec, cl_mem parent) {
    ImageSpec child = spec;
    child.memory = parent;
    return createCode(child);
  };
  const cl_image_format srgba{CL_sRGBA, CL_UNORM_INT8};
  EXPECT_EQ(code({CL_MEM_OBJECT_IMAGE2D, srgba, {16, 8, 1}, 64}, image_), CL_SUCCESS);
  // Formats: another type, an order that is none of the pairs, the pairs of depth the other way round.
  for (const cl_image_format& format : {cl_image_format{CL_sRGBA, CL_UNORM_INT16},
                                        {CL_RGBA, CL_SNORM_INT8},
                                        {CL_RGBA, CL_UNORM_INT8},
                                        {CL_BGRA, CL_UNORM_INT8},
                                        {CL_sBGRA, CL_UNORM_INT8}})
    EXPECT_EQ(code({CL_MEM_OBJECT_IMAGE2D, format, {16, 8, 1}, 64}, image_), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  Owned<cl_mem> depth = makeImage({CL_MEM_OBJECT_IMAGE2D, {CL_DEPTH, CL_FLOAT}, {16, 8, 1}});
  EXPECT_EQ(code({CL_MEM_OBJECT_IMAGE2D, {CL_R, CL_FLOAT}, {16, 8, 1}, 64}, depth), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  // A description that is not the parent's.
  EXPECT_EQ(code({CL_MEM_OBJECT_IMAGE2D, srgba, {15, 8, 1}, 64}, image_), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  EXPECT_EQ(code({CL_MEM_OBJECT_IMAGE2D, srgba, {16, 4, 1}, 64}, image_), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  EXPECT_EQ(code({CL_MEM_OBJECT_IMAGE2D, srgba, {16, 8, 1}, 128}, image_), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  EXPECT_EQ(code({CL_MEM_OBJECT_IMAGE2D, srgba, {16, 8, 1}, 64, 0, 2}, image_), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  Owned<cl_mem> solid = makeImage({CL_MEM_OBJECT_IMAGE3D, kRgba8, {16, 8, 2}});
  EXPECT_EQ(code({CL_MEM_OBJECT_IMAGE2D, srgba, {16, 8, 1}, 64}, solid), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(code({CL_MEM_OBJECT_IMAGE2D, srgba, {16, 8, 1}, 64}, otherImage_), CL_INVALID_IMAGE_DESCRIPTOR);
}

TEST_F(ImageCreateTest, MayNotWiden) {
  struct Case {
    cl_mem_flags parent, child;
  };
  const Case wrong[] = {
      {CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE},          {CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY},
      {CL_MEM_READ_ONLY, CL_MEM_READ_WRITE},           {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY},
      {CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY}, {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY},
      {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY},  {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY},
      {CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR},        {CL_MEM_READ_WRITE, CL_MEM_ALLOC_HOST_PTR},
      {CL_MEM_READ_WRITE, CL_MEM_COPY_HOST_PTR},       {CL_MEM_READ_WRITE, 1U << 20}};
  for (const auto& [parent, child] : wrong) {
    Owned<cl_mem> buffer = makeBuffer(4096, parent);
    ImageSpec spec = spec_;
    spec.memory = buffer;
    EXPECT_EQ(createCode(spec, child), CL_INVALID_VALUE) << std::hex << parent << " " << child;
    Owned<cl_mem> image = makeImage(spec_, parent);
    spec.memory = image;
    spec.format.image_channel_order = CL_sRGBA;
    EXPECT_EQ(createCode(spec, child), CL_INVALID_VALUE) << std::hex << parent << " " << child;
  }
}

} // namespace

} // namespace clotho::test
