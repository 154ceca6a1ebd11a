// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every format of every shape of image, read with every sampler, read without one, written, and changed in place.
#include "images.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace clotho::test {

namespace {

constexpr std::size_t kCount = 512;
/// Local sizes take turns; 0 leaves the choice to the driver.
std::size_t localSize(std::size_t n) {
  static const std::size_t kLocals[] = {0, 64, 1, 512, 8, 32};
  return kLocals[n % 6];
}

/// Colours to write: in and out of a format's range, and those that are special.
std::vector<Color> colorsToWrite(Kind kind, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Color> colors(count);
  const double infinity = std::numeric_limits<double>::infinity(), none = std::numeric_limits<double>::quiet_NaN();
  for (Color& color : colors)
    for (double& c : color)
      if (kind == Kind::Float) {
        const double u = std::uniform_real_distribution<double>(-0.25, 1.25)(random);
        const double choices[] = {u, u, u, u - 1, u * 1000, u * 1e-3, 0, 1, -1, 0.5, infinity, -infinity, none};
        c = static_cast<float>(choices[random() % 13]);
      } else {
        const auto word = static_cast<cl_int>(random());
        const cl_int choices[] = {word, word >> 16, word >> 24, word >> 28, -129, 32768, 0x7fffffff, word & 0xff};
        const cl_int chosen = choices[random() % 8];
        if (kind == Kind::Int)
          c = chosen;
        else
          c = static_cast<cl_uint>(chosen);
      }
  return colors;
}

/// As kernels take them.
std::vector<cl_uint> wordsOf(const std::vector<Color>& colors, Kind kind) {
  std::vector<cl_uint> words;
  for (const Color& color : colors)
    for (double c : color) {
      cl_uint word;
      auto real = static_cast<float>(c);
      if (kind == Kind::Float)
        std::memcpy(&word, &real, sizeof word);
      else
        word = kind == Kind::Int ? static_cast<cl_uint>(static_cast<cl_int>(c)) : static_cast<cl_uint>(c);
      words.push_back(word);
    }
  return words;
}

} // namespace

class AccessTest : public Images, public testing::WithParamInterface<Shape> {
 protected:
  void SetUp() override {
    Images::SetUp();
    shape_ = GetParam();
    options_ = optionsFor(shape_);
    half_ = hasExtension("cl_khr_fp16");
    if (half_) options_ += " -DHALF";
    if (shape_ == Shape::From2D && !hasExtension("cl_khr_image2d_from_buffer")) GTEST_SKIP() << "no such images";
  }
  Owned<cl_kernel> access(const std::string& name) { return kernel("access.cl", options_, name); }

  /// What each place of a picture holds after a write of colours to the first of `places`; the others are as before.
  static void checkWritten(const Picture& before, const Picture& after,
                           const std::vector<std::array<cl_int, 4>>& places, const std::vector<Color>& colors,
                           const std::string& what) {
    Differences differences(what);
    for (std::size_t i = 0; i < places.size(); ++i) {
      long layer;
      const std::array<long, 3> place = placeIn(before, places[i], layer);
      const std::byte* texel = after.texel(place, layer);
      std::optional<std::string> wrong;
      if (i < colors.size())
        wrong = wrongWrite(before.format, colors[i], texel);
      else if (std::memcmp(texel, before.texel(place, layer), texelSize(before.format)) != 0)
        wrong = "changed, and nobody wrote there";
      if (wrong) differences.add(textOf(asCoordinates(places[i]), coordinatesOf(before.shape)) + " " + *wrong);
    }
  }

  Shape shape_ = Shape::Image2D;
  std::string options_;
  bool half_ = false;
};

