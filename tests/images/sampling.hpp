// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "texel.hpp"

#include <optional>
#include <string>
#include <vector>

/// How images are sampled: coordinates, addressing modes, filters and levels, after OpenCL C 8.1, 8.2 and 8.4.
namespace clotho::test {

/// The types of images, as OpenCL C tells them apart.
enum class Shape { Image1D, Buffer1D, Array1D, Image2D, From2D, Array2D, Image3D, Depth2D, DepthArray2D };
inline constexpr Shape kShapes[] = {Shape::Image1D, Shape::Buffer1D, Shape::Array1D, Shape::Image2D,     Shape::From2D,
                                    Shape::Array2D, Shape::Image3D,  Shape::Depth2D, Shape::DepthArray2D};

struct ShapeFacts {
  const char* name;
  const char* type; ///< in OpenCL C
  cl_mem_object_type object;
  int axes;   ///< that are filtered
  bool array; ///< one more coordinate: the layer
  bool depth;
  bool onBuffer;
};
const ShapeFacts& factsOf(Shape shape);
/// The coordinates that a read takes, the layer with them.
inline int coordinatesOf(Shape shape) { return factsOf(shape).axes + (factsOf(shape).array ? 1 : 0); }

struct Sampler {
  bool normalised = false;
  cl_addressing_mode addressing = CL_ADDRESS_NONE;
  cl_filter_mode filter = CL_FILTER_NEAREST;
  cl_filter_mode mipFilter = CL_FILTER_NEAREST;
  float leastLod = 0, largestLod = 1000;
};
std::string nameOf(const Sampler& sampler);
/// Every combination whose results are defined.
std::vector<Sampler> allSamplers();

using Coordinates = std::array<float, 4>;

/// One level of an image in the host's memory, rows and slices without gaps.
struct Level {
  std::array<std::size_t, 3> sizes{1, 1, 1}; ///< of the filtered axes
  std::vector<std::byte> texels;             ///< layer by layer
};

/// An image in the host's memory.
struct Picture {
  Shape shape;
  cl_image_format format;
  std::size_t layers = 1;
  std::vector<Level> levels;

  /// `sizes` are those of level 0; each next level has half of them. All bytes are zero.
  Picture(Shape shape, const cl_image_format& format, std::array<std::size_t, 3> sizes, std::size_t layers = 1,
          int levelCount = 1);
  std::byte* texel(std::array<long, 3> at, long layer, int level = 0);
  const std::byte* texel(std::array<long, 3> at, long layer, int level = 0) const;
  /// The border colour outside of the image.
  Color colorAt(std::array<long, 3> at, long layer, int level = 0) const;
  std::size_t texelCount(int level = 0) const { return levels[level].texels.size() / texelSize(format); }

  /// Random texels. Floats are between -2 and 2 if `tame`, so that filters tell something; else any bits.
  void fillRandomly(unsigned seed, bool tame = true);
};

/// What a read may give.
class Expectation {
 public:
  /// What a sampled read of `picture` gives. Integer coordinates are given as their values.
  Expectation(const Picture& picture, const Sampler& sampler, const Coordinates& at, int level = 0);
  /// What is wrong with `got`, if anything. `extra` is a tolerance beside the reference's own, relative to the value.
  std::optional<std::string> wrong(const Color& got, double extra = 0) const;
  /// This and `other` mixed, as between two levels.
  void mix(const Expectation& other, double share);

 private:
  void nearest(const Picture& picture, const Sampler& sampler, const Coordinates& at, int level);
  void linear(const Picture& picture, const Sampler& sampler, const Coordinates& at, int level);
  struct Candidate {
    Color color, tolerance;
  };
  std::vector<Candidate> candidates_; ///< more than one where rounding of coordinates decides
  unsigned components_ = 15;
};

/// Results that a read with a level of detail may give, as read_image with `lod` has it (cl_khr_mipmap_image).
Expectation sampleLevels(const Picture& picture, const Sampler& sampler, const Coordinates& at, double lod);

} // namespace clotho::test
