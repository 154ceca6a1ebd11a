// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/checks.h"
#include "abi/cpu_kernel.h"
#include "base/mutex.hpp"
#include "base/reserved_memory.hpp"
#include "command/storage.hpp"
#include "device/cpu/check_cells.hpp"
#include "device/cpu/executor.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace clotho {
class Node;
struct Launch;
} // namespace clotho

namespace clotho::cpu {

/// The places of a program that have reported a fault. Each is reported once.
class ReportedSites {
 public:
  /// A launch has found so many faults at a place; true if it is the first one that did.
  bool add(const CheckSite& site, std::uint64_t count) EXCLUDES(mutex_);
  /// Logs how often places have failed after their report.
  ~ReportedSites();
  ReportedSites() = default;
  ReportedSites(const ReportedSites&) = delete;
  ReportedSites& operator=(const ReportedSites&) = delete;

 private:
  struct Later {
    std::string place;
    std::uint64_t launches = 0, faults = 0;
  };
  Mutex mutex_;
  std::map<std::uint32_t, Later> sites_ GUARDED_BY(mutex_); // by CheckSite::number
};

/// A fault that a place has found first in a launch. Ids are those of the work-item.
struct CheckFault {
  const CheckSite* site = nullptr;
  std::uint64_t a = 0, b = 0;
  std::uint64_t ids[3] = {0, 0, 0};
};

/// One launch of a checked kernel: what its code reads, and the faults that it reports.
class LaunchChecks {
 public:
  /// Throws std::bad_alloc. The launch's arguments must live.
  LaunchChecks(const Launch& launch, HomeId home);
  ~LaunchChecks();
  LaunchChecks(const LaunchChecks&) = delete;
  LaunchChecks& operator=(const LaunchChecks&) = delete;

  CheckedLaunch* launch() const { return launch_; }
  /// Describes the thread's memory to the kernel; false without memory.
  bool prepare(Executor& executor, WorkerContext& context) const noexcept;
  /// Reports the faults to the command; whether there was one. All work-groups have ended.
  bool finish(Node& node) noexcept;

 private:
  struct Record {
    std::atomic<std::uint64_t> count{0};
    CheckFault fault;
  };

  /// An argument, still without cells, and the memory that has its bytes and perhaps those of other arguments.
  struct ArgumentMemory {
    CheckedArgument argument{};
    std::uintptr_t begin = 0;
    std::size_t size = 0;     ///< 0: it can have no cells
    std::uint64_t offset = 0; ///< of the byte to which the argument's first cell belongs
  };

  static LaunchChecks& of(CheckedLaunch* launch);
  static void report(CheckedLaunch* launch, const CheckSite* site, std::uint64_t a, std::uint64_t b, std::uint64_t x,
                     std::uint64_t y, std::uint64_t z);
  static std::uint64_t hasMemory(CheckedLaunch* launch, const CheckedGroup* group, std::uint64_t address,
                                 std::uint64_t bytes);
  static std::uint64_t mayGoOn(CheckedLaunch* launch, std::uint64_t iterations);
  ArgumentMemory memoryOf(std::size_t index, HomeId home, std::uint32_t& buffers) const;
  std::uint64_t cellsOf(const ArgumentMemory& memory);
  std::string textOf(const Record& record) const;
  std::string textOfItem(const std::uint64_t (&ids)[3]) const;
  std::string otherOf(const CheckFault& fault) const;
  std::string otherOfRace(const CheckFault& fault) const;

  const Launch& command_;
  std::vector<std::uint64_t> storage_; ///< a pointer to this, and the launch
  CheckedLaunch* launch_;
  std::vector<Record> records_; ///< by CheckSite::number
  /// Memory of arguments that has cells.
  struct Cells {
    std::uintptr_t begin;
    ReservedMemory memory;
  };
  std::vector<Cells> cells_;
  const std::uint64_t started_;
  const CheckPhases phases_;
};

/// Text of a fault without its place and work-item.
std::string describe(const CheckFault& fault);

} // namespace clotho::cpu