/// The formats that OpenCL 2.2 requires (tables 13 and 14 of 5.3.2); OpenCL 3.0 requires fewer, and the conformance
/// suite looks for those only.
TEST_P(AccessTest, HasTheRequiredFormats) {
  const bool depth = factsOf(shape_).depth;
  auto wantAll = [&](cl_mem_flags flags, const std::vector<cl_image_format>& wanted) {
    const std::vector<cl_image_format> have = formats(flags, shape_);
    for (const cl_image_format& format : wanted)
      EXPECT_TRUE(contains(have, format)) << nameOf(format) << ", flags " << flags;
  };
  const cl_channel_type twelve[] = {CL_UNORM_INT8,     CL_UNORM_INT16,    CL_SNORM_INT8,   CL_SNORM_INT16,
                                    CL_SIGNED_INT8,    CL_SIGNED_INT16,   CL_SIGNED_INT32, CL_UNSIGNED_INT8,
                                    CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT,   CL_FLOAT};
  std::vector<cl_image_format> apart, together;
  if (depth) {
    apart = {{CL_DEPTH, CL_UNORM_INT16}, {CL_DEPTH, CL_FLOAT}};
  } else {
    for (cl_channel_type type : twelve) {
      for (cl_channel_order order : {CL_R, CL_RG, CL_RGBA})
        apart.push_back({order, type});
      if (type == CL_UNORM_INT16 || type == CL_SNORM_INT8 || type == CL_SNORM_INT16) continue;
      together.push_back({CL_R, type});
      together.push_back({CL_RGBA, type});
    }
    apart.push_back({CL_BGRA, CL_UNORM_INT8});
  }
  for (cl_mem_flags flags : {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE})
    wantAll(flags, apart);
  wantAll(CL_MEM_KERNEL_READ_AND_WRITE, together);
  if (!depth && shape_ != Shape::Buffer1D) wantAll(CL_MEM_READ_ONLY, {{CL_sRGBA, CL_UNORM_INT8}});
}

/// No pair that the tables of channel orders and types forbid, nothing twice, and depth for 2D images only.
TEST_P(AccessTest, ListsLegalFormatsOnly) {
  for (cl_mem_flags flags : {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE, CL_MEM_KERNEL_READ_AND_WRITE}) {
    std::vector<cl_image_format> list(1000);
    cl_uint count = 0;
    ASSERT_EQ(clGetSupportedImageFormats(context_, flags, factsOf(shape_).object, 1000, list.data(), &count),
              CL_SUCCESS);
    list.resize(count);
    for (std::size_t i = 0; i < list.size(); ++i) {
      EXPECT_TRUE(isLegal(list[i])) << nameOf(list[i]);
      EXPECT_FALSE(contains({list.begin(), list.begin() + i}, list[i])) << nameOf(list[i]) << " twice";
      if (list[i].image_channel_order == CL_DEPTH)
        EXPECT_TRUE(factsOf(shape_).object == CL_MEM_OBJECT_IMAGE2D ||
                    factsOf(shape_).object == CL_MEM_OBJECT_IMAGE2D_ARRAY);
    }
  }
}

TEST_P(AccessTest, ReadsWithEverySampler) {
  if (shape_ == Shape::Buffer1D) return; // these are read without samplers
  std::vector<Owned<cl_kernel>> kernels;
  std::size_t n = 0;
  for (const cl_image_format& format : formats(CL_MEM_READ_ONLY, shape_)) {
    const Kind kind = kindOf(format);
    Owned<cl_kernel> real = access(std::string("sample_") + lettersOf(kind) + "_real");
    Owned<cl_kernel> integer = access(std::string("sample_") + lettersOf(kind) + "_integer");
    Picture picture = pictureFor(shape_, format, n++);
    picture.fillRandomly(static_cast<unsigned>(n));
    DeviceImage image = makeImage(picture, CL_MEM_READ_ONLY);
    Owned<cl_mem> out = makeBuffer(kCount * 4 * sizeof(cl_uint));
    for (const Sampler& sampler : allSamplers()) {
      if (sampler.filter == CL_FILTER_LINEAR) {
        if (kind != Kind::Float) continue;                                                     // undefined (6.15.15.2)
        if (sampler.addressing == CL_ADDRESS_NONE && picture.levels[0].sizes[0] < 2) continue; // no place is inside
      }
      SamplerObject object(context_, sampler);
      std::vector<Coordinates> at = coordinatesFor(picture, sampler, kCount, static_cast<unsigned>(n));
      if (sampler.addressing == CL_ADDRESS_NONE && sampler.filter == CL_FILTER_LINEAR)
        for (int axis = 1; axis < factsOf(shape_).axes; ++axis)
          ASSERT_GE(picture.levels[0].sizes[axis], 2u);
      run(real, {kCount}, localSize(n), image.image, static_cast<cl_sampler>(object), bufferOf(at), out);
      std::vector<Color> colors = colorsOf(out, kind, kCount);
      Differences differences(nameOf(format) + ", " + nameOf(sampler));
      for (std::size_t i = 0; i < kCount; ++i)
        if (auto wrong = Expectation(picture, sampler, at[i]).wrong(colors[i]))
          differences.add(textOf(at[i], coordinatesOf(shape_)) + " " + *wrong);
      // Integer coordinates go with these samplers only.
      if (sampler.normalised || sampler.filter != CL_FILTER_NEAREST) continue;
      auto places = integersFor(picture, sampler.addressing != CL_ADDRESS_NONE, kCount, static_cast<unsigned>(n));
      run(integer, {kCount}, localSize(n + 1), image.image, static_cast<cl_sampler>(object), bufferOf(places), out);
      colors = colorsOf(out, kind, kCount);
      for (std::size_t i = 0; i < kCount; ++i)
        if (auto wrong = Expectation(picture, sampler, asCoordinates(places[i])).wrong(colors[i]))
          differences.add("integers " + textOf(asCoordinates(places[i]), coordinatesOf(shape_)) + " " + *wrong);
    }
  }
  EXPECT_GT(n, 0u);
}

