// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/options.hpp"

#include <CL/cl.h>

#include <cstdint>
#include <optional>
#include <string>

/// This machine, and the part of it that the process may use. Only cheap, direct sources are read here, since it is on
/// the way of every program's first OpenCL call. `root` is the root of the file system; tests pass a fake one.
namespace clotho::cpu {

/// Limits of the process's control groups, versions 1 and 2, and of all groups above them.
struct CgroupLimits {
  std::optional<double> cpus;              ///< CPU time quota, in CPUs
  std::optional<std::uint64_t> memory;     ///< bytes
  std::optional<std::uint64_t> threadRoom; ///< how many threads may still be created
};
CgroupLimits readCgroupLimits(const std::string& root);

/// How many threads the limit on the user's processes (RLIMIT_NPROC, given as `limit`) still allows; empty when it is
/// no limit to this process.
std::optional<std::uint64_t> userThreadRoom(const std::string& root, std::uint64_t limit);

/// Compute units from CPUs in the affinity mask, quota, room for threads and the user's choice (0: none).
unsigned chooseComputeUnits(unsigned cpus, const CgroupLimits& cgroup, std::optional<std::uint64_t> userRoom,
                            std::uint64_t chosen);

/// Bytes that a process can hold, from limits on address space and data (RLIM_INFINITY: none) and what it holds now.
struct MemoryLimits {
  std::uint64_t machine = 0;
  std::optional<std::uint64_t> cgroup;
  std::optional<std::uint64_t> addressSpace, addressSpaceUsed;
  std::optional<std::uint64_t> data, dataUsed;
};
MemoryLimits readMemoryLimits(const std::string& root, const CgroupLimits& cgroup);
/// Global memory of the device, a multiple of 1 MiB; `chosenMiB` is the user's choice (0: none).
std::uint64_t chooseGlobalMemory(const MemoryLimits& limits, std::uint64_t chosenMiB);
/// The part of it that the private data of running work-groups may take (device/cpu/private_memory.hpp).
std::uint64_t choosePrivateMemory(std::uint64_t globalMemory);
/// The largest buffer.
std::uint64_t chooseMaxAllocation(std::uint64_t globalMemory, std::uint64_t chosenMiB);
/// Local memory, from the size of the cache that a core has for itself.
std::uint64_t chooseLocalMemory(std::uint64_t privateCacheBytes, std::uint64_t chosenKiB);

/// The processor.
struct CpuFacts {
  std::string name;
  std::string vendor;
  cl_uint vendorId = 0; ///< the PCI id of the maker, 0 if unknown
  cl_uint clockMHz = 1;
  std::uint64_t cacheBytes = 0;        ///< of the last level
  std::uint64_t privateCacheBytes = 0; ///< of the level before it
  cl_uint cacheLine = 64;
  cl_uint vectorBytes = 16;
};
CpuFacts readCpuFacts(const std::string& root);
/// The facts, with those that the user has chosen by options in place of what was read.
CpuFacts chooseCpuFacts(CpuFacts facts, const Options& chosen);
/// Size in bytes of the widest vector registers that processor and system both know.
unsigned vectorRegisterBytes() noexcept;

} // namespace clotho::cpu
