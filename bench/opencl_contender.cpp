// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "child_process.hpp"
#include "contender.hpp"
#include "session.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

namespace bench {

namespace {

/// A release that is not forgotten when something throws.
template <class Handle, cl_int (*release)(Handle)> class Owned {
 public:
  explicit Owned(Handle handle) : handle_(handle) {}
  ~Owned() {
    if (handle_) release(handle_);
  }
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  const Handle& get() const { return handle_; }

 private:
  Handle handle_;
};
using OwnedProgram = Owned<cl_program, clReleaseProgram>;
using OwnedKernel = Owned<cl_kernel, clReleaseKernel>;
using OwnedMemory = Owned<cl_mem, clReleaseMemObject>;
using OwnedSampler = Owned<cl_sampler, clReleaseSampler>;

cl_image_format formatOf(ImageShape::Texel texel) {
  switch (texel) {
  case ImageShape::Texel::R32F: return {CL_R, CL_FLOAT};
  case ImageShape::Texel::Rgba8: return {CL_RGBA, CL_UNORM_INT8};
  case ImageShape::Texel::Rgba16F: break;
  }
  return {CL_RGBA, CL_HALF_FLOAT};
}

/// All of a two-dimensional image.
struct Whole {
  std::size_t origin[3] = {0, 0, 0};
  std::size_t region[3];
  explicit Whole(const ImageShape& shape) : region{shape.width, shape.height, 1} {}
};

class OpenClContender final : public Contender {
 public:
  explicit OpenClContender(std::string spirvTool) : spirvTool_(std::move(spirvTool)) {}

  void prepare(const KernelCase& what, const Problem& problem) override {
    source_ = kernelSource(what);
    problem_ = &problem;
    for (const Buffer& buffer : problem.buffers) {
      cl_int status;
      void* content = const_cast<std::byte*>(buffer.content.data()); // the C interface has no const; it is only read
      if (buffer.image) {
        const cl_image_format format = formatOf(buffer.image->texel);
        cl_image_desc desc = {};
        desc.image_type = CL_MEM_OBJECT_IMAGE2D;
        desc.image_width = buffer.image->width;
        desc.image_height = buffer.image->height;
        memory_.emplace_back(clCreateImage(session_.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &desc,
                                           content, &status));
        check(status, "clCreateImage");
        continue;
      }
      memory_.emplace_back(clCreateBuffer(session_.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                          buffer.content.size(), content, &status));
      check(status, "clCreateBuffer");
    }
  }

  void reset() override {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const std::vector<std::byte>& content = problem_->buffers[i].content;
      if (const auto& image = problem_->buffers[i].image) {
        const Whole whole(*image);
        check(clEnqueueWriteImage(session_.queue, memory_[i].get(), CL_TRUE, whole.origin, whole.region, 0, 0,
                                  content.data(), 0, nullptr, nullptr),
              "clEnqueueWriteImage");
        continue;
      }
      check(clEnqueueWriteBuffer(session_.queue, memory_[i].get(), CL_TRUE, 0, content.size(), content.data(), 0,
                                 nullptr, nullptr),
            "clEnqueueWriteBuffer");
    }
  }

  void run(int iterations) override {
    for (int i = 0; i < iterations; ++i)
      for (std::size_t k = 0; k < kernels_.size(); ++k) {
        const Launch& launch = problem_->launches[k];
        check(clEnqueueNDRangeKernel(session_.queue, kernels_[k].get(), static_cast<cl_uint>(launch.global.size()),
                                     nullptr, launch.global.data(),
                                     launch.local.empty() ? nullptr : launch.local.data(), 0, nullptr, nullptr),
              "clEnqueueNDRangeKernel");
      }
    check(clFinish(session_.queue), "clFinish");
  }

  std::vector<std::byte> read(int buffer) override {
    std::vector<std::byte> content(problem_->buffers[buffer].content.size());
    if (const auto& image = problem_->buffers[buffer].image) {
      const Whole whole(*image);
      check(clEnqueueReadImage(session_.queue, memory_[buffer].get(), CL_TRUE, whole.origin, whole.region, 0, 0,
                               content.data(), 0, nullptr, nullptr),
            "clEnqueueReadImage");
      return content;
    }
    check(clEnqueueReadBuffer(session_.queue, memory_[buffer].get(), CL_TRUE, 0, content.size(), content.data(), 0,
                              nullptr, nullptr),
          "clEnqueueReadBuffer");
    return content;
  }

  /// Platforms may compile when the program is built or when a kernel is first launched: both count. A comment makes
  /// the source one that no cache knows.
  std::optional<double> rebuild(int number) override {
    const std::string text = source_ + "// " + std::to_string(number) + "\n";
    const std::string il = spirvTool_.empty() ? std::string() : spirvOf(text);
    auto begin = Clock::now();
    build(text, il);
    run(1);
    return milliseconds(Clock::now() - begin);
  }

