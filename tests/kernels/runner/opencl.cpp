// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "opencl.hpp"

#include "guarded_memory.hpp"

#include <bit>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

namespace {

void check(cl_int status, const char* what) {
  if (status != CL_SUCCESS) throw std::runtime_error(std::string(what) + " failed: " + std::to_string(status));
}

/// What a context is told, such as why SPIR-V is refused; another thread may call it later than the error is seen.
void CL_CALLBACK say(const char* text, const void*, std::size_t, void*) { std::fprintf(stderr, "    %s\n", text); }

/// Catches what is written to standard output while it lives.
class Capture {
 public:
  Capture() : file_(memfd_create("stdout", MFD_CLOEXEC)), saved_(dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    dup2(file_, STDOUT_FILENO);
  }
  ~Capture() {
    restore();
    close(file_);
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  std::string text() {
    std::fflush(stdout);
    restore();
    const off_t size = lseek(file_, 0, SEEK_END);
    std::string result(std::size_t(size), '\0');
    if (pread(file_, result.data(), result.size(), 0) != size) throw std::runtime_error("cannot read captured output");
    return result;
  }

 private:
  void restore() {
    if (saved_ < 0) return;
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
    saved_ = -1;
  }
  int file_;
  int saved_;
};

/// The OpenCL objects of one run, and the memory of its buffers.
struct Objects {
  cl_kernel kernel = nullptr;
  cl_event launched = nullptr;
  std::vector<std::unique_ptr<GuardedMemory>> memory;
  std::vector<cl_mem> buffers;
  ~Objects() {
    if (launched) clReleaseEvent(launched);
    for (cl_mem buffer : buffers)
      if (buffer) clReleaseMemObject(buffer);
    if (kernel) clReleaseKernel(kernel);
  }
};

} // namespace

Driver::Driver() {
  cl_platform_id platform = nullptr;
  check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr), "clGetDeviceIDs");
  cl_int status = CL_SUCCESS;
  context_ = clCreateContext(nullptr, 1, &device_, say, nullptr, &status);
  check(status, "clCreateContext");
  queue_ = clCreateCommandQueue(context_, device_, 0, &status);
  check(status, "clCreateCommandQueue");
}

Driver::~Driver() {
  clReleaseCommandQueue(queue_);
  clReleaseContext(context_);
}

