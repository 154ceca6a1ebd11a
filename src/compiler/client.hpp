// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/compiler.hpp"
#include "compiler/tuned_code.hpp"

#include <memory>

namespace clotho {

/// Turns sources into device code: looks in the caches, else asks the compiler process, which it starts on demand.
/// Thread-safe; `build` blocks, holds no lock meanwhile, and throws nothing but std::bad_alloc.
class Compiler {
 public:
  Compiler();
  ~Compiler();
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;

  /// The result is immutable, since the in-process cache shares it.
  std::shared_ptr<const BuildResult> build(const BuildRequest& request);
  /// Starts the compiler process now, or loads the compiler library. The next build reports a failure.
  void start();

  /// Results of trials in earlier processes for a program's kernels, by a request to build it from its portable module.
  /// Empty if this process is to repeat the trials, or if there is no cache folder.
  TuningRecord tuned(const BuildRequest& program);
  /// Counts this process as having begun with the record.
  void countTunedStart(const BuildRequest& program);
  /// Stores a trial's result for later processes.
  void keepTuned(const BuildRequest& program, const TunedCode& code);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace clotho
