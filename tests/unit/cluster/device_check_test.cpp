// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cluster/device_check.hpp"

#include "device/cpu/cpu_device.hpp"
#include "sample_messages.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>

namespace clotho::cluster {
namespace {

DeviceDescription processor() {
  static const auto* const device = new Ref<Device>(makeCpuDevice(cpu::Kind::Near)); // lives as long as the process
  return {"host", (*device)->properties(), (*device)->claims(), false};
}

/// A description that differs from the processor's in one property.
template <class Value> const char* verdictWith(Value DeviceProperties::* property, std::type_identity_t<Value> value) {
  DeviceDescription description = processor();
  description.properties.*property = std::move(value);
  return whyImpossible(description);
}

TEST(DeviceCheck, TheProcessorIsPossible) { EXPECT_EQ(whyImpossible(processor()), nullptr); }

TEST(DeviceCheck, PropertiesThatHarmAreRefused) {
  EXPECT_TRUE(verdictWith(&DeviceProperties::baseAddressAlignment, 0));
  EXPECT_TRUE(verdictWith(&DeviceProperties::baseAddressAlignment, 129));
  EXPECT_TRUE(verdictWith(&DeviceProperties::baseAddressAlignment, 64));
  EXPECT_TRUE(verdictWith(&DeviceProperties::baseAddressAlignment, 1U << 31));
  EXPECT_TRUE(verdictWith(&DeviceProperties::computeUnits, 0));
  EXPECT_TRUE(verdictWith(&DeviceProperties::computeUnits, ~0U));
  EXPECT_TRUE(verdictWith(&DeviceProperties::maxWorkGroupSize, 0));
  EXPECT_TRUE(verdictWith(&DeviceProperties::maxWorkItemSizes, {64, 0, 64}));
  EXPECT_TRUE(verdictWith(&DeviceProperties::subGroupSize, 0));
  EXPECT_TRUE(verdictWith(&DeviceProperties::subGroupSizes, {8, 0}));
  EXPECT_TRUE(verdictWith(&DeviceProperties::globalMemorySize, 0));
  EXPECT_TRUE(verdictWith(&DeviceProperties::globalMemorySize, ~std::uint64_t{0}));
  EXPECT_TRUE(verdictWith(&DeviceProperties::maxAllocationSize, ~std::uint64_t{0}));
  EXPECT_TRUE(verdictWith(&DeviceProperties::maxParameterSize, std::size_t{1} << 40));
  EXPECT_TRUE(verdictWith(&DeviceProperties::type, CL_DEVICE_TYPE_ALL));
  EXPECT_TRUE(verdictWith(&DeviceProperties::name, std::string(100000, 'n')));
  EXPECT_TRUE(verdictWith(&DeviceProperties::images, {.areSupported = true, .pitchAlignment = 0}));
  EXPECT_TRUE(verdictWith(&DeviceProperties::images, {.areSupported = true, .width = 0}));
}

TEST(DeviceCheck, DamagedDescriptionsAreRefusedOrHarmless) {
  std::mt19937 random(5);
  const std::string good = test::encoded(DeviceList{{processor()}});
  int possible = 0, impossible = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto list = decode<DeviceList>(test::damaged(good, random));
    if (!list) continue;
    for (const DeviceDescription& each : list->devices) {
      if (whyImpossible(each)) {
        ++impossible;
        continue;
      }
      ++possible;
      EXPECT_TRUE(std::has_single_bit(each.properties.baseAddressAlignment));
      EXPECT_GT(each.properties.computeUnits, 0u);
      EXPECT_LE(each.properties.maxAllocationSize, each.properties.globalMemorySize);
      EXPECT_GT(each.properties.subGroupSize, 0u);
    }
  }
  EXPECT_GT(possible, 0);
  EXPECT_GT(impossible, 0);
}

} // namespace
} // namespace clotho::cluster
