// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace bench {

/// What a buffer holds; halves are kept as std::uint16_t.
enum class Element : unsigned char { U8, I16, I32, U32, U64, F16, F32, F64 };

template <class T> constexpr Element elementOf();
template <> constexpr Element elementOf<std::uint8_t>() { return Element::U8; }
template <> constexpr Element elementOf<std::int16_t>() { return Element::I16; }
template <> constexpr Element elementOf<std::uint16_t>() { return Element::F16; }
template <> constexpr Element elementOf<std::int32_t>() { return Element::I32; }
template <> constexpr Element elementOf<std::uint32_t>() { return Element::U32; }
template <> constexpr Element elementOf<std::uint64_t>() { return Element::U64; }
template <> constexpr Element elementOf<float>() { return Element::F32; }
template <> constexpr Element elementOf<double>() { return Element::F64; }

/// How far a result may be from the C++ version's. Integers are compared exactly unless `outliers` says otherwise.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
  double outliers = 0; ///< share of elements that may be anything: where rounding decides a branch
};

/// How kernels see a buffer's content that is an image of two dimensions; rows lie without gaps.
struct ImageShape {
  enum class Texel : unsigned char { R32F, Rgba8, Rgba16F } texel;
  std::size_t width, height;
};

/// A buffer with the content that it has before the first iteration.
struct Buffer {
  Element element;
  std::vector<std::byte> content;
  std::optional<Tolerance> result;   ///< set: compared after one iteration
  std::optional<ImageShape> image{}; ///< set: OpenCL has an image in its place
};

struct BufferArgument {
  int index;
};
struct LocalArgument {
  std::size_t bytes;
};
struct SamplerArgument {
  bool normalised, linear;
  bool border; ///< colours outside of the image are the border's, else the edge's
};
using Argument =
    std::variant<BufferArgument, LocalArgument, SamplerArgument, std::int32_t, std::uint32_t, float, double>;

struct Launch {
  std::string kernel;
  std::vector<std::size_t> global, local; ///< local empty: the driver's choice
  std::vector<Argument> arguments;
};

/// A kernel's work: its data, and the launches that make up one iteration.
struct Problem {
  std::vector<Buffer> buffers;
  std::vector<long> sizes; ///< for the C++ version
  std::vector<Launch> launches;
  std::string options{}; ///< for building the OpenCL version
};

template <class T> Buffer input(const std::vector<T>& values) {
  std::vector<std::byte> content(values.size() * sizeof(T));
  std::memcpy(content.data(), values.data(), content.size());
  return {elementOf<T>(), std::move(content), std::nullopt};
}

/// A buffer that both is read and holds a result.
template <class T> Buffer changed(const std::vector<T>& values, Tolerance tolerance = {}) {
  Buffer buffer = input(values);
  buffer.result = tolerance;
  return buffer;
}

template <class T> Buffer output(std::size_t count, Tolerance tolerance = {}) {
  return {elementOf<T>(), std::vector<std::byte>(count * sizeof(T)), tolerance};
}

/// What only the kernels use between their launches.
template <class T> Buffer scratch(std::size_t count) {
  return {elementOf<T>(), std::vector<std::byte>(count * sizeof(T)), std::nullopt};
}

/// Makes the buffer an image.
inline Buffer asImage(Buffer buffer, ImageShape shape) {
  buffer.image = shape;
  return buffer;
}

inline Argument arg(int index) { return BufferArgument{index}; }
template <class T> Argument local(std::size_t count) { return LocalArgument{count * sizeof(T)}; }

/// Numbers that look random and are the same in every process.
std::vector<float> randomFloats(std::size_t count, float low, float high, unsigned seed);
std::vector<double> randomDoubles(std::size_t count, double low, double high, unsigned seed);
std::vector<std::uint32_t> randomInts(std::size_t count, std::uint32_t below, unsigned seed); ///< below 0: any
std::vector<std::uint8_t> randomBytes(std::size_t count, unsigned below, unsigned seed);
std::vector<std::int16_t> randomShorts(std::size_t count, unsigned seed);
std::vector<std::uint16_t> randomHalfs(std::size_t count, unsigned seed); ///< as bits, from 0.25 to 4

/// A picture of `channels` bytes a pixel with gradients, edges and noise.
std::vector<std::uint8_t> picture(int width, int height, int channels, unsigned seed);

/// Nothing, or what the first difference is that `tolerance` does not allow.
std::optional<std::string> difference(const Buffer& expected, const std::vector<std::byte>& got);

} // namespace bench
