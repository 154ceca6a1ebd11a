// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/cuda_facts.hpp"
#include "base/log.hpp"
#include "device/cuda/context.hpp"
#include "device/device.hpp"

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

namespace clotho::cuda {

class CudaProgram;

/// A kernel of a program on a GPU.
class CudaKernel final : public DeviceKernel {
 public:
  /// Throws CL_INVALID_BINARY if the module lacks it.
  CudaKernel(const BuiltKernel& built, CudaKernelFacts facts, const CudaProgram& program);

  // A GPU keeps private memory for all work-items that it has room for, whatever the size of a work-group.
  std::uint64_t privateBytesOfGroup(const std::array<std::uint64_t, 3>&) const noexcept override { return 0; }
  std::size_t largestGroup(std::uint64_t, std::size_t most) const noexcept override {
    return std::min(most, mostThreads_);
  }
  void chooseLocalSize(NDRange& range, const DeviceProperties& device) const noexcept override;

  CUfunction function() const { return function_; }
  const CudaKernelFacts& facts() const { return facts_; }
  const CudaProgram& program() const { return program_; }
  /// The level at which a failure of a launch is logged: only the first is an error.
  LogLevel failureLevel() const noexcept {
    return hasFailed_.exchange(true, std::memory_order_relaxed) ? LogLevel::Info : LogLevel::Error;
  }

 private:
  const CudaKernelFacts facts_;
  const CudaProgram& program_;
  CUfunction function_ = nullptr;
  std::size_t mostThreads_ = 1; ///< of a block, by the registers that the code takes
  mutable std::atomic<bool> hasFailed_{false};
};

/// A program's module on a GPU.
class CudaProgram final : public DeviceProgram {
 public:
  /// Throws CL_OUT_OF_RESOURCES if the driver refuses the code, for reasons that go to the log, or CL_INVALID_BINARY if
  /// it is of another version.
  CudaProgram(Context& context, std::shared_ptr<const BuildResult> built, int sharedBytes, std::string& log);
  ~CudaProgram() override;

  const DeviceKernel* kernel(std::string_view name) const noexcept override;
  /// A kernel that others enqueue, counted from 0 on; null if there is none.
  const CudaKernel* block(std::uint32_t number) const noexcept {
    return number < blocks_.size() ? blocks_[number] : nullptr;
  }
  std::size_t blockCount() const { return blocks_.size(); }
  /// The address of a BlockLimits for each, in the device's memory.
  CUdeviceptr blockLimits() const { return blockLimits_; }
  const std::vector<PrintfFormat>& printfFormats() const { return built_->printfFormats; }
  Context& context() const { return context_; }
  CUmodule module() const { return module_; }
  int sharedBytes() const { return sharedBytes_; } ///< most that a block may have

 private:
  void loadKernels();
  void addBlock(const CudaKernel& kernel);
  /// Tells kernels of blocks. Throws CL_OUT_OF_RESOURCES.
  void describeBlocks();

  Context& context_;
  const std::shared_ptr<const BuildResult> built_;
  const int sharedBytes_;
  CUmodule module_ = nullptr;
  std::vector<std::unique_ptr<CudaKernel>> kernels_;
  std::vector<const CudaKernel*> blocks_; // by number
  CUdeviceptr blockLimits_ = 0;
};

/// Checks facts from a program binary: CL_INVALID_BINARY.
CudaKernelFacts checkedFacts(const BuiltKernel& kernel);

} // namespace clotho::cuda
