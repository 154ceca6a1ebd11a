// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/compiler.hpp"

namespace clotho::service {

/// What the compiler process serves: the compiler itself, or in tests something that fails on request.
class Core {
 public:
  virtual ~Core() = default;
  virtual BuildResult build(const BuildRequest& request) = 0;
  /// Touches what a build touches, so that the next one finds it warm.
  virtual void warmUp() = 0;
  /// Asked in a child before it knows any request: from now on it may do no more than sandbox.hpp says. A core that is
  /// a test's may refuse.
  virtual bool acceptSandbox() { return true; }
};

} // namespace clotho::service
