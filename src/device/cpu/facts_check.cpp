// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/facts_check.hpp"

#include "abi/cpu_facts.hpp"
#include "base/error.hpp"

#include <CL/cl.h>
#include <algorithm>
#include <string_view>

namespace clotho::cpu {

namespace {

/// More than any device has, and so little that products with numbers of work-items do not overflow.
constexpr std::uint64_t kMostBytesPerItem = std::uint64_t{1} << 32;
constexpr std::uint32_t kMostRows = 64, kMostMerged = 1 << 24, kMostDirect = 4096;
constexpr std::uint32_t kMostSites = 1 << 20, kMostPhases = 1 << 20, kMostGranule = 8;

void expect(bool holds, const char* why) { check(holds, CL_INVALID_BINARY, why); }

} // namespace

void checkFacts(const BuiltKernel& kernel) {
  const std::optional<CpuKernelFacts> facts = decodeFacts(kernel.facts);
  expect(facts.has_value(), "what the binary says of a kernel to the device cannot be read");
  // Nothing else of the object is ever called, such as what a library exports for others.
  constexpr std::string_view kPrefix = "clotho_wg_";
  expect(facts->symbol.starts_with(kPrefix) &&
             std::string_view(facts->symbol).substr(kPrefix.size()) == kernel.info.name,
         "a kernel in the binary is not called as it is");
  expect(facts->frameBytesPerItem <= kMostBytesPerItem && facts->interleavedState <= kMostBytesPerItem &&
             facts->subGroupStackBytes <= kMostBytesPerItem,
         "a kernel in the binary wants more memory than there can be");
  expect(facts->rowsAtOnce >= 1 && facts->rowsAtOnce <= kMostRows && facts->mergedRow <= kMostMerged &&
             (facts->directSize[0] == 0) == (facts->directSize[1] == 0) && facts->directSize[0] <= kMostDirect &&
             facts->directSize[1] <= kMostDirect,
         "a kernel in the binary is for impossible work-groups");
  expect(facts->laneDimension < 3, "a kernel in the binary has too many dimensions");
  // Only versions of kernels do, and those are in no binary.
  expect(facts->shape[0] == 0 && facts->shape[1] == 0 && facts->shape[2] == 0 && !facts->countsRows,
         "a kernel in the binary counts work-items of its own");
  expect(facts->checkSites <= kMostSites && facts->phasesOfGroup <= kMostPhases && facts->granule <= kMostGranule,
         "a kernel in the binary has too many checks");
  const auto& args = kernel.info.args;
  expect(facts->counters == CpuKernelFacts::kNoArgument ||
             (facts->counters < args.size() && args[facts->counters].kind == ArgKind::Buffer &&
              (facts->counterSize == 4 || facts->counterSize == 8)),
         "a kernel in the binary counts in what is no buffer");
  const auto buffers =
      std::count_if(args.begin(), args.end(), [](const ArgInfo& arg) { return arg.kind == ArgKind::Buffer; });
  expect(buffers >= 64 || (facts->outputs | facts->changed) >> buffers == 0,
         "a kernel in the binary writes to buffers that it does not have");
}

} // namespace clotho::cpu
