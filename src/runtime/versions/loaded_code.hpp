// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/device.hpp"

#include <memory>

namespace clotho {

/// Code of a kernel, and a share in the program that it is loaded with. Launches hold such a value until they are done:
/// code that has lost a trial is unloaded with the last of them.
struct LoadedCode {
  const DeviceKernel* kernel = nullptr;
  std::shared_ptr<const DeviceProgram> program{}; ///< null: the code lives as long as the program object

  explicit operator bool() const { return kernel != nullptr; }
};

} // namespace clotho
