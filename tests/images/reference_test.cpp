// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference itself, by values worked out by hand.
#include "sampling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace clotho::test {

namespace {

template <class T> Color decoded(cl_channel_order order, cl_channel_type type, std::initializer_list<T> channels) {
  std::byte texel[16] = {};
  std::memcpy(texel, channels.begin(), channels.size() * sizeof(T));
  return decode({order, type}, texel);
}

/// Four texels in a row: 0, 1, 2, 3, in floats.
Picture row() {
  Picture picture(Shape::Image1D, {CL_R, CL_FLOAT}, {4, 1, 1});
  const float values[] = {0, 1, 2, 3};
  std::memcpy(picture.levels[0].texels.data(), values, sizeof values);
  return picture;
}

void expectRed(const Picture& picture, const Sampler& sampler, float at, double red, double alpha = 1) {
  Expectation expected(picture, sampler, {at, 0, 0, 0});
  EXPECT_EQ(expected.wrong({red, 0, 0, alpha}), std::nullopt) << nameOf(sampler) << " at " << at;
  EXPECT_NE(expected.wrong({red + 0.001, 0, 0, alpha}), std::nullopt) << nameOf(sampler) << " at " << at;
}

} // namespace

TEST(ReferenceTest, Decodes) {
  EXPECT_EQ(decoded<std::uint8_t>(CL_RGBA, CL_UNORM_INT8, {0, 51, 102, 255}), (Color{0, 0.2, 0.4, 1}));
  EXPECT_EQ(decoded<std::uint8_t>(CL_BGRA, CL_UNORM_INT8, {0, 51, 102, 255}), (Color{0.4, 0.2, 0, 1}));
  EXPECT_EQ(decoded<std::int8_t>(CL_ARGB, CL_SIGNED_INT8, {-1, 2, 3, -128}), (Color{2, 3, -128, -1}));
  EXPECT_EQ(decoded<std::uint8_t>(CL_ABGR, CL_UNSIGNED_INT8, {1, 2, 3, 4}), (Color{4, 3, 2, 1}));
  EXPECT_EQ(decoded<std::int8_t>(CL_RG, CL_SNORM_INT8, {-128, 127}), (Color{-1, 1, 0, 1}));
  EXPECT_EQ(decoded<std::int16_t>(CL_RA, CL_SIGNED_INT16, {-5, 7}), (Color{-5, 0, 0, 7}));
  EXPECT_EQ(decoded<std::uint8_t>(CL_A, CL_UNORM_INT8, {255}), (Color{0, 0, 0, 1}));
  EXPECT_EQ(decoded<float>(CL_INTENSITY, CL_FLOAT, {0.5F}), (Color{0.5, 0.5, 0.5, 0.5}));
  EXPECT_EQ(decoded<std::uint16_t>(CL_LUMINANCE, CL_HALF_FLOAT, {0xb800}), (Color{-0.5, -0.5, -0.5, 1}));
  EXPECT_EQ(decoded<std::uint16_t>(CL_RGB, CL_UNORM_SHORT_565, {0xf800}), (Color{1, 0, 0, 1}));
  EXPECT_EQ(decoded<std::uint16_t>(CL_RGBx, CL_UNORM_SHORT_555, {0x83e0}), (Color{0, 1, 0, 1}));
  EXPECT_EQ(decoded<std::uint32_t>(CL_RGB, CL_UNORM_INT_101010, {0xc00003ff}), (Color{0, 0, 1, 1}));
  EXPECT_EQ(decoded<std::uint32_t>(CL_RGBA, CL_UNORM_INT_101010_2, {0xffc00001}), (Color{1, 0, 0, 1 / 3.0}));
  EXPECT_EQ(decoded<std::uint32_t>(CL_R, CL_UNSIGNED_INT32, {0xffffffff}), (Color{4294967295.0, 0, 0, 1}));
  const Color grey = decoded<std::uint8_t>(CL_sBGRA, CL_UNORM_INT8, {188, 0, 255, 128});
  EXPECT_EQ(grey[0], 1);
  EXPECT_NEAR(grey[2], 0.5029, 1e-4);
  EXPECT_EQ(grey[3], 128 / 255.0); // alpha is linear
}

