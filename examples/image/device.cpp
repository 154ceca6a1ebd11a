// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engrave.hpp"
#include "engrave_cl.hpp"

#include <CL/cl.h>
#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace {

void check(cl_int status, const char* what) {
  if (status != CL_SUCCESS) throw std::runtime_error(std::string(what) + " failed: " + std::to_string(status));
}

double msSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

std::size_t roundUp(int value, std::size_t multiple) {
  return (std::size_t(value) + multiple - 1) / multiple * multiple;
}

/// Sets all arguments of a kernel in order.
template <class... Args> void setArgs(cl_kernel kernel, const Args&... args) {
  cl_uint index = 0;
  (check(clSetKernelArg(kernel, index++, sizeof args, &args), "clSetKernelArg"), ...);
}

/// A context on one device, with what the engraving needs in it.
class Engraver {
 public:
  Engraver() {
    cl_platform_id platform = nullptr;
    check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device_, nullptr), "clGetDeviceIDs");
    cl_int status = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device_, 0, &status);
    check(status, "clCreateCommandQueue");
  }
  ~Engraver() {
    for (cl_kernel kernel : {blurRows_, blurColumns_, histogram_, toneCurve_, ink_})
      if (kernel) clReleaseKernel(kernel);
    for (cl_mem memory : memories_)
      clReleaseMemObject(memory);
    if (program_) clReleaseProgram(program_);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }
  Engraver(const Engraver&) = delete;
  Engraver& operator=(const Engraver&) = delete;

  std::string deviceName() const {
    char name[256] = "";
    check(clGetDeviceInfo(device_, CL_DEVICE_NAME, sizeof name, name, nullptr), "clGetDeviceInfo");
    return name;
  }

  void build() {
    const char* source = kEngraveSource;
    cl_int status = CL_SUCCESS;
    program_ = clCreateProgramWithSource(context_, 1, &source, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    if (clBuildProgram(program_, 1, &device_, "", nullptr, nullptr) != CL_SUCCESS) {
      std::string log(1 << 16, '\0');
      clGetProgramBuildInfo(program_, device_, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
      throw std::runtime_error("the kernels do not build:\n" + log);
    }
    blurRows_ = kernel("blurRows");
    blurColumns_ = kernel("blurColumns");
    histogram_ = kernel("histogram");
    toneCurve_ = kernel("toneCurve");
    ink_ = kernel("ink");
  }

  void load(const Picture& picture) {
    width_ = picture.width;
    height_ = picture.height;
    const std::size_t pixels = picture.pixels.size();
    auto weights = blurWeights();
    cl_mem source = buffer(pixels * 4, CL_MEM_READ_ONLY, picture.pixels.data());
    cl_mem weightBuffer = buffer(sizeof weights, CL_MEM_READ_ONLY, weights.data());
    cl_mem rows = buffer(pixels * sizeof(float), CL_MEM_READ_WRITE, nullptr);
    cl_mem blurred = buffer(pixels * sizeof(float), CL_MEM_READ_WRITE, nullptr);
    counts_ = buffer(256 * sizeof(cl_uint), CL_MEM_READ_WRITE, nullptr);
    cl_mem curve = buffer(256 * sizeof(float), CL_MEM_READ_WRITE, nullptr);
    engraved_ = buffer(pixels * 4, CL_MEM_WRITE_ONLY, nullptr);

    setArgs(blurRows_, source, rows, weightBuffer, width_, height_);
    setArgs(blurColumns_, rows, blurred, weightBuffer, width_, height_);
    setArgs(histogram_, blurred, counts_, cl_uint(pixels));
    setArgs(toneCurve_, counts_, curve, cl_uint(pixels));
    setArgs(ink_, source, blurred, curve, engraved_, width_, height_);
  }

  void run() {
    const cl_uint zero = 0;
    check(clEnqueueFillBuffer(queue_, counts_, &zero, sizeof zero, 0, 256 * sizeof zero, 0, nullptr, nullptr),
          "clEnqueueFillBuffer");
    launch(blurRows_, 2, {roundUp(width_, 64), std::size_t(height_)}, {64, 1});
    launch(blurColumns_, 2, {roundUp(width_, 16), roundUp(height_, 16)}, {16, 16});
    launch(histogram_, 1, {16 * 128, 1}, {128, 1});
    launch(toneCurve_, 1, {256, 1}, {256, 1});
    launch(ink_, 2, {roundUp(width_, 32), roundUp(height_, 4)}, {32, 4});
    check(clFinish(queue_), "clFinish");
  }

  void read(Picture& picture) const {
    check(clEnqueueReadBuffer(queue_, engraved_, CL_TRUE, 0, picture.pixels.size() * 4, picture.pixels.data(), 0,
                              nullptr, nullptr),
          "clEnqueueReadBuffer");
  }

 private:
  using Size = std::array<std::size_t, 2>;

  cl_kernel kernel(const char* name) {
    cl_int status = CL_SUCCESS;
    cl_kernel result = clCreateKernel(program_, name, &status);
    check(status, "clCreateKernel");
    return result;
  }

  cl_mem buffer(std::size_t size, cl_mem_flags flags, const void* contents) {
    cl_int status = CL_SUCCESS;
    if (contents) flags |= CL_MEM_COPY_HOST_PTR;
    cl_mem result = clCreateBuffer(context_, flags, size, const_cast<void*>(contents), &status);
    check(status, "clCreateBuffer");
    memories_.push_back(result);
    return result;
  }

  void launch(cl_kernel kernel, cl_uint dims, Size global, Size local) {
    check(clEnqueueNDRangeKernel(queue_, kernel, dims, nullptr, global.data(), local.data(), 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
  }

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  cl_kernel blurRows_ = nullptr, blurColumns_ = nullptr, histogram_ = nullptr, toneCurve_ = nullptr, ink_ = nullptr;
  std::vector<cl_mem> memories_;
  cl_mem counts_ = nullptr, engraved_ = nullptr;
  int width_ = 0, height_ = 0;
};

} // namespace

DeviceRun engraveOnDevice(const Picture& picture, int repetitions) {
  Engraver engraver;
  DeviceRun result{picture, engraver.deviceName(), 0, 0};
  const auto start = std::chrono::steady_clock::now();
  engraver.build();
  result.buildMs = msSince(start);
  engraver.load(picture);
  engraver.run(); // not timed: the first run pays for the device's own preparations
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    engraver.run();
    times.push_back(msSince(begin));
  }
  std::nth_element(times.begin(), times.begin() + repetitions / 2, times.end());
  result.medianMs = times[repetitions / 2];
  engraver.read(result.engraved);
  return result;
}
