// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images with levels: which level a read takes, filters between levels, writes to levels.
#include "images.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace clotho::test {

namespace {

constexpr std::size_t kCount = 512;

int levelsOf(const std::array<std::size_t, 3>& sizes, int axes) {
  const std::size_t largest = *std::max_element(sizes.begin(), sizes.begin() + axes);
  return 1 + std::ilogb(static_cast<double>(largest));
}

} // namespace

class MipmapTest : public Images, public testing::WithParamInterface<Shape> {
 protected:
  void SetUp() override {
    Images::SetUp();
    if (!hasExtension("cl_khr_mipmap_image")) GTEST_SKIP() << "no images with levels";
    options_ = optionsFor(GetParam()) + " -DAXES=" + std::to_string(factsOf(GetParam()).axes);
  }
  Owned<cl_kernel> level(const std::string& name) { return kernel("mipmap.cl", options_, name); }

  /// A few formats of each kind; all of them have been read in access_test.
  std::vector<cl_image_format> someFormats(cl_mem_flags flags) {
    if (factsOf(GetParam()).depth) return formats(flags, GetParam());
    std::vector<cl_image_format> some, have = formats(flags, GetParam());
    for (cl_image_format format : {cl_image_format{CL_RGBA, CL_UNORM_INT8},
                                   {CL_sRGBA, CL_UNORM_INT8},
                                   {CL_R, CL_FLOAT},
                                   {CL_RGBA, CL_HALF_FLOAT},
                                   {CL_RG, CL_UNSIGNED_INT16},
                                   {CL_RGBA, CL_UNSIGNED_INT32}})
      if (contains(have, format)) some.push_back(format);
    return some;
  }
  Picture pictureOf(const cl_image_format& format, std::size_t n) {
    static const std::array<std::size_t, 3> kSizes[] = {{37, 23, 9}, {64, 16, 8}, {5, 40, 6}};
    const ShapeFacts& facts = factsOf(GetParam());
    const int levels = levelsOf(kSizes[n % 3], facts.axes);
    Picture picture(GetParam(), format, kSizes[n % 3], facts.array ? 3 : 1, levels);
    picture.fillRandomly(static_cast<unsigned>(n + 1));
    return picture;
  }
  /// Samplers with levels: all that are normalised, with both filters between levels, and with limits.
  static std::vector<Sampler> samplers(Kind kind) {
    std::vector<Sampler> list;
    for (Sampler sampler : allSamplers()) {
      if (!sampler.normalised || sampler.addressing == CL_ADDRESS_NONE) continue;
      if (kind != Kind::Float && sampler.filter == CL_FILTER_LINEAR) continue;
      list.push_back(sampler);
      sampler.leastLod = 0.75F;
      sampler.largestLod = 2.25F;
      list.push_back(sampler);
      if (kind != Kind::Float) continue;
      sampler.mipFilter = CL_FILTER_LINEAR;
      list.push_back(sampler);
      sampler.leastLod = 0;
      sampler.largestLod = 1000;
      list.push_back(sampler);
    }
    return list;
  }
  std::string options_;
};

TEST_P(MipmapTest, ReadsTheLevelThatIsAskedFor) {
  std::size_t n = 0;
  const int coordinates = coordinatesOf(GetParam());
  for (const cl_image_format& format : someFormats(CL_MEM_READ_ONLY)) {
    const Kind kind = kindOf(format);
    const Picture picture = pictureOf(format, n++);
    const int last = static_cast<int>(picture.levels.size()) - 1, axes = factsOf(GetParam()).axes;
    DeviceImage image = makeImage(picture, CL_MEM_READ_ONLY);
    Owned<cl_mem> out = makeBuffer(kCount * 16);
    for (const Sampler& sampler : samplers(kind)) {
      std::mt19937 random(static_cast<unsigned>(n));
      SamplerObject object(context_, sampler);
      auto at = coordinatesFor(picture, sampler, kCount, static_cast<unsigned>(n));
      Differences differences(nameOf(format) + ", " + nameOf(sampler) +
                              (sampler.mipFilter == CL_FILTER_LINEAR ? ", linear" : ", nearest") + " level of " +
                              std::to_string(sampler.leastLod));
      // Levels by number: negative and too large ones are clamped. Halves are not among them, as either level beside a
      // half may count as the nearest.
      std::vector<float> lods(kCount);
      for (float& lod : lods) {
        const float whole = static_cast<float>(random() % (last + 3)) - 1;
        const float parts[] = {0, 0.25F, -0.375F, 0.4375F};
        lod = whole + parts[random() % 4];
      }
      run(level(std::string("lod_") + lettersOf(kind)), {kCount}, 0, image.image, static_cast<cl_sampler>(object),
          bufferOf(at), bufferOf(lods), out);
      std::vector<Color> colors = colorsOf(out, kind, kCount);
      for (std::size_t i = 0; i < kCount; ++i)
        if (auto wrong = sampleLevels(picture, sampler, at[i], lods[i]).wrong(colors[i]))
          differences.add(textOf(at[i], coordinates) + ", level " + std::to_string(lods[i]) + " " + *wrong);
      // By gradients along one axis, where all ways to compute the level come to the same: the texels of level 0
      // between neighbours are 2 to the power of it.
      std::vector<Coordinates> dx(kCount, Coordinates{}), dy(kCount, Coordinates{});
      for (std::size_t i = 0; i < kCount; ++i) {
        const std::size_t axis = random() % axes, other = random() % axes;
        const double size = static_cast<double>(picture.levels[0].sizes[axis]);
        Coordinates& longer = i % 2 ? dx[i] : dy[i];
        Coordinates& shorter = i % 2 ? dy[i] : dx[i];
        longer[axis] = static_cast<float>((i % 3 ? 1 : -1) * std::exp2(lods[i]) / size);
        shorter[other] =
            static_cast<float>(0.25 * std::exp2(lods[i]) / static_cast<double>(picture.levels[0].sizes[other]));
      }
      run(level(std::string("gradient_") + lettersOf(kind)), {kCount}, 64, image.image, static_cast<cl_sampler>(object),
          bufferOf(at), bufferOf(dx), bufferOf(dy), out);
      colors = colorsOf(out, kind, kCount);
      for (std::size_t i = 0; i < kCount; ++i)
        if (auto wrong = sampleLevels(picture, sampler, at[i], lods[i]).wrong(colors[i], 1e-5))
          differences.add(textOf(at[i], coordinates) + ", gradients for level " + std::to_string(lods[i]) + " " +
                          *wrong);
      // Reads that say nothing of levels take level 0.
      run(level(std::string("base_") + lettersOf(kind)), {kCount}, 0, image.image, static_cast<cl_sampler>(object),
          bufferOf(at), out);
      colors = colorsOf(out, kind, kCount);
      for (std::size_t i = 0; i < kCount; ++i)
        if (auto wrong = Expectation(picture, sampler, at[i]).wrong(colors[i]))
          differences.add(textOf(at[i], coordinates) + ", no level " + *wrong);
    }
  }
  EXPECT_GT(n, 0u);
}