TEST(ReferenceTest, KnowsWhatIsLegal) {
  EXPECT_TRUE(isLegal({CL_RGB, CL_UNORM_SHORT_565}));
  EXPECT_FALSE(isLegal({CL_RGB, CL_UNORM_INT8}));
  EXPECT_FALSE(isLegal({CL_sRGB, CL_UNORM_INT8}));
  EXPECT_TRUE(isLegal({CL_sRGBx, CL_UNORM_INT8}));
  EXPECT_FALSE(isLegal({CL_BGRA, CL_FLOAT}));
  EXPECT_FALSE(isLegal({CL_INTENSITY, CL_UNSIGNED_INT8}));
  EXPECT_TRUE(isLegal({CL_RA, CL_UNSIGNED_INT8}));
  EXPECT_EQ(legalFormats().size(), 6u * 12 + 2 * 6 + 2 + 2 * 3 + 13 + 3 * 4 + 3);
  for (const cl_image_format& format : legalFormats()) {
    const std::size_t size = texelSize(format);
    EXPECT_TRUE(size == 1 || size == 2 || size == 4 || size == 8 || size == 16) << nameOf(format);
  }
}

TEST(ReferenceTest, Addresses) {
  const Picture picture = row();
  auto sampler = [](bool normalised, cl_addressing_mode addressing, cl_filter_mode filter = CL_FILTER_NEAREST) {
    return Sampler{normalised, addressing, filter};
  };
  expectRed(picture, sampler(false, CL_ADDRESS_CLAMP_TO_EDGE), -3, 0);
  expectRed(picture, sampler(false, CL_ADDRESS_CLAMP_TO_EDGE), 7.5F, 3);
  expectRed(picture, sampler(false, CL_ADDRESS_CLAMP), 2.99F, 2);
  expectRed(picture, sampler(false, CL_ADDRESS_CLAMP), 4, 0, 1);
  expectRed(picture, sampler(true, CL_ADDRESS_REPEAT), 1.6F, 2);
  expectRed(picture, sampler(true, CL_ADDRESS_REPEAT), -0.1F, 3);
  expectRed(picture, sampler(true, CL_ADDRESS_MIRRORED_REPEAT), -0.1F, 0);
  expectRed(picture, sampler(true, CL_ADDRESS_MIRRORED_REPEAT), 1.1F, 3);
  expectRed(picture, sampler(true, CL_ADDRESS_MIRRORED_REPEAT), 1.9F, 0);
  // The filter reaches from the middle of one texel to that of the next.
  expectRed(picture, sampler(false, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR), 1.5F, 1);
  expectRed(picture, sampler(false, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR), 1.75F, 1.25);
  expectRed(picture, sampler(false, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR), 4, 1.5);
  expectRed(picture, sampler(true, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR), 0, 1.5);
  expectRed(picture, sampler(true, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_LINEAR), 1, 3);
}

TEST(ReferenceTest, HasBorders) {
  Picture picture(Shape::Image1D, {CL_RGBA, CL_UNORM_INT8}, {4, 1, 1});
  std::fill(picture.levels[0].texels.begin(), picture.levels[0].texels.end(), std::byte{255});
  const Sampler sampler{false, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR};
  EXPECT_EQ(Expectation(picture, sampler, {0, 0, 0, 0}).wrong({0.5, 0.5, 0.5, 0.5}), std::nullopt);
  picture.format = {CL_LUMINANCE, CL_FLOAT};
  EXPECT_EQ(Expectation(picture, sampler, {-5, 0, 0, 0}).wrong({0, 0, 0, 1}), std::nullopt);
}

TEST(ReferenceTest, RoundsLayersToEven) {
  Picture picture(Shape::Array1D, {CL_R, CL_UNSIGNED_INT8}, {1, 1, 1}, 4);
  for (int layer = 0; layer < 4; ++layer)
    *picture.texel({0, 0, 0}, layer) = static_cast<std::byte>(layer);
  const Sampler sampler{false, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST};
  const std::pair<float, double> cases[] = {{0.5F, 0}, {1.5F, 2}, {2.5F, 2}, {-3, 0}, {99, 3}, {0.51F, 1}};
  for (auto [at, layer] : cases)
    EXPECT_EQ(Expectation(picture, sampler, {0, at, 0, 0}).wrong({layer, 0, 0, 1}), std::nullopt) << at;
}

