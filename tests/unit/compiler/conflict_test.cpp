// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intervals of single nodes at their limits, and conflicts between parts.
#include "compiler/footprint.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace clotho {
namespace {

using Kind = FootprintNode::Kind;
using Relation = FootprintGuard::Relation;

/// A footprint with one access at the last of its nodes, of one byte.
struct One {
  KernelFootprint footprint;
  FootprintBox box;
  FootprintAccess access;

  explicit One(std::vector<FootprintNode> nodes) {
    footprint.unknown.clear();
    footprint.nodes = std::move(nodes);
    access.bytes = 1;
    access.offset = static_cast<std::uint32_t>(footprint.nodes.size() - 1);
    box.global[0] = 100;
    box.local[0] = 10;
    box.end[0] = 10;
  }
  std::optional<FootprintInterval> interval() const { return FootprintValues(footprint, box).intervalOf(access); }
  void expect(std::int64_t begin, std::int64_t end) const {
    const auto found = interval();
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->isAny);
    EXPECT_EQ(found->begin, begin);
    EXPECT_EQ(found->end, end);
  }
  void expectAny() const {
    const auto found = interval();
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->isAny);
  }
};

FootprintNode range(std::int64_t low, std::int64_t high, std::uint8_t bits = 64) {
  return {.kind = Kind::Range, .bits = bits, .low = low, .high = high};
}

TEST(FootprintNodeTest, IdsOfABox) {
  One one({{.kind = Kind::GlobalId}});
  one.box.offset[0] = 7;
  one.expect(7, 107);
  one.box.first[0] = 9;
  one.expect(97, 107);
  one.box.global[0] = 95; // the last group has five work-items
  one.expect(97, 102);
  One local({{.kind = Kind::LocalSize}});
  local.expect(10, 11);
  local.box.global[0] = 95;
  local.expect(5, 11);
  local.box.end[0] = 9;
  local.expect(10, 11);
}

TEST(FootprintNodeTest, NothingIsTouchedByNoWorkItems) {
  One one({{.kind = Kind::GlobalId}});
  one.box.first[0] = one.box.end[0] = 4;
  EXPECT_FALSE(one.interval());
}

TEST(FootprintNodeTest, ExtensionsOfWhatWrapsAround) {
  One(std::vector<FootprintNode>{range(-1, 5, 32), {.kind = Kind::ExtendSigned, .first = 0}}).expect(-1, 6);
  One(std::vector<FootprintNode>{range(-1, 5, 32), {.kind = Kind::ExtendUnsigned, .first = 0}})
      .expect(0, std::int64_t{1} << 32);
  const std::int64_t half = std::int64_t{1} << 31;
  One(std::vector<FootprintNode>{range(half, half + 5, 32), {.kind = Kind::ExtendSigned, .first = 0}})
      .expect(-half, 6 - half);
  One(std::vector<FootprintNode>{range(half - 1, half, 32), {.kind = Kind::ExtendSigned, .first = 0}})
      .expect(-half, half);
  One(std::vector<FootprintNode>{range(-3, -2, 32), {.kind = Kind::ExtendUnsigned, .first = 0}})
      .expect(2 * half - 3, 2 * half - 1);
}

TEST(FootprintNodeTest, SumsThatLeave64Bits) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  One(std::vector<FootprintNode>{range(0, kMost), range(0, 1), {.kind = Kind::Add, .first = 0, .second = 1}})
      .expectAny();
  One(std::vector<FootprintNode>{range(0, kMost), range(0, 2), {.kind = Kind::Multiply, .first = 0, .second = 1}})
      .expectAny();
  One(std::vector<FootprintNode>{range(0, kMost)}).expectAny(); // the byte behind it has no number
}

TEST(FootprintNodeTest, DivisionsByWhatMayBeZero) {
  One(std::vector<FootprintNode>{range(0, 9), range(0, 2), {.kind = Kind::DivideUnsigned, .first = 0, .second = 1}})
      .expectAny();
  One(std::vector<FootprintNode>{range(8, 9), range(1, 2), {.kind = Kind::DivideUnsigned, .first = 0, .second = 1}})
      .expect(4, 10);
  One(std::vector<FootprintNode>{range(8, 9), range(0, 2), {.kind = Kind::RemainderUnsigned, .first = 0, .second = 1}})
      .expectAny();
  One(std::vector<FootprintNode>{range(8, 90), range(5, 7), {.kind = Kind::RemainderUnsigned, .first = 0, .second = 1}})
      .expect(0, 7);
  One(std::vector<FootprintNode>{range(-1, 90), range(4, 4), {.kind = Kind::DivideUnsigned, .first = 0, .second = 1}})
      .expectAny();
}

TEST(FootprintNodeTest, Counters) {
  const FootprintNode counter{.kind = Kind::Counter, .first = 0, .second = 1, .third = 2};
  One(std::vector<FootprintNode>{range(5, 5), range(2, 2), range(3, 4), counter}).expect(5, 14);
  FootprintNode behind = counter;
  behind.low = 1;
  One(std::vector<FootprintNode>{range(5, 5), range(-2, -2), range(3, 4), behind}).expect(-1, 6);
  EXPECT_FALSE(One({range(5, 5), range(2, 2), range(0, 0), behind}).interval()); // a loop without an iteration
  One(std::vector<FootprintNode>{range(5, 5), range(2, 2), range(-1, 0), counter}).expectAny();
}

