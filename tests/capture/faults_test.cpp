// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/faults.hpp"

#include <gtest/gtest.h>

namespace clotho::replay {
namespace {

TEST(FaultsTest, AReportHasAKindAndAStatement) {
  const auto race = faultIn("<source>:3:26: runtime error: race: read of 4 bytes of argument 1 'counts' at byte 0\n"
                            "\tif (x) { counts[i] += 1; }\n"
                            "\t         ^\n"
                            "  in kernel 'run', work-item (16, 0, 0)");
  ASSERT_TRUE(race);
  EXPECT_EQ(race->kind, "race");
  EXPECT_EQ(race->statement, "counts[i] += 1");
  const auto unwritten = faultIn(
      "a.cl:1:2: runtime error: read of 4 bytes of 't' at byte 0, which were never written\nx = t\n    ^\n  in");
  ASSERT_TRUE(unwritten);
  EXPECT_EQ(unwritten->kind, "unwritten");
  EXPECT_EQ(unwritten->statement, "t");
}

TEST(FaultsTest, PlacesNeedNotBeKnown) {
  const auto fault = faultIn("<program>: runtime error: division of 1 by zero\n  in kernel 'k', work-item (0, 0, 0)");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, "division");
  EXPECT_EQ(fault->statement, "");
  EXPECT_FALSE(faultIn("kernel 'k' cannot be launched"));
  EXPECT_FALSE(faultIn(""));
}

TEST(FaultsTest, TextsNameEachOnce) {
  const Faults faults = faultsIn({"a:1: runtime error: race: write\n", "other", "a:1: runtime error: race: write\n",
                                  "a:1: runtime error: loop has not ended\n"});
  EXPECT_EQ(textOf(faults), "loop, race");
  EXPECT_EQ(kindsOf(faults).size(), 2U);
}

} // namespace
} // namespace clotho::replay
