// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/compiler.hpp"
#include "compiler/tuned_code.hpp"

#include <memory>

namespace clotho {

/// Turns sources into device code: looks in the caches, else asks the compiler process, which it starts when needed.
/// Thread-safe; `build` blocks, holds no lock while it does, and never throws but for std::bad_alloc.
class Compiler {
 public:
  Compiler();
  ~Compiler();
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;

  /// The result is shared with the in-process cache: immutable.
  std::shared_ptr<const BuildResult> build(const BuildRequest& request);
  /// Starts the compiler process now, or loads the compiler, unless it is there. A failure is told by the next build.
  void start();

  /// Results of trials in earlier processes for the kernels of a program, by a request to build it from its
  /// portable module: nothing where this process is to try again, or where there is no folder of builds.
  TuningRecord tuned(const BuildRequest& program);
  /// This process has begun with that.
  void countTunedStart(const BuildRequest& program);
  /// Keeps what has been found out for later processes.
  void keepTuned(const BuildRequest& program, const TunedCode& code);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace clotho
