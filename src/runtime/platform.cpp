// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/platform.hpp"

#include "base/opencl_version.hpp"
#include "runtime/devices.hpp"

#include <algorithm>
#include <iterator>
#include <new>

namespace clotho {

std::string_view Platform::versionText() const {
  return version_ == CL_MAKE_VERSION(2, 2, 0)   ? claims::kVersion22
         : version_ == CL_MAKE_VERSION(3, 1, 0) ? claims::kVersion31
                                                : claims::kVersion30;
}

cl_version Platform::languageVersion() const {
  return version_ == CL_MAKE_VERSION(2, 2, 0) ? CL_MAKE_VERSION(2, 0, 0) : version_;
}

std::string_view Platform::languageVersionText() const {
  return version_ == CL_MAKE_VERSION(2, 2, 0)   ? claims::kOpenClCVersion22
         : version_ == CL_MAKE_VERSION(3, 1, 0) ? claims::kOpenClCVersion31
                                                : claims::kOpenClCVersion30;
}

std::vector<cl_name_version> Platform::languageVersions() const {
  std::vector<cl_name_version> versions;
  std::ranges::copy_if(claims::kOpenClCVersions, std::back_inserter(versions),
                       [this](const cl_name_version& each) { return each.version <= version_; });
  return versions;
}

Platform::Platform() : version_(chosenOpenClVersion()), hostDevices_(makeHostDevices()) {}

const std::vector<Ref<Device>>& Platform::devices() const {
  if (hasAll_.load(std::memory_order_acquire)) return devices_;
  MutexLock lock(mutex_);
  if (!hasAll_.load(std::memory_order_relaxed)) {
    devices_ = makeDevices(hostDevices_);
    hasAll_.store(true, std::memory_order_release);
  }
  return devices_;
}

Claims Platform::claims() const {
  // ICD loaders ask before applications ask for devices, and that must not load a driver.
  const bool isComplete = hasAll_.load(std::memory_order_acquire);
  Claims common = isComplete ? Claims::of(claims::kCpu | claims::kNvidia) : claimsOfOthers();
  for (const Ref<Device>& device : knownDevices())
    common &= device->claims();
  return common;
}

std::uint64_t Platform::hostMemorySize() const {
  constexpr std::uint64_t kWithoutHostDevices = std::uint64_t{1} << 40;
  if (hostDevices_.empty()) return kWithoutHostDevices;
  std::uint64_t most = 0;
  for (const Ref<Device>& device : hostDevices_)
    most = std::max(most, device->properties().globalMemorySize);
  return most;
}

void Platform::afterFork() {
  new (&mutex_) Mutex; // a thread of the parent's may have held it
  for (const Ref<Device>& device : knownDevices())
    device->afterFork();
}

} // namespace clotho
