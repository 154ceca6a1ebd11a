// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "images.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>

namespace clotho::test {

namespace {

// cl_khr_mipmap_image; Debian's headers do not have them.
constexpr cl_sampler_properties kMipFilterMode = 0x1155, kLodMin = 0x1156, kLodMax = 0x1157;

cl_sampler_properties bitsOf(float value) {
  cl_uint bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

std::string sourceOf(const std::string& file) {
  std::ifstream stream(std::string(CLOTHO_IMAGE_KERNELS) + "/" + file);
  std::stringstream text;
  text << stream.rdbuf();
  EXPECT_FALSE(text.str().empty()) << "cannot read " << file;
  return text.str();
}

} // namespace

SamplerObject::SamplerObject(cl_context context, const Sampler& state) {
  std::vector<cl_sampler_properties> list = {
      CL_SAMPLER_NORMALIZED_COORDS, static_cast<cl_sampler_properties>(state.normalised ? CL_TRUE : CL_FALSE),
      CL_SAMPLER_ADDRESSING_MODE,   state.addressing,
      CL_SAMPLER_FILTER_MODE,       state.filter};
  // Properties of mipmaps are named only where they are not the default, for devices without the extension.
  const Sampler plain;
  if (state.mipFilter != plain.mipFilter) list.insert(list.end(), {kMipFilterMode, state.mipFilter});
  if (state.leastLod != plain.leastLod) list.insert(list.end(), {kLodMin, bitsOf(state.leastLod)});
  if (state.largestLod != plain.largestLod) list.insert(list.end(), {kLodMax, bitsOf(state.largestLod)});
  list.push_back(0);
  cl_int status = 1;
  handle_ = clCreateSamplerWithProperties(context, list.data(), &status);
  EXPECT_EQ(status, CL_SUCCESS) << nameOf(state);
}

void Images::SetUpTestSuite() {
  const char* wanted = std::getenv("CLOTHO_TEST_PLATFORM");
  if (!wanted) return Api::SetUpTestSuite();
  cl_platform_id platforms[16];
  cl_uint count = 0;
  ASSERT_EQ(clGetPlatformIDs(16, platforms, &count), CL_SUCCESS);
  for (cl_uint i = 0; i < std::min(count, 16U); ++i)
    if (textAnswer(CLOTHO_INFO(clGetPlatformInfo, platforms[i], CL_PLATFORM_NAME)) == wanted) platform_ = platforms[i];
  ASSERT_NE(platform_, nullptr) << wanted << " is not there";
  ASSERT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr), CL_SUCCESS);
}

void Images::SetUp() {
  Api::SetUp();
  auto images = valueAnswer<cl_bool>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_IMAGE_SUPPORT));
  ASSERT_TRUE(images) << "the device has no images";
}

bool Images::hasExtension(const char* name) {
  std::string all = " " + textAnswer(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_EXTENSIONS)) + " ";
  return all.find(" " + std::string(name) + " ") != std::string::npos;
}

std::vector<cl_image_format> Images::formats(cl_mem_flags flags, Shape shape) {
  cl_uint count = 0;
  const cl_mem_object_type type = factsOf(shape).object;
  EXPECT_EQ(clGetSupportedImageFormats(context_, flags, type, 0, nullptr, &count), CL_SUCCESS);
  std::vector<cl_image_format> all(count), list;
  EXPECT_EQ(clGetSupportedImageFormats(context_, flags, type, count, all.data(), nullptr), CL_SUCCESS);
  for (const cl_image_format& format : all)
    if (isLegal(format) && (format.image_channel_order == CL_DEPTH) == factsOf(shape).depth) list.push_back(format);
  return list;
}

DeviceImage Images::makeImage(const Picture& picture, cl_mem_flags flags, bool upload) {
  const ShapeFacts& facts = factsOf(picture.shape);
  const auto& sizes = picture.levels[0].sizes;
  cl_image_desc desc = {};
  desc.image_type = facts.object;
  desc.image_width = sizes[0];
  desc.image_height = facts.axes > 1 ? sizes[1] : 0;
  desc.image_depth = facts.axes > 2 ? sizes[2] : 0;
  desc.image_array_size = facts.array ? picture.layers : 0;
  desc.num_mip_levels = picture.levels.size() > 1 ? static_cast<cl_uint>(picture.levels.size()) : 0;
  DeviceImage made;
  if (facts.onBuffer) {
    const std::size_t texel = texelSize(picture.format);
    made.rowPitch = sizes[0] * texel;
    if (picture.shape == Shape::From2D) {
      // One unit more than there must be, so that rows have a gap.
      auto unit = valueAnswer<cl_uint>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_IMAGE_PITCH_ALIGNMENT)) * texel;
      made.rowPitch = ((made.rowPitch + unit - 1) / unit + 1) * unit;
      desc.image_row_pitch = made.rowPitch;
    }
    made.buffer = makeBuffer(made.rowPitch * sizes[1]);
    desc.mem_object = made.buffer;
  }
  cl_int status = 1;
  made.image = clCreateImage(context_, flags, &picture.format, &desc, nullptr, &status);
  EXPECT_EQ(status, CL_SUCCESS) << facts.name << " " << nameOf(picture.format);
  if (upload && status == CL_SUCCESS) this->upload(made, picture);
  return made;
}

