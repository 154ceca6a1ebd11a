// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/versions/build_demand.hpp"

#include "fake_kernel.hpp"

#include <gtest/gtest.h>

namespace clotho {
namespace {

constexpr double kMillion = 1 << 20;

BuiltKernel builtFirst() {
  BuiltKernel built = builtFor(16);
  built.limits.lacksFaster = true;
  return built;
}

CodeVersion versionForLocalSize() {
  CodeVersion version;
  version.local = {{128, 1, 1}, false};
  return version;
}

TEST(BuildDemand, FourLaunchesOfAMillionItemsEarnAVersion) {
  const FakeKernel general(builtFirst());
  BuildDemand demand(general, versionForLocalSize(), TargetKind::Cpu);
  demand.expect(0.1);
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(demand.addLaunch(kMillion));
  EXPECT_TRUE(demand.addLaunch(kMillion));
}

// The number of launches and work-items says too little if each version takes seconds.
TEST(BuildDemand, LongBuildsAreEarnedByTime) {
  FakeKernel general(builtFor(16)); // which has all code of its own
  BuildDemand demand(general, versionForLocalSize(), TargetKind::Cpu);
  demand.expect(0.5);
  for (int i = 0; i < 100; ++i)
    EXPECT_FALSE(demand.addLaunch(kMillion));
  general.add(1.9);
  EXPECT_FALSE(demand.addLaunch(kMillion));
  general.add(0.2);
  EXPECT_TRUE(demand.addLaunch(kMillion));
}

TEST(BuildDemand, FasterCodeIsEarnedByTheTimeOfTheFirstBuild) {
  FakeKernel general(builtFirst());
  BuildDemand demand(general, {}, TargetKind::Cpu), demandOfLong(general, {}, TargetKind::Cpu);
  demand.expect(0.2);
  demandOfLong.expect(0.5);
  general.add(0.3);
  EXPECT_FALSE(demand.addLaunch(1));
  general.add(0.2);
  EXPECT_TRUE(demand.addLaunch(1));
  EXPECT_FALSE(demandOfLong.addLaunch(1));
  general.add(1.6);
  EXPECT_TRUE(demandOfLong.addLaunch(1));
}

} // namespace
} // namespace clotho
