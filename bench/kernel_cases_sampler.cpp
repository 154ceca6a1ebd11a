// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images and samplers, each in several of the ways in which programs write it: the sampler in the program or as an
// argument, coordinates real or integer, normalised or not, what is outside the edge's colour or none, loops or not.
#include "kernel_case.hpp"

namespace bench {

namespace {

using Texel = ImageShape::Texel;

// Numbers with few bits, so that coordinates are exact, however they are computed, and no texel's choice is left to
// rounding. Sizes of what is read are powers of two, so that normalised coordinates are, too.
constexpr float kA = 0.9375F, kB = 0.34375F, kLeft = 333.251953125F, kTop = -97.498046875F;

enum Spelling : unsigned {
  kLiteral = 1,
  kNormalised = 2,
  kBorder = 4,
  kInteger = 8,
  kReal = 16,
  kUnrolled = 32,
  kColours = 64
};

std::string optionsOf(unsigned spelling) {
  std::string options =
      spelling & kBorder ? "-DADDRESSING=CLK_ADDRESS_CLAMP" : "-DADDRESSING=CLK_ADDRESS_CLAMP_TO_EDGE";
  if (spelling & kLiteral) options += " -DLITERAL";
  if (spelling & kNormalised) options += " -DNORMALISED";
  if (spelling & kInteger) options += " -DINTEGER";
  if (spelling & kReal) options += " -DREAL";
  if (spelling & kUnrolled) options += " -DUNROLLED";
  if (spelling & kColours) options += " -DCOLOURS";
  return options;
}

std::vector<Argument> withSampler(std::vector<Argument> arguments, unsigned spelling, bool linear) {
  if (!(spelling & kLiteral))
    arguments.emplace_back(SamplerArgument{(spelling & kNormalised) != 0, linear, (spelling & kBorder) != 0});
  return arguments;
}

template <unsigned spelling> Problem resample(Scale scale) {
  const std::size_t w = scale.pick(2048, 64), h = scale.pick(1024, 32), tw = scale.pick(1920, 50),
                    th = scale.pick(1080, 40);
  const auto pixels = picture(static_cast<int>(w), static_cast<int>(h), 4, 1);
  return {{asImage(output<std::uint8_t>(4 * tw * th, {0, 1}), {Texel::Rgba8, tw, th}),
           asImage(input(pixels), {Texel::Rgba8, w, h})},
          {static_cast<long>(w), static_cast<long>(h), static_cast<long>(tw), static_cast<long>(th)},
          {{"resample", {tw, th}, {}, withSampler({arg(0), arg(1), kA, kB, kLeft, kTop}, spelling, true)}},
          optionsOf(spelling)};
}

template <unsigned spelling> Problem nearest(Scale scale) {
  const std::size_t w = scale.pick(2048, 64), h = scale.pick(1024, 32), tw = scale.pick(1920, 50),
                    th = scale.pick(1080, 40);
  return {{output<float>(tw * th), asImage(input(randomFloats(w * h, 0, 1, 1)), {Texel::R32F, w, h})},
          {static_cast<long>(w), static_cast<long>(h), static_cast<long>(tw), static_cast<long>(th)},
          {{"nearest", {tw, th}, {}, withSampler({arg(0), arg(1), kA, kB, kLeft, kTop}, spelling, false)}},
          optionsOf(spelling)};
}

template <unsigned spelling> Problem convolve(Scale scale) {
  const std::size_t w = scale.pick(1910, 70), h = scale.pick(1070, 45);
  const bool colours = (spelling & kColours) != 0;
  const Buffer in = colours
                        ? asImage(input(picture(static_cast<int>(w), static_cast<int>(h), 4, 1)), {Texel::Rgba8, w, h})
                        : asImage(input(randomFloats(w * h, 0, 1, 1)), {Texel::R32F, w, h});
  const Buffer out = colours ? asImage(output<std::uint8_t>(4 * w * h, {0, 1}), {Texel::Rgba8, w, h})
                             : output<float>(w * h, {1e-5, 1e-5});
  return {{out, in, input(randomFloats(25, 0, colours ? 0.06F : 0.08F, 2))},
          {static_cast<long>(w), static_cast<long>(h)},
          {{"convolve", {w, h}, {}, withSampler({arg(0), arg(1), arg(2)}, spelling, false)}},
          optionsOf(spelling)};
}

constexpr std::size_t kWidth = 4096, kRows8 = 4096, kRowsHalf = 2048;
constexpr double kBytes = 1e-9 * 4 * kWidth * kRows8;

template <bool half> Problem write(Scale scale) {
  const std::size_t w = scale.quick ? 64 : kWidth, h = scale.quick ? 16 : half ? kRowsHalf : kRows8;
  const Buffer out = half ? asImage(output<std::uint16_t>(4 * w * h, {1e-3, 1e-7}), {Texel::Rgba16F, w, h})
                          : asImage(output<std::uint8_t>(4 * w * h, {0, 1}), {Texel::Rgba8, w, h});
  return {{out},
          {static_cast<long>(w), static_cast<long>(h)},
          {{"write_ramps", {w, h}, {}, {arg(0), 1 / static_cast<float>(w), 1 / static_cast<float>(h)}}}};
}

} // namespace

void addSamplerCases(KernelCases& cases) {
  cases.insert(
      cases.end(),
      {
          {"resample_literal", "image", resample<kLiteral | kNormalised>, "image_resample", "image_resample_edge"},
          {"resample_argument", "image", resample<0>, "image_resample", "image_resample_edge"},
          {"resample_border_literal", "image", resample<kLiteral | kBorder>, "image_resample", "image_resample_border"},
          {"resample_border_argument", "image", resample<kBorder | kNormalised>, "image_resample",
           "image_resample_border"},
          {"nearest_literal", "image", nearest<kLiteral>, "image_nearest", "image_nearest_edge"},
          {"nearest_argument", "image", nearest<kNormalised>, "image_nearest", "image_nearest_edge"},
          {"nearest_integer", "image", nearest<kLiteral | kInteger>, "image_nearest", "image_nearest_edge"},
          {"nearest_border_literal", "image", nearest<kLiteral | kBorder | kNormalised>, "image_nearest",
           "image_nearest_border"},
          {"nearest_border_argument", "image", nearest<kBorder | kInteger>, "image_nearest", "image_nearest_border"},
          {"convolve_literal", "image", convolve<kLiteral>, "image_convolution", "convolution"},
          {"convolve_argument", "image", convolve<kUnrolled>, "image_convolution", "convolution"},
          {"convolve_real", "image", convolve<kLiteral | kReal | kUnrolled>, "image_convolution", "convolution"},
          {"convolve_real_argument", "image", convolve<kReal>, "image_convolution", "convolution"},
          {"convolve_border_literal", "image", convolve<kLiteral | kBorder | kUnrolled>, "image_convolution",
           "image_convolution_border"},
          {"convolve_border_argument", "image", convolve<kBorder>, "image_convolution", "image_convolution_border"},
          {"convolve_rgba8", "image", convolve<kLiteral | kColours>, "image_convolution", "image_convolution_colours"},
          {"convolve_rgba8_argument", "image", convolve<kColours | kUnrolled>, "image_convolution",
           "image_convolution_colours"},
          {"write_rgba8", "image", write<false>, "image_write", "image_write_rgba8", kBytes, "GB/s"},
          {"write_half", "image", write<true>, "image_write", "image_write_half", kBytes, "GB/s"},
      });
}

} // namespace bench