/// Any bits: infinities, NaNs and denormal numbers, too.
TEST_P(AccessTest, ReadsWithoutSampler) {
  std::size_t n = 0;
  for (const cl_image_format& format : formats(CL_MEM_READ_ONLY, shape_)) {
    const Kind kind = kindOf(format);
    Owned<cl_kernel> read = access(std::string("read_") + lettersOf(kind));
    Picture picture = pictureFor(shape_, format, n++);
    picture.fillRandomly(static_cast<unsigned>(n), false);
    DeviceImage image = makeImage(picture, CL_MEM_READ_ONLY);
    Owned<cl_mem> out = makeBuffer(kCount * 4 * sizeof(cl_uint));
    auto places = integersFor(picture, false, kCount, static_cast<unsigned>(n));
    run(read, {kCount}, localSize(n), image.image, bufferOf(places), out);
    std::vector<Color> colors = colorsOf(out, kind, kCount);
    Differences differences(nameOf(format));
    for (std::size_t i = 0; i < kCount; ++i)
      if (auto wrong = Expectation(picture, Sampler{}, asCoordinates(places[i])).wrong(colors[i]))
        differences.add(textOf(asCoordinates(places[i]), coordinatesOf(shape_)) + " " + *wrong);
  }
  EXPECT_GT(n, 0u);
}

TEST_P(AccessTest, Writes) {
  std::size_t n = 0;
  for (const cl_image_format& format : formats(CL_MEM_WRITE_ONLY, shape_)) {
    const Kind kind = kindOf(format);
    Owned<cl_kernel> write = access(std::string("write_") + lettersOf(kind));
    Picture picture = pictureFor(shape_, format, n++);
    picture.fillRandomly(static_cast<unsigned>(n));
    DeviceImage image = makeImage(picture, CL_MEM_WRITE_ONLY);
    const auto places = placesOf(picture, static_cast<unsigned>(n));
    // Not all of them, so that it shows when a neighbour is hit.
    const std::size_t count = std::max<std::size_t>(1, std::min(kCount, places.size() * 2 / 3));
    const std::vector<Color> colors = colorsToWrite(kind, count, static_cast<unsigned>(n));
    run(write, {count}, 0, image.image, bufferOf(places), bufferOf(wordsOf(colors, kind)));
    checkWritten(picture, download(image, picture), places, colors, nameOf(format));
  }
  EXPECT_GT(n, 0u);
}

TEST_P(AccessTest, ReadsAndWritesTheSameImage) {
  std::size_t n = 0;
  for (const cl_image_format& format : formats(CL_MEM_KERNEL_READ_AND_WRITE, shape_)) {
    const Kind kind = kindOf(format);
    Owned<cl_kernel> change = access(std::string("change_") + lettersOf(kind));
    Picture picture = pictureFor(shape_, format, n++);
    picture.fillRandomly(static_cast<unsigned>(n));
    DeviceImage image = makeImage(picture, CL_MEM_READ_WRITE);
    const auto places = placesOf(picture, static_cast<unsigned>(n));
    const std::size_t count = std::max<std::size_t>(1, std::min(kCount, places.size() * 2 / 3));
    std::vector<Color> colors = colorsToWrite(kind, count, static_cast<unsigned>(n));
    Owned<cl_mem> before = makeBuffer(count * 16), after = makeBuffer(count * 16);
    run(change, {count}, 0, image.image, bufferOf(places), bufferOf(wordsOf(colors, kind)), before, after);
    const std::vector<Color> was = colorsOf(before, kind, count), is = colorsOf(after, kind, count);
    Picture changed = download(image, picture);
    checkWritten(picture, changed, places, colors, nameOf(format));
    Differences differences(nameOf(format) + ", reads");
    for (std::size_t i = 0; i < count; ++i) {
      const std::string where = textOf(asCoordinates(places[i]), coordinatesOf(shape_));
      if (auto wrong = Expectation(picture, Sampler{}, asCoordinates(places[i])).wrong(was[i]))
        differences.add(where + " before the write " + *wrong);
      if (auto wrong = Expectation(changed, Sampler{}, asCoordinates(places[i])).wrong(is[i]))
        differences.add(where + " after the write " + *wrong);
    }
  }
  if (n == 0) EXPECT_TRUE(factsOf(shape_).depth) << "no format for it";
}

