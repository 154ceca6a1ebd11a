// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "worker.hpp"

#include "generator.hpp"
#include "printer.hpp"
#include "random.hpp"

#include <CL/cl.h>
#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

namespace clotho::fuzz {
namespace {

using Bytes = std::vector<unsigned char>;

void check(cl_int status, const char* what) {
  if (status != CL_SUCCESS) throw std::runtime_error(std::string(what) + " gave " + std::to_string(status));
}

Bytes contents(const Argument& argument, std::uint64_t seed, std::size_t index) {
  Bytes bytes(argument.bytes);
  if (argument.fill == Argument::Fill::Zero) return bytes;
  Random random(seed * 64 + index + 0x100000000u);
  if (argument.fill == Argument::Fill::Floats) {
    for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
      const float value = float(random.between(-1000, 1000));
      std::memcpy(&bytes[i], &value, 4);
    }
    return bytes;
  }
  if (argument.fill == Argument::Fill::Doubles) {
    for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
      const double value = random.between(-1000, 1000);
      std::memcpy(&bytes[i], &value, 8);
    }
    return bytes;
  }
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = random.next();
    switch (random.below(6)) { // bits of every kind, but also values that meet and signs that agree
    case 0: word &= 0x0007000f00030001u; break;
    case 1: word = random.percent(50) ? 0 : ~std::uint64_t(0); break;
    case 2: word &= 0x0f0f0f0f0f0f0f0fu; break;
    default: break;
    }
    std::memcpy(&bytes[i], &word, std::min<std::size_t>(8, bytes.size() - i));
  }
  return bytes;
}

std::uint64_t hash(const Bytes& bytes) {
  std::uint64_t h = 0xcbf29ce484222325u + bytes.size();
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, &bytes[i], std::min<std::size_t>(8, bytes.size() - i));
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  return h;
}

/// What the driver told last about an error, which no status says.
class Told {
 public:
  static void CL_CALLBACK tell(const char* text, const void*, size_t, void* told) {
    Told& self = *static_cast<Told*>(told);
    const std::scoped_lock lock(self.mutex_);
    self.text_ = text;
    self.told_.notify_one();
  }
  /// Waits a little: it is told on another thread.
  std::string last() {
    std::unique_lock lock(mutex_);
    told_.wait_for(lock, std::chrono::seconds(1), [&] { return !text_.empty(); });
    return text_.empty() ? "" : ": " + text_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable told_;
  std::string text_;
};

/// The device and what is open on it.
class Device {
 public:
  Device() {
    cl_platform_id platform = nullptr;
    check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr), "clGetDeviceIDs");
    cl_int status = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 1, &device_, Told::tell, &told, &status);
    check(status, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device_, 0, &status);
    check(status, "clCreateCommandQueue");
    cl_bool nonUniform = CL_FALSE; // older versions have no such query
    if (clGetDeviceInfo(device_, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, sizeof nonUniform, &nonUniform, nullptr) ==
        CL_SUCCESS)
      isNonUniform_ = nonUniform != CL_FALSE;
    if (clGetDeviceInfo(device_, CL_DEVICE_SVM_CAPABILITIES, sizeof shares_, &shares_, nullptr) != CL_SUCCESS)
      shares_ = 0;
  }
  ~Device() {
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  cl_device_id id() const { return device_; }
  cl_context context() const { return context_; }
  cl_command_queue queue() const { return queue_; }
  bool isNonUniform() const { return isNonUniform_; } ///< local sizes need not divide global sizes
  bool shares(cl_device_svm_capabilities how) const { return (shares_ & how) != 0; }
  mutable Told told;

 private:
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  bool isNonUniform_ = false;
  cl_device_svm_capabilities shares_ = 0;
};

