// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images that share their texels with something else: with other images, buffers and the host; and fills of every
// format.
#include "images.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace clotho::test {

class ViewTest : public Images {
 protected:
  Owned<cl_kernel> access(Shape shape, const std::string& name) { return kernel("access.cl", optionsFor(shape), name); }
  /// All texels of an image as kernels read them.
  void checkReads(const Picture& picture, cl_mem image, const std::string& what) {
    const Kind kind = kindOf(picture.format);
    const auto places = placesOf(picture, 1);
    Owned<cl_mem> out = makeBuffer(places.size() * 16);
    run(access(picture.shape, std::string("read_") + lettersOf(kind)), {places.size()}, 0, image, bufferOf(places),
        out);
    const std::vector<Color> colors = colorsOf(out, kind, places.size());
    Differences differences(what);
    for (std::size_t i = 0; i < places.size(); ++i)
      if (auto wrong = Expectation(picture, Sampler{}, asCoordinates(places[i])).wrong(colors[i]))
        differences.add(textOf(asCoordinates(places[i]), coordinatesOf(picture.shape)) + " " + *wrong);
  }
  /// Writes the same colour to all places; `picture` then has what the image holds, read as bytes by `download`.
  void write(const Picture& picture, cl_mem image, const Color& color) {
    const auto places = placesOf(picture, 2);
    std::vector<cl_float> numbers;
    for (std::size_t i = 0; i < places.size(); ++i)
      numbers.insert(numbers.end(), color.begin(), color.end());
    run(access(picture.shape, "write_f"), {places.size()}, 0, image, bufferOf(places), bufferOf(numbers));
  }
};

/// 2D images from 2D images: every pair of channel orders that 5.3.1.2 lists, if the context has both formats.
TEST_F(ViewTest, AnImageMayBeSeenWithAnotherChannelOrder) {
  struct Pair {
    cl_channel_order base, view;
    cl_channel_type type;
    Shape shape;
  };
  const Pair pairs[] = {
      {CL_RGBA, CL_sRGBA, CL_UNORM_INT8, Shape::Image2D}, {CL_sRGBA, CL_RGBA, CL_UNORM_INT8, Shape::Image2D},
      {CL_BGRA, CL_sBGRA, CL_UNORM_INT8, Shape::Image2D}, {CL_sBGRA, CL_BGRA, CL_UNORM_INT8, Shape::Image2D},
      {CL_R, CL_DEPTH, CL_FLOAT, Shape::Depth2D},         {CL_R, CL_DEPTH, CL_UNORM_INT16, Shape::Depth2D}};
  int tried = 0;
  for (const Pair& pair : pairs) {
    const cl_image_format baseFormat{pair.base, pair.type}, viewFormat{pair.view, pair.type};
    if (!contains(formats(CL_MEM_READ_ONLY, Shape::Image2D), baseFormat) ||
        !contains(formats(CL_MEM_READ_ONLY, pair.shape), viewFormat))
      continue;
    ++tried;
    Picture picture(Shape::Image2D, baseFormat, {37, 23, 1});
    picture.fillRandomly(3);
    DeviceImage base = makeImage(picture, CL_MEM_READ_ONLY);
    cl_image_desc desc = {};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = 37;
    desc.image_height = 23;
    ASSERT_EQ(
        clGetImageInfo(base.image, CL_IMAGE_ROW_PITCH, sizeof desc.image_row_pitch, &desc.image_row_pitch, nullptr),
        CL_SUCCESS);
    desc.mem_object = base.image;
    cl_int status = 1;
    Owned<cl_mem> view = clCreateImage(context_, 0, &viewFormat, &desc, nullptr, &status);
    if (status != CL_SUCCESS) { // a driver may want the pitch to be that of the call, which was 0
      desc.image_row_pitch = 0;
      view = clCreateImage(context_, 0, &viewFormat, &desc, nullptr, &status);
    }
    ASSERT_EQ(status, CL_SUCCESS) << nameOf(viewFormat) << " of " << nameOf(baseFormat);
    Picture seen = picture;
    seen.shape = pair.shape;
    seen.format = viewFormat;
    checkReads(seen, view, nameOf(viewFormat) + " of " + nameOf(baseFormat));
    checkReads(picture, base.image, nameOf(baseFormat));
    // What the host writes to one is in the other.
    picture.fillRandomly(4);
    upload(base, picture);
    seen.levels = picture.levels;
    checkReads(seen, view, nameOf(viewFormat) + " of " + nameOf(baseFormat) + ", written again");
  }
  EXPECT_GE(tried, 4);
}

