// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/objects/sub_device.hpp"

#include "runtime/process.hpp"

namespace clotho {

namespace {

/// From the outermost on, as CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE tries them.
constexpr cl_device_affinity_domain kDomains[] = {
    CL_DEVICE_AFFINITY_DOMAIN_NUMA, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE,
    CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE};

DeviceProperties propertiesOf(const Device& parent, std::size_t units) {
  DeviceProperties result = parent.properties();
  result.computeUnits = static_cast<cl_uint>(units);
  return result;
}

/// More values than a device can have sub-devices are no list, but forgotten zeros.
constexpr std::size_t kMostCounts = 1 << 16;

PartitionPlan equally(const UnitList& units, cl_device_partition_property size) {
  const auto total = static_cast<cl_device_partition_property>(units.size());
  check(size > 0, CL_INVALID_VALUE, "sub-devices without compute units");
  check(size <= total, CL_INVALID_DEVICE_PARTITION_COUNT, "the device has not so many compute units");
  check(size < total, CL_DEVICE_PARTITION_FAILED, "that would be the whole device");
  PartitionPlan plan;
  for (auto begin = units.begin(); units.end() - begin >= size; begin += size)
    plan.devices.emplace_back(begin, begin + size);
  return plan;
}

PartitionPlan byCounts(const UnitList& units, std::span<const cl_device_partition_property> counts) {
  check(!counts.empty(), CL_INVALID_VALUE, "an empty list of counts");
  check(counts.size() <= units.size(), CL_INVALID_DEVICE_PARTITION_COUNT, "more sub-devices than compute units");
  PartitionPlan plan;
  auto begin = units.begin();
  for (cl_device_partition_property count : counts) {
    check(count > 0 && count <= units.end() - begin, CL_INVALID_DEVICE_PARTITION_COUNT,
          "the device has not so many compute units");
    plan.devices.emplace_back(begin, begin + count);
    begin += count;
  }
  return plan;
}

bool divides(const std::vector<UnitList>& groups) { return groups.size() > 1; }

} // namespace

SubDevice::SubDevice(Device& parent, UnitList units, std::vector<cl_device_partition_property> partition)
    : parent_(parent), root_(&parent.root()), units_(std::move(units)), partition_(std::move(partition)),
      properties_(propertiesOf(parent, units_.size())), share_(root_->partitioning()->share(units_)) {}

void SubDevice::destroy() noexcept { Process::get().slab<SubDevice>().destroy(this); }

PartitionPlan planPartition(Device& device, const cl_device_partition_property* properties) {
  check(properties && *properties, CL_INVALID_VALUE, "no way to partition");
  check(device.root().partitioning(), CL_INVALID_VALUE, "the device cannot be partitioned");
  const UnitList units = device.units();
  PartitionPlan plan;
  const cl_device_partition_property* end = properties + 2;
  switch (*properties) {
  case CL_DEVICE_PARTITION_EQUALLY:
    check(*end == 0, CL_INVALID_VALUE, "more than one way to partition");
    plan = equally(units, properties[1]);
    break;
  case CL_DEVICE_PARTITION_BY_COUNTS: {
    end = properties + 1;
    while (*end != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END)
      check(static_cast<std::size_t>(++end - properties) < kMostCounts, CL_INVALID_VALUE, "a list without an end");
    std::span<const cl_device_partition_property> counts(properties + 1, end);
    check(*++end == 0, CL_INVALID_VALUE, "more than one way to partition");
    plan = byCounts(units, counts);
    check(units.size() > 1, CL_DEVICE_PARTITION_FAILED, "the device has one compute unit");
    break;
  }
  case CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN: {
    check(*end == 0, CL_INVALID_VALUE, "more than one way to partition");
    const auto wanted = static_cast<cl_device_affinity_domain>(properties[1]);
    const bool isNext = wanted == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
    bool isKnown = isNext;
    cl_device_affinity_domain used = wanted;
    for (cl_device_affinity_domain domain : kDomains) {
      if (!isNext && domain != wanted) continue;
      isKnown = true;
      plan.devices = device.root().partitioning()->unitsSharing(domain, units);
      used = domain;
      if (divides(plan.devices)) break;
    }
    check(isKnown, CL_INVALID_VALUE, "not one affinity domain");
    check(partitionableDomains(device) != 0, CL_INVALID_VALUE, "the device cannot be divided by what units share");
    check(divides(plan.devices), CL_DEVICE_PARTITION_FAILED, "all compute units share that");
    plan.properties = {*properties, static_cast<cl_device_partition_property>(used), 0};
    return plan;
  }
  default: throw Error{CL_INVALID_VALUE, "unknown way to partition"};
  }
  plan.properties.assign(properties, end + 1);
  return plan;
}

cl_device_affinity_domain partitionableDomains(Device& device) {
  cl_device_affinity_domain found = 0;
  const UnitList units = device.units();
  if (units.size() < 2 || !device.root().partitioning()) return 0;
  for (cl_device_affinity_domain domain : kDomains)
    if (divides(device.root().partitioning()->unitsSharing(domain, units))) found |= domain;
  return found ? found | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE : 0;
}

} // namespace clotho
