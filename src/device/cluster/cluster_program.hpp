// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "cluster/setup.hpp"
#include "device/device.hpp"

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace clotho::cluster {

class ClusterProgram;
class Session;

/// A kernel of a program whose code is at a node. Its limits are those of the code there.
class ClusterKernel final : public DeviceKernel {
 public:
  ClusterKernel(std::unique_ptr<const BuiltKernel> built, std::uint64_t mostItems, std::uint32_t index,
                ClusterProgram& program);

  // The node refuses work-groups that keep more than it has memory for when a launch runs.
  std::uint64_t privateBytesOfGroup(const std::array<std::uint64_t, 3>&) const noexcept override { return 0; }
  std::size_t largestGroup(std::uint64_t, std::size_t most) const noexcept override {
    return std::min<std::size_t>(most, mostItems_);
  }
  /// Asks the node, once for each range of a program that launches few different ones.
  void chooseLocalSize(NDRange& range, const DeviceProperties& device) const noexcept override;

  std::uint64_t program() const; ///< its number at the node
  std::uint32_t index() const { return index_; }
  /// Bytes of the argument block, with the sizes of local arguments.
  std::size_t blockBytes() const { return blockBytes_; }

 private:
  using Sizes = std::array<std::uint64_t, 3>;
  static constexpr std::size_t kMostKnown = 16;

  const std::unique_ptr<const BuiltKernel> owned_;
  const std::uint64_t mostItems_;
  const std::uint32_t index_;
  const std::size_t blockBytes_;
  ClusterProgram& program_;
  mutable Mutex mutex_;
  mutable std::vector<std::pair<Sizes, Sizes>> localSizes_ GUARDED_BY(mutex_); ///< by global size
};

/// A program that a node has made code of.
class ClusterProgram final : public DeviceProgram {
 public:
  /// Throws CL_INVALID_BINARY or CL_OUT_OF_RESOURCES; `log` gets what the node's compiler says.
  ClusterProgram(Session& session, std::shared_ptr<const BuildResult> built, const Claims& claims, std::string& log);
  ~ClusterProgram() override;

  const DeviceKernel* kernel(std::string_view name) const noexcept override;
  Session& session() const { return session_; }
  std::uint64_t name() const { return name_; }

 private:
  void takeKernels(const std::vector<KernelCode>& codes);

  Session& session_;
  const std::shared_ptr<const BuildResult> built_;
  const std::uint64_t name_;
  std::vector<std::unique_ptr<ClusterKernel>> kernels_;
};

} // namespace clotho::cluster
