// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/devices.hpp"

#include "base/log.hpp"
#include "base/options.hpp"
#include "base/text_file.hpp"
#include "device/cluster/cluster_device.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/cuda/cuda_device.hpp"

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

/// The kinds of CLOTHO_DEVICES, in order: cpu, node, gpu, or gpu:N for one of the GPUs. A node that nothing speaks of
/// comes last.
std::vector<std::string_view> chosenKinds() {
  std::vector<std::string_view> kinds;
  for (std::string_view word : split(options().devices, ',')) {
    if (word == "all")
      kinds.insert(kinds.end(), {"gpu", "cpu"});
    else if (word == "cpu" || word == "gpu" || word == kNode || word.starts_with("gpu:"))
      kinds.push_back(word);
    else
      CLOTHO_LOG(Device, Warn, "CLOTHO_DEVICES: '%.*s' is neither cpu nor gpu, gpu:N, node or all",
                 static_cast<int>(word.size()), word.data());
  }
  if (kinds.empty()) kinds.emplace_back("cpu");
  if (!options().cluster.empty() && std::ranges::find(kinds, kNode) == kinds.end()) kinds.push_back(kNode);
  return kinds;
}

bool names(const std::vector<std::string_view>& kinds, std::string_view kind) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

bool isGpu(std::string_view kind) { return kind.starts_with("gpu"); }

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

} // namespace

Claims claimsOfOthers() {
  Claims claims = Claims::of(claims::kAll);
  const std::vector<std::string_view> kinds = chosenKinds();
  if (std::ranges::any_of(kinds, isGpu)) claims &= Claims::of(claims::kNvidia);
  if (names(kinds, kNode)) claims &= Claims::of(claims::kCluster);
  return claims;
}

bool mayHaveOtherCpus() { return names(chosenKinds(), kNode); }

std::vector<Ref<Device>> makeHostDevices() {
  std::vector<Ref<Device>> devices;
  const std::vector<std::string_view> kinds = chosenKinds();
  if (!names(kinds, "cpu")) return devices;
  for (std::string_view word : split(options().cpuDevices, ',')) {
    const auto* kind = std::ranges::find(kCpuKinds, word, &std::pair<std::string_view, cpu::Kind>::first);
    if (kind != std::end(kCpuKinds))
      devices.push_back(makeCpuDevice(kind->second));
    else
      CLOTHO_LOG(Device, Warn, "CLOTHO_CPU_DEVICES: '%.*s' is not near, far, bare, stream or mortal",
                 static_cast<int>(word.size()), word.data());
  }
  if (devices.empty()) devices.push_back(makeCpuDevice(cpu::Kind::Near));
  return devices;
}

std::vector<Ref<Device>> makeDevices(const std::vector<Ref<Device>>& host) {
  const std::vector<std::string_view> kinds = chosenKinds();
  std::vector<Ref<Device>> gpus;
  if (std::ranges::any_of(kinds, isGpu)) gpus = makeCudaDevices();
  std::vector<Ref<Device>> devices;
  for (std::string_view kind : kinds)
    if (kind == "cpu")
      std::ranges::copy(host, std::back_inserter(devices));
    else if (kind == kNode)
      std::ranges::copy(makeClusterDevices(), std::back_inserter(devices));
    else
      addGpus(kind, gpus, devices);
  return devices;
}

} // namespace clotho
