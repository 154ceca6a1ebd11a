// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Commands on images against a model: bytes in the host's memory, with loops over texels.
#include "images.hpp"

#include <algorithm>
#include <random>

namespace clotho::test {

namespace {

/// The texels of all levels, one by one.
class Model {
 public:
  explicit Model(const ImageSpec& spec) : spec_(spec) {
    for (cl_uint level = 0; level < std::max<cl_uint>(spec.levels, 1); ++level)
      levels_.emplace_back(volume(extentOf(spec, level)) * texelSize(spec.format));
  }
  std::byte* at(cl_uint level, size_t x, size_t y, size_t z) {
    const Triple size = extentOf(spec_, level);
    return levels_[level].data() + ((z * size[1] + y) * size[0] + x) * texelSize(spec_.format);
  }
  std::vector<std::byte>& level(cl_uint number) { return levels_[number]; }
  size_t levelCount() const { return levels_.size(); }

 private:
  ImageSpec spec_;
  std::vector<std::vector<std::byte>> levels_;
};

/// A region of a level.
struct Region {
  cl_uint level;
  Triple origin, size;

  /// As calls want it.
  Origin callOrigin(const ImageSpec& spec) const {
    Origin result{origin[0], origin[1], origin[2], 0};
    if (spec.levels > 1) result[dimensionsOf(spec.type)] = level;
    return result;
  }
};

template <class Use> void forEachTexel(const Triple& size, Use&& use) {
  for (size_t z = 0; z < size[2]; ++z)
    for (size_t y = 0; y < size[1]; ++y)
      for (size_t x = 0; x < size[0]; ++x)
        use(x, y, z);
}

class ImageTransferTest : public ImageApi {
 protected:
  /// An image, its model, and for images of buffers the buffer.
  struct Subject {
    ImageSpec spec;
    Owned<cl_mem> buffer, image;
    Model model;
  };

  void SetUp() override {
    ImageApi::SetUp();
    // One queue on each device of the context, so that the bytes move between their memories.
    for (cl_device_id device : listAnswer<cl_device_id>(CLOTHO_INFO(clGetContextInfo, context_, CL_CONTEXT_DEVICES))) {
      cl_int status = 1;
      queues_.emplace_back(clCreateCommandQueueWithProperties(context_, device, nullptr, &status));
      ASSERT_EQ(status, CL_SUCCESS);
    }
  }
  /// All that was enqueued before is done.
  cl_command_queue anyQueue() {
    for (cl_command_queue queue : queues_)
      EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    return queues_[random(0, queues_.size() - 1)];
  }

  size_t random(size_t least, size_t most) { return std::uniform_int_distribution<size_t>(least, most)(engine_); }

  Subject makeSubject(cl_mem_object_type type, const cl_image_format& format, cl_uint levels) {
    ImageSpec spec{.type = type, .format = format, .levels = levels};
    for (unsigned i = 0; i < 3; ++i)
      spec.size[i] = i < dimensionsOf(type) ? random(i == 0 ? 9 : 4, i == 0 ? 70 : 9) : 1;
    Owned<cl_mem> buffer;
    if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
      buffer = makeBuffer(4096);
      spec.memory = buffer;
    }
    Owned<cl_mem> image = makeImage(spec);
    Model model(spec);
    for (cl_uint level = 0; level < model.levelCount(); ++level) {
      model.level(level) = pattern(model.level(level).size(), static_cast<unsigned>(engine_()));
      setTexels(image, spec, model.level(level), level);
    }
    return {spec, std::move(buffer), std::move(image), std::move(model)};
  }

  Region randomRegion(const ImageSpec& spec) {
    Region region{spec.levels > 1 ? static_cast<cl_uint>(random(0, spec.levels - 1)) : 0, {}, {}};
    const Triple size = extentOf(spec, region.level);
    for (unsigned i = 0; i < 3; ++i) {
      region.size[i] = random(0, 3) == 0 ? size[i] : random(1, size[i]);
      region.origin[i] = random(0, size[i] - region.size[i]);
    }
    return region;
  }

