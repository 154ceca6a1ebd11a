// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cluster/device_check.hpp"

#include <algorithm>
#include <bit>

namespace clotho::cluster {

namespace {

// Bounds far beyond those of any device.
constexpr std::size_t kMostName = 1024;                        // bytes
constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 46;  // bytes, of 47 bits of addresses
constexpr std::size_t kMostUnits = 1 << 20;                    // each is in lists
constexpr std::size_t kMostItems = 1 << 24;                    // of a work-group
constexpr std::size_t kMostParameters = std::size_t{64} << 10; // bytes; a launch is one message
constexpr std::size_t kMostTexels = std::size_t{1} << 24;      // along a dimension
constexpr std::size_t kLeastAlignment = 128, kMostAlignment = std::size_t{64} << 10;

constexpr bool isWithin(std::size_t least, std::size_t value, std::size_t most) {
  return least <= value && value <= most;
}

constexpr bool isPower(std::size_t least, std::size_t value, std::size_t most) {
  return isWithin(least, value, most) && std::has_single_bit(value);
}

bool arePossible(const ImageLimits& images) {
  const auto isSize = [](std::size_t size) { return isWithin(1, size, kMostTexels); };
  return isSize(images.width) && isSize(images.height) && isSize(images.width3D) && isSize(images.height3D) &&
         isSize(images.depth3D) && isSize(images.layers) && isWithin(1, images.bufferTexels, 0x7fff'ffff) &&
         isPower(1, images.pitchAlignment, kMostAlignment) && isPower(1, images.baseAlignment, kMostAlignment);
}

} // namespace

const char* whyImpossible(const DeviceDescription& description) noexcept {
  const DeviceProperties& device = description.properties;
  if (description.host.size() > kMostName || device.name.size() > kMostName || device.vendor.size() > kMostName)
    return "its name is too long";
  if (device.type != CL_DEVICE_TYPE_CPU && device.type != CL_DEVICE_TYPE_GPU &&
      device.type != CL_DEVICE_TYPE_ACCELERATOR)
    return "it is of no type";
  if (!isWithin(1, device.computeUnits, kMostUnits)) return "it has no compute units, or too many";
  const auto isCount = [](std::size_t count) { return isWithin(1, count, kMostItems); };
  if (!isCount(device.maxWorkGroupSize) || !std::ranges::all_of(device.maxWorkItemSizes, isCount))
    return "its work-groups have no items, or too many";
  if (!isCount(device.subGroupSize) || !std::ranges::all_of(device.subGroupSizes, isCount) ||
      device.subGroupSizes.size() > kMostAlignment)
    return "its sub-groups have no items, or too many";
  if (!isCount(device.preferredGroupMultiple) || !isCount(device.nativeVectorBytes) || device.profilingResolution == 0)
    return "its units have no size";
  if (!isWithin(1, device.globalMemorySize, kMostMemory) ||
      !isWithin(1, device.maxAllocationSize, device.globalMemorySize))
    return "it has no memory, or too much";
  if (!isPower(kLeastAlignment, device.baseAddressAlignment, kMostAlignment)) return "its memory has no alignment";
  if (!isWithin(1, device.maxParameterSize, kMostParameters)) return "its kernels take no arguments, or too many";
  if (device.images.areSupported && !arePossible(device.images)) return "its images have no size, or are too large";
  return nullptr;
}

} // namespace clotho::cluster
