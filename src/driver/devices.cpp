// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/devices.hpp"

#include "base/log.hpp"
#include "base/options.hpp"
#include "base/text_file.hpp"
#include "device/cluster/cluster_device.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/joint/joint_device.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <utility>

// The one place that names kinds of devices.
namespace clotho {

namespace {

constexpr std::pair<std::string_view, cpu::Kind> kCpuKinds[] = {{"near", cpu::Kind::Near},
                                                                {"far", cpu::Kind::Far},
                                                                {"bare", cpu::Kind::Bare},
                                                                {"stream", cpu::Kind::Stream},
                                                                {"mortal", cpu::Kind::Mortal}};

constexpr std::string_view kNode = "node";

bool isJoint(std::string_view kind) { return kind == "joint" || kind.starts_with("joint:"); }

bool isCpu(std::string_view kind) { return kind == "cpu" || kind.starts_with("cpu:"); }

bool isGpu(std::string_view kind) { return kind == "gpu" || kind.starts_with("gpu:"); }

/// Whether devices of the kind are others than the host's.
bool isOther(std::string_view kind) { return kind == kNode || isGpu(kind); }

/// The kinds of CLOTHO_DEVICES, in order: cpu, cpu:N for the processor as N devices, node, gpu, gpu:N for one of the
/// GPUs, joint, or joint:N. A node that nothing speaks of comes last.
std::vector<std::string_view> chosenKinds() {
  std::vector<std::string_view> kinds;
  for (std::string_view word : split(options().devices, ',')) {
    if (word == "all")
      kinds.insert(kinds.end(), {"gpu", "cpu"});
    else if (isCpu(word) || isGpu(word) || word == kNode || isJoint(word))
      kinds.push_back(word);
    else
      CLOTHO_LOG(Device, Warn,
                 "CLOTHO_DEVICES: '%.*s' is neither cpu nor cpu:N, gpu, gpu:N, node, joint, joint:N or all",
                 static_cast<int>(word.size()), word.data());
  }
  if (kinds.empty()) kinds.emplace_back("cpu");
  if (!options().cluster.empty() && std::ranges::find(kinds, kNode) == kinds.end()) kinds.push_back(kNode);
  return kinds;
}

bool names(const std::vector<std::string_view>& kinds, std::string_view kind) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

void addGpus(std::string_view kind, const std::vector<Ref<Device>>& gpus, std::vector<Ref<Device>>& devices) {
  constexpr std::string_view kNumbered = "gpu:";
  if (!kind.starts_with(kNumbered)) {
    devices.insert(devices.end(), gpus.begin(), gpus.end());
    return;
  }
  const std::string_view digits = kind.substr(kNumbered.size());
  std::size_t number = gpus.size();
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (number < gpus.size())
    devices.push_back(gpus[number]);
  else
    CLOTHO_LOG(Device, Warn, "CLOTHO_DEVICES: there is no GPU '%.*s'", static_cast<int>(digits.size()), digits.data());
}

/// N of `cpu:N` or `joint:N`; 1 if there is none.
unsigned partsOf(std::string_view kind) {
  constexpr unsigned kMost = 64;
  const std::size_t colon = kind.find(':');
  if (colon == std::string_view::npos) return 1;
  const std::string_view digits = kind.substr(colon + 1);
  unsigned parts = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), parts);
  if (parts >= 1 && parts <= kMost) return parts;
  CLOTHO_LOG(Device, Warn, "CLOTHO_DEVICES: '%.*s' is not a number from 1 to 64", static_cast<int>(digits.size()),
             digits.data());
  return 1;
}

/// The devices of CLOTHO_CPU_DEVICES, or as many for each as it is to be divided into.
std::vector<Ref<Device>> makeCpuDevices(unsigned parts) {
  std::vector<Ref<Device>> devices;
  const auto add = [&](cpu::Kind kind) {
    for (unsigned part = 0; part < parts; ++part)
      devices.push_back(makeCpuDevice(kind, {part, parts}));
  };
  for (std::string_view word : split(options().cpuDevices, ',')) {
    const auto* kind = std::ranges::find(kCpuKinds, word, &std::pair<std::string_view, cpu::Kind>::first);
    if (kind != std::end(kCpuKinds))
      add(kind->second);
    else
      CLOTHO_LOG(Device, Warn, "CLOTHO_CPU_DEVICES: '%.*s' is not near, far, bare, stream or mortal",
                 static_cast<int>(word.size()), word.data());
  }
  if (devices.empty()) add(cpu::Kind::Near);
  return devices;
}

