// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/topology.hpp"

#include "base/folder.hpp"
#include "base/text_file.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace clotho::cpu {

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// Threads that are ours but no workers: the one for callbacks, and the one that starts the compiler.
constexpr std::uint64_t kOtherThreads = 2;

bool isNumber(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Threads of all processes of a user, as far as /proc shows them.
std::uint64_t threadsOf(const std::string& root, std::string_view user) {
  std::uint64_t threads = 0;
  const Folder folder = openFolder(root + "/proc");
  if (!folder) return 1;
  while (const dirent* entry = readdir(folder.get())) { // NOLINT(concurrency-mt-unsafe): the stream is ours alone
    if (!isNumber(entry->d_name)) continue;
    std::string status = readTextFile(root + "/proc/" + entry->d_name + "/status");
    std::string_view users = valueOf(status, "Uid");
    if (split(users, '\t')[0] == user) threads += parseNumber(valueOf(status, "Threads")).value_or(1);
  }
  return threads;
}

std::optional<std::uint64_t> finite(rlim_t limit) {
  return limit == RLIM_INFINITY ? std::nullopt : std::optional<std::uint64_t>(limit);
}

#if defined(__x86_64__)

struct CpuId {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

CpuId cpuId(std::uint32_t leaf, std::uint32_t subleaf = 0) {
  CpuId result;
  __cpuid_count(leaf, subleaf, result.eax, result.ebx, result.ecx, result.edx);
  return result;
}

std::string brandName() {
  if (cpuId(0x80000000).eax < 0x80000004) return {};
  char text[49] = {};
  for (std::uint32_t i = 0; i < 3; ++i) {
    CpuId part = cpuId(0x80000002 + i);
    std::memcpy(text + i * 16, &part, 16);
  }
  // Makers pad with blanks, in front and between.
  std::string name;
  for (const char* c = text; *c; ++c)
    if (*c != ' ' || (!name.empty() && name.back() != ' ')) name += *c;
  while (name.ends_with(' '))
    name.pop_back();
  return name;
}

/// Not by __builtin_cpu_supports, which would bring a constructor into the library.
unsigned findVectorRegisterBytes() {
  constexpr std::uint32_t kOsXsave = 1u << 27, kAvx = 1u << 28, kAvx512f = 1u << 16;
  constexpr std::uint32_t kAvxState = 0x06, kAvx512State = 0xe6;
  std::uint32_t features = cpuId(1).ecx;
  if (!(features & kOsXsave) || !(features & kAvx)) return 16;
  std::uint32_t enabled, high;
  __asm__ volatile("xgetbv" : "=a"(enabled), "=d"(high) : "c"(0));
  if ((enabled & kAvxState) != kAvxState) return 16;
  bool wide = cpuId(0).eax >= 7 && (cpuId(7).ebx & kAvx512f) && (enabled & kAvx512State) == kAvx512State;
  return wide ? 64 : 32;
}

void readMaker(CpuFacts& facts) {
  CpuId first = cpuId(0);
  char maker[13] = {};
  std::memcpy(maker, &first.ebx, 4);
  std::memcpy(maker + 4, &first.edx, 4);
  std::memcpy(maker + 8, &first.ecx, 4);
  facts.vendor = maker;
  if (facts.vendor == "GenuineIntel") facts.vendor = "Intel Corporation", facts.vendorId = 0x8086;
  if (facts.vendor == "AuthenticAMD") facts.vendor = "Advanced Micro Devices, Inc.", facts.vendorId = 0x1022;
  facts.name = brandName();
  if (first.eax >= 0x16) facts.clockMHz = cpuId(0x16).ebx & 0xffff;
  facts.vectorBytes = vectorRegisterBytes();
}

#else

unsigned findVectorRegisterBytes() { return 16; }
void readMaker(CpuFacts&) {}

#endif

/// "... @ 2.60GHz" as some makers write it.
cl_uint clockFromName(std::string_view name) {
  std::size_t at = name.rfind("@ ");
  if (at == std::string_view::npos || !name.ends_with("GHz")) return 0;
  double gigahertz = 0, place = 1;
  bool fraction = false;
  for (char c : name.substr(at + 2, name.size() - at - 5)) {
    if (c == '.') {
      fraction = true;
    } else if (c >= '0' && c <= '9') {
      gigahertz = gigahertz * 10 + (c - '0');
      if (fraction) place *= 10;
    }
  }
  return static_cast<cl_uint>(std::lround(gigahertz / place * 1000));
}

cl_uint clockFromFiles(const std::string& root) {
  if (auto kHz = readNumber(root + "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"))
    return static_cast<cl_uint>(*kHz / 1000);
  std::string text = readTextFile(root + "/proc/cpuinfo");
  std::string_view value = valueOf(text, "cpu MHz");
  return static_cast<cl_uint>(parseNumber(value.substr(0, value.find('.'))).value_or(0));
}

void readCaches(CpuFacts& facts, const std::string& root) {
  std::uint64_t levels[5] = {};
  for (int i = 0; i < 6; ++i) {
    std::string folder = root + "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    std::string type = readTextFile(folder + "type");
    if (type.empty()) break;
    if (type.starts_with("Instruction")) continue;
    std::string size = readTextFile(folder + "size"); // "48K"
    std::uint64_t level = readNumber(folder + "level").value_or(0);
    if (level < 1 || level > 4) continue;
    std::size_t end = size.find_first_not_of("0123456789");
    std::uint64_t bytes = parseNumber(size.substr(0, end)).value_or(0);
    if (end != std::string::npos && size[end] == 'K') bytes <<= 10;
    if (end != std::string::npos && size[end] == 'M') bytes <<= 20;
    levels[level] = bytes;
    if (auto line = readNumber(folder + "coherency_line_size"); line && *line)
      facts.cacheLine = static_cast<cl_uint>(*line);
  }
  for (int level = 4; level >= 1; --level) {
    if (levels[level] == 0) continue;
    if (facts.cacheBytes == 0)
      facts.cacheBytes = levels[level];
    else if (facts.privateCacheBytes == 0)
      facts.privateCacheBytes = levels[level];
  }
}

} // namespace

unsigned vectorRegisterBytes() noexcept {
  // Virtual machines make the question an expensive one.
  static constinit std::atomic<unsigned> known{0};
  unsigned bytes = known.load(std::memory_order_relaxed);
  if (bytes == 0) known.store(bytes = findVectorRegisterBytes(), std::memory_order_relaxed);
  return bytes;
}

std::optional<std::uint64_t> userThreadRoom(const std::string& root, std::uint64_t limit) {
  // Counting is slow, so it is left out where the limit is far from what a device needs.
  constexpr std::uint64_t kAmple = 16384;
  if (limit >= kAmple) return std::nullopt;
  std::string self = readTextFile(root + "/proc/self/status");
  std::string_view users = valueOf(self, "Uid");
  std::string_view user = split(users, '\t')[0];
  // The kernel exempts the superuser, CAP_SYS_ADMIN (21) and CAP_SYS_RESOURCE (24).
  std::uint64_t capabilities = std::strtoull(std::string(valueOf(self, "CapEff")).c_str(), nullptr, 16);
  if (user == "0" || (capabilities & (std::uint64_t{1} << 21 | std::uint64_t{1} << 24))) return std::nullopt;
  std::uint64_t used = threadsOf(root, user);
  return limit - std::min(limit, used);
}

unsigned chooseComputeUnits(unsigned cpus, const CgroupLimits& cgroup, std::optional<std::uint64_t> userRoom,
                            std::uint64_t chosen) {
  constexpr std::uint64_t kMost = 4096;
  std::uint64_t units = cpus;
  if (cgroup.cpus) units = std::min(units, static_cast<std::uint64_t>(std::ceil(std::max(*cgroup.cpus, 0.01))));
  if (chosen) units = chosen;
  for (std::optional<std::uint64_t> room : {cgroup.threadRoom, userRoom})
    if (room) units = std::min(units, *room - std::min(*room, kOtherThreads));
  return static_cast<unsigned>(std::clamp<std::uint64_t>(units, 1, kMost));
}

MemoryLimits readMemoryLimits(const std::string& root, const CgroupLimits& cgroup) {
  MemoryLimits limits;
  auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  limits.machine = static_cast<std::uint64_t>(std::max(sysconf(_SC_PHYS_PAGES), 1L)) * page;
  limits.cgroup = cgroup.memory;
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0) limits.addressSpace = finite(limit.rlim_cur);
  if (getrlimit(RLIMIT_DATA, &limit) == 0) limits.data = finite(limit.rlim_cur);
  if (limits.addressSpace || limits.data) {
    // Pages: size resident shared text lib data dt
    std::string text = readTextFile(root + "/proc/self/statm");
    auto fields = split(text, ' ');
    if (fields.size() >= 6) {
      limits.addressSpaceUsed = parseNumber(fields[0]).value_or(0) * page;
      limits.dataUsed = parseNumber(fields[5]).value_or(0) * page;
    }
  }
  return limits;
}

