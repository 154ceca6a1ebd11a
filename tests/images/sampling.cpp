// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <sstream>
#include <utility>

namespace clotho::test {

namespace {

constexpr double kFloatEpsilon = 1.0 / (1 << 24);

/// A coordinate in texels (unnormalised), and by how much arithmetic in float may be off.
struct Position {
  double u;
  double error;
};

Position positionOf(const Sampler& sampler, double s, std::size_t size) {
  const auto extent = static_cast<double>(size);
  if (!sampler.normalised) return {s, 0};
  // A few roundings, each of half a unit in the last place of numbers no larger than the coordinate or the result.
  const double error = 4 * kFloatEpsilon * extent * std::max(std::fabs(s), 1.0);
  switch (sampler.addressing) {
  case CL_ADDRESS_REPEAT: return {(s - std::floor(s)) * extent, error};
  case CL_ADDRESS_MIRRORED_REPEAT: return {std::fabs(s - 2 * std::nearbyint(0.5 * s)) * extent, error};
  default: return {s * extent, error};
  }
}

/// The index of a texel: inside the image, or where the border is.
long addressed(const Sampler& sampler, long i, std::size_t size) {
  const long n = static_cast<long>(size);
  switch (sampler.addressing) {
  case CL_ADDRESS_REPEAT: return i < 0 ? i + n : i > n - 1 ? i - n : i;
  case CL_ADDRESS_MIRRORED_REPEAT:
  case CL_ADDRESS_CLAMP_TO_EDGE: return std::clamp(i, 0L, n - 1);
  case CL_ADDRESS_CLAMP: return std::clamp(i, -1L, n);
  default: return i;
  }
}

long layerOf(const Picture& picture, const Coordinates& at) {
  if (!factsOf(picture.shape).array) return 0;
  const double layer = std::nearbyint(static_cast<double>(at[factsOf(picture.shape).axes]));
  return static_cast<long>(std::clamp(layer, 0.0, static_cast<double>(picture.layers - 1)));
}

bool sameColor(const Color& a, const Color& b) { return std::memcmp(a.data(), b.data(), sizeof a) == 0; }

} // namespace

const ShapeFacts& factsOf(Shape shape) {
  static const ShapeFacts kFacts[] = {
      {"1D", "image1d_t", CL_MEM_OBJECT_IMAGE1D, 1, false, false, false},
      {"1D buffer", "image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER, 1, false, false, true},
      {"1D array", "image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY, 1, true, false, false},
      {"2D", "image2d_t", CL_MEM_OBJECT_IMAGE2D, 2, false, false, false},
      {"2D from buffer", "image2d_t", CL_MEM_OBJECT_IMAGE2D, 2, false, false, true},
      {"2D array", "image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, 2, true, false, false},
      {"3D", "image3d_t", CL_MEM_OBJECT_IMAGE3D, 3, false, false, false},
      {"2D depth", "image2d_depth_t", CL_MEM_OBJECT_IMAGE2D, 2, false, true, false},
      {"2D depth array", "image2d_array_depth_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, 2, true, true, false},
  };
  return kFacts[static_cast<int>(shape)];
}

std::string nameOf(const Sampler& sampler) {
  std::string name = sampler.normalised ? "normalised" : "unnormalised";
  switch (sampler.addressing) {
  case CL_ADDRESS_NONE: name += " none"; break;
  case CL_ADDRESS_CLAMP_TO_EDGE: name += " clamp-to-edge"; break;
  case CL_ADDRESS_CLAMP: name += " clamp"; break;
  case CL_ADDRESS_REPEAT: name += " repeat"; break;
  default: name += " mirrored-repeat";
  }
  return name + (sampler.filter == CL_FILTER_LINEAR ? " linear" : " nearest");
}

std::vector<Sampler> allSamplers() {
  std::vector<Sampler> samplers;
  for (bool normalised : {false, true})
    for (cl_filter_mode filter : {CL_FILTER_NEAREST, CL_FILTER_LINEAR})
      for (cl_addressing_mode addressing :
           {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT})
        if (normalised || (addressing != CL_ADDRESS_REPEAT && addressing != CL_ADDRESS_MIRRORED_REPEAT))
          samplers.push_back({normalised, addressing, filter});
  return samplers;
}

Picture::Picture(Shape shape, const cl_image_format& format, std::array<std::size_t, 3> sizes, std::size_t layers,
                 int levelCount)
    : shape(shape), format(format), layers(layers) {
  for (int level = 0; level < levelCount; ++level) {
    Level made;
    std::size_t count = layers;
    for (int axis = 0; axis < factsOf(shape).axes; ++axis)
      count *= made.sizes[axis] = std::max<std::size_t>(1, sizes[axis] >> level);
    made.texels.resize(count * texelSize(format));
    levels.push_back(std::move(made));
  }
}

const std::byte* Picture::texel(std::array<long, 3> at, long layer, int level) const {
  const Level& from = levels[level];
  std::size_t index = static_cast<std::size_t>(layer) * from.sizes[2] + at[2];
  index = (index * from.sizes[1] + at[1]) * from.sizes[0] + at[0];
  return from.texels.data() + index * texelSize(format);
}
std::byte* Picture::texel(std::array<long, 3> at, long layer, int level) {
  return const_cast<std::byte*>(std::as_const(*this).texel(at, layer, level));
}

Color Picture::colorAt(std::array<long, 3> at, long layer, int level) const {
  for (int axis = 0; axis < 3; ++axis)
    if (at[axis] < 0 || at[axis] >= static_cast<long>(levels[level].sizes[axis])) return borderColor(format);
  return decode(format, texel(at, layer, level));
}

void Picture::fillRandomly(unsigned seed, bool tame) {
  std::mt19937 random(seed);
  for (Level& level : levels) {
    for (std::byte& byte : level.texels)
      byte = static_cast<std::byte>(random());
    const cl_channel_type type = format.image_channel_data_type;
    if (tame && type == CL_FLOAT) {
      std::uniform_real_distribution<float> values(-2, 2);
      for (std::size_t i = 0; i < level.texels.size(); i += sizeof(float)) {
        float value = values(random);
        std::memcpy(&level.texels[i], &value, sizeof value);
      }
    }
    if (tame && type == CL_HALF_FLOAT)
      for (std::size_t i = 1; i < level.texels.size(); i += 2) // the high byte: an exponent of at most 0
        level.texels[i] &= static_cast<std::byte>(0xbf);
  }
}

Expectation::Expectation(const Picture& picture, const Sampler& sampler, const Coordinates& at, int level) {
  if (factsOf(picture.shape).depth) components_ = 1;
  if (sampler.filter == CL_FILTER_LINEAR)
    linear(picture, sampler, at, level);
  else
    nearest(picture, sampler, at, level);
}

void Expectation::nearest(const Picture& picture, const Sampler& sampler, const Coordinates& at, int level) {
  const Level& from = picture.levels[level];
  std::vector<std::array<long, 3>> places{{0, 0, 0}};
  for (int axis = 0; axis < factsOf(picture.shape).axes; ++axis) {
    const Position p = positionOf(sampler, at[axis], from.sizes[axis]);
    const long first = static_cast<long>(std::floor(p.u - p.error)),
               last = static_cast<long>(std::floor(p.u + p.error));
    std::vector<std::array<long, 3>> more;
    for (std::array<long, 3> place : places)
      for (long i = first; i <= last; ++i) {
        place[axis] = addressed(sampler, i, from.sizes[axis]);
        more.push_back(place);
      }
    places = std::move(more);
  }
  const long layer = layerOf(picture, at);
  for (const std::array<long, 3>& place : places) {
    Candidate candidate{picture.colorAt(place, layer, level), {}};
    for (int c = 0; c < 4; ++c)
      candidate.tolerance[c] = readTolerance(picture.format, c, candidate.color[c]);
    candidates_.push_back(candidate);
  }
}

void Expectation::linear(const Picture& picture, const Sampler& sampler, const Coordinates& at, int level) {
  const Level& from = picture.levels[level];
  const int axes = factsOf(picture.shape).axes;
  const long layer = layerOf(picture, at);
  // An error in the coordinate u moves the result by at most that times the difference of neighbours. Rounding may
  // also choose the cell beside, whose slope is another; the largest difference that formats allow bounds both.
  double range = 1;
  if (!isNormalised(picture.format)) range = 8; // tame pictures are between -2 and 2, the border is 0 or 1
  if (picture.format.image_channel_data_type == CL_SNORM_INT8 ||
      picture.format.image_channel_data_type == CL_SNORM_INT16)
    range = 2;
  double coordinateError = 0;
  long first[3] = {0, 0, 0};
  double share[3] = {0, 0, 0};
  for (int axis = 0; axis < axes; ++axis) {
    const Position p = positionOf(sampler, at[axis], from.sizes[axis]);
    // u - 0.5 is rounded as well.
    coordinateError += p.error + 2 * kFloatEpsilon * std::max(1.0, std::fabs(p.u));
    const double corner = std::floor(p.u - 0.5);
    share[axis] = p.u - 0.5 - corner;
    first[axis] = static_cast<long>(corner);
  }
  Candidate candidate{};
  Color largest{};
  for (int corner = 0; corner < 1 << axes; ++corner) {
    std::array<long, 3> place{0, 0, 0};
    double weight = 1;
    for (int axis = 0; axis < axes; ++axis) {
      const int step = corner >> axis & 1;
      place[axis] = addressed(sampler, first[axis] + step, from.sizes[axis]);
      weight *= step ? share[axis] : 1 - share[axis];
    }
    const Color color = picture.colorAt(place, layer, level);
    for (int c = 0; c < 4; ++c) {
      candidate.color[c] += weight * color[c];
      candidate.tolerance[c] += weight * readTolerance(picture.format, c, color[c]);
      largest[c] = std::max(largest[c], std::fabs(color[c]));
    }
  }
  for (int c = 0; c < 4; ++c)
    candidate.tolerance[c] += range * coordinateError + 8 * (1 << axes) * kFloatEpsilon * largest[c];
  candidates_.push_back(candidate);
}

std::optional<std::string> Expectation::wrong(const Color& got, double extra) const {
  for (const Candidate& candidate : candidates_) {
    bool fits = true;
    for (int c = 0; c < 4; ++c) {
      if (!(components_ >> c & 1)) continue;
      const double want = candidate.color[c];
      if (std::isnan(want) || std::isinf(want))
        fits &= std::isnan(want) ? std::isnan(got[c]) : want == got[c];
      else
        fits &= std::fabs(got[c] - want) <= candidate.tolerance[c] + extra * std::fabs(want);
    }
    if (fits) return std::nullopt;
  }
  std::ostringstream text;
  text.precision(9);
  auto list = [&](const Color& color) {
    for (int c = 0; c < 4; ++c)
      if (components_ >> c & 1) text << ' ' << color[c];
  };
  text << "expected";
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (i && sameColor(candidates_[i].color, candidates_[i - 1].color)) continue;
    text << (i ? " or" : "");
    list(candidates_[i].color);
  }
  text << " within";
  list(candidates_[0].tolerance);
  text << ", got";
  list(got);
  return text.str();
}

void Expectation::mix(const Expectation& other, double share) {
  std::vector<Candidate> mixed;
  for (const Candidate& a : candidates_)
    for (const Candidate& b : other.candidates_) {
      Candidate both = a;
      for (int c = 0; c < 4; ++c) {
        both.color[c] = (1 - share) * a.color[c] + share * b.color[c];
        // The level of detail may be kept in steps of 1/256, and come from an approximate logarithm.
        both.tolerance[c] = std::max(a.tolerance[c], b.tolerance[c]) + std::fabs(a.color[c] - b.color[c]) / 128 + 1e-4 +
                            8 * kFloatEpsilon * std::max(std::fabs(a.color[c]), std::fabs(b.color[c]));
      }
      mixed.push_back(both);
    }
  candidates_ = std::move(mixed);
}

Expectation sampleLevels(const Picture& picture, const Sampler& sampler, const Coordinates& at, double lod) {
  const int last = static_cast<int>(picture.levels.size()) - 1;
  const double least = sampler.leastLod, largest = sampler.largestLod;
  lod = std::clamp(std::clamp(lod, least, std::max(least, largest)), 0.0, static_cast<double>(last));
  if (sampler.mipFilter == CL_FILTER_NEAREST)
    return {picture, sampler, at, std::min(static_cast<int>(std::floor(lod + 0.5)), last)};
  const int below = static_cast<int>(std::floor(lod)), above = std::min(below + 1, last);
  Expectation expected(picture, sampler, at, below);
  expected.mix({picture, sampler, at, above}, lod - below);
  return expected;
}

} // namespace clotho::test
