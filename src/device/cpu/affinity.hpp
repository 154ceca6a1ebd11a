// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CL/cl.h>

#include <sched.h>
#include <vector>

namespace clotho::cpu {

/// Numbers of processors, ascending.
using CpuList = std::vector<unsigned>;

/// The processors that some thread of this process may use, now. Not those of the calling thread alone: programs bind
/// their threads, each to another processor, and any of them may be the first to use OpenCL.
CpuList affinityCpus();
/// How many threads may run at once on them; at least 1. Without a list, on all that there are.
unsigned countOf(const CpuList& cpus);

/// One of several equal parts, by its number from 0 on.
struct CpuPart {
  unsigned number = 0, count = 1;

  /// Its share of so many things, which all parts together have; at least 1.
  unsigned of(unsigned whole) const;
  /// Its share of processors. Parts have some in common if there are fewer processors than parts.
  CpuList of(const CpuList& cpus) const;
};

/// `cpus` in groups that share a NUMA node or a cache of a level, in the order of their first; those that have none are
/// in no group. By hwloc, which is loaded at the first call: finding out what there is takes it several milliseconds,
/// more than a program's start may. Without hwloc there are no groups.
std::vector<CpuList> cpusSharing(cl_device_affinity_domain domain, const CpuList& cpus);

/// The mask for sched_setaffinity and its relatives, with its size in bytes.
class CpuMask {
 public:
  explicit CpuMask(const CpuList& cpus);
  const cpu_set_t* get() const { return reinterpret_cast<const cpu_set_t*>(words_.data()); }
  std::size_t size() const { return words_.size() * sizeof(unsigned long); }

 private:
  std::vector<unsigned long> words_;
};

} // namespace clotho::cpu