std::uint64_t chooseGlobalMemory(const MemoryLimits& limits, std::uint64_t chosenMiB) {
  if (chosenMiB) return std::min(chosenMiB, std::uint64_t{1} << 40) * kMiB;
  std::uint64_t physical = limits.cgroup ? std::min(limits.machine, *limits.cgroup) : limits.machine;
  // An eighth is left to the program and the system; of address space a quarter, as stacks and code need it too.
  std::uint64_t bytes = physical - physical / 8;
  auto keepBelow = [&bytes](std::optional<std::uint64_t> limit, std::optional<std::uint64_t> used) {
    if (!limit) return;
    std::uint64_t room = *limit - std::min(*limit, used.value_or(0));
    bytes = std::min(bytes, room - room / 4);
  };
  keepBelow(limits.addressSpace, limits.addressSpaceUsed);
  keepBelow(limits.data, limits.dataUsed);
  return std::max(bytes / kMiB, std::uint64_t{1}) * kMiB;
}

std::uint64_t choosePrivateMemory(std::uint64_t globalMemory) {
  // Few kernels want more, and most of the memory is for buffers. Some there must be, however little is said to be.
  return std::max(globalMemory / 4, 16 * kMiB);
}

std::uint64_t chooseMaxAllocation(std::uint64_t globalMemory, std::uint64_t chosenMiB) {
  if (chosenMiB == 0) return globalMemory / 2;
  return std::min(chosenMiB, globalMemory / kMiB) * kMiB;
}