/// An image on a part of a buffer, and what kernels and the host write to either.
TEST_F(ViewTest, AnImageOfABufferIsTheBuffer) {
  auto alignment = valueAnswer<cl_uint>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MEM_BASE_ADDR_ALIGN)) / 8;
  const std::size_t offset = 3 * alignment, count = 1000;
  std::vector<cl_float> numbers(offset / 4 + 4 * count + 50);
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  Owned<cl_mem> buffer = bufferOf(numbers);
  const cl_buffer_region region{offset, count * 16};
  cl_int status = 1;
  Owned<cl_mem> part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const cl_image_format format{CL_RGBA, CL_FLOAT};
  cl_image_desc desc = {};
  desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
  desc.image_width = count;
  desc.mem_object = part;
  Owned<cl_mem> image = clCreateImage(context_, 0, &format, &desc, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Picture picture(Shape::Buffer1D, format, {count, 1, 1});
  std::memcpy(picture.levels[0].texels.data(), &numbers[offset / 4], count * 16);
  checkReads(picture, image, "as the buffer was made");
  write(picture, image, {1, 2, 3, 4});
  auto content = contentOf<cl_float>(buffer, numbers.size());
  for (std::size_t i = 0; i < content.size(); ++i) {
    const bool inImage = i >= offset / 4 && i < offset / 4 + 4 * count;
    ASSERT_EQ(content[i], inImage ? static_cast<cl_float>((i - offset / 4) % 4 + 1) : numbers[i]) << i;
  }
  const cl_float nine = 9;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer, &nine, 4, offset, 160, 0, nullptr, nullptr), CL_SUCCESS);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t c = 0; c < 4; ++c) {
      const cl_float value = i < 10 ? nine : static_cast<cl_float>(c + 1);
      std::memcpy(picture.levels[0].texels.data() + i * 16 + c * 4, &value, 4);
    }
  checkReads(picture, image, "after a fill of the buffer");
}

