// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/joint/joint_device.hpp"

#include "base/error.hpp"
#include "device/device_memory.hpp"
#include "device/joint/joint_kernel.hpp"
#include "device/joint/joint_queue.hpp"
#include "device/joint/joint_run.hpp"

#include <algorithm>
#include <utility>

namespace clotho::joint {

namespace {

/// The place of a value in a list, to which it is added if it is not there.
template <class T> std::size_t placeIn(std::vector<T>& list, const T& value) {
  const auto found = std::ranges::find(list, value);
  if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
  list.push_back(value);
  return list.size() - 1;
}

bool isSame(const Target& a, const Target& b) {
  return a.kind == b.kind && a.cpu == b.cpu && a.features == b.features && a.width == b.width &&
         a.subGroupSize == b.subGroupSize && a.skippedPasses == b.skippedPasses;
}

template <class T> void takeLeast(T& value, const T& other) { value = std::min(value, other); }

} // namespace

Claims withoutOwn(Claims common, bool haveMemories) {
  using claims::rowOf;
  constexpr std::size_t kOfHardware[] = {rowOf("cl_nv_device_attribute_query"), rowOf("cl_khr_pci_bus_info")};
  constexpr std::size_t kOfSharedMemory[] = {rowOf("cl_ext_buffer_device_address"),
                                             rowOf("cl_intel_unified_shared_memory"), rowOf("cl_khr_unified_svm")};
  for (const std::size_t row : kOfHardware)
    common.remove(row);
  if (haveMemories)
    for (const std::size_t row : kOfSharedMemory)
      common.remove(row);
  return common;
}

JointDevice::JointDevice(const std::vector<Ref<Device>>& members, std::size_t parts, std::vector<Ref<Device>> own,
                         Device& host)
    : host_(host), own_(std::move(own)) {
  for (const Ref<Device>& device : members) {
    const UnitList units = device->units();
    const bool isDivided = parts > 1 && device->partitioning() && units.size() >= parts;
    for (std::size_t part = 0; part < (isDivided ? parts : 1); ++part) {
      Member& member = members_.emplace_back();
      member.device = device.get();
      const std::size_t count = isDivided ? parts : 1;
      member.units.assign(units.begin() + static_cast<std::ptrdiff_t>(part * units.size() / count),
                          units.begin() + static_cast<std::ptrdiff_t>((part + 1) * units.size() / count));
      member.isShare = isDivided;
      member.root = placeIn(roots_, member.device);
      if (DeviceMemory* memory = device->memory()) member.memory = placeIn(memories_, memory);
    }
  }
  for (const Device* root : roots_) {
    const auto isIts = [&](const Target& target) { return isSame(target, root->target()); };
    std::size_t place = 0;
    if (!isIts(target())) {
      place = static_cast<std::size_t>(std::ranges::find_if(otherTargets_, isIts) - otherTargets_.begin());
      if (place == otherTargets_.size()) otherTargets_.push_back(root->target());
      ++place;
    }
    targetOfRoot_.push_back(place);
  }
  whole_ = std::make_unique<std::atomic<std::uint32_t>[]>(members_.size());
  if (!memories_.empty()) turns_ = std::make_unique<Turns>();
  claims_ = commonClaims();
  properties_ = commonProperties();
  share();
}

// Shares of one device have one program, with its variables.
std::size_t JointDevice::memberForWhole() const noexcept {
  std::size_t best = 0;
  for (std::size_t i = 1; i < members_.size(); ++i)
    if (members_[i].device == members_.front().device &&
        whole_[i].load(std::memory_order_relaxed) < whole_[best].load(std::memory_order_relaxed))
      best = i;
  return best;
}

void JointDevice::startNext(WorkList& list) const noexcept {
  if (!turns_) return;
  while (Run* run = turns_->next())
    if (run->start(list)) return;
}

void JointDevice::share() {
  for (Member& member : members_)
    if (member.isShare) member.share = member.device->partitioning()->share(member.units);
}

Claims JointDevice::commonClaims() const {
  Claims common = members_.front().device->claims();
  for (const Device* root : roots_)
    common &= root->claims();
  return withoutOwn(common, !memories_.empty());
}

DeviceProperties JointDevice::commonProperties() const {
  DeviceProperties common = members_.front().device->properties();
  common.name = "Clotho: " + std::to_string(members_.size()) + (members_.size() == 1 ? " device" : " devices");
  // Programs that ask for CPUs alone do not load the drivers of other devices.
  for (const Device* root : roots_)
    if (root->target().kind != TargetKind::Cpu) common.type = root->properties().type;
  // Its buffers are in the host's memory, too.
  takeLeast(common.globalMemorySize, host_.properties().globalMemorySize);
  takeLeast(common.maxAllocationSize, host_.properties().maxAllocationSize);
  common.computeUnits = 0;
  common.uuid.reset();
  common.pciBus.reset();
  common.nvidia.reset();
  for (const Member& member : members_) {
    const DeviceProperties& its = member.device->properties();
    common.computeUnits += static_cast<cl_uint>(member.units.size());
    takeLeast(common.maxWorkGroupSize, its.maxWorkGroupSize);
    for (std::size_t i = 0; i < 3; ++i)
      takeLeast(common.maxWorkItemSizes[i], its.maxWorkItemSizes[i]);
    common.executionCapabilities &= its.executionCapabilities;
    common.queueProperties &= its.queueProperties;
    takeLeast(common.globalMemorySize, its.globalMemorySize);
    takeLeast(common.maxAllocationSize, its.maxAllocationSize);
    takeLeast(common.localMemorySize, its.localMemorySize);
    takeLeast(common.privateMemorySize, its.privateMemorySize);
    takeLeast(common.globalCacheSize, its.globalCacheSize);
    common.correctsMemoryErrors = common.correctsMemoryErrors && its.correctsMemoryErrors;
    common.baseAddressAlignment = std::max(common.baseAddressAlignment, its.baseAddressAlignment);
    common.preferredGroupMultiple = std::max(common.preferredGroupMultiple, its.preferredGroupMultiple);
    std::erase_if(common.subGroupSizes, [&](std::size_t size) {
      return std::ranges::find(its.subGroupSizes, size) == its.subGroupSizes.end();
    });
    takeLeast(common.maxSubGroups, its.maxSubGroups);
    common.subGroupsProgress = common.subGroupsProgress && its.subGroupsProgress;
    takeLeast(common.maxNamedBarriers, its.maxNamedBarriers);
    takeLeast(common.maxParameterSize, its.maxParameterSize);
    takeLeast(common.maxConstantBufferSize, its.maxConstantBufferSize);
    takeLeast(common.maxConstantArgs, its.maxConstantArgs);
    takeLeast(common.printfBufferSize, its.printfBufferSize);
    takeLeast(common.maxGlobalVariableSize, its.maxGlobalVariableSize);
    takeLeast(common.globalVariablePreferredTotalSize, its.globalVariablePreferredTotalSize);
    common.floats.single &= its.floats.single;
    common.floats.doubles &= its.floats.doubles;
    common.floats.half &= its.floats.half;
    common.floats.singleAtomics &= its.floats.singleAtomics;
    common.floats.doubleAtomics &= its.floats.doubleAtomics;
    common.floats.halfAtomics &= its.floats.halfAtomics;
    common.atomics &= its.atomics;
    common.fences &= its.fences;
    common.profilingResolution = std::max(common.profilingResolution, its.profilingResolution);
    common.svmCapabilities &= its.svmCapabilities;
    common.images.areSupported = common.images.areSupported && its.images.areSupported;
    takeLeast(common.images.readArgs, its.images.readArgs);
    takeLeast(common.images.writeArgs, its.images.writeArgs);
    takeLeast(common.images.readWriteArgs, its.images.readWriteArgs);
    takeLeast(common.images.samplers, its.images.samplers);
    takeLeast(common.images.width, its.images.width);
    takeLeast(common.images.height, its.images.height);
    takeLeast(common.images.width3D, its.images.width3D);
    takeLeast(common.images.height3D, its.images.height3D);
    takeLeast(common.images.depth3D, its.images.depth3D);
    takeLeast(common.images.layers, its.images.layers);
    takeLeast(common.images.bufferTexels, its.images.bufferTexels);
    common.images.pitchAlignment = std::max(common.images.pitchAlignment, its.images.pitchAlignment);
    common.images.baseAlignment = std::max(common.images.baseAlignment, its.images.baseAlignment);
    common.images.needAlignedTexels = common.images.needAlignedTexels || its.images.needAlignedTexels;
    common.pipes.areSupported = common.pipes.areSupported && its.pipes.areSupported;
    takeLeast(common.pipes.args, its.pipes.args);
    takeLeast(common.pipes.activeReservations, its.pipes.activeReservations);
    takeLeast(common.pipes.packetSize, its.pipes.packetSize);
  }
  if (memories_.empty()) return common;
  common.isMemoryUnified = false;
  common.svmCapabilities = 0;
  common.unifiedMemory = {};
  return common;
}

std::unique_ptr<DeviceProgram> JointDevice::load(std::shared_ptr<const BuildResult> built, std::string& log) {
  check(otherTargets_.empty(), CL_OUT_OF_RESOURCES, "code for one of several targets");
  return load(std::vector{std::move(built)}, log);
}

std::unique_ptr<DeviceProgram> JointDevice::load(std::vector<std::shared_ptr<const BuildResult>> builds,
                                                 std::string& log) {
  std::vector<std::unique_ptr<DeviceProgram>> programs;
  programs.reserve(roots_.size());
  for (std::size_t i = 0; i < roots_.size(); ++i)
    programs.push_back(roots_[i]->load(builds[targetOfRoot_[i]], log));
  return std::make_unique<JointProgram>(*builds.front(), std::move(programs), members_);
}

std::unique_ptr<DeviceQueue> JointDevice::makeQueue(const QueueTraits& traits) {
  return std::make_unique<JointQueue>(*this, traits);
}

bool JointDevice::isAvailable() const noexcept {
  return std::ranges::all_of(roots_, [](const Device* root) { return root->isAvailable(); });
}

// Devices of the platform are told by it.
void JointDevice::afterFork() {
  for (const Ref<Device>& device : own_)
    device->afterFork();
  for (Member& member : members_)
    static_cast<void>(member.share.release()); // of the parent, whose threads may have been in it
  if (turns_) {
    static_cast<void>(turns_.release()); // as well
    turns_ = std::make_unique<Turns>();
  }
  for (std::size_t i = 0; i < members_.size(); ++i)
    whole_[i].store(0, std::memory_order_relaxed);
  share();
}

void JointDevice::startThreads() {
  host_.startThreads();
  for (Device* root : roots_)
    root->startThreads();
}

UnitList JointDevice::units() const {
  UnitList result(properties_.computeUnits);
  for (unsigned i = 0; i < result.size(); ++i)
    result[i] = i;
  return result;
}

} // namespace clotho::joint

namespace clotho {

Ref<Device> makeJointDevice(const std::vector<Ref<Device>>& members, std::size_t parts, std::vector<Ref<Device>> own,
                            Device& host) {
  return Ref<joint::JointDevice>::adopt(new joint::JointDevice(members, parts, std::move(own), host));
}

} // namespace clotho