/// read_imageh and write_imageh, of cl_khr_fp16: for normalised formats and CL_HALF_FLOAT.
TEST_P(AccessTest, ReadsAndWritesHalf) {
  if (!half_) GTEST_SKIP() << "no half";
  if (factsOf(shape_).depth) return; // they have no such functions
  std::size_t n = 0;
  for (const cl_image_format& format : formats(CL_MEM_READ_WRITE, shape_)) {
    if (!isNormalised(format) && format.image_channel_data_type != CL_HALF_FLOAT) continue;
    Picture picture = pictureFor(shape_, format, n++);
    picture.fillRandomly(static_cast<unsigned>(n));
    Owned<cl_mem> out = makeBuffer(kCount * 16);
    Differences differences(nameOf(format));
    // A result of half is off by 1.5 of its units in the last place, or what the float was off by.
    const double halfUnit = 1.5 / 1024;
    {
      DeviceImage image = makeImage(picture, CL_MEM_READ_ONLY);
      auto places = integersFor(picture, false, kCount, static_cast<unsigned>(n));
      run(access("read_h"), {kCount}, localSize(n), image.image, bufferOf(places), out);
      std::vector<Color> colors = colorsOf(out, Kind::Float, kCount);
      for (std::size_t i = 0; i < kCount; ++i)
        if (auto wrong = Expectation(picture, Sampler{}, asCoordinates(places[i])).wrong(colors[i], halfUnit))
          differences.add(textOf(asCoordinates(places[i]), coordinatesOf(shape_)) + " " + *wrong);
      if (shape_ != Shape::Buffer1D) {
        const Sampler sampler{true, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST};
        SamplerObject object(context_, sampler);
        std::vector<Coordinates> at = coordinatesFor(picture, sampler, kCount, static_cast<unsigned>(n));
        run(access("sample_h_real"), {kCount}, localSize(n), image.image, static_cast<cl_sampler>(object), bufferOf(at),
            out);
        colors = colorsOf(out, Kind::Float, kCount);
        for (std::size_t i = 0; i < kCount; ++i)
          if (auto wrong = Expectation(picture, sampler, at[i]).wrong(colors[i], halfUnit))
            differences.add(textOf(at[i], coordinatesOf(shape_)) + " " + *wrong);
        const Sampler plain{false, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST};
        SamplerObject plainObject(context_, plain);
        places = integersFor(picture, true, kCount, static_cast<unsigned>(n));
        run(access("sample_h_integer"), {kCount}, localSize(n), image.image, static_cast<cl_sampler>(plainObject),
            bufferOf(places), out);
        colors = colorsOf(out, Kind::Float, kCount);
        for (std::size_t i = 0; i < kCount; ++i)
          if (auto wrong = Expectation(picture, plain, asCoordinates(places[i])).wrong(colors[i], halfUnit))
            differences.add("integers " + textOf(asCoordinates(places[i]), coordinatesOf(shape_)) + " " + *wrong);
      }
    }
    if (isSrgb(format) && !hasExtension("cl_khr_srgb_image_writes")) continue;
    DeviceImage image = makeImage(picture, CL_MEM_WRITE_ONLY);
    const auto places = placesOf(picture, static_cast<unsigned>(n));
    std::vector<Color> colors = colorsToWrite(Kind::Float, std::min(kCount, places.size()), static_cast<unsigned>(n));
    // Numbers that half has: six bits and a sign.
    for (Color& color : colors)
      for (double& c : color)
        c = std::isinf(c) ? c : std::clamp(std::nearbyint(c * 64) / 64, -1000.0, 1000.0);
    run(access("write_h"), {colors.size()}, 0, image.image, bufferOf(places), bufferOf(wordsOf(colors, Kind::Float)));
    checkWritten(picture, download(image, picture), places, colors, nameOf(format) + ", written");
  }
  EXPECT_GT(n, 0u);
}

INSTANTIATE_TEST_SUITE_P(Shape, AccessTest, testing::ValuesIn(kShapes), shapeName);

} // namespace clotho::test
