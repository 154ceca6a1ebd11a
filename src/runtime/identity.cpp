// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/identity.hpp"

#include "base/text_file.hpp"
#include "base/uuid.hpp"
#include "runtime/process.hpp"

#include <algorithm>
#include <unistd.h>

namespace clotho {

std::string machineIdentity(const std::string& root) {
  for (const char* path : {"/etc/machine-id", "/var/lib/dbus/machine-id"}) {
    std::string id = readTextFile(root + path);
    id.erase(std::find(id.begin(), id.end(), '\n'), id.end());
    // systemd writes the word while a machine starts for the first time.
    if (!id.empty() && id != "uninitialized") return id;
  }
  // Containers often have no such file, but a name.
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

// Not of the device's name, which users can choose. A sub-device is no other device.
Uuid deviceUuid(const Device& device) {
  const Device* root = &device;
  while (root->parent())
    root = root->parent();
  if (root->properties().uuid) return *root->properties().uuid;
  const auto& all = Process::get().platform().hostDevices();
  auto place = std::find_if(all.begin(), all.end(), [&](const Ref<Device>& other) { return other.get() == root; });
  return uuidOf("Clotho device " + std::to_string(device.properties().type) + ' ' +
                std::to_string(place - all.begin()) + " of " + machineIdentity(""));
}

Uuid driverUuid(const Device& device) { return uuidOf("Clotho driver " + device.properties().driverVersion); }

} // namespace clotho