std::uint64_t chooseLocalMemory(std::uint64_t privateCacheBytes, std::uint64_t chosenKiB) {
  // Half of the cache, so that local memory stays there. The specification's least is 32 KiB.
  constexpr std::uint64_t kKiB = 1024;
  if (chosenKiB) return std::clamp(chosenKiB, std::uint64_t{32}, std::uint64_t{1} << 20) * kKiB;
  return std::clamp(std::bit_floor(privateCacheBytes / 2), 64 * kKiB, 1024 * kKiB);
}

CpuFacts chooseCpuFacts(CpuFacts facts, const Options& chosen) {
  auto isId = [](std::uint64_t number) { return number > 0 && number <= UINT32_MAX; };
  if (!chosen.deviceName.empty()) facts.name = chosen.deviceName;
  if (!chosen.deviceVendor.empty()) facts.vendor = chosen.deviceVendor;
  if (isId(chosen.vendorId)) facts.vendorId = static_cast<cl_uint>(chosen.vendorId);
  if (isId(chosen.clockFrequency)) facts.clockMHz = static_cast<cl_uint>(chosen.clockFrequency);
  return facts;
}

CpuFacts readCpuFacts(const std::string& root) {
  CpuFacts facts;
  readMaker(facts);
  if (facts.name.empty()) {
    std::string text = readTextFile(root + "/proc/cpuinfo");
    facts.name = valueOf(text, "model name");
  }
  if (facts.name.empty()) facts.name = "CPU";
  if (facts.vendor.empty()) facts.vendor = "unknown";
  if (facts.clockMHz <= 1) facts.clockMHz = clockFromName(facts.name);
  if (facts.clockMHz == 0) facts.clockMHz = clockFromFiles(root);
  if (facts.clockMHz == 0) facts.clockMHz = 1;
  readCaches(facts, root);
  return facts;
}

} // namespace clotho::cpu
