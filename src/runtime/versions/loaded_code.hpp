// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/device.hpp"

#include <memory>

namespace clotho {

/// Code that launches may run, and what keeps it loaded for them. Code that has lost a trial is unloaded when the last
/// such value is gone; launches hold one until they are done.
struct LoadedCode {
  const DeviceKernel* kernel = nullptr;
  std::shared_ptr<const DeviceProgram> program{}; ///< null: the code lives as long as the program object

  explicit operator bool() const { return kernel != nullptr; }
};

} // namespace clotho
