// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The errors that creations of images (OpenCL 3.0, section 5.3.1) and commands on images (sections 5.3.3 to 5.3.8) give.
#include "images.hpp"

#include <functional>

namespace clotho::test {

namespace {

constexpr cl_image_format kRgba8{CL_RGBA, CL_UNORM_INT8};

/// What a command is called with; by default what makes it succeed.
struct Arguments {
  cl_command_queue queue;
  cl_mem image, other;
  const size_t* origin;
  const size_t* otherOrigin;
  const size_t* region;
  cl_uint waitCount = 0;
  const cl_event* waits = nullptr;
  cl_bool blocking = CL_FALSE;
};

class ImageErrorsTest : public ImageApi {
 protected:
  void SetUp() override {
    ImageApi::SetUp();
    image_ = makeImage(spec_);
    target_ = makeImage(spec_);
    buffer_ = makeBuffer(4096);
    otherContext_ = makeContext();
    cl_int status = 1;
    otherBuffer_ = clCreateBuffer(otherContext_, 0, 4096, nullptr, &status);
    const cl_image_desc desc = describe(spec_);
    otherImage_ = clCreateImage(otherContext_, 0, &spec_.format, &desc, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    otherEvent_ = clCreateUserEvent(otherContext_, &status);
  }
  void TearDown() override {
    clSetUserEventStatus(otherEvent_, CL_COMPLETE);
    ImageApi::TearDown();
  }

  struct Command {
    const char* name;
    bool blocks, usesBuffer, usesOtherImage;
    std::function<cl_int(const Arguments&)> call;
  };
  /// All commands that take an image, a region, and a wait list.
  std::vector<Command> commands() {
    return {{"read", true, false, false,
             [this](const Arguments& a) {
               return clEnqueueReadImage(a.queue, a.image, a.blocking, a.origin, a.region, 0, 0, host_.data(),
                                         a.waitCount, a.waits, nullptr);
             }},
            {"write", true, false, false,
             [this](const Arguments& a) {
               return clEnqueueWriteImage(a.queue, a.image, a.blocking, a.origin, a.region, 0, 0, host_.data(),
                                          a.waitCount, a.waits, nullptr);
             }},
            {"fill", false, false, false,
             [this](const Arguments& a) {
               return clEnqueueFillImage(a.queue, a.image, host_.data(), a.origin, a.region, a.waitCount, a.waits,
                                         nullptr);
             }},
            {"map", true, false, false,
             [](const Arguments& a) {
               size_t rowPitch = 0, slicePitch = 0;
               cl_int status = 1;
               void* pointer = clEnqueueMapImage(a.queue, a.image, a.blocking, CL_MAP_READ, a.origin, a.region, &rowPitch,
                                                 &slicePitch, a.waitCount, a.waits, nullptr, &status);
               EXPECT_EQ(pointer == nullptr, status != CL_SUCCESS);
               if (pointer) EXPECT_EQ(clEnqueueUnmapMemObject(a.queue, a.image, pointer, 0, nullptr, nullptr), CL_SUCCESS);
               return status;
             }},
            {"copy from", false, false, true,
             [](const Arguments& a) {
               return clEnqueueCopyImage(a.queue, a.image, a.other, a.origin, a.otherOrigin, a.region, a.waitCount,
                                         a.waits, nullptr);
             }},
            {"copy to", false, false, true,
             [](const Arguments& a) {
               return clEnqueueCopyImage(a.queue, a.other, a.image, a.otherOrigin, a.origin, a.region, a.waitCount,
                                         a.waits, nullptr);
             }},
            {"copy to a buffer", false, true, false,
             [](const Arguments& a) {
               return clEnqueueCopyImageToBuffer(a.queue, a.image, a.other, a.origin, a.region, 0, a.waitCount, a.waits,
                                                 nullptr);
             }},
            {"copy from a buffer", false, true, false, [](const Arguments& a) {
               return clEnqueueCopyBufferToImage(a.queue, a.other, a.image, 0, a.origin, a.region, a.waitCount, a.waits,
                                                 nullptr);
             }}};
  }
  Arguments legal(const Command& command) {
    return {queue_, image_, command.usesBuffer ? buffer_.get() : target_.get(), kZero, kZero, kOne};
  }
  /// The code of every command when its arguments are changed so.
  void expectAll(cl_int code, const std::function<void(Arguments&)>& change) {
    for (const Command& command : commands()) {
      Arguments arguments = legal(command);
      EXPECT_EQ(command.call(arguments), CL_SUCCESS) << command.name;
      change(arguments);
      EXPECT_EQ(command.call(arguments), code) << command.name;
    }
  }
  void expectRegion(cl_mem image, Origin origin, Triple region, cl_int code) {
    for (const Command& command : commands()) {
      if (command.usesOtherImage) continue; // whose type need not be the same
      Arguments arguments = legal(command);
      arguments.image = image;
      arguments.origin = origin.data();
      arguments.region = region.data();
      EXPECT_EQ(command.call(arguments), code)
          << command.name << " " << origin[0] << "," << origin[1] << "," << origin[2] << "," << origin[3] << " + "
          << region[0] << "," << region[1] << "," << region[2];
    }
  }
  cl_int descriptionCode(const cl_image_desc& desc, cl_mem_flags flags = 0, void* host = nullptr,
                         const cl_image_format* format = &kRgba8) {
    cl_int status = 1;
    Owned<cl_mem> image = clCreateImage(context_, flags, format, &desc, host, &status);
    EXPECT_EQ(image.get() == nullptr, status != CL_SUCCESS);
    return status;
  }

  static constexpr size_t kZero[4] = {0, 0, 0, 0}, kOne[3] = {1, 1, 1};
  const ImageSpec spec_{.size = {16, 8, 1}};
  std::vector<std::byte> host_ = std::vector<std::byte>(1 << 16);
  Owned<cl_mem> image_, target_, buffer_, otherBuffer_, otherImage_;
  Owned<cl_context> otherContext_;
  Owned<cl_event> otherEvent_;
};

// --- Creation ---

TEST_F(ImageErrorsTest, CreateFlags) {
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

TEST_F(ImageErrorsTest, CreateContexts) {
  Foreign<cl_context> foreign(device_);
  const cl_image_desc desc = describe(spec_);
  cl_int status = 1;
  EXPECT_EQ(clCreateImage(foreign, 0, &kRgba8, &desc, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
}

TEST_F(ImageErrorsTest, CreateFormats) {
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
TEST_F(ImageErrorsTest, CreateUnsupportedFormats) {
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

TEST_F(ImageErrorsTest, CreateDescriptions) {
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
  EXPECT_EQ(code([](cl_image_desc& desc) { desc.image_row_pitch = 28; }, use, host.data()), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(code([](cl_image_desc& desc) { desc.image_row_pitch = 66; }, use, host.data()), CL_INVALID_IMAGE_DESCRIPTOR);
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

TEST_F(ImageErrorsTest, CreateMipmaps) {
  std::vector<std::byte> host(4096);
  const auto code = [&](ImageSpec spec, cl_uint levels, cl_mem_flags flags = 0, void* pointer = nullptr) {
    spec.levels = levels;
    return createCode(spec, flags, pointer);
  };
  EXPECT_EQ(code(spec_, 5), CL_SUCCESS) << "16, 8, 4, 2, 1";
  EXPECT_EQ(code(spec_, 6), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(code({CL_MEM_OBJECT_IMAGE3D, kRgba8, {2, 2, 9}}, 4), CL_SUCCESS);
  EXPECT_EQ(code({CL_MEM_OBJECT_IMAGE3D, kRgba8, {2, 2, 9}}, 5), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(code({CL_MEM_OBJECT_IMAGE2D_ARRAY, kRgba8, {2, 2, 9}}, 3), CL_INVALID_IMAGE_DESCRIPTOR)
      << "layers are not halved";
  EXPECT_EQ(code(spec_, 2, CL_MEM_USE_HOST_PTR, host.data()), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(code(spec_, 2, CL_MEM_COPY_HOST_PTR, host.data()), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(code({CL_MEM_OBJECT_IMAGE2D, {CL_DEPTH, CL_FLOAT}, {8, 8, 1}}, 2), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(code({CL_MEM_OBJECT_IMAGE1D_BUFFER, kRgba8, {8, 1, 1}, 0, 0, 0, buffer_}, 2), CL_INVALID_IMAGE_DESCRIPTOR);
}

TEST_F(ImageErrorsTest, CreateSizes) {
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

TEST_F(ImageErrorsTest, CreateHostPointers) {
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
TEST_F(ImageErrorsTest, CreateMoreThanThereIsMemoryFor) {
  const cl_image_format format{CL_RGBA, CL_FLOAT};
  const ImageSpec spec{CL_MEM_OBJECT_IMAGE3D, format, {16384, 16384, 16384}};
  EXPECT_EQ(createCode(spec), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  const cl_image_desc desc = describe(spec);
  cl_int status = 1;
  EXPECT_EQ(clCreateImageWithProperties(context_, nullptr, 0, &format, &desc, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_EQ(clCreateImage3D(context_, 0, &format, 16384, 16384, 16384, 0, 0, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

TEST_F(ImageErrorsTest, CreateOfABuffer) {
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
  EXPECT_EQ(plane({16, 4, 1}, 60), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(plane({16, 4, 1}, 66), CL_INVALID_IMAGE_DESCRIPTOR);
  cl_image_desc desc = describe({CL_MEM_OBJECT_IMAGE2D, kRgba8, {16, 4, 1}, 0, 0, 0, buffer_});
  desc.image_slice_pitch = 256;
  EXPECT_EQ(descriptionCode(desc), CL_INVALID_IMAGE_DESCRIPTOR);
  desc = describe({CL_MEM_OBJECT_IMAGE1D_BUFFER, kRgba8, {16, 1, 1}, 0, 0, 0, buffer_});
  desc.image_row_pitch = 64;
  EXPECT_EQ(descriptionCode(desc), CL_INVALID_IMAGE_DESCRIPTOR);
  // A host pointer has to be aligned for texels.
  std::vector<std::byte> host(4096);
  Owned<cl_mem> odd = makeBuffer(4000, CL_MEM_USE_HOST_PTR, host.data() + 1);
  EXPECT_EQ(createCode({CL_MEM_OBJECT_IMAGE2D, {CL_R, CL_UNORM_INT8}, {16, 4, 1}, 0, 0, 0, odd}), CL_SUCCESS);
  EXPECT_EQ(createCode({CL_MEM_OBJECT_IMAGE2D, kRgba8, {16, 4, 1}, 0, 0, 0, odd}), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
}

TEST_F(ImageErrorsTest, CreateOfAnImage) {
  const auto code = [&](const ImageSpec& spec, cl_mem parent) {
    ImageSpec child = spec;
    child.memory = parent;
    return createCode(child);
  };
  const cl_image_format srgba{CL_sRGBA, CL_UNORM_INT8};
  EXPECT_EQ(code({CL_MEM_OBJECT_IMAGE2D, srgba, {16, 8, 1}, 64}, image_), CL_SUCCESS);
  // Formats: another type, an order that is none of the pairs, the pairs of depth the other way round.
  for (const cl_image_format& format : {cl_image_format{CL_sRGBA, CL_UNORM_INT16}, {CL_RGBA, CL_SNORM_INT8},
                                        {CL_RGBA, CL_UNORM_INT8}, {CL_BGRA, CL_UNORM_INT8}, {CL_sBGRA, CL_UNORM_INT8}})
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

TEST_F(ImageErrorsTest, CreateMayNotWiden) {
  struct Case {
    cl_mem_flags parent, child;
  };
  const Case wrong[] = {{CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE},
                        {CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY},
                        {CL_MEM_READ_ONLY, CL_MEM_READ_WRITE},
                        {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY},
                        {CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY},
                        {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY},
                        {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY},
                        {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY},
                        {CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR},
                        {CL_MEM_READ_WRITE, CL_MEM_ALLOC_HOST_PTR},
                        {CL_MEM_READ_WRITE, CL_MEM_COPY_HOST_PTR},
                        {CL_MEM_READ_WRITE, 1U << 20}};
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

// --- Commands ---

TEST_F(ImageErrorsTest, Queues) {
  Foreign<cl_command_queue> foreign(device_);
  expectAll(CL_INVALID_COMMAND_QUEUE, [&](Arguments& a) { a.queue = foreign; });
}

TEST_F(ImageErrorsTest, ObjectsOfAnotherContext) {
  expectAll(CL_INVALID_CONTEXT, [&](Arguments& a) { a.image = otherImage_; });
  for (const Command& command : commands()) {
    if (!command.usesBuffer && !command.usesOtherImage) continue;
    Arguments arguments = legal(command);
    arguments.other = command.usesBuffer ? otherBuffer_ : otherImage_;
    EXPECT_EQ(command.call(arguments), CL_INVALID_CONTEXT) << command.name;
  }
  cl_event event = otherEvent_;
  expectAll(CL_INVALID_CONTEXT, [&](Arguments& a) {
    a.waitCount = 1;
    a.waits = &event;
  });
}

TEST_F(ImageErrorsTest, NotImages) {
  Foreign<cl_mem> foreign(device_);
  expectAll(CL_INVALID_MEM_OBJECT, [&](Arguments& a) { a.image = foreign; });
  expectAll(CL_INVALID_MEM_OBJECT, [&](Arguments& a) { a.image = nullptr; });
  expectAll(CL_INVALID_MEM_OBJECT, [&](Arguments& a) { a.image = buffer_; });
  for (const Command& command : commands()) {
    if (!command.usesBuffer && !command.usesOtherImage) continue;
    Arguments arguments = legal(command);
    arguments.other = command.usesBuffer ? target_ : buffer_;
    EXPECT_EQ(command.call(arguments), CL_INVALID_MEM_OBJECT) << command.name;
  }
  EXPECT_EQ(clGetImageInfo(buffer_, CL_IMAGE_WIDTH, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clGetImageInfo(foreign, CL_IMAGE_WIDTH, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  cl_uint narrow = 0;
  EXPECT_EQ(clGetImageInfo(image_, CL_IMAGE_WIDTH, sizeof narrow, &narrow, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetImageInfo(image_, CL_MEM_TYPE, 0, nullptr, nullptr), CL_INVALID_VALUE);
}

TEST_F(ImageErrorsTest, WaitLists) {
  cl_event none = nullptr;
  expectAll(CL_INVALID_EVENT_WAIT_LIST, [&](Arguments& a) { a.waitCount = 1; });
  expectAll(CL_INVALID_EVENT_WAIT_LIST, [&](Arguments& a) { a.waits = &none; });
  expectAll(CL_INVALID_EVENT_WAIT_LIST, [&](Arguments& a) {
    a.waitCount = 1;
    a.waits = &none;
  });
}

TEST_F(ImageErrorsTest, BlockingCallsAfterAFailure) {
  Owned<cl_event> failed = makeUserEvent();
  ASSERT_EQ(clSetUserEventStatus(failed, -7), CL_SUCCESS);
  cl_event wait = failed;
  for (const Command& command : commands()) {
    if (!command.blocks) continue;
    Arguments arguments = legal(command);
    arguments.blocking = CL_TRUE;
    arguments.waitCount = 1;
    arguments.waits = &wait;
    EXPECT_EQ(command.call(arguments), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) << command.name;
  }
  EXPECT_EQ(memoryInfo<cl_uint>(image_, CL_MEM_MAP_COUNT), 0u);
}

TEST_F(ImageErrorsTest, Regions) {
  expectAll(CL_INVALID_VALUE, [](Arguments& a) { a.origin = nullptr; });
  expectAll(CL_INVALID_VALUE, [](Arguments& a) { a.region = nullptr; });
  for (cl_mem_object_type type : kImageTypes) {
    SCOPED_TRACE(type);
    ImageSpec spec{type, kRgba8, {8, 6, 4}};
    const unsigned dimensions = dimensionsOf(type);
    for (unsigned i = dimensions; i < 3; ++i)
      spec.size[i] = 1;
    Owned<cl_mem> own = makeBuffer(4096);
    if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER) spec.memory = own;
    Owned<cl_mem> image = makeImage(spec);
    expectRegion(image, {}, spec.size, CL_SUCCESS);
    for (unsigned i = 0; i < 3; ++i) {
      Triple empty = spec.size, long_ = spec.size, huge = spec.size, one = {1, 1, 1};
      empty[i] = 0;
      ++long_[i];
      huge[i] = ~size_t{0};
      expectRegion(image, {}, empty, CL_INVALID_VALUE);
      expectRegion(image, {}, long_, CL_INVALID_VALUE);
      Origin origin{}, behind{};
      origin[i] = 1;
      behind[i] = spec.size[i];
      expectRegion(image, origin, spec.size, CL_INVALID_VALUE);
      expectRegion(image, origin, huge, CL_INVALID_VALUE);
      expectRegion(image, behind, one, CL_INVALID_VALUE);
      // What the type does not have is 0 and 1.
      expectRegion(image, origin, one, i < dimensions ? CL_SUCCESS : CL_INVALID_VALUE);
    }
  }
  // Both sides of a copy.
  for (const Command& command : commands()) {
    if (!command.usesOtherImage) continue;
    Arguments arguments = legal(command);
    const size_t outside[] = {16, 0, 0}, plane[] = {0, 0, 1}, tooLong[] = {17, 1, 1}, deep[] = {1, 1, 2};
    arguments.origin = outside;
    EXPECT_EQ(command.call(arguments), CL_INVALID_VALUE) << command.name;
    arguments.origin = plane;
    EXPECT_EQ(command.call(arguments), CL_INVALID_VALUE) << command.name;
    arguments.origin = kZero;
    for (const size_t* region : {tooLong, deep}) {
      arguments.region = region;
      EXPECT_EQ(command.call(arguments), CL_INVALID_VALUE) << command.name;
    }
  }
}

TEST_F(ImageErrorsTest, Levels) {
  for (cl_mem_object_type type : kImageTypes) {
    if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER) continue;
    SCOPED_TRACE(type);
    ImageSpec spec{.type = type, .size = {8, 4, 4}, .levels = 3};
    const unsigned dimensions = dimensionsOf(type);
    for (unsigned i = dimensions; i < 3; ++i)
      spec.size[i] = 1;
    Owned<cl_mem> image = makeImage(spec);
    Origin origin{};
    origin[dimensions] = 2;
    expectRegion(image, origin, extentOf(spec, 2), CL_SUCCESS);
    expectRegion(image, origin, extentOf(spec, 1), CL_INVALID_VALUE);
    origin[dimensions] = 3;
    expectRegion(image, origin, {1, 1, 1}, CL_INVALID_MIP_LEVEL);
  }
}

TEST_F(ImageErrorsTest, HostPitches) {
  const auto code = [&](cl_mem image, Triple region, size_t rowPitch, size_t slicePitch, void* pointer) {
    const cl_int read = clEnqueueReadImage(queue_, image, CL_TRUE, kZero, region.data(), rowPitch, slicePitch, pointer, 0,
                                           nullptr, nullptr);
    EXPECT_EQ(clEnqueueWriteImage(queue_, image, CL_TRUE, kZero, region.data(), rowPitch, slicePitch, pointer, 0, nullptr,
                                  nullptr),
              read);
    return read;
  };
  EXPECT_EQ(code(image_, {4, 4, 1}, 16, 0, host_.data()), CL_SUCCESS);
  EXPECT_EQ(code(image_, {4, 4, 1}, 16, 0, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(image_, {4, 4, 1}, 15, 0, host_.data()), CL_INVALID_VALUE);
  EXPECT_EQ(code(image_, {4, 4, 1}, 16, 64, host_.data()), CL_INVALID_VALUE) << "a 2D image has no slices";
  Owned<cl_mem> solid = makeImage({CL_MEM_OBJECT_IMAGE3D, kRgba8, {8, 4, 4}});
  EXPECT_EQ(code(solid, {4, 4, 2}, 20, 80, host_.data()), CL_SUCCESS);
  EXPECT_EQ(code(solid, {4, 4, 2}, 20, 79, host_.data()), CL_INVALID_VALUE);
  EXPECT_EQ(code(solid, {4, 4, 2}, ~size_t{0} / 2, 0, host_.data()), CL_INVALID_VALUE);
  EXPECT_EQ(code(solid, {4, 4, 3}, 0, ~size_t{0} / 2, host_.data()), CL_INVALID_VALUE);
  Owned<cl_mem> lines = makeImage({CL_MEM_OBJECT_IMAGE1D_ARRAY, kRgba8, {8, 4, 1}});
  EXPECT_EQ(code(lines, {4, 4, 1}, 20, 20, host_.data()), CL_SUCCESS) << "each layer is a row";
  EXPECT_EQ(code(lines, {4, 4, 1}, 20, 19, host_.data()), CL_INVALID_VALUE);
}

TEST_F(ImageErrorsTest, HostAccessFlags) {
  const auto reads = [&](cl_mem image) {
    return clEnqueueReadImage(queue_, image, CL_TRUE, kZero, kOne, 0, 0, host_.data(), 0, nullptr, nullptr);
  };
  const auto writes = [&](cl_mem image) {
    return clEnqueueWriteImage(queue_, image, CL_TRUE, kZero, kOne, 0, 0, host_.data(), 0, nullptr, nullptr);
  };
  const auto maps = [&](cl_mem image, cl_map_flags flags) {
    size_t pitch = 0;
    cl_int status = 1;
    void* pointer = clEnqueueMapImage(queue_, image, CL_TRUE, flags, kZero, kOne, &pitch, nullptr, 0, nullptr, nullptr,
                                      &status);
    if (pointer) clEnqueueUnmapMemObject(queue_, image, pointer, 0, nullptr, nullptr);
    return status;
  };
  for (cl_mem_flags flags : {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_NO_ACCESS}) {
    Owned<cl_mem> image = makeImage(spec_, flags);
    const cl_int read = flags == CL_MEM_HOST_READ_ONLY ? CL_SUCCESS : CL_INVALID_OPERATION;
    const cl_int write = flags == CL_MEM_HOST_WRITE_ONLY ? CL_SUCCESS : CL_INVALID_OPERATION;
    EXPECT_EQ(reads(image), read);
    EXPECT_EQ(writes(image), write);
    EXPECT_EQ(maps(image, CL_MAP_READ), read);
    EXPECT_EQ(maps(image, CL_MAP_WRITE), write);
    EXPECT_EQ(maps(image, CL_MAP_WRITE_INVALIDATE_REGION), write);
    EXPECT_EQ(maps(image, CL_MAP_READ | CL_MAP_WRITE), CL_INVALID_OPERATION);
    // Copies and fills do not go by them.
    EXPECT_EQ(clEnqueueFillImage(queue_, image, host_.data(), kZero, kOne, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clEnqueueCopyImage(queue_, image, target_, kZero, kZero, kOne, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clEnqueueCopyImageToBuffer(queue_, image, buffer_, kZero, kOne, 0, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clEnqueueCopyBufferToImage(queue_, buffer_, image, 0, kZero, kOne, 0, nullptr, nullptr), CL_SUCCESS);
  }
}

// cl_ext_immutable_memory_objects
TEST_F(ImageErrorsTest, ImmutableObjects) {
  std::vector<std::byte> host(4096);
  const cl_mem_flags flags = CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR;
  Owned<cl_mem> image = makeImage(spec_, flags, host.data()), buffer = makeBuffer(4096, flags, host.data());
  for (const Command& command : commands()) {
    Arguments arguments = legal(command);
    arguments.image = image;
    const std::string name = command.name;
    const bool writes = name == "write" || name == "fill" || name == "copy to" || name == "copy from a buffer";
    EXPECT_EQ(command.call(arguments), writes ? CL_INVALID_OPERATION : CL_SUCCESS) << name;
  }
  EXPECT_EQ(clEnqueueCopyImageToBuffer(queue_, image_, buffer, kZero, kOne, 0, 0, nullptr, nullptr),
            CL_INVALID_OPERATION);
  size_t pitch = 0;
  cl_int status = 1;
  for (cl_map_flags map : {CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION}) {
    EXPECT_EQ(clEnqueueMapImage(queue_, image, CL_TRUE, map, kZero, kOne, &pitch, nullptr, 0, nullptr, nullptr, &status),
              nullptr);
    EXPECT_EQ(status, CL_INVALID_OPERATION);
    EXPECT_EQ(clEnqueueMapBuffer(queue_, buffer, CL_TRUE, map, 0, 4, 0, nullptr, nullptr, &status), nullptr);
    EXPECT_EQ(status, CL_INVALID_OPERATION);
  }
  EXPECT_EQ(clEnqueueWriteBuffer(queue_, buffer, CL_TRUE, 0, 4, host.data(), 0, nullptr, nullptr), CL_INVALID_OPERATION);
  EXPECT_EQ(clEnqueueWriteBufferRect(queue_, buffer, CL_TRUE, kZero, kZero, kOne, 0, 0, 0, 0, host.data(), 0, nullptr,
                                     nullptr),
            CL_INVALID_OPERATION);
  EXPECT_EQ(clEnqueueCopyBuffer(queue_, buffer_, buffer, 0, 0, 4, 0, nullptr, nullptr), CL_INVALID_OPERATION);
  EXPECT_EQ(clEnqueueCopyBuffer(queue_, buffer, buffer_, 0, 0, 4, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clEnqueueCopyBufferRect(queue_, buffer_, buffer, kZero, kZero, kOne, 0, 0, 0, 0, 0, nullptr, nullptr),
            CL_INVALID_OPERATION);
  EXPECT_EQ(clEnqueueFillBuffer(queue_, buffer, host.data(), 4, 0, 64, 0, nullptr, nullptr), CL_INVALID_OPERATION);
  // Creation: contents have to be there, and no part may be written.
  EXPECT_EQ(clCreateBuffer(context_, CL_MEM_IMMUTABLE_EXT, 64, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateBuffer(context_, flags | CL_MEM_READ_WRITE, 64, host.data(), &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  const cl_buffer_region region{0, 64};
  for (cl_mem_flags wide : {CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_MEM_HOST_WRITE_ONLY}) {
    EXPECT_EQ(clCreateSubBuffer(buffer, wide, CL_BUFFER_CREATE_TYPE_REGION, &region, &status), nullptr);
    EXPECT_EQ(status, CL_INVALID_VALUE);
  }
}

TEST_F(ImageErrorsTest, CopyFormats) {
  for (const cl_image_format& format :
       {cl_image_format{CL_BGRA, CL_UNORM_INT8}, {CL_RGBA, CL_SNORM_INT8}, {CL_sRGBA, CL_UNORM_INT8}}) {
    Owned<cl_mem> other = makeImage({CL_MEM_OBJECT_IMAGE2D, format, {16, 8, 1}});
    EXPECT_EQ(clEnqueueCopyImage(queue_, image_, other, kZero, kZero, kOne, 0, nullptr, nullptr),
              CL_IMAGE_FORMAT_MISMATCH);
  }
}

TEST_F(ImageErrorsTest, CopyOverlaps) {
  const auto code = [&](cl_mem from, cl_mem to, Triple source, Triple target, Triple size) {
    return clEnqueueCopyImage(queue_, from, to, source.data(), target.data(), size.data(), 0, nullptr, nullptr);
  };
  EXPECT_EQ(code(image_, image_, {0, 0, 0}, {4, 0, 0}, {4, 8, 1}), CL_SUCCESS);
  EXPECT_EQ(code(image_, image_, {0, 0, 0}, {3, 0, 0}, {4, 8, 1}), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(code(image_, image_, {0, 0, 0}, {0, 4, 0}, {16, 4, 1}), CL_SUCCESS);
  EXPECT_EQ(code(image_, image_, {0, 0, 0}, {0, 3, 0}, {16, 4, 1}), CL_MEM_COPY_OVERLAP);
  Owned<cl_mem> layers = makeImage({CL_MEM_OBJECT_IMAGE2D_ARRAY, kRgba8, {16, 8, 4}});
  EXPECT_EQ(code(layers, layers, {0, 0, 0}, {0, 0, 2}, {16, 8, 2}), CL_SUCCESS);
  EXPECT_EQ(code(layers, layers, {0, 0, 0}, {0, 0, 1}, {16, 8, 2}), CL_MEM_COPY_OVERLAP);
  // Two images of one buffer.
  Owned<cl_mem> one = makeImage({.size = {16, 8, 1}, .rowPitch = 64, .memory = buffer_});
  Owned<cl_mem> two = makeImage({.size = {16, 8, 1}, .rowPitch = 128, .memory = buffer_});
  EXPECT_EQ(code(one, two, {0, 1, 0}, {0, 0, 0}, {16, 1, 1}), CL_SUCCESS);
  EXPECT_EQ(code(one, two, {0, 2, 0}, {8, 1, 0}, {8, 1, 1}), CL_SUCCESS);
  EXPECT_EQ(code(one, two, {0, 2, 0}, {7, 1, 0}, {8, 1, 1}), CL_MEM_COPY_OVERLAP);
}

TEST_F(ImageErrorsTest, FillsWithoutAColour) {
  EXPECT_EQ(clEnqueueFillImage(queue_, image_, nullptr, kZero, kOne, 0, nullptr, nullptr), CL_INVALID_VALUE);
}

TEST_F(ImageErrorsTest, BuffersOfCopies) {
  const size_t region[] = {16, 8, 1};
  for (size_t offset : {size_t{0}, size_t{4096 - 512}, size_t{4096 - 511}, size_t{4096}, ~size_t{0}}) {
    const cl_int code = offset <= 4096 - 512 ? CL_SUCCESS : CL_INVALID_VALUE;
    EXPECT_EQ(clEnqueueCopyImageToBuffer(queue_, image_, buffer_, kZero, region, offset, 0, nullptr, nullptr), code);
    EXPECT_EQ(clEnqueueCopyBufferToImage(queue_, buffer_, image_, offset, kZero, region, 0, nullptr, nullptr), code);
  }
  // A 1D image buffer and its own buffer.
  Owned<cl_mem> line = makeImage({CL_MEM_OBJECT_IMAGE1D_BUFFER, kRgba8, {64, 1, 1}, 0, 0, 0, buffer_});
  EXPECT_EQ(clEnqueueCopyImageToBuffer(queue_, line, buffer_, kZero, kOne, 1024, 0, nullptr, nullptr),
            CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueCopyBufferToImage(queue_, buffer_, line, 1024, kZero, kOne, 0, nullptr, nullptr),
            CL_INVALID_MEM_OBJECT);
}

TEST_F(ImageErrorsTest, MapArguments) {
  Owned<cl_mem> solid = makeImage({CL_MEM_OBJECT_IMAGE3D, kRgba8, {8, 4, 4}});
  size_t rowPitch = 0, slicePitch = 0;
  const auto code = [&](cl_mem image, cl_map_flags flags, size_t* row, size_t* slice) {
    cl_int status = 1;
    void* pointer = clEnqueueMapImage(queue_, image, CL_TRUE, flags, kZero, kOne, row, slice, 0, nullptr, nullptr,
                                      &status);
    if (pointer) clEnqueueUnmapMemObject(queue_, image, pointer, 0, nullptr, nullptr);
    return status;
  };
  EXPECT_EQ(code(solid, CL_MAP_READ, &rowPitch, &slicePitch), CL_SUCCESS);
  EXPECT_EQ(code(solid, CL_MAP_READ, nullptr, &slicePitch), CL_INVALID_VALUE);
  EXPECT_EQ(code(solid, CL_MAP_READ, &rowPitch, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(code(image_, CL_MAP_READ, &rowPitch, nullptr), CL_SUCCESS);
  EXPECT_EQ(code(solid, 1U << 10, &rowPitch, &slicePitch), CL_INVALID_VALUE);
  EXPECT_EQ(code(solid, CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_READ, &rowPitch, &slicePitch), CL_INVALID_VALUE);
}

// Where a buffer is wanted, an image is none.
TEST_F(ImageErrorsTest, ImagesAreNoBuffers) {
  cl_int status = 1;
  EXPECT_EQ(clEnqueueReadBuffer(queue_, image_, CL_TRUE, 0, 4, host_.data(), 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueWriteBuffer(queue_, image_, CL_TRUE, 0, 4, host_.data(), 0, nullptr, nullptr),
            CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueCopyBuffer(queue_, image_, buffer_, 0, 0, 4, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueCopyBuffer(queue_, buffer_, image_, 0, 0, 4, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueFillBuffer(queue_, image_, host_.data(), 4, 0, 4, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueReadBufferRect(queue_, image_, CL_TRUE, kZero, kZero, kOne, 0, 0, 0, 0, host_.data(), 0, nullptr,
                                    nullptr),
            CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clEnqueueMapBuffer(queue_, image_, CL_TRUE, CL_MAP_READ, 0, 4, 0, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_MEM_OBJECT);
  const cl_buffer_region region{0, 64};
  EXPECT_EQ(clCreateSubBuffer(image_, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_MEM_OBJECT);
}

} // namespace

} // namespace clotho::test
