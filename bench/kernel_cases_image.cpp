// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_case.hpp"

namespace bench {

namespace {

struct Shape {
  std::size_t width, height;
  std::size_t pixels() const { return width * height; }
  std::vector<long> sizes() const { return {static_cast<long>(width), static_cast<long>(height)}; }
  Argument w() const { return static_cast<std::int32_t>(width); }
  Argument h() const { return static_cast<std::int32_t>(height); }
  std::vector<std::size_t> global() const { return {width, height}; }
  /// Rounded up to work-groups of 16 by 16.
  std::vector<std::size_t> rounded() const { return {(width + 15) / 16 * 16, (height + 15) / 16 * 16}; }
};

Shape shape(Scale scale, int width, int height) {
  return scale.quick ? Shape{64, 48} : Shape{static_cast<std::size_t>(width), static_cast<std::size_t>(height)};
}

std::vector<std::uint8_t> pictureOf(Shape s, int channels, unsigned seed) {
  return picture(static_cast<int>(s.width), static_cast<int>(s.height), channels, seed);
}

Problem convolution(Scale scale) {
  Shape s = shape(scale, 1910, 1070);
  if (scale.quick) s = {70, 45};
  return {{output<float>(s.pixels(), {1e-5, 1e-5}), input(randomFloats(s.pixels(), 0, 1, 1)),
           input(randomFloats(25, 0, 0.08F, 2))},
          s.sizes(),
          {{"convolve", s.rounded(), {16, 16}, {arg(0), arg(1), arg(2), s.w(), s.h()}}}};
}

Problem jacobi(Scale scale) {
  Shape s = shape(scale, 3072, 2048);
  return {{output<float>(s.pixels(), {1e-5}), input(randomFloats(s.pixels(), 0, 1, 1))},
          s.sizes(),
          {{"jacobi", s.global(), {32, 8}, {arg(0), arg(1), s.w(), s.h()}}}};
}

Problem stencil7(Scale scale) {
  int nx = scale.pick(258, 34), ny = scale.pick(130, 18), nz = scale.pick(130, 10);
  std::size_t cells = static_cast<std::size_t>(nx) * ny * nz;
  return {{output<float>(cells, {1e-4, 1e-5}), input(randomFloats(cells, 0, 1, 1))},
          {nx, ny, nz},
          {{"stencil7", {nx - 2UL, ny - 2UL, nz - 2UL}, {32, 4, 1}, {arg(0), arg(1), nx, ny, nz, 6.0F, 1.0F}}}};
}

Problem stencil27(Scale scale) {
  int nx = scale.pick(128, 32), ny = scale.pick(128, 16), nz = scale.pick(128, 8);
  std::size_t cells = static_cast<std::size_t>(nx) * ny * nz;
  return {{output<float>(cells, {1e-4, 1e-5}), input(randomFloats(cells, 0, 1, 1)),
           input(std::vector{0.3F, 0.06F, 0.02F, 0.01F})},
          {nx, ny, nz},
          {{"stencil27",
            {static_cast<std::size_t>(nx), static_cast<std::size_t>(ny), static_cast<std::size_t>(nz)},
            {},
            {arg(0), arg(1), arg(2), nx, ny, nz}}}};
}

Problem bilateral(Scale scale) {
  Shape s = shape(scale, 320, 240);
  return {{output<float>(s.pixels(), {1e-4, 1e-5}), input(randomFloats(s.pixels(), 0, 1, 1))},
          s.sizes(),
          {{"bilateral", s.global(), {16, 8}, {arg(0), arg(1), s.w(), s.h(), 0.08F, 12.0F}}}};
}

Problem blurRgba(Scale scale) {
  Shape s = shape(scale, 3840, 2160);
  return {{output<std::uint8_t>(s.pixels() * 4), input(pictureOf(s, 4, 1))},
          s.sizes(),
          {{"blur", s.global(), {}, {arg(0), arg(1), s.w(), s.h()}}}};
}

Problem sobel(Scale scale) {
  Shape s = shape(scale, 5120, 3072);
  return {{output<std::uint8_t>(s.pixels()), input(pictureOf(s, 1, 1))},
          s.sizes(),
          {{"sobel", s.rounded(), {16, 16}, {arg(0), arg(1), s.w(), s.h()}}}};
}

Problem toneMap(Scale scale) {
  std::size_t n = scale.pick(200'000, 1000);
  return {{output<std::uint8_t>(4 * n, {0, 1}), input(randomFloats(4 * n, 0, 4, 1))},
          {static_cast<long>(n)},
          {{"tone_map", {n}, {}, {arg(0), arg(1), 0.7F}}}};
}

Problem median9(Scale scale) {
  Shape s = shape(scale, 4096, 3072);
  return {{output<std::uint8_t>(s.pixels()), input(pictureOf(s, 1, 1))},
          s.sizes(),
          {{"median9", s.rounded(), {16, 16}, {arg(0), arg(1), s.w(), s.h()}}}};
}

Problem median25(Scale scale) {
  Shape s = shape(scale, 256, 192);
  return {{output<float>(s.pixels()), input(randomFloats(s.pixels(), 0, 1, 1))},
          s.sizes(),
          {{"median25", s.global(), {16, 8}, {arg(0), arg(1), s.w(), s.h()}}}};
}

Problem latticeBoltzmann(Scale scale) {
  Shape s = shape(scale, 512, 256);
  std::vector<float> cells = randomFloats(9 * s.pixels(), 0.09F, 0.13F, 1);
  std::vector<std::uint8_t> wall = randomBytes(s.pixels(), 40, 2);
  for (std::uint8_t& w : wall)
    w = w == 0;
  // Two steps an iteration, there and back.
  auto step = [&](int to, int from) {
    return Launch{"relax", s.global(), {32, 4}, {arg(to), arg(from), arg(2), s.w(), s.h(), 1.2F}};
  };
  return {
      {changed(cells, {1e-4, 1e-6}), scratch<float>(cells.size()), input(wall)}, s.sizes(), {step(1, 0), step(0, 1)}};
}

Problem life(Scale scale) {
  Shape s = shape(scale, 8192, 3072);
  return {{output<std::uint8_t>(s.pixels()), input(randomBytes(s.pixels(), 2, 1))},
          s.sizes(),
          {{"life", s.global(), {64, 4}, {arg(0), arg(1)}}}};
}

Problem alphaBlend(Scale scale) {
  std::size_t n = scale.pick(4 << 20, 4096);
  return {{output<std::uint8_t>(4 * n), input(randomBytes(4 * n, 256, 1)), input(randomBytes(4 * n, 256, 2))},
          {static_cast<long>(n)},
          {{"blend", {n}, {}, {arg(0), arg(1), arg(2)}}}};
}

} // namespace

void addImageCases(KernelCases& cases) {
  cases.insert(cases.end(), {
                                {"convolution", "stencil", convolution},
                                {"jacobi", "stencil", jacobi},
                                {"stencil7", "stencil", stencil7},
                                {"stencil27", "stencil", stencil27},
                                {"lattice_boltzmann", "stencil", latticeBoltzmann},
                                {"bilateral", "picture", bilateral},
                                {"blur_rgba", "picture", blurRgba},
                                {"sobel", "picture", sobel},
                                {"tone_map", "picture", toneMap},
                                {"alpha_blend", "picture", alphaBlend},
                                {"life", "picture", life},
                                {"median9", "private", median9},
                                {"median25", "private", median25},
                            });
}

} // namespace bench
