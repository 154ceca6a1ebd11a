// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "contender.hpp"
#include "cuda_compiler.hpp"
#include "cuda_driver.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

namespace bench {

namespace {

using namespace clotho::cuda;

/// The largest divisor of `size` that is at most `limit`, of the multiples of a warp if there are any.
unsigned rowUpTo(std::size_t size, std::size_t limit) {
  constexpr std::size_t kWarp = 32;
  for (const std::size_t step : {kWarp, std::size_t{1}})
    for (std::size_t row = std::min(limit, size) / step * step; row != 0; row -= step)
      if (size % row == 0) return static_cast<unsigned>(row);
  return 1;
}

/// One launch with its arguments as the driver takes them.
struct PreparedLaunch {
  CUfunction function = nullptr;
  std::array<unsigned, 3> groups = {1, 1, 1}, local = {1, 1, 1};
  unsigned localBytes = 0; ///< arguments that are local memory
  std::vector<std::uint64_t> values;
  std::vector<void*> arguments; ///< where the values are

  void setRange(const Launch& launch) {
    std::size_t limit = 256; // as Clotho chooses where the program leaves it open
    for (std::size_t i = 0; i < launch.global.size(); ++i) {
      local[i] = launch.local.empty() ? rowUpTo(launch.global[i], limit) : static_cast<unsigned>(launch.local[i]);
      limit /= std::min<std::size_t>(limit, local[i]);
      if (launch.global[i] % local[i] != 0) throw std::runtime_error("work-groups of several sizes");
      groups[i] = static_cast<unsigned>(launch.global[i] / local[i]);
    }
  }

  void add(const Argument& argument, const std::vector<CUdeviceptr>& memory) {
    values.push_back(0);
    std::visit(
        [&](const auto& value) {
          using Value = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<Value, BufferArgument>) {
            values.back() = memory.at(static_cast<std::size_t>(value.index));
          } else if constexpr (std::is_same_v<Value, LocalArgument>) {
            values.back() = localBytes;
            localBytes += static_cast<unsigned>((value.bytes + 15) / 16 * 16);
          } else if constexpr (std::is_same_v<Value, SamplerArgument>) {
            throw std::runtime_error("samplers are not compared");
          } else {
            std::memcpy(&values.back(), &value, sizeof value);
          }
        },
        argument);
  }
};

class CudaContender final : public Contender {
 public:
  explicit CudaContender(std::string folder) : folder_(std::move(folder)), cuda_(cudaDriver()) {
    CUdevice device = 0;
    CUcontext context = nullptr;
    check(cuda_.deviceGet(&device, 0), "cuDeviceGet");
    check(cuda_.ctxCreate(&context, 0, device), "cuCtxCreate");
    check(cuda_.streamCreate(&stream_, kStreamNonBlocking), "cuStreamCreate");
  }
  // The context and what it has last as long as the process.

  void prepare(const KernelCase& what, const Problem& problem) override {
    problem_ = &problem;
    std::ifstream file(cubinOf(what, folder_), std::ios::binary);
    std::string code(std::istreambuf_iterator<char>(file), {});
    if (code.empty()) throw std::runtime_error("nvcc has made no code");
    check(cuda_.moduleLoadDataEx(&module_, code.c_str(), 0, nullptr, nullptr), "cuModuleLoadDataEx");
    for (const Buffer& buffer : problem.buffers) {
      memory_.push_back(0);
      check(cuda_.memAlloc(&memory_.back(), buffer.content.size()), "cuMemAlloc");
    }
    for (const Launch& launch : problem.launches) {
      PreparedLaunch& prepared = launches_.emplace_back();
      check(cuda_.moduleGetFunction(&prepared.function, module_, launch.kernel.c_str()), "cuModuleGetFunction");
      prepared.setRange(launch);
      for (const Argument& argument : launch.arguments)
        prepared.add(argument, memory_);
    }
    for (PreparedLaunch& launch : launches_)
      for (std::uint64_t& value : launch.values)
        launch.arguments.push_back(&value);
  }

  void reset() override {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const std::vector<std::byte>& content = problem_->buffers[i].content;
      check(cuda_.memcpyAsync(memory_[i], reinterpret_cast<CUdeviceptr>(content.data()), content.size(), stream_),
            "cuMemcpyAsync");
    }
    finish();
  }

  void run(int iterations) override {
    for (int i = 0; i < iterations; ++i)
      for (PreparedLaunch& launch : launches_)
        check(cuda_.launchKernel(launch.function, launch.groups[0], launch.groups[1], launch.groups[2], launch.local[0],
                                 launch.local[1], launch.local[2], launch.localBytes, stream_, launch.arguments.data(),
                                 nullptr),
              "cuLaunchKernel");
    finish();
  }

  std::vector<std::byte> read(int buffer) override {
    std::vector<std::byte> content(problem_->buffers[static_cast<std::size_t>(buffer)].content.size());
    check(cuda_.memcpyDtoHAsync(content.data(), memory_[static_cast<std::size_t>(buffer)], content.size(), stream_),
          "cuMemcpyDtoHAsync");
    finish();
    return content;
  }

  std::optional<double> rebuild(int) override { return std::nullopt; }

  /// Errors do not count here: after a kernel's fault every call fails until the process ends.
  void drop() override {
    for (const CUdeviceptr address : memory_)
      cuda_.memFree(address);
    memory_.clear();
    launches_.clear();
    if (module_) cuda_.moduleUnload(std::exchange(module_, nullptr));
  }

 private:
  void finish() { check(cuda_.streamSynchronize(stream_), "cuStreamSynchronize"); }

  const std::string folder_;
  const Driver& cuda_;
  CUstream stream_ = nullptr;
  CUmodule module_ = nullptr;
  const Problem* problem_ = nullptr;
  std::vector<CUdeviceptr> memory_;
  std::vector<PreparedLaunch> launches_;
};

} // namespace

std::unique_ptr<Contender> cudaContender(const std::string& folder) { return std::make_unique<CudaContender>(folder); }

} // namespace bench
