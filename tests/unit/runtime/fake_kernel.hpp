// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/device.hpp"

#include <cstdint>
#include <utility>

namespace clotho {

/// As a compiler says of a kernel whose sub-groups have so many work-items.
inline BuiltKernel builtFor(std::uint32_t width) {
  BuiltKernel built;
  built.info.name = "k";
  built.limits.subGroupSize = width;
  return built;
}

struct OwnsBuiltKernel {
  BuiltKernel built;
};

/// Code whose launches take what add() is told.
class FakeKernel final : private OwnsBuiltKernel, public DeviceKernel {
 public:
  explicit FakeKernel(BuiltKernel built) : OwnsBuiltKernel{std::move(built)}, DeviceKernel(OwnsBuiltKernel::built) {}

  void add(double seconds, double items = 1) {
    spent_ += seconds;
    if (isMeasured()) costs_.add(seconds / items, items);
  }
  bool isMeasured() const { return who_ != nullptr; }

  std::uint64_t privateBytesOfGroup(const std::array<std::uint64_t, 3>&) const noexcept override { return 0; }
  std::size_t largestGroup(std::uint64_t, std::size_t most) const noexcept override { return most; }
  void chooseLocalSize(NDRange&, const DeviceProperties&) const noexcept override {}
  double spent() const noexcept override { return spent_; }
  MeanCost meanCost() const noexcept override { return costs_.mean(); }
  bool measure(const void* who) const noexcept override {
    if (who_ != nullptr && who_ != who) return false;
    who_ = who;
    costs_ = {};
    return true;
  }
  void endMeasuring(const void* who) const noexcept override {
    if (who_ == who) who_ = nullptr;
  }

 private:
  double spent_ = 0;
  mutable const void* who_ = nullptr;
  mutable CostSamples costs_;
};

} // namespace clotho