/// Images in the host's memory, with gaps between rows and slices.
TEST_F(ViewTest, ImagesLieWhereTheHostSays) {
  for (Shape shape : {Shape::Array1D, Shape::Image2D, Shape::Array2D, Shape::Image3D}) {
    const cl_image_format format{CL_RGBA, CL_UNORM_INT8};
    const ShapeFacts& facts = factsOf(shape);
    Picture picture(shape, format, {21, 9, 5}, facts.array ? 5 : 1);
    picture.fillRandomly(5);
    const auto& sizes = picture.levels[0].sizes;
    const std::size_t row = 21 * 4, rowPitch = row + 12, rows = sizes[1];
    const std::size_t slicePitch = shape == Shape::Array1D ? rowPitch * 2 : rowPitch * (rows + 2);
    const std::size_t slices = sizes[2] * picture.layers;
    std::vector<std::byte> host(slicePitch * slices, std::byte{0x77});
    auto place = [&](std::size_t y, std::size_t z) { return host.data() + z * slicePitch + y * rowPitch; };
    for (std::size_t z = 0; z < slices; ++z)
      for (std::size_t y = 0; y < rows; ++y)
        std::memcpy(place(y, z), &picture.levels[0].texels[(z * rows + y) * row], row);
    cl_image_desc desc = {};
    desc.image_type = facts.object;
    desc.image_width = 21;
    desc.image_height = facts.axes > 1 ? rows : 0;
    desc.image_depth = facts.axes > 2 ? sizes[2] : 0;
    desc.image_array_size = facts.array ? picture.layers : 0;
    desc.image_row_pitch = rowPitch;
    desc.image_slice_pitch = shape == Shape::Image2D ? 0 : slicePitch;
    for (cl_mem_flags flags : {CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR}) {
      cl_int status = 1;
      Owned<cl_mem> image = clCreateImage(context_, CL_MEM_READ_WRITE | flags, &format, &desc, host.data(), &status);
      ASSERT_EQ(status, CL_SUCCESS) << facts.name;
      checkReads(picture, image, facts.name + std::string(flags == CL_MEM_USE_HOST_PTR ? " used" : " copied"));
      if (flags != CL_MEM_USE_HOST_PTR) continue;
      write(picture, image, {1, 0, 1, 0});
      const std::size_t origin[3] = {0, 0, 0};
      const std::size_t region[3] = {21, shape == Shape::Array1D ? picture.layers : rows,
                                     shape == Shape::Array1D ? 1 : slices};
      std::size_t mappedRow = 0, mappedSlice = 0;
      void* mapped = clEnqueueMapImage(queue_, image, CL_TRUE, CL_MAP_READ, origin, region, &mappedRow, &mappedSlice, 0,
                                       nullptr, nullptr, &status);
      ASSERT_EQ(status, CL_SUCCESS);
      EXPECT_EQ(mapped, host.data()) << "what is mapped lies at the host's pointer (5.3.4)";
      if (facts.axes > 1) EXPECT_EQ(mappedRow, rowPitch);
      if (shape != Shape::Image2D) EXPECT_EQ(mappedSlice, slicePitch);
      for (std::size_t z = 0; z < slices; ++z)
        for (std::size_t y = 0; y < rows; ++y)
          for (std::size_t x = 0; x < rowPitch; ++x) {
            const std::byte want = x >= row ? std::byte{0x77} : x % 2 ? std::byte{0} : std::byte{255};
            ASSERT_EQ(place(y, z)[x], want) << facts.name << ": byte " << x << " of row " << y << ", " << z;
          }
      ASSERT_EQ(clEnqueueUnmapMemObject(queue_, image, mapped, 0, nullptr, nullptr), CL_SUCCESS);
      ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
      // As it was, for the next one.
      for (std::size_t z = 0; z < slices; ++z)
        for (std::size_t y = 0; y < rows; ++y)
          std::memcpy(place(y, z), &picture.levels[0].texels[(z * rows + y) * row], row);
    }
  }
}

