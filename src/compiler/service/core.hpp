// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/compiler.hpp"

namespace clotho::service {

/// Interface to what the compiler process serves: the compiler, or in tests a core that fails on request.
class Core {
 public:
  virtual ~Core() = default;
  virtual BuildResult build(const BuildRequest& request) = 0;
  /// Touches the memory that a build touches, so that the next one is faster.
  virtual void warmUp() = 0;
  /// Called in a child before it knows a request: from now on the restrictions of sandbox.hpp apply. Test cores may
  /// refuse.
  virtual bool acceptSandbox() { return true; }
};

} // namespace clotho::service
