// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/topology.hpp"

#include "device/cpu/affinity.hpp"

#include "base/text_file.hpp"
#include "runtime/identity.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace clotho::cpu {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

/// A file system with the few files that the code reads.
class FakeRoot : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "clotho-root-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  std::string root_;
};

TEST_F(FakeRoot, NoFilesMeanNoLimits) {
  CgroupLimits limits = readCgroupLimits(root_);
  EXPECT_FALSE(limits.cpus);
  EXPECT_FALSE(limits.memory);
  EXPECT_FALSE(limits.threadRoom);
}

TEST_F(FakeRoot, Version2TakesTheSmallestLimitUpToTheRoot) {
  write("/proc/self/cgroup", "0::/user.slice/app\n");
  write("/proc/self/mountinfo", "22 1 0:20 / /proc rw - proc proc rw\n"
                                "30 22 0:25 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
  write("/sys/fs/cgroup/user.slice/app/cpu.max", "max 100000\n");
  write("/sys/fs/cgroup/user.slice/cpu.max", "250000 100000\n");
  write("/sys/fs/cgroup/user.slice/app/memory.max", "1073741824\n");
  write("/sys/fs/cgroup/user.slice/memory.max", "2147483648\n");
  write("/sys/fs/cgroup/user.slice/app/pids.max", "max\n");
  write("/sys/fs/cgroup/user.slice/pids.max", "40\n");
  write("/sys/fs/cgroup/user.slice/pids.current", "31\n");
  CgroupLimits limits = readCgroupLimits(root_);
  EXPECT_EQ(limits.cpus, 2.5);
  EXPECT_EQ(limits.memory, 1024 * kMiB);
  EXPECT_EQ(limits.threadRoom, 9u);
}

TEST_F(FakeRoot, Version1HasAHierarchyForEachController) {
  write("/proc/self/cgroup", "7:memory:/box\n5:cpu,cpuacct:/box\n3:cpuset:/\n2:pids:/box\n0::/\n");
  write("/proc/self/mountinfo", "31 20 0:27 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
                                "32 20 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                                "33 20 0:29 / /mnt/with\\040blank rw - cgroup cgroup rw,pids\n");
  write("/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "150000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/memory/box/memory.limit_in_bytes", "536870912\n");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("/mnt/with blank/box/pids.max", "100\n");
  write("/mnt/with blank/box/pids.current", "200\n");
  CgroupLimits limits = readCgroupLimits(root_);
  EXPECT_EQ(limits.cpus, 1.5);
  EXPECT_EQ(limits.memory, 512 * kMiB);
  EXPECT_EQ(limits.threadRoom, 0u);
}

TEST_F(FakeRoot, InAContainerTheMountBeginsAtTheGroup) {
  write("/proc/self/cgroup", "4:cpu:/docker/abc/inner\n");
  write("/proc/self/mountinfo", "31 20 0:27 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n");
  write("/sys/fs/cgroup/cpu/inner/cpu.cfs_quota_us", "300000\n");
  write("/sys/fs/cgroup/cpu/inner/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(readCgroupLimits(root_).cpus, 3.0);
}

TEST_F(FakeRoot, AGroupOutsideTheMountIsReadAtTheMountPoint) {
  write("/proc/self/cgroup", "0::/../other\n");
  write("/proc/self/mountinfo", "31 20 0:27 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
  write("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(readCgroupLimits(root_).cpus, 0.5);
}

TEST_F(FakeRoot, DamagedFilesAreNoLimits) {
  write("/proc/self/cgroup", "0::/a\n\n:::\nnonsense");
  write("/proc/self/mountinfo", "31 20 0:27 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n\n1 2 -\n- - -\n");
  write("/sys/fs/cgroup/a/cpu.max", "100000 0\n");
  write("/sys/fs/cgroup/a/memory.max", "-5\n");
  CgroupLimits limits = readCgroupLimits(root_);
  EXPECT_FALSE(limits.cpus);
  EXPECT_FALSE(limits.memory);
}

TEST(ComputeUnits, FollowEveryLimit) {
  CgroupLimits none;
  EXPECT_EQ(chooseComputeUnits(8, none, std::nullopt, 0), 8u);
  CgroupLimits quota;
  quota.cpus = 1.5;
  EXPECT_EQ(chooseComputeUnits(8, quota, std::nullopt, 0), 2u); // rounded up
  quota.cpus = 0.2;
  EXPECT_EQ(chooseComputeUnits(8, quota, std::nullopt, 0), 1u);
  quota.cpus = 64;
  EXPECT_EQ(chooseComputeUnits(8, quota, std::nullopt, 0), 8u);
  CgroupLimits pids;
  pids.threadRoom = 5;
  EXPECT_EQ(chooseComputeUnits(8, pids, std::nullopt, 0), 3u); // two are for other threads of ours
  EXPECT_EQ(chooseComputeUnits(8, none, 1, 0), 1u);
  EXPECT_EQ(chooseComputeUnits(8, none, 0, 0), 1u);
  EXPECT_EQ(chooseComputeUnits(8, none, 7, 0), 5u);
}

TEST(ComputeUnits, TheUsersChoiceWinsOverCpusButNotOverThreads) {
  CgroupLimits quota;
  quota.cpus = 2;
  EXPECT_EQ(chooseComputeUnits(8, quota, std::nullopt, 16), 16u);
  EXPECT_EQ(chooseComputeUnits(8, quota, 6, 16), 4u);
}

TEST(CpuParts, HaveAllTogetherAndNoneHasNothing) {
  const CpuList cpus{0, 2, 3, 5, 6};
  EXPECT_EQ((CpuPart{}.of(cpus)), cpus);
  EXPECT_EQ((CpuPart{0, 2}.of(cpus)), (CpuList{0, 2}));
  EXPECT_EQ((CpuPart{1, 2}.of(cpus)), (CpuList{3, 5, 6}));
  EXPECT_EQ((CpuPart{6, 7}.of(cpus)), (CpuList{2}));
  EXPECT_EQ((CpuPart{1, 2}.of(CpuList{})), CpuList{});
  EXPECT_EQ((CpuPart{0, 3}.of(8u)), 2u);
  EXPECT_EQ((CpuPart{1, 3}.of(8u)), 3u);
  EXPECT_EQ((CpuPart{2, 3}.of(8u)), 3u);
  EXPECT_EQ((CpuPart{0, 3}.of(2u)), 1u);
}

TEST_F(FakeRoot, UserThreadsAreCounted) {
  write("/proc/self/status", "Name:\tx\nUid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000000000000\n");
  write("/proc/10/status", "Name:\ta\nUid:\t1000\t1000\t1000\t1000\nThreads:\t4\n");
  write("/proc/11/status", "Name:\tb\nUid:\t1001\t1000\t1000\t1000\nThreads:\t100\n");
  write("/proc/12/status", "Name:\tc\nUid:\t1000\t0\t0\t0\nThreads:\t2\n");
  EXPECT_EQ(userThreadRoom(root_, 10), 4u);
  EXPECT_EQ(userThreadRoom(root_, 5), 0u);
  EXPECT_FALSE(userThreadRoom(root_, 1 << 20));
  EXPECT_FALSE(userThreadRoom(root_, RLIM_INFINITY));
}

TEST_F(FakeRoot, TheSuperuserAndSomeCapabilitiesAreExempt) {
  write("/proc/10/status", "Uid:\t0\t0\t0\t0\nThreads:\t4\n");
  write("/proc/self/status", "Uid:\t0\t0\t0\t0\nCapEff:\t0000000000000000\n");
  EXPECT_FALSE(userThreadRoom(root_, 3));
  write("/proc/self/status", "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000001000000\n");
  EXPECT_FALSE(userThreadRoom(root_, 3));
  write("/proc/self/status", "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000000000001\n");
  EXPECT_EQ(userThreadRoom(root_, 3), 3u);
}

TEST(GlobalMemory, FollowsEveryLimit) {
  MemoryLimits limits;
  limits.machine = 16384 * kMiB;
  EXPECT_EQ(chooseGlobalMemory(limits, 0), 14336 * kMiB);
  limits.cgroup = 8192 * kMiB;
  EXPECT_EQ(chooseGlobalMemory(limits, 0), 7168 * kMiB);
  limits.addressSpace = 1124 * kMiB;
  limits.addressSpaceUsed = 100 * kMiB;
  EXPECT_EQ(chooseGlobalMemory(limits, 0), 768 * kMiB);
  limits.data = 200 * kMiB;
  limits.dataUsed = 100 * kMiB;
  EXPECT_EQ(chooseGlobalMemory(limits, 0), 75 * kMiB);
  limits.dataUsed = 300 * kMiB;
  EXPECT_EQ(chooseGlobalMemory(limits, 0), kMiB);
  EXPECT_EQ(chooseGlobalMemory(limits, 512), 512 * kMiB);
}

cpu_set_t allowed() {
  cpu_set_t all;
  EXPECT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  return all;
}

void bindToTheFirstOf(const cpu_set_t& all) {
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
}

TEST(Affinity, FollowsTheMaskOfTheProcess) {
  const cpu_set_t all = allowed();
  EXPECT_EQ(countOf(affinityCpus()), static_cast<unsigned>(CPU_COUNT(&all)));
  const pid_t child = fork();
  if (child == 0) {
    bindToTheFirstOf(all);
    _exit(static_cast<int>(countOf(affinityCpus())));
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

TEST(Affinity, IsThatOfAllThreads) {
  const cpu_set_t all = allowed();
  std::thread([&] {
    bindToTheFirstOf(all);
    EXPECT_EQ(countOf(affinityCpus()), static_cast<unsigned>(CPU_COUNT(&all)));
  }).join();
}

TEST(Machine, FactsAreReadInTime) {
  auto begin = std::chrono::steady_clock::now();
  CpuFacts facts = readCpuFacts("");
  MemoryLimits memory = readMemoryLimits("", readCgroupLimits(""));
  std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  EXPECT_FALSE(facts.name.empty());
  EXPECT_GT(facts.clockMHz, 0u);
  EXPECT_GE(facts.cacheLine, 16u);
  EXPECT_GT(memory.machine, 64 * kMiB);
  // Far from what it takes (a millisecond or two), near what scanning all of /sys would: machines may be busy.
  EXPECT_LT(took.count(), 300.0);
  RecordProperty("milliseconds", std::to_string(took.count()));
}

TEST_F(FakeRoot, ClockAndCachesFromFiles) {
  write("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU\ncpu MHz\t\t: 2345.678\n");
  write("/sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n");
  write("/sys/devices/system/cpu/cpu0/cache/index0/level", "1\n");
  write("/sys/devices/system/cpu/cpu0/cache/index0/size", "48K\n");
  write("/sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size", "64\n");
  write("/sys/devices/system/cpu/cpu0/cache/index1/type", "Instruction\n");
  write("/sys/devices/system/cpu/cpu0/cache/index1/level", "1\n");
  write("/sys/devices/system/cpu/cpu0/cache/index1/size", "32K\n");
  write("/sys/devices/system/cpu/cpu0/cache/index2/type", "Unified\n");
  write("/sys/devices/system/cpu/cpu0/cache/index2/level", "2\n");
  write("/sys/devices/system/cpu/cpu0/cache/index2/size", "2M\n");
  write("/sys/devices/system/cpu/cpu0/cache/index3/type", "Unified\n");
  write("/sys/devices/system/cpu/cpu0/cache/index3/level", "3\n");
  write("/sys/devices/system/cpu/cpu0/cache/index3/size", "98304K\n");
  CpuFacts facts = readCpuFacts(root_);
  EXPECT_EQ(facts.cacheBytes, 96 * kMiB);
  EXPECT_EQ(facts.privateCacheBytes, 2 * kMiB);
  EXPECT_EQ(facts.cacheLine, 64u);
  EXPECT_GT(facts.clockMHz, 1u);
}

TEST(TextFile, Pieces) {
  EXPECT_EQ(split("a:b:c:d", ':', 3), (std::vector<std::string_view>{"a", "b", "c:d"}));
  EXPECT_EQ(split("", ' '), (std::vector<std::string_view>{""}));
  EXPECT_EQ(parseNumber(" 42\n"), 42u);
  EXPECT_FALSE(parseNumber("max"));
  EXPECT_FALSE(parseNumber("-1"));
  EXPECT_FALSE(parseNumber(""));
  EXPECT_FALSE(parseNumber("99999999999999999999999"));
  EXPECT_EQ(valueOf("A:\t1\nB: 2 x \n", "B"), "2 x");
  EXPECT_EQ(valueOf("A: 1", "C"), "");
}

TEST_F(FakeRoot, MachineIdentityIsTheFirstThereIs) {
  std::string name = machineIdentity(root_); // the host's name, if it has one
  write("/etc/machine-id", "uninitialized\n");
  EXPECT_EQ(machineIdentity(root_), name);
  write("/var/lib/dbus/machine-id", "dbb5\n");
  EXPECT_EQ(machineIdentity(root_), "dbb5");
  write("/etc/machine-id", "3d12\n");
  EXPECT_EQ(machineIdentity(root_), "3d12");
}

TEST(Choices, LargestBuffer) {
  EXPECT_EQ(chooseMaxAllocation(100 * kMiB, 0), 50 * kMiB);
  EXPECT_EQ(chooseMaxAllocation(100 * kMiB, 7), 7 * kMiB);
  EXPECT_EQ(chooseMaxAllocation(100 * kMiB, 100), 100 * kMiB);
  EXPECT_EQ(chooseMaxAllocation(100 * kMiB, UINT64_MAX), 100 * kMiB);
}

TEST(Choices, LocalMemory) {
  EXPECT_EQ(chooseLocalMemory(0, 0), 64u << 10);
  EXPECT_EQ(chooseLocalMemory(1280 << 10, 0), 512u << 10);
  EXPECT_EQ(chooseLocalMemory(64 * kMiB, 0), kMiB);
  EXPECT_EQ(chooseLocalMemory(0, 1), 32u << 10);
  EXPECT_EQ(chooseLocalMemory(0, 100), 100u << 10);
  EXPECT_EQ(chooseLocalMemory(0, UINT64_MAX), 1024 * kMiB);
}

TEST(Choices, WhatIsSaidOfTheProcessor) {
  CpuFacts facts;
  facts.name = "N", facts.vendor = "V", facts.vendorId = 5, facts.clockMHz = 6, facts.cacheBytes = 7;
  CpuFacts same = chooseCpuFacts(facts, Options{});
  EXPECT_EQ(same.name, "N");
  EXPECT_EQ(same.vendor, "V");
  EXPECT_EQ(same.vendorId, 5u);
  EXPECT_EQ(same.clockMHz, 6u);
  Options chosen;
  chosen.deviceName = "n", chosen.deviceVendor = "v", chosen.vendorId = 0xffffffff, chosen.clockFrequency = 1;
  CpuFacts other = chooseCpuFacts(facts, chosen);
  EXPECT_EQ(other.name, "n");
  EXPECT_EQ(other.vendor, "v");
  EXPECT_EQ(other.vendorId, 0xffffffffu);
  EXPECT_EQ(other.clockMHz, 1u);
  EXPECT_EQ(other.cacheBytes, 7u);
  // Numbers that no query can give.
  chosen.vendorId = chosen.clockFrequency = std::uint64_t{1} << 32;
  EXPECT_EQ(chooseCpuFacts(facts, chosen).vendorId, 5u);
  EXPECT_EQ(chooseCpuFacts(facts, chosen).clockMHz, 6u);
}

} // namespace
} // namespace clotho::cpu
