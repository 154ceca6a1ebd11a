// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "compiler/compiler.hpp"
#include "device/device.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace clotho {

/// Code of a program's kernels that was left out when the program was built (CodeScope::Needed) and that a launch has
/// needed since. Lives as long as its program; so does the code.
class CodeOnDemand {
 public:
  /// A kernel of a program that was built as `built`.
  struct Wanted {
    Device& device;
    const std::shared_ptr<const BuildResult>& built;
    std::string_view kernel;
    CodeScope scope;
  };

  /// The code, or null if it is not built yet. Throws CL_OUT_OF_RESOURCES if its build has failed.
  const DeviceKernel* find(const Wanted& wanted) const EXCLUDES(mutex_);
  /// `request` is for the whole program, of the wanted scope. Blocks, with no lock held. Throws CL_OUT_OF_RESOURCES if
  /// there can be no code, as the log says once; `find` remembers it, so that no launch repeats the build.
  const DeviceKernel& build(const Wanted& wanted, BuildRequest request) EXCLUDES(mutex_);
  /// Time that the build of this code has taken, in s; 0 if that is unknown.
  double secondsOf(const DeviceKernel& code) const EXCLUDES(mutex_);

 private:
  struct Entry {
    const Device* device;
    std::shared_ptr<const BuildResult> built;
    std::string kernel;
    CodeScope scope;
    std::shared_ptr<DeviceProgram> program;
    const DeviceKernel* code; ///< null: the build has failed
    double seconds;
  };
  const Entry* known(const Wanted& wanted) const REQUIRES(mutex_);
  /// `isForGood`: later launches find no code either, and do not build it again.
  [[noreturn]] void refuse(const Wanted& wanted, std::string_view why, bool isForGood) EXCLUDES(mutex_);

  mutable Mutex mutex_;
  std::vector<Entry> entries_ GUARDED_BY(mutex_);
};

} // namespace clotho
