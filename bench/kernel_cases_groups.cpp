// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_case.hpp"

namespace bench {

namespace {

constexpr std::size_t kLocal = 256;

template <bool ofSubGroups> Problem reduce(Scale scale) {
  const std::size_t groups = scale.pick(1024, 4), each = scale.pick(256, 8), n = groups * kLocal * each;
  // Whatever the size of sub-groups: what is left stays zero.
  const std::size_t sums = ofSubGroups ? groups * kLocal : groups;
  return {{input(randomFloats(n, 0, 1, 1)), scratch<float>(sums), output<float>(1, {2e-3})},
          {static_cast<long>(n)},
          {{"sum_groups", {groups * kLocal}, {kLocal}, {arg(0), arg(1), static_cast<std::uint32_t>(each)}},
           {"sum_sums", {kLocal}, {kLocal}, {arg(1), arg(2), static_cast<std::uint32_t>(sums)}}},
          ofSubGroups ? "-cl-std=CL3.0 -DSUB_GROUPS" : "-cl-std=CL3.0"};
}

Problem scan(Scale scale) {
  const std::size_t groups = scale.pick(256, 8), each = scale.pick(256, 8), n = groups * kLocal * each;
  return {{input(randomInts(n, 1000, 1)), output<std::uint32_t>(n), scratch<std::uint32_t>(groups)},
          {static_cast<long>(n)},
          {{"sum_blocks", {groups * kLocal}, {kLocal}, {arg(0), arg(2), static_cast<std::uint32_t>(each)}},
           {"scan_sums", {groups}, {groups}, {arg(2)}},
           {"scan_blocks", {groups * kLocal}, {kLocal}, {arg(0), arg(1), arg(2), static_cast<std::uint32_t>(each)}}},
          "-cl-std=CL3.0"};
}

constexpr double kReduced = 4e-9 * (64 << 20), kScanned = 8e-9 * (16 << 20);

} // namespace

void addGroupCases(KernelCases& cases) {
  cases.insert(cases.end(),
               {
                   {"sub_group_reduce", "groups", reduce<true>, "group_reduce", "reduce", kReduced, "GB/s"},
                   {"work_group_reduce", "groups", reduce<false>, "group_reduce", "reduce", kReduced, "GB/s"},
                   {"work_group_scan", "groups", scan, "group_scan", "scan", kScanned, "GB/s"},
               });
}

} // namespace bench
