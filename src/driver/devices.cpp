// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/devices.hpp"

#include "base/log.hpp"
#include "base/options.hpp"
#include "base/text_file.hpp"
#include "device/cpu/cpu_device.hpp"

#include <algorithm>
#include <utility>

namespace clotho {

namespace {

constexpr std::pair<std::string_view, cpu::Kind> kKinds[] = {
    {"near", cpu::Kind::Near}, {"far", cpu::Kind::Far}, {"stream", cpu::Kind::Stream}, {"mortal", cpu::Kind::Mortal}};

} // namespace

// The one place that names kinds of devices.
std::vector<Ref<Device>> makeDevices() {
  std::vector<Ref<Device>> devices;
  for (std::string_view word : split(options().cpuDevices, ',')) {
    const auto* kind = std::ranges::find(kKinds, word, &std::pair<std::string_view, cpu::Kind>::first);
    if (kind != std::end(kKinds))
      devices.push_back(makeCpuDevice(kind->second));
    else
      CLOTHO_LOG(Device, Warn, "CLOTHO_CPU_DEVICES: '%.*s' is neither near nor far nor stream nor mortal",
                 static_cast<int>(word.size()), word.data());
  }
  if (devices.empty()) devices.push_back(makeCpuDevice(cpu::Kind::Near));
  return devices;
}

} // namespace clotho