TEST_P(MipmapTest, WritesTheLevelThatIsAskedFor) {
  if (!hasExtension("cl_khr_mipmap_image_writes")) GTEST_SKIP() << "no writes to levels";
  std::size_t n = 0;
  for (const cl_image_format& format : someFormats(CL_MEM_WRITE_ONLY)) {
    const Kind kind = kindOf(format);
    Picture picture = pictureOf(format, n++);
    DeviceImage image = makeImage(picture, CL_MEM_READ_WRITE);
    std::mt19937 random(static_cast<unsigned>(n));
    // Every other level is written, in part.
    for (int lod = static_cast<int>(n % 2); lod < static_cast<int>(picture.levels.size()); lod += 2) {
      const auto places = placesOf(picture, static_cast<unsigned>(n), lod);
      const std::size_t count = (places.size() + 1) / 2;
      std::vector<Color> colors(count);
      std::vector<cl_uint> words;
      for (Color& color : colors)
        for (double& c : color) {
          const auto real = static_cast<float>(random() % 257) / 256;
          cl_uint word;
          std::memcpy(&word, &real, sizeof word);
          if (kind == Kind::Uint) word = random() % 65536;
          c = kind == Kind::Uint ? word : real;
          words.push_back(word);
        }
      run(level(std::string("write_") + lettersOf(kind)), {count}, 0, image.image, bufferOf(places), cl_int{lod},
          bufferOf(words));
      const Picture after = download(image, picture);
      Differences differences(nameOf(format) + ", level " + std::to_string(lod));
      for (std::size_t i = 0; i < places.size(); ++i) {
        long layer;
        const auto place = placeIn(picture, places[i], layer);
        const std::byte* texel = after.texel(place, layer, lod);
        if (i >= count) {
          if (std::memcmp(texel, picture.texel(place, layer, lod), texelSize(format)) != 0)
            differences.add(textOf(asCoordinates(places[i]), coordinatesOf(GetParam())) + " changed");
        } else if (auto wrong = wrongWrite(format, colors[i], texel)) {
          differences.add(textOf(asCoordinates(places[i]), coordinatesOf(GetParam())) + " " + *wrong);
        }
      }
      for (int other = 0; other < static_cast<int>(picture.levels.size()); ++other)
        if (other != lod && after.levels[other].texels != picture.levels[other].texels)
          differences.add("level " + std::to_string(other) + " changed, too");
      picture = after;
    }
  }
  EXPECT_GT(n, 0u);
}

TEST_P(MipmapTest, KernelsSeeHowManyLevelsThereAre) {
  for (const cl_image_format& format : someFormats(CL_MEM_READ_WRITE)) {
    const Picture picture = pictureOf(format, 0);
    Picture flat(GetParam(), format, {7, 7, 7}, factsOf(GetParam()).array ? 2 : 1);
    DeviceImage image = makeImage(picture), other = makeImage(flat);
    Owned<cl_mem> out = makeBuffer(3 * sizeof(cl_int));
    run(level("count_levels"), {1}, 1, image.image, other.image, out);
    EXPECT_EQ(contentOf<cl_int>(out, 3), (std::vector<cl_int>{static_cast<cl_int>(picture.levels.size()), 1, 37}))
        << nameOf(format);
  }
}

INSTANTIATE_TEST_SUITE_P(Shape, MipmapTest,
                         testing::Values(Shape::Image1D, Shape::Array1D, Shape::Image2D, Shape::Array2D, Shape::Image3D,
                                         Shape::Depth2D, Shape::DepthArray2D),
                         shapeName);

} // namespace clotho::test