  /// Pitches that leave something between rows and slices, or 0; of what a region takes with them in the host's memory.
  struct HostLayout {
    size_t rowPitch, slicePitch; ///< as calls want them
    size_t rowStep, sliceStep, bytes;
  };
  HostLayout randomLayout(const ImageSpec& spec, const Region& region) {
    const size_t row = region.size[0] * texelSize(spec.format);
    const bool is1DArray = spec.type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    const bool hasSlices = is1DArray || dimensionsOf(spec.type) == 3;
    HostLayout layout{};
    if (random(0, 1)) layout.rowPitch = row + random(0, 40);
    const size_t rowStep = layout.rowPitch ? layout.rowPitch : row;
    const size_t leastSlice = is1DArray ? rowStep : rowStep * region.size[1];
    if (hasSlices && random(0, 1)) layout.slicePitch = leastSlice + random(0, 100);
    layout.sliceStep = layout.slicePitch ? layout.slicePitch : leastSlice;
    layout.rowStep = is1DArray ? layout.sliceStep : rowStep;
    layout.bytes = layout.sliceStep * (is1DArray ? region.size[1] : region.size[2]) + row;
    return layout;
  }

  void write(Subject& subject) {
    const Region region = randomRegion(subject.spec);
    const HostLayout layout = randomLayout(subject.spec, region);
    const std::vector<std::byte> host = pattern(layout.bytes, static_cast<unsigned>(engine_()));
    const size_t texel = texelSize(subject.spec.format);
    ASSERT_EQ(clEnqueueWriteImage(anyQueue(), subject.image, CL_TRUE, region.callOrigin(subject.spec).data(),
                                  region.size.data(), layout.rowPitch, layout.slicePitch, host.data(), 0, nullptr,
                                  nullptr),
              CL_SUCCESS);
    forEachTexel(region.size, [&](size_t x, size_t y, size_t z) {
      std::memcpy(subject.model.at(region.level, x + region.origin[0], y + region.origin[1], z + region.origin[2]),
                  host.data() + z * layout.sliceStep + y * layout.rowStep + x * texel, texel);
    });
  }

  void read(Subject& subject) {
    const Region region = randomRegion(subject.spec);
    const HostLayout layout = randomLayout(subject.spec, region);
    std::vector<std::byte> host(layout.bytes, std::byte{0x5a}), expected = host;
    const size_t texel = texelSize(subject.spec.format);
    ASSERT_EQ(clEnqueueReadImage(anyQueue(), subject.image, CL_TRUE, region.callOrigin(subject.spec).data(),
                                 region.size.data(), layout.rowPitch, layout.slicePitch, host.data(), 0, nullptr,
                                 nullptr),
              CL_SUCCESS);
    forEachTexel(region.size, [&](size_t x, size_t y, size_t z) {
      std::memcpy(expected.data() + z * layout.sliceStep + y * layout.rowStep + x * texel,
                  subject.model.at(region.level, x + region.origin[0], y + region.origin[1], z + region.origin[2]),
                  texel);
    });
    ASSERT_EQ(host, expected);
  }