  std::string log() const override {
    std::size_t size = 0;
    check(clGetProgramBuildInfo(program_.get(), session_.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size),
          "clGetProgramBuildInfo");
    std::string text(size, '\0');
    check(clGetProgramBuildInfo(program_.get(), session_.device, CL_PROGRAM_BUILD_LOG, size, text.data(), nullptr),
          "clGetProgramBuildInfo");
    return text.substr(0, text.find('\0')); // the size counts it
  }

  void drop() override {
    kernels_.clear();
    program_ = OwnedProgram(nullptr);
    samplers_.clear();
    memory_.clear();
  }

 private:
  std::string spirvOf(const std::string& text) const {
    const TemporaryFolder folder;
    const std::string source = folder.path() + "/kernel.cl", spirv = folder.path() + "/kernel.spv";
    std::ofstream(source) << text;
    const std::string command = "'" + spirvTool_ + "' compile '" + source + "' --emit spirv -o '" + spirv +
                                "' --options '" + problem_->options + "'";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("no SPIR-V");
    std::ifstream file(spirv, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// Builds the SPIR-V in `il`, or else the source.
  void build(const std::string& text, const std::string& il) {
    kernels_.clear();
    const char* pointer = text.c_str();
    cl_int status;
    program_ = OwnedProgram(il.empty() ? clCreateProgramWithSource(session_.context, 1, &pointer, nullptr, &status)
                                       : clCreateProgramWithIL(session_.context, il.data(), il.size(), &status));
    check(status, "creating the program");
    status = clBuildProgram(program_.get(), 1, &session_.device, problem_->options.c_str(), nullptr, nullptr);
    if (status != CL_SUCCESS) {
      std::string log(16384, '\0');
      clGetProgramBuildInfo(program_.get(), session_.device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
      throw std::runtime_error("clBuildProgram returned " + std::to_string(status) + ": " +
                               log.substr(0, log.find('\0')));
    }
    // A kernel object for each launch, so that its arguments are set once.
    for (const Launch& launch : problem_->launches) {
      kernels_.emplace_back(clCreateKernel(program_.get(), launch.kernel.c_str(), &status));
      check(status, "clCreateKernel");
      for (std::size_t i = 0; i < launch.arguments.size(); ++i)
        setArgument(kernels_.back().get(), static_cast<cl_uint>(i), launch.arguments[i]);
    }
  }

  const OwnedSampler& sampler(const SamplerArgument& wanted) {
    const cl_sampler_properties list[] = {
        CL_SAMPLER_NORMALIZED_COORDS,
        static_cast<cl_sampler_properties>(wanted.normalised ? CL_TRUE : CL_FALSE),
        CL_SAMPLER_ADDRESSING_MODE,
        static_cast<cl_sampler_properties>(wanted.border ? CL_ADDRESS_CLAMP : CL_ADDRESS_CLAMP_TO_EDGE),
        CL_SAMPLER_FILTER_MODE,
        static_cast<cl_sampler_properties>(wanted.linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST),
        0};
    cl_int status;
    samplers_.emplace_back(clCreateSamplerWithProperties(session_.context, list, &status));
    check(status, "clCreateSamplerWithProperties");
    return samplers_.back();
  }

  void setArgument(cl_kernel kernel, cl_uint index, const Argument& argument) {
    auto set = [&](const auto& value) {
      using Value = std::decay_t<decltype(value)>;
      if constexpr (std::is_same_v<Value, BufferArgument>)
        return clSetKernelArg(kernel, index, sizeof(cl_mem), &memory_.at(value.index).get());
      else if constexpr (std::is_same_v<Value, LocalArgument>)
        return clSetKernelArg(kernel, index, value.bytes, nullptr);
      else if constexpr (std::is_same_v<Value, SamplerArgument>)
        return clSetKernelArg(kernel, index, sizeof(cl_sampler), &sampler(value).get());
      else
        return clSetKernelArg(kernel, index, sizeof value, &value);
    };
    check(std::visit(set, argument), "clSetKernelArg");
  }

  const std::string spirvTool_; ///< empty: programs are built from source
  Session session_;
  std::string source_;
  const Problem* problem_ = nullptr;
  std::vector<OwnedMemory> memory_;
  std::vector<OwnedSampler> samplers_;
  OwnedProgram program_{nullptr};
  std::vector<OwnedKernel> kernels_;
};

} // namespace

std::unique_ptr<Contender> openClContender(const std::string& spirvTool) {
  return std::make_unique<OpenClContender>(spirvTool);
}

} // namespace bench
