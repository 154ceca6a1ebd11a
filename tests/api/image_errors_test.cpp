// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The errors that commands on images give (OpenCL 3.0, sections 5.3.3 to 5.3.8).
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
               return clEnqueueFillImage(a.queue, a.image, colour_, a.origin, a.region, a.waitCount, a.waits, nullptr);
             }},
            {"map", true, false, false,
             [](const Arguments& a) {
               size_t rowPitch = 0, slicePitch = 0;
               cl_int status = 1;
               void* pointer = clEnqueueMapImage(a.queue, a.image, a.blocking, CL_MAP_READ, a.origin, a.region,
                                                 &rowPitch, &slicePitch, a.waitCount, a.waits, nullptr, &status);
               EXPECT_EQ(pointer == nullptr, status != CL_SUCCESS);
               if (pointer)
                 EXPECT_EQ(clEnqueueUnmapMemObject(a.queue, a.image, pointer, 0, nullptr, nullptr), CL_SUCCESS);
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
  cl_int createCode(const ImageSpec& spec, cl_mem_flags flags = CL_MEM_READ_WRITE, void* host = nullptr) {
    const cl_image_desc desc = describe(spec);
    cl_int status = 1;
    Owned<cl_mem> image = clCreateImage(context_, flags, &spec.format, &desc, host, &status);
    EXPECT_EQ(image.get() == nullptr, status != CL_SUCCESS);
    return status;
  }
  static constexpr size_t kZero[4] = {0, 0, 0, 0}, kOne[3] = {1, 1, 1};
  const ImageSpec spec_{.size = {16, 8, 1}};
  std::vector<std::byte> host_ = std::vector<std::byte>(1 << 16);
  const float colour_[4] = {}; // commands that still run may write `host_`
  Owned<cl_mem> image_, target_, buffer_, otherBuffer_, otherImage_;
  Owned<cl_context> otherContext_;
  Owned<cl_event> otherEvent_;
};

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
    const cl_int read = clEnqueueReadImage(queue_, image, CL_TRUE, kZero, region.data(), rowPitch, slicePitch, pointer,
                                           0, nullptr, nullptr);
    EXPECT_EQ(clEnqueueWriteImage(queue_, image, CL_TRUE, kZero, region.data(), rowPitch, slicePitch, pointer, 0,
                                  nullptr, nullptr),
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
    void* pointer =
        clEnqueueMapImage(queue_, image, CL_TRUE, flags, kZero, kOne, &pitch, nullptr, 0, nullptr, nullptr, &status);
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
    EXPECT_EQ(clEnqueueFillImage(queue_, image, colour_, kZero, kOne, 0, nullptr, nullptr), CL_SUCCESS);
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
    EXPECT_EQ(
        clEnqueueMapImage(queue_, image, CL_TRUE, map, kZero, kOne, &pitch, nullptr, 0, nullptr, nullptr, &status),
        nullptr);
    EXPECT_EQ(status, CL_INVALID_OPERATION);
    EXPECT_EQ(
        clEnqueueMapImage(queue_, image, CL_TRUE, map, kZero, kOne, nullptr, nullptr, 0, nullptr, nullptr, &status),
        nullptr);
    EXPECT_EQ(status, CL_INVALID_OPERATION) << "whatever else is wrong with the pitches";
    EXPECT_EQ(clEnqueueMapBuffer(queue_, buffer, CL_TRUE, map, 0, 4, 0, nullptr, nullptr, &status), nullptr);
    EXPECT_EQ(status, CL_INVALID_OPERATION);
  }
  EXPECT_EQ(clEnqueueWriteBuffer(queue_, buffer, CL_TRUE, 0, 4, host.data(), 0, nullptr, nullptr),
            CL_INVALID_OPERATION);
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
  EXPECT_EQ(createCode({.memory = buffer}, 0), CL_INVALID_VALUE) << "an image has to say that it is immutable";
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
    void* pointer =
        clEnqueueMapImage(queue_, image, CL_TRUE, flags, kZero, kOne, row, slice, 0, nullptr, nullptr, &status);
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

// Images are refused as arguments that must be buffers.
TEST_F(ImageErrorsTest, ImagesAreNoBuffers) {
  cl_int status = 1;
  EXPECT_EQ(clEnqueueReadBuffer(queue_, image_, CL_TRUE, 0, 4, host_.data(), 0, nullptr, nullptr),
            CL_INVALID_MEM_OBJECT);
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
