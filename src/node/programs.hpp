// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "cluster/setup.hpp"
#include "compiler/client.hpp"
#include "device/arg_block.hpp"
#include "device/device.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace clotho::node {

/// A program's code on a device of this node, and what launches of its kernels need.
struct Program {
  std::shared_ptr<const BuildResult> built;
  std::shared_ptr<const DeviceProgram> code;
  struct Kernel {
    const DeviceKernel* code;
    ArgBlock block;
  };
  std::vector<Kernel> kernels; ///< as they were listed to the program (ProgramBuilt)
};

/// Makes code of portable modules, with this process's compiler and caches, and keeps modules that came lately. Any
/// thread.
class Programs {
 public:
  /// `program`: what was made, if the answer says that it is done.
  cluster::ProgramBuilt build(Device& device, const cluster::BuildProgram& question, Program& program) EXCLUDES(mutex_);

 private:
  struct Module {
    std::uint64_t key[2];
    std::shared_ptr<const std::string> bytes;
  };
  static constexpr std::size_t kMostModuleBytes = std::size_t{64} << 20;

  std::shared_ptr<const std::string> moduleOf(const cluster::BuildProgram& question) EXCLUDES(mutex_);

  Compiler compiler_;
  Mutex mutex_;
  std::deque<Module> modules_ GUARDED_BY(mutex_); ///< the newest first
  std::size_t moduleBytes_ GUARDED_BY(mutex_) = 0;
};

} // namespace clotho::node
