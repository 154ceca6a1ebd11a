// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which formats there are (OpenCL 2.2, sections 5.3.1.1 and 5.3.2), and how a colour is stored in each (OpenCL C 3.0,
// section 8.3), as clEnqueueFillImage does it.
#include "images.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace clotho::test {

namespace {

using Pair = std::pair<cl_channel_order, cl_channel_type>;

constexpr cl_channel_type kPlain[] = {CL_UNORM_INT8,     CL_UNORM_INT16,    CL_SNORM_INT8,   CL_SNORM_INT16,
                                      CL_SIGNED_INT8,    CL_SIGNED_INT16,   CL_SIGNED_INT32, CL_UNSIGNED_INT8,
                                      CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT,   CL_FLOAT};

class ImageFormatTest : public ImageApi {
 protected:
  std::vector<cl_image_format> formats(cl_mem_flags flags, cl_mem_object_type type) {
    cl_uint count = 0;
    EXPECT_EQ(clGetSupportedImageFormats(context_, flags, type, 0, nullptr, &count), CL_SUCCESS);
    std::vector<cl_image_format> list(count);
    EXPECT_EQ(clGetSupportedImageFormats(context_, flags, type, count, list.data(), nullptr), CL_SUCCESS);
    return list;
  }
  std::set<Pair> pairs(cl_mem_flags flags, cl_mem_object_type type) {
    std::set<Pair> set;
    for (const cl_image_format& format : formats(flags, type))
      EXPECT_TRUE(set.emplace(format.image_channel_order, format.image_channel_data_type).second) << "twice";
    return set;
  }
  /// The first texel after a fill of the whole image.
  std::vector<std::byte> filled(const cl_image_format& format, const void* colour) {
    const ImageSpec spec{CL_MEM_OBJECT_IMAGE2D, format, {3, 2, 1}};
    Owned<cl_mem> image = makeImage(spec);
    const Origin origin{};
    EXPECT_EQ(clEnqueueFillImage(queue_, image, colour, origin.data(), spec.size.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    const std::vector<std::byte> all = texels(image, spec);
    const size_t size = texelSize(format);
    std::vector<std::byte> first(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size));
    for (size_t i = 0; i < 6; ++i)
      EXPECT_EQ(std::memcmp(all.data() + i * size, first.data(), size), 0) << i;
    return first;
  }
  template <class T> std::vector<T> filledAs(const cl_image_format& format, const void* colour) {
    const std::vector<std::byte> bytes = filled(format, colour);
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
};

/// Table 13 of OpenCL 2.2, and what our devices have beyond it.
std::set<Pair> legalPairs(bool hasDepth) {
  std::set<Pair> set;
  for (cl_channel_order order : {CL_R, CL_A, CL_Rx, CL_RG, CL_RA, CL_RGx, CL_RGBA})
    for (cl_channel_type type : kPlain)
      set.emplace(order, type);
  for (cl_channel_order order : {CL_INTENSITY, CL_LUMINANCE})
    for (cl_channel_type type : {CL_UNORM_INT8, CL_UNORM_INT16, CL_SNORM_INT8, CL_SNORM_INT16, CL_HALF_FLOAT, CL_FLOAT})
      set.emplace(order, type);
  for (cl_channel_order order : {CL_RGB, CL_RGBx})
    for (cl_channel_type type : {CL_UNORM_SHORT_565, CL_UNORM_SHORT_555, CL_UNORM_INT_101010})
      set.emplace(order, type);
  for (cl_channel_order order : {CL_BGRA, CL_ARGB, CL_ABGR})
    for (cl_channel_type type : {CL_UNORM_INT8, CL_SNORM_INT8, CL_SIGNED_INT8, CL_UNSIGNED_INT8})
      set.emplace(order, type);
  for (cl_channel_order order : {CL_sRGBA, CL_sBGRA, CL_sRGBx})
    set.emplace(order, CL_UNORM_INT8);
  set.emplace(CL_RGBA, CL_UNORM_INT_101010_2);
  if (hasDepth)
    for (cl_channel_type type : {CL_UNORM_INT16, CL_FLOAT})
      set.emplace(CL_DEPTH, type);
  return set;
}

TEST_F(ImageFormatTest, ListsOfEveryTypeAndFlag) {
  for (cl_mem_object_type type : kImageTypes) {
    const bool hasDepth = type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    for (cl_mem_flags flags :
         {cl_mem_flags{0}, cl_mem_flags{CL_MEM_READ_WRITE}, cl_mem_flags{CL_MEM_READ_ONLY},
          cl_mem_flags{CL_MEM_WRITE_ONLY}, cl_mem_flags{CL_MEM_KERNEL_READ_AND_WRITE},
          cl_mem_flags{CL_MEM_IMMUTABLE_EXT}, cl_mem_flags{CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR}})
      EXPECT_EQ(pairs(flags, type), legalPairs(hasDepth)) << type << " " << flags;
  }
}

TEST_F(ImageFormatTest, ListsThatAreCutShort) {
  const std::vector<cl_image_format> all = formats(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D);
  std::vector<cl_image_format> some(4, {77, 77});
  cl_uint count = 0;
  ASSERT_EQ(clGetSupportedImageFormats(context_, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 3, some.data(), &count),
            CL_SUCCESS);
  EXPECT_EQ(count, all.size()) << "the full number";
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(some[i].image_channel_order, all[i].image_channel_order);
  EXPECT_EQ(some[3].image_channel_order, 77u);
}

TEST_F(ImageFormatTest, Errors) {
  cl_image_format format{};
  cl_uint count = 0;
  const auto code = [&](cl_context context, cl_mem_flags flags, cl_mem_object_type type, cl_uint entries,
                        cl_image_format* list) {
    return clGetSupportedImageFormats(context, flags, type, entries, list, &count);
  };
  Foreign<cl_context> foreign(device_);
  EXPECT_EQ(code(foreign, 0, CL_MEM_OBJECT_IMAGE2D, 0, nullptr), CL_INVALID_CONTEXT);
  EXPECT_EQ(code(context_, 1U << 20, CL_MEM_OBJECT_IMAGE2D, 1, &format), CL_INVALID_VALUE);
  EXPECT_EQ(code(context_, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, 1, &format), CL_INVALID_VALUE);
  for (cl_mem_object_type type : {cl_mem_object_type{CL_MEM_OBJECT_BUFFER}, cl_mem_object_type{CL_MEM_OBJECT_PIPE}, 0U})
    EXPECT_EQ(code(context_, CL_MEM_READ_ONLY, type, 1, &format), CL_INVALID_VALUE);
  EXPECT_EQ(code(context_, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, &format), CL_INVALID_VALUE);
}

TEST_F(ImageFormatTest, TexelsAreOfTheSizeThatQueriesTell) {
  for (cl_mem_object_type type : {CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE3D})
    for (const cl_image_format& format : formats(CL_MEM_READ_WRITE, type)) {
      Owned<cl_mem> image = makeImage({type, format, {2, 2, 1}});
      EXPECT_EQ(info<size_t>(image, CL_IMAGE_ELEMENT_SIZE), texelSize(format))
          << std::hex << format.image_channel_order << " " << format.image_channel_data_type;
    }
}

// Each channel order stores the components that it names, in its own order. 1, 2, 3 and 4 are R, G, B and A.
TEST_F(ImageFormatTest, ChannelOrders) {
  const std::pair<cl_channel_order, std::vector<cl_uchar>> orders[] = {{CL_R, {1}},
                                                                       {CL_Rx, {1}},
                                                                       {CL_A, {4}},
                                                                       {CL_RG, {1, 2}},
                                                                       {CL_RGx, {1, 2}},
                                                                       {CL_RA, {1, 4}},
                                                                       {CL_RGBA, {1, 2, 3, 4}},
                                                                       {CL_BGRA, {3, 2, 1, 4}},
                                                                       {CL_ARGB, {4, 1, 2, 3}},
                                                                       {CL_ABGR, {4, 3, 2, 1}}};
  const cl_uint colour[] = {1, 2, 3, 4};
  const cl_int signedColour[] = {1, 2, 3, 4};
  for (const auto& [order, expected] : orders) {
    EXPECT_EQ(filledAs<cl_uchar>({order, CL_UNSIGNED_INT8}, colour), expected) << std::hex << order;
    EXPECT_EQ(filledAs<cl_uchar>({order, CL_SIGNED_INT8}, signedColour), expected) << std::hex << order;
    if (order == CL_BGRA || order == CL_ARGB || order == CL_ABGR) continue;
    EXPECT_EQ(filledAs<cl_ushort>({order, CL_UNSIGNED_INT16}, colour),
              std::vector<cl_ushort>(expected.begin(), expected.end()));
    EXPECT_EQ(filledAs<cl_uint>({order, CL_UNSIGNED_INT32}, colour),
              std::vector<cl_uint>(expected.begin(), expected.end()));
  }
  const cl_float shades[] = {0.25F, 0.5F, 0.75F, 1.0F};
  EXPECT_EQ(filledAs<cl_float>({CL_INTENSITY, CL_FLOAT}, shades), std::vector<cl_float>{0.25F});
  EXPECT_EQ(filledAs<cl_float>({CL_LUMINANCE, CL_FLOAT}, shades), std::vector<cl_float>{0.25F});
  EXPECT_EQ(filledAs<cl_float>({CL_DEPTH, CL_FLOAT}, shades), std::vector<cl_float>{0.25F});
}

// The first channel has the highest bits; what no channel has is 0.
TEST_F(ImageFormatTest, PackedTypes) {
  const cl_float red[] = {1, 0, 0, 0}, green[] = {0, 1, 0, 0}, blue[] = {0, 0, 1, 0}, alpha[] = {0, 0, 0, 1};
  for (cl_channel_order order : {CL_RGB, CL_RGBx}) {
    EXPECT_EQ(filledAs<cl_ushort>({order, CL_UNORM_SHORT_565}, red)[0], 0xf800);
    EXPECT_EQ(filledAs<cl_ushort>({order, CL_UNORM_SHORT_565}, green)[0], 0x07e0);
    EXPECT_EQ(filledAs<cl_ushort>({order, CL_UNORM_SHORT_565}, blue)[0], 0x001f);
    EXPECT_EQ(filledAs<cl_ushort>({order, CL_UNORM_SHORT_555}, red)[0], 0x7c00);
    EXPECT_EQ(filledAs<cl_ushort>({order, CL_UNORM_SHORT_555}, green)[0], 0x03e0);
    EXPECT_EQ(filledAs<cl_ushort>({order, CL_UNORM_SHORT_555}, blue)[0], 0x001f);
    EXPECT_EQ(filledAs<cl_uint>({order, CL_UNORM_INT_101010}, red)[0], 0x3ff00000U);
    EXPECT_EQ(filledAs<cl_uint>({order, CL_UNORM_INT_101010}, green)[0], 0x000ffc00U);
    EXPECT_EQ(filledAs<cl_uint>({order, CL_UNORM_INT_101010}, blue)[0], 0x000003ffU);
  }
  EXPECT_EQ(filledAs<cl_uint>({CL_RGBA, CL_UNORM_INT_101010_2}, red)[0], 0xffc00000U);
  EXPECT_EQ(filledAs<cl_uint>({CL_RGBA, CL_UNORM_INT_101010_2}, green)[0], 0x003ff000U);
  EXPECT_EQ(filledAs<cl_uint>({CL_RGBA, CL_UNORM_INT_101010_2}, blue)[0], 0x00000ffcU);
  EXPECT_EQ(filledAs<cl_uint>({CL_RGBA, CL_UNORM_INT_101010_2}, alpha)[0], 0x00000003U);
}

TEST_F(ImageFormatTest, NormalisedNumbersAreRoundedAndSaturated) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
  struct Case {
    float value;
    int unorm8, snorm8;
    int unorm16, snorm16;
  };
  const Case cases[] = {{0, 0, 0, 0, 0},
                        {1, 255, 127, 65535, 32767},
                        {-1, 0, -127, 0, -32767},
                        {-2, 0, -128, 0, -32768},
                        {7, 255, 127, 65535, 32767},
                        {kInf, 255, 127, 65535, 32767},
                        {-kInf, 0, -128, 0, -32768},
                        {kNan, 0, 0, 0, 0},
                        {0.5F, 128, 64, 32768, 16384}, // 127.5, 63.5, 32767.5, 16383.5: to the even one
                        {-0.5F, 0, -64, 0, -16384},
                        {0.25F, 64, 32, 16384, 8192}}; // 63.75, 31.75, 16383.75, 8191.75
  for (const Case& each : cases) {
    const cl_float colour[] = {each.value, 0, 0, 0};
    EXPECT_EQ(filledAs<cl_uchar>({CL_R, CL_UNORM_INT8}, colour)[0], each.unorm8) << each.value;
    EXPECT_EQ(filledAs<cl_char>({CL_R, CL_SNORM_INT8}, colour)[0], each.snorm8) << each.value;
    EXPECT_EQ(filledAs<cl_ushort>({CL_R, CL_UNORM_INT16}, colour)[0], each.unorm16) << each.value;
    EXPECT_EQ(filledAs<cl_short>({CL_R, CL_SNORM_INT16}, colour)[0], each.snorm16) << each.value;
    EXPECT_EQ(filledAs<cl_ushort>({CL_DEPTH, CL_UNORM_INT16}, colour)[0], each.unorm16) << each.value;
  }
  // 2.5 / 255 and 3.5 / 255 in floats are nearly halves; what the even one is decides only exact halves.
  const cl_float half[] = {0.5F / 255.0F, 1.5F / 255.0F, 2.4F / 255.0F, 254.6F / 255.0F};
  EXPECT_EQ(filledAs<cl_uchar>({CL_RGBA, CL_UNORM_INT8}, half), (std::vector<cl_uchar>{0, 2, 2, 255}));
}

TEST_F(ImageFormatTest, IntegersAreSaturated) {
  const cl_int ints[] = {300, -300, 40000, -40000};
  EXPECT_EQ(filledAs<cl_char>({CL_RGBA, CL_SIGNED_INT8}, ints), (std::vector<cl_char>{127, -128, 127, -128}));
  EXPECT_EQ(filledAs<cl_short>({CL_RGBA, CL_SIGNED_INT16}, ints), (std::vector<cl_short>{300, -300, 32767, -32768}));
  EXPECT_EQ(filledAs<cl_int>({CL_RGBA, CL_SIGNED_INT32}, ints), std::vector<cl_int>(ints, ints + 4));
  const cl_uint uints[] = {300, 255, 70000, 0xffffffffU};
  EXPECT_EQ(filledAs<cl_uchar>({CL_RGBA, CL_UNSIGNED_INT8}, uints), (std::vector<cl_uchar>{255, 255, 255, 255}));
  EXPECT_EQ(filledAs<cl_ushort>({CL_RGBA, CL_UNSIGNED_INT16}, uints), (std::vector<cl_ushort>{300, 255, 65535, 65535}));
  EXPECT_EQ(filledAs<cl_uint>({CL_RGBA, CL_UNSIGNED_INT32}, uints), std::vector<cl_uint>(uints, uints + 4));
}

TEST_F(ImageFormatTest, FloatsStayAsTheyAre) {
  const cl_float colour[] = {1.5F, -0.0F, std::numeric_limits<float>::infinity(), 1e-42F};
  const auto seen = filledAs<cl_float>({CL_RGBA, CL_FLOAT}, colour);
  EXPECT_EQ(std::memcmp(seen.data(), colour, sizeof colour), 0);
}

/// The value of a half.
double valueOf(cl_half half) {
  const int exponent = half >> 10 & 31, mantissa = half & 1023;
  const double magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return half >> 15 ? -magnitude : magnitude;
}

TEST_F(ImageFormatTest, HalvesAreRoundedToTheEvenOne) {
  struct Case {
    float value;
    cl_half half;
  };
  const Case cases[] = {{0, 0},
                        {-0.0F, 0x8000},
                        {1, 0x3c00},
                        {-2, 0xc000},
                        {65504, 0x7bff},
                        {65519.996F, 0x7bff},
                        {65520, 0x7c00},
                        {-1e30F, 0xfc00},
                        {std::numeric_limits<float>::infinity(), 0x7c00},
                        {1.00048828125F, 0x3c00}, // half way from 1 to the next: to the even one
                        {1.00146484375F, 0x3c02}, // likewise, upwards
                        {1.0005F, 0x3c01},
                        {0x1p-14F, 0x0400},
                        {0x1p-24F, 0x0001},
                        {0x1p-25F, 0},
                        {0x1.8p-25F, 0x0001},
                        {0x1.8p-24F, 0x0002},
                        {0x1.ffcp-15F, 0x0400}};
  for (const Case& each : cases) {
    const cl_float colour[] = {each.value, 0, 0, 0};
    EXPECT_EQ(filledAs<cl_half>({CL_R, CL_HALF_FLOAT}, colour)[0], each.half) << each.value;
  }
  const cl_float nan[] = {std::numeric_limits<float>::quiet_NaN(), 0, 0, 0};
  EXPECT_GT(filledAs<cl_half>({CL_R, CL_HALF_FLOAT}, nan)[0] & 0x7fff, 0x7c00);
  for (unsigned i = 0; i < 60; ++i) {
    const cl_float value = std::ldexp(static_cast<float>(i * 2654435761U >> 8), static_cast<int>(i) - 40);
    const cl_float colour[] = {value, 0, 0, 0};
    const cl_half half = filledAs<cl_half>({CL_R, CL_HALF_FLOAT}, colour)[0];
    if (half >= 0x7c00) {
      EXPECT_GE(value, 65520.0F);
      continue;
    }
    const double error = std::fabs(valueOf(half) - static_cast<double>(value));
    for (int step : {-1, 1})
      if (half != 0 || step > 0)
        EXPECT_LE(error, std::fabs(valueOf(static_cast<cl_half>(half + step)) - static_cast<double>(value))) << value;
  }
}

// Section 8.3.5: within 0.6 of the exact value; alpha is linear.
TEST_F(ImageFormatTest, SrgbIsEncoded) {
  for (int i = -2; i <= 66; ++i) {
    const cl_float linear = static_cast<cl_float>(i) / 64.0F;
    const cl_float colour[] = {linear, 0, 0, linear};
    const double c = std::clamp<double>(linear, 0, 1);
    const double exact = 255 * (c < 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055);
    for (cl_channel_order order : {CL_sRGBA, CL_sBGRA, CL_sRGBx}) {
      const auto seen = filledAs<cl_uchar>({order, CL_UNORM_INT8}, colour);
      EXPECT_NEAR(seen[order == CL_sBGRA ? 2 : 0], exact, 0.6) << linear;
      if (order != CL_sRGBx) EXPECT_NEAR(seen[3], c * 255, 0.51) << linear;
    }
  }
  const cl_float nan[] = {std::numeric_limits<float>::quiet_NaN(), 0, 0, 0};
  EXPECT_EQ(filledAs<cl_uchar>({CL_sRGBA, CL_UNORM_INT8}, nan)[0], 0);
}

} // namespace

} // namespace clotho::test