/// Fills convert the colour as writes do (5.3.3), and leave the rest of the image.
TEST_F(ViewTest, FillsOfEveryFormat) {
  for (Shape shape : kShapes) {
    if (shape == Shape::From2D) continue;
    std::size_t n = 0;
    for (const cl_image_format& format : formats(CL_MEM_READ_ONLY, shape)) {
      const Kind kind = kindOf(format);
      Picture picture = pictureFor(shape, format, 3 * n++);
      picture.fillRandomly(static_cast<unsigned>(n));
      DeviceImage image = makeImage(picture);
      const Color real = n % 2 ? Color{0.3, -0.6, 2, 0.75} : Color{1, 0.0019, 0.51, 0};
      const Color whole = n % 2 ? Color{-200, 40000, 70, -3} : Color{1e9, -1e9, 127, 128};
      Color color = kind == Kind::Float ? real : whole;
      cl_float floats[4];
      cl_int ints[4];
      cl_uint uints[4];
      for (int c = 0; c < 4; ++c) {
        if (kind == Kind::Uint) color[c] = std::fabs(color[c]);
        floats[c] = static_cast<cl_float>(color[c]);
        ints[c] = static_cast<cl_int>(std::clamp(color[c], -2e9, 2e9));
        uints[c] = static_cast<cl_uint>(std::fabs(color[c]));
        if (kind == Kind::Float) color[c] = floats[c];
      }
      const void* pattern = kind == Kind::Float ? static_cast<void*>(floats)
                            : kind == Kind::Int ? ints
                                                : static_cast<void*>(uints);
      // All but the outermost texels, where there are enough.
      std::size_t origin[3] = {0, 0, 0}, region[3] = {1, 1, 1};
      const ShapeFacts& facts = factsOf(shape);
      for (int axis = 0; axis < coordinatesOf(shape); ++axis) {
        const std::size_t size = axis < facts.axes ? picture.levels[0].sizes[axis] : picture.layers;
        origin[axis] = size > 2 ? 1 : 0;
        region[axis] = size > 2 ? size - 2 : size;
      }
      ASSERT_EQ(clEnqueueFillImage(queue_, image.image, pattern, origin, region, 0, nullptr, nullptr), CL_SUCCESS)
          << facts.name << " " << nameOf(format);
      const Picture after = download(image, picture);
      Differences differences(std::string(facts.name) + " " + nameOf(format));
      for (const auto& at : placesOf(picture, 1)) {
        long layer;
        const auto place = placeIn(picture, at, layer);
        bool inside = true;
        for (int axis = 0; axis < coordinatesOf(shape); ++axis)
          inside &= at[axis] >= static_cast<cl_int>(origin[axis]) &&
                    at[axis] < static_cast<cl_int>(origin[axis] + region[axis]);
        const std::byte* texel = after.texel(place, layer);
        const std::string where = textOf(asCoordinates(at), coordinatesOf(shape));
        if (inside) {
          if (auto wrong = wrongWrite(format, color, texel)) differences.add(where + " " + *wrong);
        } else if (std::memcmp(texel, picture.texel(place, layer), texelSize(format)) != 0) {
          differences.add(where + " changed");
        }
      }
    }
  }
}

/// Numbers around every step of sRGB's curve, and those that are no colours (OpenCL C 8.3.5).
TEST_F(ViewTest, WritesOfSrgbRoundAsTheySay) {
  const cl_image_format format{CL_sRGBA, CL_UNORM_INT8};
  if (!hasExtension("cl_khr_srgb_image_writes")) GTEST_SKIP() << "no writes of sRGB";
  ASSERT_TRUE(contains(formats(CL_MEM_WRITE_ONLY, Shape::Image2D), format));
  std::vector<float> values = {0,
                               1,
                               -1,
                               2,
                               0.0031308F,
                               0.0031307F,
                               0.0031309F,
                               1e-30F,
                               std::numeric_limits<float>::infinity(),
                               -std::numeric_limits<float>::infinity(),
                               std::numeric_limits<float>::quiet_NaN(),
                               std::numeric_limits<float>::denorm_min()};
  for (int step = 0; step < 255; ++step)
    for (double part : {0.0, 0.35, 0.45, 0.55, 0.65})
      values.push_back(static_cast<float>(srgbToLinear((step + part) / 255)));
  while (values.size() % 4)
    values.push_back(0.5F);
  const std::size_t count = values.size() / 4;
  Picture picture(Shape::Image2D, format, {count, 1, 1});
  DeviceImage image = makeImage(picture);
  std::vector<std::array<cl_int, 4>> at(count);
  for (std::size_t i = 0; i < count; ++i)
    at[i] = {static_cast<cl_int>(i), 0, 0, 0};
  run(access(Shape::Image2D, "write_f"), {count}, 0, image.image, bufferOf(at), bufferOf(values));
  const Picture after = download(image, picture);
  Differences differences("sRGB");
  for (std::size_t i = 0; i < count; ++i) {
    Color color;
    std::copy_n(&values[4 * i], 4, color.begin());
    if (auto wrong = wrongWrite(format, color, after.texel({static_cast<long>(i), 0, 0}, 0))) differences.add(*wrong);
  }
}