  void fill(Subject& subject) {
    const Region region = randomRegion(subject.spec);
    const cl_uint colour[] = {static_cast<cl_uint>(random(0, 255)), static_cast<cl_uint>(random(0, 255)),
                              static_cast<cl_uint>(random(0, 255)), static_cast<cl_uint>(random(0, 255))};
    ASSERT_EQ(clEnqueueFillImage(anyQueue(), subject.image, colour, region.callOrigin(subject.spec).data(),
                                 region.size.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    const size_t texel = texelSize(subject.spec.format);
    std::array<std::byte, 16> bytes{};
    for (size_t i = 0; i < 4; ++i) // channels of 8 or 32 bits; the formats used here have as many as fit
      std::memcpy(bytes.data() + i * texel / channels(subject.spec.format), &colour[i],
                  texel / channels(subject.spec.format));
    forEachTexel(region.size, [&](size_t x, size_t y, size_t z) {
      std::memcpy(subject.model.at(region.level, x + region.origin[0], y + region.origin[1], z + region.origin[2]),
                  bytes.data(), texel);
    });
  }
  static size_t channels(const cl_image_format& format) {
    return format.image_channel_order == CL_R ? 1 : format.image_channel_order == CL_RG ? 2 : 4;
  }

  void copy(Subject& from, Subject& to) {
    Region source = randomRegion(from.spec), target = randomRegion(to.spec);
    for (unsigned i = 0; i < 3; ++i)
      source.size[i] = target.size[i] = std::min(source.size[i], target.size[i]);
    const cl_int status =
        clEnqueueCopyImage(anyQueue(), from.image, to.image, source.callOrigin(from.spec).data(),
                           target.callOrigin(to.spec).data(), source.size.data(), 0, nullptr, nullptr);
    if (&from == &to && source.level == target.level) {
      bool overlaps = true;
      for (unsigned i = 0; i < 3; ++i)
        overlaps = overlaps && source.origin[i] < target.origin[i] + source.size[i] &&
                   target.origin[i] < source.origin[i] + source.size[i];
      ASSERT_EQ(status, overlaps ? CL_MEM_COPY_OVERLAP : CL_SUCCESS);
      if (overlaps) return;
    }
    ASSERT_EQ(status, CL_SUCCESS);
    const size_t texel = texelSize(from.spec.format);
    forEachTexel(source.size, [&](size_t x, size_t y, size_t z) {
      std::memcpy(to.model.at(target.level, x + target.origin[0], y + target.origin[1], z + target.origin[2]),
                  from.model.at(source.level, x + source.origin[0], y + source.origin[1], z + source.origin[2]), texel);
    });
  }

  void throughBuffer(Subject& subject, bool toBuffer) {
    const Region region = randomRegion(subject.spec);
    const size_t texel = texelSize(subject.spec.format), bytes = volume(region.size) * texel, offset = random(0, 77);
    std::vector<std::byte> host = pattern(bytes + offset + 5, static_cast<unsigned>(engine_()));
    Owned<cl_mem> buffer = makeBuffer(host.size(), CL_MEM_COPY_HOST_PTR, host.data());
    const Origin origin = region.callOrigin(subject.spec);
    const cl_int status = toBuffer ? clEnqueueCopyImageToBuffer(anyQueue(), subject.image, buffer, origin.data(),
                                                                region.size.data(), offset, 0, nullptr, nullptr)
                                   : clEnqueueCopyBufferToImage(anyQueue(), buffer, subject.image, offset,
                                                                origin.data(), region.size.data(), 0, nullptr, nullptr);
    ASSERT_EQ(status, CL_SUCCESS);
    forEachTexel(region.size, [&](size_t x, size_t y, size_t z) {
      std::byte* inImage =
          subject.model.at(region.level, x + region.origin[0], y + region.origin[1], z + region.origin[2]);
      std::byte* inBuffer = host.data() + offset + ((z * region.size[1] + y) * region.size[0] + x) * texel;
      std::memcpy(toBuffer ? inBuffer : inImage, toBuffer ? inImage : inBuffer, texel);
    });
    std::vector<std::byte> seen(host.size());
    ASSERT_EQ(clEnqueueReadBuffer(anyQueue(), buffer, CL_TRUE, 0, seen.size(), seen.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    ASSERT_EQ(seen, host);
  }

  void map(Subject& subject) {
    const Region region = randomRegion(subject.spec);
    const cl_map_flags kinds[] = {CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE,
                                  CL_MAP_WRITE_INVALIDATE_REGION};
    const cl_map_flags flags = kinds[random(0, 3)];
    const bool is1DArray = subject.spec.type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    size_t rowPitch = 0, slicePitch = 0;
    cl_int status = 1;
    auto* bytes = static_cast<std::byte*>(clEnqueueMapImage(anyQueue(), subject.image, CL_TRUE, flags,
                                                            region.callOrigin(subject.spec).data(), region.size.data(),
                                                            &rowPitch, &slicePitch, 0, nullptr, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    const size_t texel = texelSize(subject.spec.format);
    bool isSame = true;
    const unsigned seed = static_cast<unsigned>(engine_());
    const std::vector<std::byte> fresh = pattern(volume(region.size) * texel, seed);
    forEachTexel(region.size, [&](size_t x, size_t y, size_t z) {
      std::byte* place = bytes + z * slicePitch + y * (is1DArray ? slicePitch : rowPitch) + x * texel;
      std::byte* model =
          subject.model.at(region.level, x + region.origin[0], y + region.origin[1], z + region.origin[2]);
      if (flags != CL_MAP_WRITE_INVALIDATE_REGION) isSame = isSame && std::memcmp(place, model, texel) == 0;
      if (flags == CL_MAP_READ) return;
      std::memcpy(place, fresh.data() + ((z * region.size[1] + y) * region.size[0] + x) * texel, texel);
      std::memcpy(model, place, texel);
    });
    EXPECT_TRUE(isSame);
    ASSERT_EQ(clEnqueueUnmapMemObject(anyQueue(), subject.image, bytes, 0, nullptr, nullptr), CL_SUCCESS);
  }

  void compare(Subject& subject) {
    static_cast<void>(anyQueue());
    for (cl_uint level = 0; level < subject.model.levelCount(); ++level)
      ASSERT_EQ(texels(subject.image, subject.spec, level), subject.model.level(level)) << "level " << level;
  }

  void run(const cl_image_format& format, unsigned seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    engine_.seed(seed);
    std::vector<Subject> subjects;
    for (cl_mem_object_type type : kImageTypes) {
      subjects.push_back(makeSubject(type, format, 0));
      if (type != CL_MEM_OBJECT_IMAGE1D_BUFFER) subjects.push_back(makeSubject(type, format, 3));
    }
    for (int step = 0; step < 120 && !HasFatalFailure(); ++step) {
      Subject& subject = subjects[random(0, subjects.size() - 1)];
      switch (random(0, 6)) {
      case 0: write(subject); break;
      case 1: read(subject); break;
      case 2: fill(subject); break;
      case 3: copy(subject, subjects[random(0, subjects.size() - 1)]); break;
      case 4: throughBuffer(subject, true); break;
      case 5: throughBuffer(subject, false); break;
      default: map(subject); break;
      }
    }
    for (Subject& subject : subjects)
      compare(subject);
  }

  std::mt19937 engine_;
  std::vector<Owned<cl_command_queue>> queues_;
};

TEST_F(ImageTransferTest, RandomCommandsOnBytes) {
  for (unsigned seed = 0; seed < 6; ++seed)
    run({CL_R, CL_UNSIGNED_INT8}, seed);
}

TEST_F(ImageTransferTest, RandomCommandsOnWords) {
  for (unsigned seed = 0; seed < 6; ++seed)
    run({CL_RGBA, CL_UNSIGNED_INT8}, seed);
}

TEST_F(ImageTransferTest, RandomCommandsOnLongTexels) {
  for (unsigned seed = 0; seed < 6; ++seed)
    run({CL_RGBA, CL_UNSIGNED_INT32}, seed);
}

// So large that several threads share the work, and stores go past the caches.
TEST_F(ImageTransferTest, LargeImages) {
  for (size_t width : {size_t{1024}, size_t{1021}}) {
    const ImageSpec spec{CL_MEM_OBJECT_IMAGE2D, {CL_RGBA, CL_FLOAT}, {width, 1200, 1}};
    Owned<cl_mem> image = makeImage(spec), other = makeImage(spec);
    const std::vector<std::byte> written = pattern(width * 1200 * 16);
    setTexels(image, spec, written);
    const Origin origin{};
    ASSERT_EQ(
        clEnqueueCopyImage(queue_, image, other, origin.data(), origin.data(), spec.size.data(), 0, nullptr, nullptr),
        CL_SUCCESS);
    EXPECT_TRUE(texels(other, spec) == written);
    const cl_float colour[] = {1, 2, 3, 4};
    const Origin inner{1, 1, 0};
    const Triple size{width - 2, 1198, 1};
    ASSERT_EQ(clEnqueueFillImage(queue_, other, colour, inner.data(), size.data(), 0, nullptr, nullptr), CL_SUCCESS);
    const std::vector<std::byte> seen = texels(other, spec);
    for (size_t y = 0; y < 1200; ++y)
      for (size_t x = 0; x < width; ++x) {
        const bool isInner = x > 0 && y > 0 && x < width - 1 && y < 1199;
        const size_t at = (y * width + x) * 16;
        const void* expected = isInner ? static_cast<const void*>(colour) : written.data() + at;
        ASSERT_EQ(std::memcmp(seen.data() + at, expected, 16), 0) << x << " " << y;
      }
  }
}

TEST_F(ImageTransferTest, CommandTypes) {
  const ImageSpec spec;
  Owned<cl_mem> image = makeImage(spec), other = makeImage(spec), buffer = makeBuffer(4096);
  std::vector<std::byte> host(4096);
  const Origin origin{};
  const cl_float colour[] = {0, 0, 0, 0};
  size_t pitch = 0;
  Owned<cl_event> event;
  const auto type = [&] {
    return valueAnswer<cl_command_type>(CLOTHO_INFO(clGetEventInfo, event, CL_EVENT_COMMAND_TYPE));
  };
  ASSERT_EQ(clEnqueueReadImage(queue_, image, CL_FALSE, origin.data(), spec.size.data(), 0, 0, host.data(), 0, nullptr,
                               event.out()),
            CL_SUCCESS);
  EXPECT_EQ(type(), cl_command_type{CL_COMMAND_READ_IMAGE});
  ASSERT_EQ(clEnqueueWriteImage(queue_, image, CL_FALSE, origin.data(), spec.size.data(), 0, 0, host.data(), 0, nullptr,
                                event.out()),
            CL_SUCCESS);
  EXPECT_EQ(type(), cl_command_type{CL_COMMAND_WRITE_IMAGE});
  ASSERT_EQ(
      clEnqueueCopyImage(queue_, image, other, origin.data(), origin.data(), spec.size.data(), 0, nullptr, event.out()),
      CL_SUCCESS);
  EXPECT_EQ(type(), cl_command_type{CL_COMMAND_COPY_IMAGE});
  ASSERT_EQ(clEnqueueFillImage(queue_, image, colour, origin.data(), spec.size.data(), 0, nullptr, event.out()),
            CL_SUCCESS);
  EXPECT_EQ(type(), cl_command_type{CL_COMMAND_FILL_IMAGE});
  ASSERT_EQ(
      clEnqueueCopyImageToBuffer(queue_, image, buffer, origin.data(), spec.size.data(), 0, 0, nullptr, event.out()),
      CL_SUCCESS);
  EXPECT_EQ(type(), cl_command_type{CL_COMMAND_COPY_IMAGE_TO_BUFFER});
  ASSERT_EQ(
      clEnqueueCopyBufferToImage(queue_, buffer, image, 0, origin.data(), spec.size.data(), 0, nullptr, event.out()),
      CL_SUCCESS);
  EXPECT_EQ(type(), cl_command_type{CL_COMMAND_COPY_BUFFER_TO_IMAGE});
  cl_int status = 1;
  void* pointer = clEnqueueMapImage(queue_, image, CL_TRUE, CL_MAP_READ, origin.data(), spec.size.data(), &pitch,
                                    nullptr, 0, nullptr, event.out(), &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(type(), cl_command_type{CL_COMMAND_MAP_IMAGE});
  ASSERT_EQ(clEnqueueUnmapMemObject(queue_, image, pointer, 0, nullptr, event.out()), CL_SUCCESS);
  EXPECT_EQ(type(), cl_command_type{CL_COMMAND_UNMAP_MEM_OBJECT});
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
}

// Commands keep images alive that the application has released.
TEST_F(ImageTransferTest, ReleasedImagesOfPendingCommands) {
  const ImageSpec spec;
  std::vector<std::byte> written = pattern(16 * 8 * 4), seen(written.size());
  Owned<cl_mem> image = makeImage(spec, CL_MEM_COPY_HOST_PTR, written.data()), other = makeImage(spec);
  const Origin origin{};
  Owned<cl_event> gate = makeUserEvent();
  cl_event wait = gate;
  ASSERT_EQ(clEnqueueCopyImage(queue_, image, other, origin.data(), origin.data(), spec.size.data(), 1, &wait, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(clEnqueueReadImage(queue_, other, CL_FALSE, origin.data(), spec.size.data(), 0, 0, seen.data(), 0, nullptr,
                               nullptr),
            CL_SUCCESS);
  image = {};
  other = {};
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(seen, written);
}

} // namespace

} // namespace clotho::test