TEST(ReferenceTest, ChoosesLevels) {
  Picture picture(Shape::Image1D, {CL_R, CL_FLOAT}, {4, 1, 1}, 1, 3);
  for (int level = 0; level < 3; ++level)
    for (std::size_t x = 0; x < picture.texelCount(level); ++x) {
      auto value = static_cast<float>(level + 1);
      std::memcpy(picture.texel({static_cast<long>(x), 0, 0}, 0, level), &value, sizeof value);
    }
  EXPECT_EQ(picture.texelCount(2), 1u);
  Sampler sampler{true, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST};
  auto red = [&](double lod, double value) {
    EXPECT_EQ(sampleLevels(picture, sampler, {0.5F, 0, 0, 0}, lod).wrong({value, 0, 0, 1}), std::nullopt) << lod;
  };
  red(0.4, 1), red(0.6, 2), red(9, 3), red(-2, 1);
  sampler.mipFilter = CL_FILTER_LINEAR;
  red(0.25, 1.25), red(1.5, 2.5), red(2.5, 3);
  sampler.leastLod = 1;
  red(0, 2);
  sampler.largestLod = 1.5F;
  red(9, 2.5);
}

TEST(ReferenceTest, JudgesWrites) {
  auto wrong = [](cl_channel_order order, cl_channel_type type, Color color, std::uint32_t bits) {
    std::byte texel[16] = {};
    std::memcpy(texel, &bits, sizeof bits);
    return wrongWrite({order, type}, color, texel).has_value();
  };
  EXPECT_FALSE(wrong(CL_R, CL_UNORM_INT8, {0.5, 0, 0, 0}, 128)); // 127.5, and both neighbours are near enough
  EXPECT_FALSE(wrong(CL_R, CL_UNORM_INT8, {0.5, 0, 0, 0}, 127));
  EXPECT_TRUE(wrong(CL_R, CL_UNORM_INT8, {0.5, 0, 0, 0}, 129));
  EXPECT_FALSE(wrong(CL_A, CL_UNORM_INT8, {0, 0, 0, 2}, 255));
  EXPECT_FALSE(wrong(CL_R, CL_SIGNED_INT8, {-200, 0, 0, 0}, 0x80));
  EXPECT_TRUE(wrong(CL_R, CL_SIGNED_INT8, {-200, 0, 0, 0}, 0x81));
  EXPECT_FALSE(wrong(CL_R, CL_SNORM_INT8, {NAN, 0, 0, 0}, 0));
  EXPECT_TRUE(wrong(CL_R, CL_SNORM_INT8, {NAN, 0, 0, 0}, 0x80));
  EXPECT_FALSE(wrong(CL_R, CL_HALF_FLOAT, {1.0 + 1.0 / 4096, 0, 0, 0}, 0x3c00));
  EXPECT_TRUE(wrong(CL_R, CL_HALF_FLOAT, {1.0 + 1.0 / 4096, 0, 0, 0}, 0x3c01));
  EXPECT_FALSE(wrong(CL_R, CL_HALF_FLOAT, {1e6, 0, 0, 0}, 0x7c00));
  EXPECT_FALSE(wrong(CL_RGB, CL_UNORM_SHORT_565, {1, 0, 1, 0}, 0xf81f));
  EXPECT_TRUE(wrong(CL_RGB, CL_UNORM_SHORT_565, {1, 0, 1, 0}, 0x001f));
  EXPECT_FALSE(wrong(CL_sRGBA, CL_UNORM_INT8, {0.5, 0, 1, 0.5}, 0x80ff00bc));
}

TEST(ReferenceTest, ReadsHalf) {
  EXPECT_EQ(halfToDouble(0x3c00), 1);
  EXPECT_EQ(halfToDouble(0xc000), -2);
  EXPECT_EQ(halfToDouble(1), std::ldexp(1, -24));
  EXPECT_EQ(halfToDouble(0x7bff), 65504);
  EXPECT_TRUE(std::isinf(halfToDouble(0xfc00)));
  EXPECT_TRUE(std::isnan(halfToDouble(0x7e00)));
}

} // namespace clotho::test