TEST(FootprintGuardTest, NarrowsAnId) {
  // The comparison is of the id minus one, in 32 bits.
  One one({{.kind = Kind::GlobalId},
           {.kind = Kind::Truncate, .bits = 32, .first = 0},
           range(-1, -1, 32),
           {.kind = Kind::Add, .bits = 32, .first = 1, .second = 2},
           range(20, 30, 32),
           {.kind = Kind::Add, .first = 0, .second = 0}});
  FootprintGuard guard{.relation = Relation::Less, .isSigned = true, .left = 3, .right = 4, .id = 0, .shift = -1};
  const auto expect = [&](Relation relation, bool isSigned, std::int64_t begin, std::int64_t end) {
    guard.relation = relation;
    guard.isSigned = isSigned;
    one.access.guards = {guard};
    one.expect(begin, end);
  };
  expect(Relation::Less, true, 0, 61);
  expect(Relation::Less, false, 2, 61); // -1 is a large number
  expect(Relation::LessOrEqual, false, 2, 63);
  expect(Relation::Greater, true, 44, 199);
  expect(Relation::GreaterOrEqual, true, 42, 199);
  expect(Relation::Greater, false, 0, 199); // also for -1
  expect(Relation::Equal, true, 42, 63);
  expect(Relation::Differs, true, 0, 199);
  one.box.first[0] = 5;
  guard.relation = Relation::Less;
  one.access.guards = {guard};
  EXPECT_FALSE(one.interval());
}

TEST(FootprintGuardTest, IsIgnoredWhereTheComparedNumberWrapsAround) {
  One one({{.kind = Kind::GlobalId},
           {.kind = Kind::Truncate, .bits = 8, .first = 0},
           {.kind = Kind::ExtendUnsigned, .bits = 32, .first = 1},
           range(20, 20, 32),
           {.kind = Kind::Add, .first = 0, .second = 0}});
  one.access.guards = {{.relation = Relation::Less, .left = 2, .right = 3, .id = 0}};
  one.expect(0, 39);
  one.box.global[0] = 1000; // of 260, the eight bits are 4
  one.box.end[0] = 100;
  one.expect(0, 1999);
}

TEST(FootprintGuardTest, OfAnEndOfTheRange) {
  One one({{.kind = Kind::GlobalId}, range(0, 0), range(99, 99)});
  one.access.offset = 0;
  one.access.guards = {{.relation = Relation::Differs, .left = 0, .right = 1, .id = 0},
                       {.relation = Relation::Differs, .left = 0, .right = 2, .id = 0}};
  one.expect(1, 99);
}

TEST(FootprintTest, RefusesNodesThatDoNotFit) {
  One({{.kind = Kind::Add, .first = 0, .second = 0}}).expectAny(); // its own operand
  One({{.kind = Kind::GlobalId, .first = 3}}).expectAny();
  One({{.kind = Kind::Argument, .bits = 32, .first = 0}}).expectAny(); // there is no argument
  One({{.kind = Kind::Range, .bits = 0}}).expectAny();
  One one({range(0, 0)});
  one.access.offset = 1;
  one.expectAny();
  one.access.offset = 0;
  one.access.guards = {{.left = 0, .right = 0, .id = 0}}; // of no id
  one.expectAny();
}

TEST(FootprintTest, ReadsArguments) {
  const std::vector<std::byte> block{std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{1}};
  One one({{.kind = Kind::Argument, .bits = 32, .first = 0}});
  one.box.args = block;
  one.box.argumentOffsets = {0};
  one.expect(-1, 0);
  one.footprint.nodes[0].low = 4; // behind the end
  one.expectAny();
  one.footprint.nodes[0].bits = 8;
  one.expect(1, 2);
}

TEST(FootprintConflictTest, OfParts) {
  const auto write = [](std::int64_t begin, std::int64_t end, std::uint64_t object = 1) {
    return FootprintUse{object, begin, end, true, 0};
  };
  const auto read = [](std::int64_t begin, std::int64_t end, std::uint64_t object = 1) {
    return FootprintUse{object, begin, end, false, 0};
  };
  EXPECT_FALSE(conflictOf({{write(0, 8)}, {write(8, 16)}}));
  EXPECT_TRUE(conflictOf({{write(0, 9)}, {write(8, 16)}}));
  EXPECT_TRUE(conflictOf({{read(0, 9)}, {write(8, 16)}}));
  EXPECT_TRUE(conflictOf({{write(8, 16)}, {}, {read(0, 9)}}));
  EXPECT_FALSE(conflictOf({{read(0, 16)}, {read(0, 16)}}));
  EXPECT_FALSE(conflictOf({{write(0, 8), read(0, 8)}, {write(8, 16), read(8, 16)}}));
  EXPECT_FALSE(conflictOf({{write(0, 8), read(0, 16, 2)}, {write(8, 16), read(0, 16, 2)}}));
}

} // namespace
} // namespace clotho
