// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stencils on a grid, and bodies that attract each other.
#include "spelling.hpp"

#include <cmath>

namespace bench {

namespace {

using Arguments = std::vector<Argument>;
using Range = std::vector<std::size_t>;
using Floats = std::vector<float>;

std::int32_t integer(std::size_t value) { return static_cast<std::int32_t>(value); }

// --- Nine points of a grid ---

constexpr float kCentre = 0.5F, kBeside = 0.0625F, kDiagonal = 0.03125F;

struct Size {
  std::size_t w, h;
};

Floats filtered(const Floats& in, Size of) {
  Floats out(in.size());
  for (std::size_t y = 1; y + 1 < of.h; ++y)
    for (std::size_t x = 1; x + 1 < of.w; ++x) {
      const float* p = &in[y * of.w + x];
      const auto w = static_cast<std::ptrdiff_t>(of.w);
      out[y * of.w + x] = kCentre * p[0] + kBeside * (p[-w] + p[w] + p[-1] + p[1]) +
                          kDiagonal * (p[-w - 1] + p[-w + 1] + p[w - 1] + p[w + 1]);
    }
  return out;
}

/// `first` stands before the grid's width and height; a buffer there has the weights, which otherwise are the last.
Spelling stencil(const char* name, const std::function<Range(Size)>& global, const Range& size,
                 const Arguments& first = {}) {
  return {name, [=](Scale scale) -> SpelledProblem {
            const Size of = {static_cast<std::size_t>(scale.pick(2048, 256)),
                             static_cast<std::size_t>(scale.pick(1024, 64))};
            const Floats in = randomFloats(of.w * of.h, 0, 1, 1);
            const Floats weights = {kDiagonal, kBeside,   kDiagonal, kBeside,  kCentre,
                                    kBeside,   kDiagonal, kBeside,   kDiagonal};
            Arguments arguments = {arg(0), arg(1)};
            arguments.insert(arguments.end(), first.begin(), first.end());
            arguments.insert(arguments.end(), {integer(of.w), integer(of.h)});
            if (first.empty() || !std::holds_alternative<BufferArgument>(first.front()))
              arguments.insert(arguments.end(), {kCentre, kBeside, kDiagonal});
            return {{{input(in), output<float>(in.size(), {1e-5, 1e-6}), input(weights)},
                     {},
                     {{"filter", global(of), size, arguments}}},
                    1,
                    bytesOf(filtered(in, of))};
          }};
}

// --- Bodies ---

constexpr float kSoftening = 0.01F;

Floats accelerations(const Floats& bodies) {
  const std::size_t n = bodies.size() / 4;
  Floats result(bodies.size());
  for (std::size_t i = 0; i < n; ++i) {
    double sum[3] = {};
    for (std::size_t j = 0; j < n; ++j) {
      float d[3], square = kSoftening;
      for (std::size_t k = 0; k < 3; ++k) {
        d[k] = bodies[4 * j + k] - bodies[4 * i + k];
        square += d[k] * d[k];
      }
      const float factor = bodies[4 * j + 3] / (square * std::sqrt(square));
      for (std::size_t k = 0; k < 3; ++k)
        sum[k] += factor * d[k];
    }
    for (std::size_t k = 0; k < 3; ++k)
      result[4 * i + k] = static_cast<float>(sum[k]);
  }
  return result;
}

enum class Layout : unsigned char { Together, Apart };

/// `tiles` stands between the buffers and the number of bodies; `each`: bodies of a work-item.
Spelling bodies(const char* name, const Arguments& tiles = {}, Layout layout = Layout::Together, std::size_t each = 1) {
  return {name, [=](Scale scale) -> SpelledProblem {
            const std::size_t n = static_cast<std::size_t>(scale.pick(4096, 512));
            const Floats together = randomFloats(4 * n, 0, 1, 1);
            std::vector<Buffer> buffers;
            if (layout == Layout::Together) {
              buffers.push_back(input(together));
            } else {
              for (std::size_t k = 0; k < 4; ++k) {
                Floats component;
                for (std::size_t i = 0; i < n; ++i)
                  component.push_back(together[4 * i + k]);
                buffers.push_back(input(component));
              }
            }
            buffers.push_back(output<float>(4 * n, {1e-4, 0.05}));
            Arguments arguments;
            for (std::size_t i = 0; i < buffers.size(); ++i)
              arguments.push_back(arg(integer(i)));
            arguments.insert(arguments.end(), tiles.begin(), tiles.end());
            arguments.insert(arguments.end(), {integer(n), kSoftening});
            const int result = integer(buffers.size()) - 1;
            return {{std::move(buffers), {}, {{"accelerate", {n / each}, {256}, arguments}}},
                    result,
                    bytesOf(accelerations(together))};
          }};
}

} // namespace

SpellingFamily stencilSpellings() {
  const auto pixels = [](Size of) { return Range{of.w, of.h}; };
  const auto turned = [](Size of) { return Range{of.h, of.w}; };
  const Range square = {16, 16};
  return {
      "stencil",
      {stencil("naive", pixels, square), stencil("rows_first", turned, square),
       stencil("loops", pixels, {32, 8}, {arg(2)}),
       stencil("linear_id", [](Size of) { return Range{of.w * of.h}; }, {256}), stencil("halo_loop", pixels, square),
       stencil("halo_two_loops", pixels, square), stencil("halo_conditions", pixels, square),
       stencil("rows_of_a_group", [](Size of) { return Range{of.h / 8, of.w}; }, {1, 256}, {local<float>(10 * 258)}),
       stencil("long_groups", turned, {1, 256}),
       stencil("two_rows", [](Size of) { return Range{of.w, of.h / 2}; }, {64, 4}),
       stencil("columns", [](Size of) { return Range{of.w, of.h / 32}; }, {64, 1}),
       stencil("vectors", [](Size of) { return Range{of.w / 4, of.h}; }, {16, 8})}};
}

SpellingFamily bodiesSpellings() {
  const Argument tile = local<float>(4 * 256);
  return {"bodies",
          {bodies("naive"), bodies("vectors"), bodies("vectors_of_three"), bodies("arrays", {}, Layout::Apart),
           bodies("scalars"), bodies("tile", {tile}), bodies("tile_unrolled", {tile}),
           bodies("two_an_item", {}, Layout::Together, 2)}};
}

} // namespace bench
