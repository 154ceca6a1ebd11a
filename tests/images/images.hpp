// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../api/fixture.hpp"
#include "sampling.hpp"

#include <memory>
#include <type_traits>

namespace clotho::test {

/// A sampler of the application's.
class SamplerObject {
 public:
  SamplerObject(cl_context context, const Sampler& state);
  ~SamplerObject() { clReleaseSampler(handle_); }
  SamplerObject(const SamplerObject&) = delete;
  SamplerObject& operator=(const SamplerObject&) = delete;
  operator cl_sampler() const { return handle_; }

 private:
  cl_sampler handle_ = nullptr;
};

/// An image on the device, with the buffer that it is made from, if any.
struct DeviceImage {
  Owned<cl_mem> buffer;
  Owned<cl_mem> image;
  std::size_t rowPitch = 0; ///< of images from buffers
};

/// What tests of images have in common: images that mirror a Picture, kernels of a file, launches.
class Images : public Api {
 protected:
  /// With CLOTHO_TEST_PLATFORM in the environment the tests run on that platform: to try them on other drivers.
  static void SetUpTestSuite();
  void SetUp() override;

  static bool hasExtension(const char* name);
  /// The formats that the context has for images of this shape.
  std::vector<cl_image_format> formats(cl_mem_flags flags, Shape shape);

  /// An image of the picture's sizes and format, with its texels if `upload`.
  DeviceImage makeImage(const Picture& picture, cl_mem_flags flags = CL_MEM_READ_WRITE, bool upload = true);
  void upload(const DeviceImage& image, const Picture& picture);
  /// The picture with the device's texels.
  Picture download(const DeviceImage& image, const Picture& like);

  /// A program of a file in tests/images; built once for a test.
  cl_program program(const std::string& file, const std::string& options);
  Owned<cl_kernel> kernel(const std::string& file, const std::string& options, const std::string& name);
  /// The options by which access.cl and query.cl are made for a shape.
  static std::string optionsFor(Shape shape);

  template <class T> Owned<cl_mem> bufferOf(const std::vector<T>& values) {
    return makeBuffer(values.size() * sizeof(T), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                      const_cast<T*>(values.data()));
  }
  template <class T> std::vector<T> contentOf(cl_mem buffer, std::size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, count * sizeof(T), values.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    return values;
  }
  /// Colours as kernels have written them, four numbers of 32 bits each.
  std::vector<Color> colorsOf(cl_mem buffer, Kind kind, std::size_t count);

  template <class... Args>
  void run(cl_kernel kernel, std::vector<std::size_t> global, std::size_t local, const Args&... args) {
    cl_uint index = 0;
    (setArgument(kernel, index++, args), ...);
    std::vector<std::size_t> locals(global.size(), 1);
    locals[0] = local;
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, static_cast<cl_uint>(global.size()), nullptr, global.data(),
                                     local ? locals.data() : nullptr, 0, nullptr, nullptr),
              CL_SUCCESS);
  }
  template <class T> void setArgument(cl_kernel kernel, cl_uint index, const T& value) {
    if constexpr (std::is_convertible_v<T, cl_mem>) {
      cl_mem memory = value;
      ASSERT_EQ(clSetKernelArg(kernel, index, sizeof memory, &memory), CL_SUCCESS) << "argument " << index;
    } else {
      ASSERT_EQ(clSetKernelArg(kernel, index, sizeof value, &value), CL_SUCCESS) << "argument " << index;
    }
  }

 private:
  struct Built {
    std::string file, options;
    Owned<cl_program> program;
  };
  std::vector<Built> programs_;
};

/// The letters of read_imagef and so on.
const char* lettersOf(Kind kind);

/// Coordinates that are worth a try: random ones in and around the image, texels' middles and edges, and layers that
/// are to be rounded and clamped. Where the sampler has no addressing mode, all are inside.
std::vector<Coordinates> coordinatesFor(const Picture& picture, const Sampler& sampler, std::size_t count,
                                        unsigned seed, int level = 0);
/// Integers, for reads with a sampler of integer coordinates (`around`), or of texels that are there.
std::vector<std::array<cl_int, 4>> integersFor(const Picture& picture, bool around, std::size_t count, unsigned seed);
/// All places of an image in a random order.
std::vector<std::array<cl_int, 4>> placesOf(const Picture& picture, unsigned seed, int level = 0);
/// Integer coordinates as the reference takes them.
Coordinates asCoordinates(const std::array<cl_int, 4>& at);
/// The texel that integers name.
std::array<long, 3> placeIn(const Picture& picture, const std::array<cl_int, 4>& at, long& layer);

/// The name of a test's parameter.
std::string shapeName(const testing::TestParamInfo<Shape>& info);

/// Sizes to try for the n-th format of a shape.
Picture pictureFor(Shape shape, const cl_image_format& format, std::size_t n);

/// Counts differences and tells the first few.
class Differences {
 public:
  explicit Differences(std::string what) : what_(std::move(what)) {}
  ~Differences();
  Differences(const Differences&) = delete;
  Differences& operator=(const Differences&) = delete;
  void add(const std::string& text);

 private:
  std::string what_, texts_;
  std::size_t count_ = 0;
};
std::string textOf(const Coordinates& at, int count);

} // namespace clotho::test