/// One device of all others, or of the CPU devices where there are no others.
Ref<Device> makeJoint(std::string_view kind, const std::vector<Ref<Device>>& others) {
  const unsigned parts = partsOf(kind);
  std::vector<Ref<Device>> own;
  if (others.empty()) own = makeCpuDevices(1);
  const std::vector<Ref<Device>> members = others.empty() ? own : others;
  const auto isNear = [](const Ref<Device>& device) {
    return device->target().kind == TargetKind::Cpu && !device->memory();
  };
  auto host = std::ranges::find_if(members, isNear);
  if (host != members.end()) return makeJointDevice(members, parts, std::move(own), **host);
  own.push_back(makeCpuDevice(cpu::Kind::Near));
  Device& copies = *own.back();
  return makeJointDevice(members, parts, std::move(own), copies);
}

/// Adds the joint device, if there is to be one. It is the default device where it stands first.
std::vector<Ref<Device>> withJoint(const std::vector<std::string_view>& kinds, std::vector<Ref<Device>> others) {
  const auto joint = std::ranges::find_if(kinds, isJoint);
  if (joint == kinds.end()) return others;
  if (others.empty() && std::ranges::any_of(kinds, isOther))
    CLOTHO_LOG(Device, Warn, "CLOTHO_DEVICES: there is no %s, so the joint device is one of the CPU devices",
               std::ranges::any_of(kinds, isGpu) ? "GPU" : "node");
  Ref<Device> device = makeJoint(*joint, others);
  others.insert(joint == kinds.begin() ? others.begin() : others.end(), std::move(device));
  return others;
}

} // namespace

Claims claimsOfOthers() {
  const std::vector<std::string_view> kinds = chosenKinds();
  Claims claims = Claims::of(claims::kAll);
  if (std::ranges::any_of(kinds, isGpu)) claims &= Claims::of(claims::kNvidia);
  if (names(kinds, kNode)) claims &= Claims::of(claims::kCluster);
  if (std::ranges::none_of(kinds, isJoint)) return claims;
  const std::vector<std::string_view> cpus = split(options().cpuDevices, ',');
  const bool areNear = std::ranges::all_of(cpus, [](std::string_view kind) { return kind == "near"; });
  claims &= Claims::of(names(cpus, "bare") ? claims::kBare : claims::kCpu);
  return joint::withoutOwn(claims, std::ranges::any_of(kinds, isOther) || !areNear);
}

// Buffers of a joint device are in the host's memory first, and it has the size that the option says.
std::uint64_t memoryWithoutHostDevices() {
  return memoryForObjects(std::ranges::any_of(chosenKinds(), isJoint) ? options().globalMemory : 0);
}

bool mayHaveOtherCpus() { return names(chosenKinds(), kNode); }

std::vector<Ref<Device>> makeHostDevices() {
  const std::vector<std::string_view> kinds = chosenKinds();
  std::vector<Ref<Device>> devices;
  const auto cpu = std::ranges::find_if(kinds, isCpu);
  if (cpu != kinds.end()) devices = makeCpuDevices(partsOf(*cpu));
  return std::ranges::any_of(kinds, isOther) ? devices : withJoint(kinds, std::move(devices));
}

std::vector<Ref<Device>> makeDevices(const std::vector<Ref<Device>>& host) {
  const std::vector<std::string_view> kinds = chosenKinds();
  if (std::ranges::none_of(kinds, isOther)) return host;
  std::vector<Ref<Device>> gpus;
  if (std::ranges::any_of(kinds, isGpu)) gpus = makeCudaDevices();
  std::vector<Ref<Device>> devices;
  for (std::string_view kind : kinds)
    if (isCpu(kind))
      std::ranges::copy(host, std::back_inserter(devices));
    else if (kind == kNode)
      std::ranges::copy(makeClusterDevices(), std::back_inserter(devices));
    else if (isGpu(kind))
      addGpus(kind, gpus, devices);
  return withJoint(kinds, std::move(devices));
}

} // namespace clotho