Program::Program(const Driver& driver, Language language, const std::string& text, const std::string& options) {
  cl_int status = CL_SUCCESS;
  const cl_device_id device = driver.device();
  if (language == Language::Executable || language == Language::Compiled) {
    const std::size_t size = text.size();
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    program_ = clCreateProgramWithBinary(driver.context(), 1, &device, &size, &bytes, nullptr, &status);
    check(status, "clCreateProgramWithBinary");
  } else if (language == Language::Spirv) {
    program_ = clCreateProgramWithIL(driver.context(), text.data(), text.size(), &status);
    check(status, "clCreateProgramWithIL");
  } else {
    const char* source = text.c_str();
    program_ = clCreateProgramWithSource(driver.context(), 1, &source, nullptr, &status);
    check(status, "clCreateProgramWithSource");
  }
  if (language == Language::Compiled) {
    const cl_program compiled = program_;
    program_ = clLinkProgram(driver.context(), 1, &device, nullptr, 1, &compiled, nullptr, nullptr, &status);
    clReleaseProgram(compiled);
    built_ = status == CL_SUCCESS;
  } else {
    built_ = clBuildProgram(program_, 1, &device, options.c_str(), nullptr, nullptr) == CL_SUCCESS;
  }
  std::size_t size = 0;
  clGetProgramBuildInfo(program_, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  log_.resize(size);
  clGetProgramBuildInfo(program_, device, CL_PROGRAM_BUILD_LOG, size, log_.data(), nullptr);
}

Program::~Program() { clReleaseProgram(program_); }

std::optional<std::size_t> subGroupSize(const Driver& driver, const Program& program, const std::string& kernel) {
  Objects objects;
  cl_int status = CL_SUCCESS;
  objects.kernel = clCreateKernel(program.get(), kernel.c_str(), &status);
  check(status, "clCreateKernel");
  const std::size_t local = 1;
  std::size_t size = 0;
  status = clGetKernelSubGroupInfo(objects.kernel, driver.device(), CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                                   sizeof local, &local, sizeof size, &size, nullptr);
  if (status != CL_SUCCESS) return std::nullopt;
  return size;
}

namespace {

/// A buffer with the argument's contents, of which one end is guarded where the device can work in such memory.
cl_mem makeBuffer(const Driver& driver, const Argument& arg, GuardedMemory::Side guarded, Objects& objects) {
  cl_mem_flags flags = CL_MEM_READ_WRITE;
  void* contents = const_cast<std::byte*>(arg.bytes.data());
  if (GuardedMemory::isSupported(driver.device()) && !arg.bytes.empty()) {
    objects.memory.push_back(std::make_unique<GuardedMemory>(driver.context(), arg.bytes.size(), guarded));
    contents = std::memcpy(objects.memory.back()->data(), arg.bytes.data(), arg.bytes.size());
    flags |= CL_MEM_USE_HOST_PTR;
  } else {
    flags |= CL_MEM_COPY_HOST_PTR;
  }
  cl_int status = CL_SUCCESS;
  cl_mem buffer = clCreateBuffer(driver.context(), flags, arg.bytes.size(), contents, &status);
  check(status, "clCreateBuffer");
  return buffer;
}

} // namespace

std::string runKernel(const Driver& driver, const Program& program, const std::string& kernel, const Range& range,
                      std::vector<Argument>& args) {
  static unsigned runs = 0;
  ++runs;
  Objects objects;
  cl_int status = CL_SUCCESS;
  objects.kernel = clCreateKernel(program.get(), kernel.c_str(), &status);
  check(status, "clCreateKernel");
  for (std::size_t i = 0; i < args.size(); ++i) {
    Argument& arg = args[i];
    objects.buffers.push_back(nullptr);
    if (arg.kind == Argument::Kind::Buffer) {
      cl_mem& buffer = objects.buffers.back();
      // Neither local sizes nor widths take turns as these bits do, so that each has both ends of each buffer guarded.
      const bool isAtEnd = (std::popcount(runs) + i) % 2 == 0;
      buffer = makeBuffer(driver, arg, isAtEnd ? GuardedMemory::Side::End : GuardedMemory::Side::Begin, objects);
      check(clSetKernelArg(objects.kernel, cl_uint(i), sizeof(cl_mem), &buffer), "clSetKernelArg of a buffer");
    } else if (arg.kind == Argument::Kind::Value) {
      check(clSetKernelArg(objects.kernel, cl_uint(i), arg.bytes.size(), arg.bytes.data()),
            "clSetKernelArg of a value");
    } else if (arg.kind == Argument::Kind::Same) {
      check(clSetKernelArg(objects.kernel, cl_uint(i), sizeof(cl_mem), &objects.buffers.at(arg.sameAs)),
            "clSetKernelArg of a buffer again");
    } else {
      check(clSetKernelArg(objects.kernel, cl_uint(i), arg.localBytes, nullptr), "clSetKernelArg of local memory");
    }
  }

  Capture capture;
  cl_event& launched = objects.launched;
  check(clEnqueueNDRangeKernel(driver.queue(), objects.kernel, cl_uint(range.global.size()),
                               range.offset.empty() ? nullptr : range.offset.data(), range.global.data(),
                               range.local ? range.local->data() : nullptr, 0, nullptr, &launched),
        "clEnqueueNDRangeKernel");
  check(clFinish(driver.queue()), "clFinish");
  check(clGetEventInfo(launched, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr), "clGetEventInfo");
  check(status, "the launch");
  std::string printed = capture.text();

  for (std::size_t i = 0; i < args.size(); ++i)
    if (objects.buffers[i])
      check(clEnqueueReadBuffer(driver.queue(), objects.buffers[i], CL_TRUE, 0, args[i].bytes.size(),
                                args[i].bytes.data(), 0, nullptr, nullptr),
            "clEnqueueReadBuffer");
  return printed;
}
