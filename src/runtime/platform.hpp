// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/device.hpp"

#include <vector>

namespace clotho {

/// The one platform, and its root devices. Loaders and applications remember their handles for good, so a forked child
/// goes on with the parent's.
class Platform final : public _cl_platform_id {
 public:
  using Handle = cl_platform_id;

  Platform();

  const std::vector<Ref<Device>>& devices() const { return devices_; }
  /// See Device::afterFork.
  void afterFork();

 private:
  std::vector<Ref<Device>> devices_;
};

} // namespace clotho
