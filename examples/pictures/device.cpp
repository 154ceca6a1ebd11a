// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pictures.hpp"
#include "pictures_cl.hpp"

#include <CL/cl.h>
#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>

// Of cl_khr_mipmap_image; not every version of the headers has it.
#ifndef CL_SAMPLER_MIP_FILTER_MODE_KHR
#define CL_SAMPLER_MIP_FILTER_MODE_KHR 0x1155
#endif

namespace {

void check(cl_int status, const char* what) {
  if (status != CL_SUCCESS) throw std::runtime_error(std::string(what) + " failed: " + std::to_string(status));
}

double msSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

constexpr cl_image_format kSrgb{CL_sRGBA, CL_UNORM_INT8}, kHalves{CL_RGBA, CL_HALF_FLOAT};

/// A context on one device, with the images, samplers and kernels in it.
class Painter {
 public:
  Painter() {
    cl_platform_id platform = nullptr;
    check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device_, nullptr), "clGetDeviceIDs");
    for (const char* needed : {"cl_khr_srgb_image_writes", "cl_khr_mipmap_image"})
      if (text(CL_DEVICE_EXTENSIONS).find(needed) == std::string::npos)
        throw std::runtime_error(text(CL_DEVICE_NAME) + " has no " + needed);
    cl_int status = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    queue_ = clCreateCommandQueueWithProperties(context_, device_, nullptr, &status);
    check(status, "clCreateCommandQueueWithProperties");
    const cl_sampler_properties trilinear[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                               CL_TRUE,
                                               CL_SAMPLER_ADDRESSING_MODE,
                                               CL_ADDRESS_MIRRORED_REPEAT,
                                               CL_SAMPLER_FILTER_MODE,
                                               CL_FILTER_LINEAR,
                                               CL_SAMPLER_MIP_FILTER_MODE_KHR,
                                               CL_FILTER_LINEAR,
                                               0};
    trilinear_ = clCreateSamplerWithProperties(context_, trilinear, &status);
    check(status, "clCreateSamplerWithProperties");
  }
  ~Painter() {
    for (cl_kernel kernel : kernels_)
      clReleaseKernel(kernel);
    for (cl_mem image : images_)
      clReleaseMemObject(image);
    if (program_) clReleaseProgram(program_);
    clReleaseSampler(trilinear_);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }
  Painter(const Painter&) = delete;
  Painter& operator=(const Painter&) = delete;

  std::string text(cl_device_info what) const {
    std::size_t size = 0;
    check(clGetDeviceInfo(device_, what, 0, nullptr, &size), "clGetDeviceInfo");
    std::string answer(size, '\0');
    check(clGetDeviceInfo(device_, what, size, answer.data(), nullptr), "clGetDeviceInfo");
    answer.pop_back();
    return answer;
  }

  void build() {
    const char* source = kPicturesSource;
    const std::string options = "-cl-std=CL3.0 -DRADIUS=" + std::to_string(kRadius);
    cl_int status = CL_SUCCESS;
    program_ = clCreateProgramWithSource(context_, 1, &source, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    if (clBuildProgram(program_, 1, &device_, options.c_str(), nullptr, nullptr) != CL_SUCCESS) {
      std::string log(1 << 16, '\0');
      clGetProgramBuildInfo(program_, device_, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
      throw std::runtime_error("the kernels do not build:\n" + log);
    }
  }

  /// A two-dimensional image, with levels if there are more than one, and with pixels if the program has them.
  cl_mem image(const cl_image_format& format, int width, int height, int levels = 1, const Picture* picture = nullptr) {
    cl_image_desc desc = {};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = std::size_t(width);
    desc.image_height = std::size_t(height);
    desc.num_mip_levels = levels > 1 ? cl_uint(levels) : 0;
    const cl_mem_flags flags = picture ? CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE;
    void* pixels = picture ? const_cast<std::array<std::uint8_t, 4>*>(picture->pixels.data()) : nullptr;
    cl_int status = CL_SUCCESS;
    cl_mem made = clCreateImage(context_, flags, &format, &desc, pixels, &status);
    check(status, "clCreateImage");
    images_.push_back(made);
    return made;
  }

  /// Runs a kernel on each pixel of an image of this size.
  template <class... Args> void paint(const char* name, int width, int height, const Args&... args) {
    cl_kernel kernel = kernelOf(name);
    cl_uint index = 0;
    (check(clSetKernelArg(kernel, index++, sizeof args, &args), "clSetKernelArg"), ...);
    const std::size_t size[2] = {std::size_t(width), std::size_t(height)};
    check(clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, size, nullptr, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
  }

  /// Makes an image a level of another one.
  void copyToLevel(cl_mem from, cl_mem levels, int level, int width, int height) {
    const std::size_t origin[3] = {0, 0, 0}, target[3] = {0, 0, std::size_t(level)};
    const std::size_t region[3] = {std::size_t(width), std::size_t(height), 1};
    check(clEnqueueCopyImage(queue_, from, levels, origin, target, region, 0, nullptr, nullptr), "clEnqueueCopyImage");
  }

  cl_sampler trilinear() const { return trilinear_; }
  void finish() { check(clFinish(queue_), "clFinish"); }

  Picture read(cl_mem image, int width, int height) {
    Picture picture{width, height, {}};
    picture.pixels.resize(std::size_t(width) * height);
    const std::size_t origin[3] = {0, 0, 0}, region[3] = {std::size_t(width), std::size_t(height), 1};
    check(clEnqueueReadImage(queue_, image, CL_TRUE, origin, region, 0, 0, picture.pixels.data(), 0, nullptr, nullptr),
          "clEnqueueReadImage");
    return picture;
  }

 private:
  cl_kernel kernelOf(const std::string& name) {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return kernels_[i];
    cl_int status = CL_SUCCESS;
    kernels_.push_back(clCreateKernel(program_, name.c_str(), &status));
    check(status, "clCreateKernel");
    names_.push_back(name);
    return kernels_.back();
  }

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_sampler trilinear_ = nullptr;
  cl_program program_ = nullptr;
  std::vector<cl_kernel> kernels_;
  std::vector<std::string> names_;
  std::vector<cl_mem> images_;
};

/// The median of some runs; the first one, which pays for the device's own preparations, is not timed.
double medianMs(Painter& painter, int repetitions, const std::function<void()>& run) {
  std::vector<double> times;
  for (int i = 0; i <= repetitions; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    painter.finish();
    if (i) times.push_back(msSince(begin));
  }
  std::nth_element(times.begin(), times.begin() + repetitions / 2, times.end());
  return times[repetitions / 2];
}

} // namespace

DeviceRun makeOnDevice(const Picture& picture, int repetitions) {
  Painter painter;
  DeviceRun result{painter.text(CL_DEVICE_NAME), 0, {}};
  const auto start = std::chrono::steady_clock::now();
  painter.build();
  result.buildMs = msSince(start);
  const int width = picture.width, height = picture.height;
  cl_mem source = painter.image(kSrgb, width, height, 1, &picture);

  cl_mem turned = painter.image(kSrgb, kWidth, kHeight);
  const Turn turn = turnFor(picture);
  double ms = medianMs(painter, repetitions,
                       [&] { painter.paint("turn", kWidth, kHeight, source, turned, turn.across, turn.down); });
  result.made.push_back({"turned", painter.read(turned, kWidth, kHeight), ms});

  const int count = levelCount(picture);
  cl_mem levels = painter.image(kSrgb, width, height, count), tunnel = painter.image(kSrgb, kWidth, kHeight);
  std::vector<cl_mem> chain{source};
  for (int level = 1; level < count; ++level)
    chain.push_back(painter.image(kSrgb, halved(width, level), halved(height, level)));
  ms = medianMs(painter, repetitions, [&] {
    for (int level = 0; level < count; ++level) {
      const int w = halved(width, level), h = halved(height, level);
      if (level) painter.paint("halve", w, h, chain[level - 1], chain[level]);
      painter.copyToLevel(chain[level], levels, level, w, h);
    }
    painter.paint("tunnel", kWidth, kHeight, levels, painter.trilinear(), tunnel, kStart, kLight);
  });
  result.made.push_back({"tunnel", painter.read(tunnel, kWidth, kHeight), ms});

  cl_mem rows = painter.image(kHalves, width, height), miniature = painter.image(kSrgb, width, height);
  const std::array<cl_int, 2> right{1, 0}, down{0, 1};
  ms = medianMs(painter, repetitions, [&] {
    painter.paint("blur", width, height, source, rows, right, kFocus);
    painter.paint("blur", width, height, rows, miniature, down, kFocus);
  });
  result.made.push_back({"miniature", painter.read(miniature, width, height), ms});
  return result;
}