/// More than 4 GiB: offsets do not fit 32 bits.
TEST_F(ViewTest, ImagesMayBeLargerThan4GiB) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need too much memory beside it";
  struct Large {
    Shape shape;
    cl_image_format format;
    std::array<std::size_t, 3> sizes;
    std::size_t layers;
  };
  const Large all[] = {{Shape::Image3D, {CL_RGBA, CL_UNSIGNED_INT32}, {512, 600, 900}, 1},
                       {Shape::Array2D, {CL_RGBA, CL_UNSIGNED_INT32}, {4096, 4100, 1}, 17}};
  const auto limit = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  bool some = false;
  for (const Large& large : all) {
    const std::size_t bytes = large.sizes[0] * large.sizes[1] * large.sizes[2] * large.layers * texelSize(large.format);
    ASSERT_GT(bytes, std::size_t{1} << 32);
    if (bytes > limit || isFar()) continue; // the far device has its memory beside the host's
    cl_image_desc desc = {};
    desc.image_type = factsOf(large.shape).object;
    desc.image_width = large.sizes[0];
    desc.image_height = large.sizes[1];
    desc.image_depth = large.sizes[2];
    desc.image_array_size = large.layers;
    cl_int status = 1;
    Owned<cl_mem> image = clCreateImage(context_, CL_MEM_READ_WRITE, &large.format, &desc, nullptr, &status);
    if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE) continue;
    ASSERT_EQ(status, CL_SUCCESS);
    some = true;
    // Places all over it, the last texel with them, each once.
    const std::size_t outer = large.sizes[2] * large.layers, count = 1000;
    std::mt19937 random(6);
    std::vector<std::array<cl_int, 4>> at(count), colors(count);
    for (std::size_t i = 0; i < count; ++i) {
      at[i] = {static_cast<cl_int>(random() % large.sizes[0]), static_cast<cl_int>(i % large.sizes[1]),
               static_cast<cl_int>(random() % outer), 0};
      colors[i] = {static_cast<cl_int>(i), static_cast<cl_int>(random() >> 1), 5, 6};
    }
    at.back() = {static_cast<cl_int>(large.sizes[0] - 1), static_cast<cl_int>(large.sizes[1] - 1),
                 static_cast<cl_int>(outer - 1), 0};
    run(access(large.shape, "write_ui"), {count}, 0, image, bufferOf(at), bufferOf(colors));
    Owned<cl_mem> out = makeBuffer(count * 16);
    run(access(large.shape, "read_ui"), {count}, 0, image, bufferOf(at), out);
    auto got = contentOf<std::array<cl_int, 4>>(out, count);
    SamplerObject sampler(context_, {false, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST});
    run(access(large.shape, "sample_ui_integer"), {count}, 0, image, static_cast<cl_sampler>(sampler), bufferOf(at),
        out);
    auto sampled = contentOf<std::array<cl_int, 4>>(out, count);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(got[i], colors[i]) << factsOf(large.shape).name << ", " << textOf(asCoordinates(at[i]), 3);
      ASSERT_EQ(sampled[i], colors[i]) << factsOf(large.shape).name << ", " << textOf(asCoordinates(at[i]), 3);
      const std::size_t origin[3] = {static_cast<std::size_t>(at[i][0]), static_cast<std::size_t>(at[i][1]),
                                     static_cast<std::size_t>(at[i][2])};
      const std::size_t one[3] = {1, 1, 1};
      std::array<cl_int, 4> texel{};
      if (i % 50 == 0 || i + 1 == count) {
        ASSERT_EQ(clEnqueueReadImage(queue_, image, CL_TRUE, origin, one, 0, 0, texel.data(), 0, nullptr, nullptr),
                  CL_SUCCESS);
        ASSERT_EQ(texel, colors[i]);
      }
    }
  }
  if (!some) GTEST_SKIP() << "no memory for them";
}

} // namespace clotho::test
