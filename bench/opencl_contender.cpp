// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "contender.hpp"
#include "session.hpp"

#include <stdexcept>
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

class OpenClContender final : public Contender {
 public:
  void prepare(const KernelCase& what, const Problem& problem) override {
    source_ = kernelSource(what);
    problem_ = &problem;
    for (const Buffer& buffer : problem.buffers) {
      cl_int status;
      void* content = const_cast<std::byte*>(buffer.content.data()); // the C interface has no const; it is only read
      memory_.emplace_back(clCreateBuffer(session_.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                          buffer.content.size(), content, &status));
      check(status, "clCreateBuffer");
    }
  }

  void reset() override {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const std::vector<std::byte>& content = problem_->buffers[i].content;
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
    check(clEnqueueReadBuffer(session_.queue, memory_[buffer].get(), CL_TRUE, 0, content.size(), content.data(), 0,
                              nullptr, nullptr),
          "clEnqueueReadBuffer");
    return content;
  }

  /// Platforms may compile when the program is built or when a kernel is first launched: both count. A comment makes
  /// the source one that no cache knows.
  std::optional<double> rebuild(int number) override {
    auto begin = Clock::now();
    build(source_ + "// " + std::to_string(number) + "\n");
    run(1);
    return milliseconds(Clock::now() - begin);
  }

  void drop() override {
    kernels_.clear();
    program_ = OwnedProgram(nullptr);
    memory_.clear();
  }

 private:
  void build(const std::string& text) {
    kernels_.clear();
    const char* pointer = text.c_str();
    cl_int status;
    program_ = OwnedProgram(clCreateProgramWithSource(session_.context, 1, &pointer, nullptr, &status));
    check(status, "clCreateProgramWithSource");
    status = clBuildProgram(program_.get(), 1, &session_.device, problem_->options.c_str(), nullptr, nullptr);
    if (status != CL_SUCCESS) {
      std::string log(16384, '\0');
      clGetProgramBuildInfo(program_.get(), session_.device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
      throw std::runtime_error("clBuildProgram returned " + std::to_string(status) + ": " + log.c_str());
    }
    // A kernel object for each launch, so that its arguments are set once.
    for (const Launch& launch : problem_->launches) {
      kernels_.emplace_back(clCreateKernel(program_.get(), launch.kernel.c_str(), &status));
      check(status, "clCreateKernel");
      for (std::size_t i = 0; i < launch.arguments.size(); ++i)
        setArgument(kernels_.back().get(), static_cast<cl_uint>(i), launch.arguments[i]);
    }
  }

  void setArgument(cl_kernel kernel, cl_uint index, const Argument& argument) {
    auto set = [&](const auto& value) {
      using Value = std::decay_t<decltype(value)>;
      if constexpr (std::is_same_v<Value, BufferArgument>)
        return clSetKernelArg(kernel, index, sizeof(cl_mem), &memory_.at(value.index).get());
      else if constexpr (std::is_same_v<Value, LocalArgument>)
        return clSetKernelArg(kernel, index, value.bytes, nullptr);
      else
        return clSetKernelArg(kernel, index, sizeof value, &value);
    };
    check(std::visit(set, argument), "clSetKernelArg");
  }

  Session session_;
  std::string source_;
  const Problem* problem_ = nullptr;
  std::vector<OwnedMemory> memory_;
  OwnedProgram program_{nullptr};
  std::vector<OwnedKernel> kernels_;
};

} // namespace

std::unique_ptr<Contender> openClContender() { return std::make_unique<OpenClContender>(); }

} // namespace bench
