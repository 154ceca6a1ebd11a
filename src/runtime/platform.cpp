// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/platform.hpp"

#include "base/opencl_version.hpp"
#include "runtime/devices.hpp"

#include <algorithm>
#include <iterator>
#include <new>

namespace clotho {

namespace {

/// Whether a device has all that OpenCL C 2.0 demands and OpenCL C 3.0 leaves to devices (OpenCL C 3.0, section 6.2.1).
bool hasAllOf20(const Device& device) {
  using claims::rowOf;
  constexpr std::size_t kRows[] = {rowOf("__opencl_c_atomic_order_acq_rel"),
                                   rowOf("__opencl_c_atomic_order_seq_cst"),
                                   rowOf("__opencl_c_atomic_scope_all_devices"),
                                   rowOf("__opencl_c_atomic_scope_device"),
                                   rowOf("__opencl_c_device_enqueue"),
                                   rowOf("__opencl_c_generic_address_space"),
                                   rowOf("__opencl_c_pipes"),
                                   rowOf("__opencl_c_program_scope_global_variables"),
                                   rowOf("__opencl_c_read_write_images"),
                                   rowOf("__opencl_c_work_group_collective_functions")};
  return std::ranges::all_of(kRows, [&](std::size_t row) { return device.claims().has(row); });
}

} // namespace

std::string_view Platform::versionText() const {
  return version_ == CL_MAKE_VERSION(2, 2, 0)   ? claims::kVersion22
         : version_ == CL_MAKE_VERSION(3, 1, 0) ? claims::kVersion31
                                                : claims::kVersion30;
}

cl_version Platform::languageVersion(const Device& device) const {
  if (!hasAllOf20(device)) return CL_MAKE_VERSION(1, 2, 0);
  return version_ == CL_MAKE_VERSION(2, 2, 0) ? CL_MAKE_VERSION(2, 0, 0) : version_;
}

std::string_view Platform::languageVersionText(const Device& device) const {
  switch (languageVersion(device)) {
  case CL_MAKE_VERSION(1, 2, 0): return claims::kOpenClCVersion12;
  case CL_MAKE_VERSION(2, 0, 0): return claims::kOpenClCVersion22;
  case CL_MAKE_VERSION(3, 1, 0): return claims::kOpenClCVersion31;
  default: return claims::kOpenClCVersion30;
  }
}

std::vector<cl_name_version> Platform::languageVersions(const Device& device) const {
  std::vector<cl_name_version> versions;
  std::ranges::copy_if(claims::kOpenClCVersions, std::back_inserter(versions), [&](const cl_name_version& each) {
    return each.version <= version_ && (each.version != CL_MAKE_VERSION(2, 0, 0) || hasAllOf20(device));
  });
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
  const bool isEmpty = isComplete && devices_.empty();
  Claims common = isEmpty ? Claims::of(claims::kBare) : isComplete ? Claims::of(claims::kAll) : claimsOfOthers();
  for (const Ref<Device>& device : knownDevices())
    common &= device->claims();
  return common;
}

std::uint64_t Platform::hostMemorySize() const {
  if (hostDevices_.empty()) return memoryWithoutHostDevices();
  std::uint64_t most = 0, mostOfHost = 0;
  for (const Ref<Device>& device : hostDevices_) {
    std::uint64_t& largest = device->memory() ? most : mostOfHost;
    largest = std::max(largest, device->properties().globalMemorySize);
  }
  return mostOfHost ? mostOfHost : most;
}

void Platform::afterFork() {
  new (&mutex_) Mutex; // a thread of the parent's may have held it
  // Joint devices use others.
  for (const bool isJoint : {false, true})
    for (const Ref<Device>& device : knownDevices())
      if ((device->joint() != nullptr) == isJoint) device->afterFork();
}

} // namespace clotho
