// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "base/object.hpp"
#include "compiler/compiler.hpp"
#include "device/device.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace clotho {

class Program;

/// Values of options().specialise from which on there are such versions, and from which on launches wait for them.
inline constexpr std::uint64_t kInBackground = 1, kAtOnce = 2;

/// A kernel's code for the formats and samplers of some launches. The code that is built at first branches by them in
/// every read and write; once launches have taken longer than a build takes, a version is built in the background in
/// which they are constants, and later launches run that. Lives as long as its program.
class SpecialisedKernel {
 public:
  SpecialisedKernel(Device& device, const DeviceKernel& general, std::vector<ArgumentFact> facts)
      : device_(device), general_(general), facts_(std::move(facts)) {}

  bool isFor(const Device& device, const DeviceKernel& general, const std::vector<ArgumentFact>& facts) const {
    return &device_ == &device && &general_ == &general && facts_ == facts;
  }
  bool isOf(const DeviceKernel& general) const { return &general_ == &general; }
  /// What a launch is to run: the version, if there is one yet.
  const DeviceKernel& code() const noexcept {
    const DeviceKernel* special = special_.load(std::memory_order_acquire);
    return special != nullptr ? *special : general_;
  }
  /// A launch of so many work-items is enqueued. True once: for who then has a version built.
  bool isWorthBuilding(double items) noexcept;
  /// Blocks, holds no lock, and never fails: then launches go on as they are.
  void build(const BuildRequest& like) noexcept;

 private:
  /// Generated code for a few million texels takes as long as a build.
  static constexpr double kItemsWorthBuilding = 1 << 20;

  Device& device_;
  const DeviceKernel& general_;
  const std::vector<ArgumentFact> facts_;
  std::atomic<double> items_{0};
  std::atomic<bool> isAsked_{false};
  std::shared_ptr<DeviceProgram> program_; // before special_
  std::atomic<const DeviceKernel*> special_{nullptr};
};

/// The versions of a program's kernels.
class SpecialisedKernels {
 public:
  /// The one for these facts, which there may be no code for yet; null when the kernel has too many of them.
  SpecialisedKernel* find(Device& device, const DeviceKernel& general, std::vector<ArgumentFact> facts)
      EXCLUDES(mutex_);

 private:
  static constexpr unsigned kMostOfAKernel = 8;

  Mutex mutex_;
  std::vector<std::unique_ptr<SpecialisedKernel>> all_ GUARDED_BY(mutex_);
};

} // namespace clotho