namespace {

/// The origin and region of a whole level; mip levels have one number more.
struct Whole {
  std::size_t origin[4] = {0, 0, 0, 0};
  std::size_t region[3] = {1, 1, 1};
  Whole(const Picture& picture, std::size_t level) {
    const int axes = factsOf(picture.shape).axes;
    for (int axis = 0; axis < axes; ++axis)
      region[axis] = picture.levels[level].sizes[axis];
    if (factsOf(picture.shape).array) region[axes] = picture.layers;
    origin[coordinatesOf(picture.shape)] = level;
  }
};

} // namespace

void Images::upload(const DeviceImage& image, const Picture& picture) {
  if (image.buffer) {
    const auto& sizes = picture.levels[0].sizes;
    const std::size_t row = sizes[0] * texelSize(picture.format);
    std::vector<std::byte> bytes(image.rowPitch * sizes[1], std::byte{0x5a});
    for (std::size_t y = 0; y < sizes[1]; ++y)
      std::memcpy(&bytes[y * image.rowPitch], &picture.levels[0].texels[y * row], row);
    EXPECT_EQ(clEnqueueWriteBuffer(queue_, image.buffer, CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    return;
  }
  for (std::size_t level = 0; level < picture.levels.size(); ++level) {
    const Whole whole(picture, level);
    EXPECT_EQ(clEnqueueWriteImage(queue_, image.image, CL_TRUE, whole.origin, whole.region, 0, 0,
                                  picture.levels[level].texels.data(), 0, nullptr, nullptr),
              CL_SUCCESS)
        << "level " << level;
  }
}

Picture Images::download(const DeviceImage& image, const Picture& like) {
  Picture picture = like;
  if (image.buffer) {
    const auto& sizes = picture.levels[0].sizes;
    const std::size_t row = sizes[0] * texelSize(picture.format);
    auto bytes = contentOf<std::byte>(image.buffer, image.rowPitch * sizes[1]);
    for (std::size_t y = 0; y < sizes[1]; ++y) {
      std::memcpy(&picture.levels[0].texels[y * row], &bytes[y * image.rowPitch], row);
      for (std::size_t gap = row; gap < image.rowPitch; ++gap)
        EXPECT_EQ(bytes[y * image.rowPitch + gap], std::byte{0x5a}) << "between rows, in row " << y;
    }
    return picture;
  }
  for (std::size_t level = 0; level < picture.levels.size(); ++level) {
    const Whole whole(picture, level);
    EXPECT_EQ(clEnqueueReadImage(queue_, image.image, CL_TRUE, whole.origin, whole.region, 0, 0,
                                 picture.levels[level].texels.data(), 0, nullptr, nullptr),
              CL_SUCCESS)
        << "level " << level;
  }
  return picture;
}

cl_program Images::program(const std::string& file, const std::string& options) {
  for (const Built& built : programs_)
    if (built.file == file && built.options == options) return built.program;
  std::string all = "-cl-std=CL3.0 " + options;
  programs_.push_back({file, options, buildProgram(sourceOf(file).c_str(), all.c_str())});
  return programs_.back().program;
}

Owned<cl_kernel> Images::kernel(const std::string& file, const std::string& options, const std::string& name) {
  cl_int status = 1;
  Owned<cl_kernel> made = clCreateKernel(program(file, options), name.c_str(), &status);
  EXPECT_EQ(status, CL_SUCCESS) << file << " " << options << " " << name;
  return made;
}

std::string Images::optionsFor(Shape shape) {
  const ShapeFacts& facts = factsOf(shape);
  std::string options = "-DIMAGE=" + std::string(facts.type) + " -DCOORDINATES=" + std::to_string(coordinatesOf(shape));
  if (facts.depth) options += " -DDEPTH";
  if (facts.array) options += " -DARRAY";
  if (shape == Shape::Buffer1D) options += " -DNO_SAMPLER";
  return options;
}

std::vector<Color> Images::colorsOf(cl_mem buffer, Kind kind, std::size_t count) {
  auto words = contentOf<cl_uint>(buffer, 4 * count);
  std::vector<Color> colors(count);
  for (std::size_t i = 0; i < words.size(); ++i) {
    float real;
    std::memcpy(&real, &words[i], sizeof real);
    double& number = colors[i / 4][i % 4];
    if (kind == Kind::Float)
      number = real;
    else if (kind == Kind::Int)
      number = static_cast<cl_int>(words[i]);
    else
      number = words[i];
  }
  return colors;
}

const char* lettersOf(Kind kind) { return kind == Kind::Float ? "f" : kind == Kind::Int ? "i" : "ui"; }

std::vector<Coordinates> coordinatesFor(const Picture& picture, const Sampler& sampler, std::size_t count,
                                        unsigned seed, int level) {
  std::mt19937 random(seed);
  const auto& sizes = picture.levels[level].sizes;
  const int axes = factsOf(picture.shape).axes;
  std::vector<Coordinates> list(count, Coordinates{});
  for (Coordinates& at : list) {
    for (int axis = 0; axis < axes; ++axis) {
      const auto size = static_cast<double>(sizes[axis]);
      std::uniform_real_distribution<double> inside(0.5, std::max(0.51, size - 0.51)), wide(-2.2 * size, 3.2 * size);
      double u = inside(random);
      if (sampler.addressing != CL_ADDRESS_NONE) {
        const double edge = std::floor(std::uniform_real_distribution<double>(-1, size + 2)(random));
        const double choices[] = {u, u, wide(random), edge, edge + 0.5, edge + 0.25, -1e3 - u, 1e4 + u};
        u = choices[random() % 8];
      }
      at[axis] = static_cast<float>(sampler.normalised ? u / size : u);
    }
    if (factsOf(picture.shape).array) {
      const auto layers = static_cast<float>(picture.layers);
      const float layer = static_cast<float>(random() % picture.layers);
      const float choices[] = {layer, layer + 0.5F, layer - 0.5F, layer + 0.3F, -3.75F, layers + 7.2F, layer, layer};
      at[axes] = choices[random() % 8];
    }
  }
  return list;
}

std::vector<std::array<cl_int, 4>> integersFor(const Picture& picture, bool around, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::array<cl_int, 4>> list(count, std::array<cl_int, 4>{});
  auto pick = [&](std::size_t size) {
    const int n = static_cast<int>(size);
    if (!around) return static_cast<int>(random() % size);
    const int choices[] = {static_cast<int>(random() % size),
                           static_cast<int>(random() % (3 * size + 8)) - n - 4,
                           -1,
                           n,
                           n - 1,
                           0,
                           -100'000,
                           2'000'000'000};
    return choices[random() % 2 ? 0 : random() % 8];
  };
  for (auto& at : list) {
    const int axes = factsOf(picture.shape).axes;
    for (int axis = 0; axis < axes; ++axis)
      at[axis] = pick(picture.levels[0].sizes[axis]);
    if (factsOf(picture.shape).array) at[axes] = pick(picture.layers);
  }
  return list;
}

std::vector<std::array<cl_int, 4>> placesOf(const Picture& picture, unsigned seed, int level) {
  std::vector<std::array<cl_int, 4>> places(picture.texelCount(level));
  const auto& sizes = picture.levels[level].sizes;
  const int axes = factsOf(picture.shape).axes;
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::size_t rest = i;
    places[i] = {};
    for (int axis = 0; axis < axes; ++axis) {
      places[i][axis] = static_cast<cl_int>(rest % sizes[axis]);
      rest /= sizes[axis];
    }
    if (factsOf(picture.shape).array) places[i][axes] = static_cast<cl_int>(rest);
  }
  std::shuffle(places.begin(), places.end(), std::mt19937(seed));
  return places;
}

Coordinates asCoordinates(const std::array<cl_int, 4>& at) {
  Coordinates list;
  std::transform(at.begin(), at.end(), list.begin(), [](cl_int number) { return static_cast<float>(number); });
  return list;
}

std::array<long, 3> placeIn(const Picture& picture, const std::array<cl_int, 4>& at, long& layer) {
  std::array<long, 3> place{0, 0, 0};
  const int axes = factsOf(picture.shape).axes;
  for (int axis = 0; axis < axes; ++axis)
    place[axis] = at[axis];
  layer = factsOf(picture.shape).array ? at[axes] : 0;
  return place;
}

std::string shapeName(const testing::TestParamInfo<Shape>& info) {
  std::string name = factsOf(info.param).name;
  std::string plain;
  for (char c : name)
    if (c != ' ') plain += c;
  return plain;
}

Picture pictureFor(Shape shape, const cl_image_format& format, std::size_t n) {
  static const std::array<std::size_t, 3> kSizes[] = {{37, 23, 5}, {64, 8, 3}, {5, 50, 7}, {1, 1, 1}, {301, 2, 4}};
  static const std::size_t kLayers[] = {5, 3, 1, 7};
  return {shape, format, kSizes[n % 5], factsOf(shape).array ? kLayers[n % 4] : 1};
}

Differences::~Differences() {
  if (count_) ADD_FAILURE() << what_ << ": " << count_ << " differences\n" << texts_;
}
void Differences::add(const std::string& text) {
  if (count_++ < 3) texts_ += "  " + text + "\n";
}

std::string textOf(const Coordinates& at, int count) {
  std::ostringstream text;
  text.precision(9);
  for (int i = 0; i < count; ++i)
    text << (i ? ", " : "at (") << at[i];
  text << ")";
  return text.str();
}

} // namespace clotho::test