/// A built program, or the first error line of its log.
class Built {
 public:
  Built(const Device& device, const std::string& source, const std::string& options) {
    const char* text = source.c_str();
    cl_int status = CL_SUCCESS;
    program_ = clCreateProgramWithSource(device.context(), 1, &text, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    const cl_device_id id = device.id();
    status = clBuildProgram(program_, 1, &id, options.c_str(), nullptr, nullptr);
    if (status == CL_SUCCESS) return;
    std::size_t size = 0;
    clGetProgramBuildInfo(program_, id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, '\0');
    clGetProgramBuildInfo(program_, id, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    std::size_t at = log.find("error:");
    if (at == std::string::npos) at = 0;
    error_ = "does not build: " + log.substr(at, log.find_first_of(std::string("\n\0", 2), at) - at);
  }
  ~Built() { clReleaseProgram(program_); }
  Built(const Built&) = delete;
  Built& operator=(const Built&) = delete;

  cl_program get() const { return program_; }
  const std::string& error() const { return error_; }

 private:
  cl_program program_ = nullptr;
  std::string error_;
};

/// Memory of a buffer between two inaccessible pages: it ends where one begins, or, if `atBegin`, begins where one
/// ends. So what reads or writes beside a buffer fails always, and not only where by chance there is nothing.
class GuardedMemory {
 public:
  GuardedMemory(const Bytes& contents, bool atBegin) {
    const auto page = std::size_t(sysconf(_SC_PAGESIZE));
    const std::size_t aligned = (contents.size() + kAlign - 1) / kAlign * kAlign;
    const std::size_t inside = (aligned + page - 1) / page * page;
    size_ = inside + 2 * page;
    void* memory = mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no memory");
    memory_ = static_cast<unsigned char*>(memory);
    if (mprotect(memory_ + page, inside, PROT_READ | PROT_WRITE) != 0) throw std::runtime_error("no memory");
    data_ = memory_ + page + (atBegin ? 0 : inside - aligned);
    std::memcpy(data_, contents.data(), contents.size());
  }
  ~GuardedMemory() { munmap(memory_, size_); }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  void* data() const { return data_; }

 private:
  static constexpr std::size_t kAlign = 128; // of the widest type: less, and the device works on a copy
  unsigned char *memory_ = nullptr, *data_ = nullptr;
  std::size_t size_ = 0;
};

/// One program's kernel with its arguments.
class Runner {
 public:
  Runner(const Device& device, const Built& built, const Program& program) : device_(device), program_(program) {
    cl_int status = CL_SUCCESS;
    kernel_ = clCreateKernel(built.get(), program.kernelName.c_str(), &status);
    check(status, "clCreateKernel");
    const std::vector<Argument>& arguments = program.launch.arguments;
    buffers_.resize(arguments.size());
    shared_.resize(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      contents_.push_back(contents(arguments[i], program.seed, i));
      if (arguments[i].kind == Argument::Kind::Value) {
        check(clSetKernelArg(kernel_, cl_uint(i), arguments[i].bytes, contents_[i].data()), "clSetKernelArg");
      } else if (arguments[i].kind == Argument::Kind::Local) {
        check(clSetKernelArg(kernel_, cl_uint(i), arguments[i].bytes, nullptr), "clSetKernelArg");
      } else {
        memory_.push_back(std::make_unique<GuardedMemory>(contents_[i], (program.seed + i) % 2 != 0));
        if (share(i)) continue;
        buffers_[i] = clCreateBuffer(device.context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, arguments[i].bytes,
                                     memory_.back()->data(), &status);
        check(status, "clCreateBuffer");
        check(clSetKernelArg(kernel_, cl_uint(i), sizeof(cl_mem), &buffers_[i]), "clSetKernelArg");
      }
    }
  }
  ~Runner() {
    for (cl_mem buffer : buffers_)
      if (buffer) clReleaseMemObject(buffer);
    for (void* memory : allocated_)
      clSVMFree(device_.context(), memory);
    if (kernel_) clReleaseKernel(kernel_);
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  void run(std::size_t variant, bool dump) {
    const Launch& launch = program_.launch;
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      if (written(i)) write(i);
    const Size3& local = launch.locals[variant];
    cl_event launched = nullptr;
    if (!device_.isNonUniform() && local[0] != 0 &&
        (launch.global[0] % local[0] != 0 || launch.global[1] % local[1] != 0 || launch.global[2] % local[2] != 0)) {
      std::printf("run %" PRIu64 " %zu %s\n", program_.seed, variant, kImpossible);
      return;
    }
    check(clEnqueueNDRangeKernel(device_.queue(), kernel_, cl_uint(launch.dimensions), launch.offset.data(),
                                 launch.global.data(), local[0] ? local.data() : nullptr, 0, nullptr, &launched),
          "clEnqueueNDRangeKernel");
    cl_int outcome = clWaitForEvents(1, &launched);
    if (outcome != CL_SUCCESS)
      clGetEventInfo(launched, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof outcome, &outcome, nullptr);
    clReleaseEvent(launched);
    check(outcome, ("the launch with local size " + describe(local, launch.dimensions)).c_str());
    std::string line = "run " + std::to_string(program_.seed) + " " + std::to_string(variant);
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (!written(i)) continue;
      Bytes bytes(contents_[i].size());
      read(i, bytes);
      const std::string& name = launch.arguments[i].name;
      char text[32];
      std::snprintf(text, sizeof text, "=%016" PRIx64, hash(bytes));
      line += " " + name + text;
      if (dump) {
        std::printf("words %" PRIu64 " %zu %s", program_.seed, variant, name.c_str());
        for (std::size_t k = 0; k + 4 <= bytes.size(); k += 4) {
          std::uint32_t word = 0;
          std::memcpy(&word, &bytes[k], 4);
          std::printf(" %08" PRIx32, word);
        }
        std::puts("");
      }
    }
    std::puts(line.c_str());
  }

 private:
  /// Makes every other buffer of some programs an address: of shared virtual memory, or of memory that OpenCL knows
  /// nothing of. The latter is at the end of `memory_`. Tells whether it did so.
  bool share(std::size_t i) {
    if (program_.seed % 3 != 0 || (program_.seed / 3 + i) % 2 != 0) return false;
    const bool isOfSystem = program_.seed / 6 % 2 != 0 && device_.shares(CL_DEVICE_SVM_FINE_GRAIN_SYSTEM);
    if (!isOfSystem && !device_.shares(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)) return false;
    if (isOfSystem) {
      shared_[i] = memory_.back()->data();
    } else {
      shared_[i] = clSVMAlloc(device_.context(), CL_MEM_READ_WRITE, contents_[i].size(), 0);
      if (!shared_[i]) throw std::runtime_error("clSVMAlloc gave nothing");
      allocated_.push_back(shared_[i]);
      write(i);
    }
    check(clSetKernelArgSVMPointer(kernel_, cl_uint(i), shared_[i]), "clSetKernelArgSVMPointer");
    return true;
  }

  void write(std::size_t i) {
    const Bytes& bytes = contents_[i];
    if (shared_[i])
      check(clEnqueueSVMMemcpy(device_.queue(), CL_FALSE, shared_[i], bytes.data(), bytes.size(), 0, nullptr, nullptr),
            "clEnqueueSVMMemcpy");
    else
      check(clEnqueueWriteBuffer(device_.queue(), buffers_[i], CL_FALSE, 0, bytes.size(), bytes.data(), 0, nullptr,
                                 nullptr),
            "clEnqueueWriteBuffer");
  }

  void read(std::size_t i, Bytes& bytes) {
    if (shared_[i])
      check(clEnqueueSVMMemcpy(device_.queue(), CL_TRUE, bytes.data(), shared_[i], bytes.size(), 0, nullptr, nullptr),
            "clEnqueueSVMMemcpy");
    else
      check(clEnqueueReadBuffer(device_.queue(), buffers_[i], CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr,
                                nullptr),
            "clEnqueueReadBuffer");
  }

  bool written(std::size_t i) const { return program_.launch.arguments[i].kind == Argument::Kind::Output; }

  const Device& device_;
  const Program& program_;
  cl_kernel kernel_ = nullptr;
  std::vector<cl_mem> buffers_;
  std::vector<void*> shared_, allocated_; // the first by argument: null where that is a buffer
  std::vector<Bytes> contents_;
  std::vector<std::unique_ptr<GuardedMemory>> memory_;
};

void failed(std::uint64_t seed, const std::string& why) { std::printf("fail %" PRIu64 " %s\n", seed, why.c_str()); }

void runPrograms(const Device& device, const std::vector<Program>& programs, const Built& built, bool dump) {
  for (const Program& program : programs) {
    try {
      Runner runner(device, built, program);
      for (std::size_t i = 0; i < program.launch.locals.size(); ++i)
        runner.run(i, dump);
    } catch (const std::runtime_error& error) {
      failed(program.seed, error.what() + device.told.last());
    }
    std::fflush(stdout);
  }
}

std::string textOf(const Program& program, const std::string& mistake) {
  std::string text = print(program);
  const std::size_t equals = mistake.find('=');
  if (equals == std::string::npos || equals == 0) return text;
  const std::string to = mistake.substr(equals + 1);
  for (std::size_t at = 0; (at = text.find(mistake.substr(0, equals), at)) != std::string::npos; at += to.size())
    text.replace(at, equals, to);
  return text;
}

void runBatch(const Device& device, const std::vector<Program>& programs, const Work& work) {
  const bool dump = work.dump;
  const std::string options = std::string("-cl-std=") + languageOf(programs.front().seed);
  std::string source;
  for (const Program& program : programs)
    source += textOf(program, work.mistake);
  const Built all(device, source, options);
  if (all.error().empty()) return runPrograms(device, programs, all, dump);
  if (programs.size() == 1) return failed(programs.front().seed, all.error());
  bool oneFailed = false;
  for (const Program& program : programs) {
    const Built one(device, textOf(program, work.mistake), options);
    oneFailed |= !one.error().empty();
    if (one.error().empty())
      runPrograms(device, {program}, one, dump);
    else
      failed(program.seed, one.error());
  }
  if (!oneFailed)
    failed(programs.front().seed,
           "(only together with the " + std::to_string(programs.size() - 1) + " after it) " + all.error());
}

} // namespace

int work(const Work& work) {
  try {
    const Device device;
    for (std::uint64_t seed = work.first; seed <= work.last;) {
      // A batch does not cross a multiple of eight, where the language may change.
      const std::uint64_t end = std::min({work.last, seed + work.batch - 1, seed | 7});
      std::printf("begin %" PRIu64 " %" PRIu64 "\n", seed, end);
      std::fflush(stdout);
      std::vector<Program> programs;
      for (std::uint64_t s = seed; s <= end; ++s) {
        programs.push_back(generate(s));
        if (!work.edits.empty()) applyEdits(programs.back(), work.edits);
      }
      runBatch(device, programs, work);
      std::printf("end %" PRIu64 " %" PRIu64 "\n", seed, end);
      std::fflush(stdout);
      seed = end + 1;
    }
    return 0;
  } catch (const std::runtime_error& error) {
    std::fprintf(stderr, "clotho-random: %s\n", error.what());
    return 2;
  }
}

} // namespace clotho::fuzz
