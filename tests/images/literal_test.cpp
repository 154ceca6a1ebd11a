// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samplers that are written in programs, and what kernels may ask of an image.
#include "images.hpp"

namespace clotho::test {

class LiteralTest : public Images, public testing::WithParamInterface<Shape> {
 protected:
  /// A format's reads with every sampler that the kernels have.
  void check(const cl_image_format& format, std::size_t n) {
    constexpr std::size_t kCount = 512;
    const Shape shape = GetParam();
    const Kind kind = kindOf(format);
    Picture picture = pictureFor(shape, format, n);
    picture.fillRandomly(static_cast<unsigned>(n));
    DeviceImage image = makeImage(picture, CL_MEM_READ_ONLY);
    Owned<cl_mem> out = makeBuffer(kCount * 16);
    const std::vector<Sampler> samplers = allSamplers();
    auto read = [&](const std::string& name, std::size_t which, cl_mem at) {
      Owned<cl_kernel> made = kernel("literal.cl", optionsFor(shape), name + "_" + lettersOf(kind));
      run(made, {kCount}, n % 2 ? 64 : 0, image.image, static_cast<cl_int>(which), at, out);
      return colorsOf(out, kind, kCount);
    };
    for (std::size_t which = 0; which < samplers.size(); ++which) {
      const Sampler& sampler = samplers[which];
      const bool linear = sampler.filter == CL_FILTER_LINEAR;
      if (linear && kind != Kind::Float) continue;
      Differences differences(nameOf(format) + ", " + nameOf(sampler));
      auto at = coordinatesFor(picture, sampler, kCount, static_cast<unsigned>(which));
      std::vector<Color> colors = read(linear ? "linear" : "nearest", which, bufferOf(at));
      for (std::size_t i = 0; i < kCount; ++i)
        if (auto wrong = Expectation(picture, sampler, at[i]).wrong(colors[i]))
          differences.add(textOf(at[i], coordinatesOf(shape)) + " " + *wrong);
      if (sampler.normalised || linear) continue;
      auto places = integersFor(picture, sampler.addressing != CL_ADDRESS_NONE, kCount, static_cast<unsigned>(which));
      colors = read("integer", which, bufferOf(places));
      for (std::size_t i = 0; i < kCount; ++i)
        if (auto wrong = Expectation(picture, sampler, asCoordinates(places[i])).wrong(colors[i]))
          differences.add("integers " + textOf(asCoordinates(places[i]), coordinatesOf(shape)) + " " + *wrong);
    }
  }
};

TEST_P(LiteralTest, SamplersInProgramsReadAsTheySay) {
  std::size_t n = 0;
  for (const cl_image_format& format : formats(CL_MEM_READ_ONLY, GetParam()))
    if (kindOf(format) != Kind::Int) {
      if (n % 5 == 3) ++n; // not the image of one texel, where linear filters without an addressing mode have no place
      check(format, n++);
    }
  EXPECT_GT(n, 0u);
}

INSTANTIATE_TEST_SUITE_P(Shape, LiteralTest,
                         testing::Values(Shape::Image1D, Shape::Array1D, Shape::Image2D, Shape::Array2D, Shape::Image3D,
                                         Shape::Depth2D, Shape::DepthArray2D),
                         shapeName);

class ImageQueryTest : public Images, public testing::WithParamInterface<Shape> {};

TEST_P(ImageQueryTest, KernelsSeeSizesAndFormats) {
  const Shape shape = GetParam();
  const ShapeFacts& facts = factsOf(shape);
  if (shape == Shape::From2D && !hasExtension("cl_khr_image2d_from_buffer")) GTEST_SKIP() << "no such images";
  const std::string options = optionsFor(shape) + " -DAXES=" + std::to_string(facts.axes);
  const std::pair<const char*, cl_mem_flags> accesses[] = {{"ask_read_only", CL_MEM_READ_ONLY},
                                                           {"ask_write_only", CL_MEM_WRITE_ONLY},
                                                           {"ask_read_write", CL_MEM_KERNEL_READ_AND_WRITE}};
  for (auto [name, flags] : accesses) {
    Owned<cl_kernel> ask = kernel("query.cl", options, name);
    std::size_t n = 0;
    for (const cl_image_format& format : formats(flags, shape)) {
      Picture picture = pictureFor(shape, format, n++);
      DeviceImage image = makeImage(picture, flags == CL_MEM_KERNEL_READ_AND_WRITE ? CL_MEM_READ_WRITE : flags, false);
      constexpr std::size_t kItems = 20;
      Owned<cl_mem> out = makeBuffer(kItems * 10 * sizeof(cl_int));
      run(ask, {kItems}, 0, image.image, out);
      std::vector<cl_int> got = contentOf<cl_int>(out, kItems * 10);
      const auto& sizes = picture.levels[0].sizes;
      const int w = static_cast<int>(sizes[0]), h = static_cast<int>(sizes[1]), d = static_cast<int>(sizes[2]);
      std::vector<cl_int> want = {w,
                                  h,
                                  d,
                                  static_cast<int>(picture.layers),
                                  static_cast<cl_int>(format.image_channel_data_type),
                                  static_cast<cl_int>(format.image_channel_order)};
      // get_image_dim gives int2 for 2D images, and int4 with a zero for 3D images.
      for (int axis = 0; axis < 4; ++axis)
        want.push_back(facts.axes > 1 && axis < facts.axes ? static_cast<int>(sizes[axis]) : 0);
      for (std::size_t i = 0; i < kItems; ++i)
        EXPECT_EQ(std::vector<cl_int>(got.begin() + 10 * i, got.begin() + 10 * (i + 1)), want)
            << nameOf(format) << ", " << name;
    }
  }
}

/// What kernels are told is compared with names, whose values are those of the host's.
TEST_P(ImageQueryTest, TheNamesOfFormatsHaveTheHostsValues) {
  if (GetParam() != Shape::Image2D) return; // they are the same for all
  const std::vector<cl_int> names = {CL_SNORM_INT8,
                                     CL_SNORM_INT16,
                                     CL_UNORM_INT8,
                                     CL_UNORM_INT16,
                                     CL_UNORM_SHORT_565,
                                     CL_UNORM_SHORT_555,
                                     CL_UNORM_INT_101010,
                                     CL_SIGNED_INT8,
                                     CL_SIGNED_INT16,
                                     CL_SIGNED_INT32,
                                     CL_UNSIGNED_INT8,
                                     CL_UNSIGNED_INT16,
                                     CL_UNSIGNED_INT32,
                                     CL_HALF_FLOAT,
                                     CL_FLOAT,
                                     CL_A,
                                     CL_R,
                                     CL_Rx,
                                     CL_RG,
                                     CL_RGx,
                                     CL_RA,
                                     CL_RGB,
                                     CL_RGBx,
                                     CL_RGBA,
                                     CL_ARGB,
                                     CL_BGRA,
                                     CL_INTENSITY,
                                     CL_LUMINANCE,
                                     CL_DEPTH,
                                     CL_sRGB,
                                     CL_sRGBx,
                                     CL_sRGBA,
                                     CL_sBGRA};
  Owned<cl_mem> out = makeBuffer(names.size() * sizeof(cl_int));
  run(kernel("query.cl", optionsFor(GetParam()) + " -DAXES=2", "names"), {1}, 1, out);
  EXPECT_EQ(contentOf<cl_int>(out, names.size()), names);
}

INSTANTIATE_TEST_SUITE_P(Shape, ImageQueryTest, testing::ValuesIn(kShapes), shapeName);

} // namespace clotho::test
