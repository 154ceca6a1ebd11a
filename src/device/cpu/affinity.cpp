// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/affinity.hpp"

#include "base/folder.hpp"
#include "base/fork_gate.hpp"
#include "base/log.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <dlfcn.h>
#include <hwloc.h>
#include <unistd.h>

namespace clotho::cpu {

namespace {

constexpr unsigned kWordBits = sizeof(unsigned long) * CHAR_BIT;

/// The used functions of hwloc. Linked, it would be loaded into every process that asks for platforms.
struct Hwloc {
  decltype(&hwloc_topology_init) init;
  decltype(&hwloc_topology_destroy) destroy;
  decltype(&hwloc_topology_set_components) setComponents;
  decltype(&hwloc_topology_load) load;
  decltype(&hwloc_get_type_depth) typeDepth;
  decltype(&hwloc_get_nbobjs_by_depth) countAtDepth;
  decltype(&hwloc_get_obj_by_depth) objectAtDepth;
  decltype(&hwloc_bitmap_isset) isSet;

  bool open() {
    void* library = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      CLOTHO_LOG(Device, Warn, "no partition by affinity: libhwloc.so.15 cannot be loaded");
      return false;
    }
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    return find(init, "hwloc_topology_init") && find(destroy, "hwloc_topology_destroy") &&
           find(setComponents, "hwloc_topology_set_components") && find(load, "hwloc_topology_load") &&
           find(typeDepth, "hwloc_get_type_depth") && find(countAtDepth, "hwloc_get_nbobjs_by_depth") &&
           find(objectAtDepth, "hwloc_get_obj_by_depth") && find(isSet, "hwloc_bitmap_isset");
  }
};

/// The machine as hwloc sees it; read once, never given back.
class Topology {
 public:
  static const Topology& get() {
    const ForkGate gate;
    const StandardStreamsTaken streams;
    static const Topology* const topology = new Topology;
    return *topology;
  }

  std::vector<CpuList> groups(hwloc_obj_type_t type, const CpuList& cpus) const {
    std::vector<CpuList> result;
    const int depth = topology_ ? hwloc_.typeDepth(topology_, type) : HWLOC_TYPE_DEPTH_UNKNOWN;
    if (depth == HWLOC_TYPE_DEPTH_UNKNOWN || depth == HWLOC_TYPE_DEPTH_MULTIPLE) return result;
    for (unsigned i = 0; i < hwloc_.countAtDepth(topology_, depth); ++i) {
      const hwloc_obj* object = hwloc_.objectAtDepth(topology_, depth, i);
      CpuList group;
      for (unsigned cpu : cpus)
        if (object->cpuset && hwloc_.isSet(object->cpuset, cpu)) group.push_back(cpu);
      if (!group.empty()) result.push_back(std::move(group));
    }
    std::sort(result.begin(), result.end());
    return result;
  }

 private:
  Topology() {
    if (!hwloc_.open() || hwloc_.init(&topology_) != 0) return;
    // Its component for OpenCL devices asks all platforms, of which this is one.
    hwloc_.setComponents(topology_, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "opencl");
    if (hwloc_.load(topology_) == 0) return;
    CLOTHO_LOG(Device, Warn, "no partition by affinity: hwloc does not understand this machine");
    hwloc_.destroy(topology_);
    topology_ = nullptr;
  }

  Hwloc hwloc_{};
  hwloc_topology_t topology_ = nullptr;
};

/// 0: the calling thread's. None where that is not known.
CpuList cpusOfThread(pid_t thread) {
  // The mask grows with the kernel's idea of possible CPUs, so the size is found by trying.
  for (std::size_t words = 1024 / kWordBits; words <= (std::size_t{1} << 20) / kWordBits; words *= 4) {
    std::vector<unsigned long> mask(words);
    if (sched_getaffinity(thread, words * sizeof mask[0], reinterpret_cast<cpu_set_t*>(mask.data())) != 0) {
      if (errno == EINVAL) continue;
      return {};
    }
    CpuList cpus;
    for (unsigned cpu = 0; cpu < words * kWordBits; ++cpu)
      if (mask[cpu / kWordBits] >> (cpu % kWordBits) & 1) cpus.push_back(cpu);
    return cpus;
  }
  return {};
}

} // namespace

CpuList affinityCpus() {
  CpuList cpus = cpusOfThread(0);
  const Folder threads = openFolder("/proc/self/task");
  while (const dirent* entry =
             threads ? readdir(threads.get()) : nullptr) { // NOLINT(concurrency-mt-unsafe): ours alone
    const CpuList more = cpusOfThread(static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10)));
    cpus.insert(cpus.end(), more.begin(), more.end());
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

unsigned countOf(const CpuList& cpus) {
  return cpus.empty() ? static_cast<unsigned>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L))
                      : static_cast<unsigned>(cpus.size());
}

unsigned CpuPart::of(unsigned whole) const {
  return std::max(whole * (number + 1) / count - whole * number / count, 1U);
}

CpuList CpuPart::of(const CpuList& cpus) const {
  if (cpus.empty()) return cpus;
  if (cpus.size() < count) return {cpus[number % cpus.size()]};
  const auto at = [&](std::size_t part) {
    return cpus.begin() + static_cast<std::ptrdiff_t>(part * cpus.size() / count);
  };
  return {at(number), at(number + 1)};
}

std::vector<CpuList> cpusSharing(cl_device_affinity_domain domain, const CpuList& cpus) {
  switch (domain) {
  case CL_DEVICE_AFFINITY_DOMAIN_NUMA: return Topology::get().groups(HWLOC_OBJ_NUMANODE, cpus);
  case CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE: return Topology::get().groups(HWLOC_OBJ_L4CACHE, cpus);
  case CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE: return Topology::get().groups(HWLOC_OBJ_L3CACHE, cpus);
  case CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE: return Topology::get().groups(HWLOC_OBJ_L2CACHE, cpus);
  case CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE: return Topology::get().groups(HWLOC_OBJ_L1CACHE, cpus);
  default: return {};
  }
}

CpuMask::CpuMask(const CpuList& cpus)
    : words_(cpus.empty() ? 1 : *std::max_element(cpus.begin(), cpus.end()) / kWordBits + 1) {
  for (unsigned cpu : cpus)
    words_[cpu / kWordBits] |= 1UL << (cpu % kWordBits);
}

} // namespace clotho::cpu
