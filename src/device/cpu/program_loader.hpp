// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/cpu_facts.hpp"
#include "abi/cpu_kernel.h"
#include "base/log.hpp"
#include "command/printf_format.hpp"
#include "device/cpu/checks.hpp"
#include "device/cpu/private_memory.hpp"
#include "device/cpu/short_lock.hpp"
#include "device/device.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace clotho::cpu {

class LoadedProgram;

/// A kernel of a loaded program.
class CpuKernel final : public DeviceKernel {
 public:
  CpuKernel(const BuiltKernel& built, CpuKernelFacts facts, const LoadedProgram& program, WorkGroupFunction* function)
      : DeviceKernel(built), facts_(std::move(facts)), program_(&program), function_(function) {}

  std::uint64_t privateBytesOfGroup(const std::array<std::uint64_t, 3>& local) const noexcept override {
    std::array<std::uint64_t, 3> rows = local;
    cpu::exchangeDimensions(facts_, rows);
    if (facts_.shape[0] != 0) std::copy_n(facts_.shape, 3, rows.begin());
    return privateBytesOfRows(rows);
  }
  /// Private bytes of a work-group whose dimensions are those of the code, as in Launch::range.
  std::uint64_t privateBytesOfRows(const std::array<std::uint64_t, 3>& local) const noexcept {
    return cpu::privateBytesOfGroup(limits(), facts_, local);
  }
  std::size_t largestGroup(std::uint64_t bytes, std::size_t most) const noexcept override {
    return cpu::largestGroup(limits(), facts_, bytes, most);
  }
  void chooseLocalSize(NDRange& range, const DeviceProperties& device) const noexcept override;
  bool takes(const NDRange& range, const std::byte* args) const noexcept override;
  void toCode(NDRange& range, const std::byte* args) const noexcept override;
  bool hasCode() const noexcept override { return function_ != nullptr; }
  bool mayRun(const ArgSnapshot& args, const NDRange& range, HomeId home) const noexcept override;
  const CpuKernelFacts& facts() const { return facts_; }

  const LoadedProgram& program() const { return *program_; }
  WorkGroupFunction* function() const { return function_; }
  /// How a failure of a launch is logged: only the first is an error, since programs launch a kernel again and again.
  LogLevel failureLevel() const noexcept {
    return hasFailed_.exchange(true, std::memory_order_relaxed) ? LogLevel::Info : LogLevel::Error;
  }

  /// The cost of a work-item lately, in ticks / kCostScale; 0: never run. A rise counts at once, a fall little by
  /// little: taking a launch for smaller than it is costs more.
  std::uint64_t itemCost() const { return itemCost_.load(std::memory_order_relaxed); }
  static constexpr std::uint64_t kCostScale = 256;
  /// A part of a launch has taken so many ticks.
  void learnCost(std::uint64_t spent, std::uint64_t items) const noexcept;
  double spent() const noexcept override;
  MeanCost meanCost() const noexcept override;
  bool measure(const void* who) const noexcept override;
  void endMeasuring(const void* who) const noexcept override;
  bool isMeasured() const noexcept { return measurer_.load(std::memory_order_relaxed) != nullptr; }
  /// Adds a whole launch that began when the kernel was measured. `spent`: what all threads have taken, in ticks.
  void addSample(std::uint64_t spent, double items) const noexcept;

 private:
  void exchangeDimensions(NDRange& range) const noexcept; ///< from the program's order to the code's, or back

  const CpuKernelFacts facts_;
  const LoadedProgram* program_;
  WorkGroupFunction* function_;
  mutable std::atomic<bool> hasFailed_{false};
  mutable std::atomic<std::uint64_t> itemCost_{0};
  mutable std::atomic<std::uint64_t> spent_{0}; ///< ticks; what threads add at the same time may be lost
  mutable std::atomic<const void*> measurer_{nullptr};

  mutable ShortLock samplesLock_;
  mutable CostSamples measured_ GUARDED_BY(samplesLock_);
};

/// A file that stays open. Programs that turn into daemons close every descriptor; what has the number then is not ours
/// to close.
class OpenFile {
 public:
  OpenFile() = default;
  explicit OpenFile(int file) noexcept;
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile();

 private:
  int file_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

/// The shared object of a program in this process.
class LoadedProgram final : public DeviceProgram {
 public:
  /// Throws Error when the object cannot be loaded or is none of ours. A program that is deferred has no object, and
  /// its kernels have no code.
  explicit LoadedProgram(std::shared_ptr<const BuildResult> built);
  ~LoadedProgram() override;
  LoadedProgram(const LoadedProgram&) = delete;
  LoadedProgram& operator=(const LoadedProgram&) = delete;

  const DeviceKernel* kernel(std::string_view name) const noexcept override;
  std::vector<ProgramVariable> variables() const override;
  const std::vector<PrintfFormat>& printfFormats() const { return built_->printfFormats; }
  StringMemory strings() const { return image_; }
  /// The place in the source that an instruction comes from, as "file:line"; empty if that is not known.
  std::string sourceLineOf(std::uintptr_t instruction) const;

  /// The places in checked kernels that have reported a fault.
  ReportedSites& reportedSites() const { return reportedSites_; }

  /// The kernels that only its other kernels enqueue, by number; null if there is none.
  const CpuKernel* block(std::size_t number) const noexcept {
    return number < blocks_.size() ? blocks_[number] : nullptr;
  }
  /// Sets the facts that kernels may know of blocks, by number, on a device.
  void describeBlocks(const DeviceProperties& device);
  const std::vector<BlockLimits>& blockLimits() const { return blockLimits_; }

 private:
  void addBlock(const CpuKernel& kernel);
  void registerCode();
  void close() noexcept;

  std::shared_ptr<const BuildResult> built_;
  OpenFile file_; ///< of objects for debuggers
  void* handle_ = nullptr;
  std::uintptr_t base_ = 0; ///< what the object's addresses are counted from
  StringMemory image_;
  std::vector<std::uintptr_t> codeRanges_;
  std::vector<std::unique_ptr<CpuKernel>> kernels_;
  std::vector<const CpuKernel*> blocks_;
  std::vector<BlockLimits> blockLimits_;
  mutable ReportedSites reportedSites_;
};

/// dlopen of an object that is only in memory, each time a new copy; null with a line in the log if all ways fail. A
/// file that has to stay open while the object is loaded goes to `kept`.
void* loadFromMemory(const std::string& object, OpenFile& kept) noexcept;

} // namespace clotho::cpu
