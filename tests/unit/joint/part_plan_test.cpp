// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which launches are split, and what the parts use.
#include "device/joint/part_plan.hpp"

#include "../runtime/fake_kernel.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace clotho::joint {
namespace {

using Kind = FootprintNode::Kind;

constexpr std::size_t kSize = 4096; ///< bytes of a buffer

class View final : public MemoryView {
 public:
  View(Storage& storage, std::uint64_t begin, std::size_t size)
      : MemoryView(Ref<Storage>(storage), begin, size, false) {}
};

/// A kernel with two buffers and an integer, and a launch of it.
class PartPlanTest : public testing::Test {
 protected:
  PartPlanTest() : host_(1 << 20), homes_(Ref<Homes>::adopt(new Homes(host_, {}))) {
    built_.info.name = "k";
    for (std::uint32_t i = 0; i < 3; ++i) {
      ArgInfo arg;
      arg.kind = i < 2 ? ArgKind::Buffer : ArgKind::Value;
      arg.size = i < 2 ? 8 : 4;
      arg.offset = 8 * i;
      built_.info.args.push_back(arg);
    }
    built_.info.argBlockSize = 24;
    built_.footprint.unknown.clear();
    // 0: global-id 0, 1: global-id 1, 2: a word, 3: argument 2, 4: its product with id 1, 5: + id 0, 6: in bytes
    built_.footprint.nodes = {{.kind = Kind::GlobalId, .first = 0},
                              {.kind = Kind::GlobalId, .first = 1},
                              {.kind = Kind::Range, .low = 4, .high = 4},
                              {.kind = Kind::Argument, .bits = 32, .first = 2},
                              {.kind = Kind::Multiply, .first = 1, .second = 3},
                              {.kind = Kind::Add, .first = 0, .second = 4},
                              {.kind = Kind::Multiply, .first = 2, .second = 5}};
    first_ = storage();
    second_ = storage();
    set(0, *first_, 0, kSize);
    set(1, *second_, 0, kSize);
    launch_.range.dimensions = 2;
    launch_.range.global = {16, 64, 1};
    launch_.range.local = {4, 2, 1};
    setWidth(16);
  }

  Ref<Storage> storage() {
    Ref<Storage> result = Ref<Storage>::adopt(new Storage(*homes_, kSize, 64, nullptr));
    result->allocateOn(kHostHome);
    return result;
  }
  void setWidth(std::uint32_t width) { std::memcpy(launch_.args.block() + 16, &width, sizeof width); }
  void set(std::size_t argument, Storage& storage, std::uint64_t begin, std::size_t size) {
    views_[argument] = Ref<View>::adopt(new View(storage, begin, size));
    const std::byte* address = views_[argument]->addressOn(kHostHome);
    std::memcpy(launch_.args.block() + 8 * argument, static_cast<const void*>(&address), sizeof address);
  }
  FootprintAccess& access(std::uint32_t argument, bool isWrite, std::uint32_t offset = 6) {
    FootprintAccess access;
    access.argument = argument;
    access.isWrite = isWrite;
    access.offset = offset;
    access.bytes = 4;
    return built_.footprint.accesses.emplace_back(access);
  }
  std::optional<std::vector<PartPlan>> plan(const std::vector<double>& shares = {0.5, 0.5}) {
    kernel_ = std::make_unique<FakeKernel>(built_);
    launch_.kernel = kernel_.get();
    launch_.args.inlineObjects = {};
    launch_.args.count = launch_.args.bufferCount = 0;
    for (const Ref<View>& view : views_)
      if (view) {
        launch_.args.add(*view);
        ++launch_.args.bufferCount;
      }
    return planParts(launch_, kHostHome, shares);
  }
  static void expectUse(const PartUse& use, const MemoryView& memory, Access access, std::uint64_t begin,
                        std::uint64_t end) {
    EXPECT_EQ(use.memory, &memory);
    EXPECT_EQ(use.access, access);
    EXPECT_EQ(use.range.begin, begin);
    EXPECT_EQ(use.range.end, end);
  }

  HostMemory host_;
  Ref<Homes> homes_;
  Ref<Storage> first_, second_;
  std::array<Ref<View>, 2> views_;
  BuiltKernel built_;
  std::unique_ptr<FakeKernel> kernel_;
  Launch launch_{};
};

TEST_F(PartPlanTest, SplitsTheSlowestDimensionByShares) {
  access(0, true);
  access(1, false);
  const auto parts = plan({0.25, 0.75});
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 2u);
  const PartPlan &low = parts->front(), &high = parts->back();
  EXPECT_EQ(low.dimension, 1u);
  EXPECT_EQ(low.range.global, (std::array<std::uint64_t, 3>{16, 16, 1}));
  EXPECT_EQ(high.range.global, (std::array<std::uint64_t, 3>{16, 48, 1}));
  EXPECT_EQ(high.range.offset, (std::array<std::uint64_t, 3>{0, 16, 0}));
  EXPECT_EQ(high.firstGroups[1], 8u);
  ASSERT_EQ(low.uses->size(), 2u);
  for (const PartUse& use : *low.uses)
    expectUse(use, *use.memory, use.memory == views_[0].get() ? Access::ReadWrite : Access::Read, 0, 1024);
  for (const PartUse& use : *high.uses)
    expectUse(use, *use.memory, use.memory == views_[0].get() ? Access::ReadWrite : Access::Read, 1024, 4096);
}

TEST_F(PartPlanTest, ReadsReachIntoOtherParts) {
  access(0, true);
  built_.footprint.nodes.push_back({.kind = Kind::Range, .low = -64, .high = 64});
  built_.footprint.nodes.push_back({.kind = Kind::Add, .first = 6, .second = 7});
  access(1, false, 8);
  const auto parts = plan();
  ASSERT_TRUE(parts);
  // Halos of a row, cut off where the buffer begins and ends.
  for (const auto& [part, begin, end] : {std::tuple(0, 0, 2048 + 64), std::tuple(1, 2048 - 64, 4096)})
    for (const PartUse& use : *(*parts)[static_cast<std::size_t>(part)].uses)
      if (use.memory == views_[1].get())
        expectUse(use, *views_[1], Access::Read, static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end));
}

TEST_F(PartPlanTest, OneBufferInPlace) {
  access(0, true);
  access(1, false);
  set(1, *first_, 0, kSize);
  EXPECT_TRUE(plan()); // each part reads what it writes
  built_.footprint.nodes.push_back({.kind = Kind::Range, .low = 4, .high = 4});
  built_.footprint.nodes.push_back({.kind = Kind::Add, .first = 6, .second = 7});
  built_.footprint.accesses.back().offset = 8;
  EXPECT_FALSE(plan()); // the first part reads a word of the second one
}

TEST_F(PartPlanTest, SubBuffersOfOneBuffer) {
  access(0, true);
  access(1, false);
  launch_.range.global[1] = 16; // a quarter of the buffer
  set(0, *first_, 0, 1024);
  set(1, *first_, 2048, 1024);
  EXPECT_TRUE(plan());
  set(1, *first_, 512, 1024); // the first part reads what the second one writes
  EXPECT_FALSE(plan());
}

// Accesses behind a sub-buffer reach what is next to it.
TEST_F(PartPlanTest, ConflictsBehindASubBuffer) {
  access(0, true);
  built_.footprint.nodes.push_back({.kind = Kind::Range, .low = 2048, .high = 2048});
  built_.footprint.nodes.push_back({.kind = Kind::Add, .first = 6, .second = 7});
  access(1, false, 8);
  launch_.range.global[1] = 16; // a quarter of the buffer
  set(0, *first_, 2048, 1024);
  set(1, *second_, 0, 1024);
  const auto parts = plan();
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->front().uses->size(), 1u) << "nothing of the second buffer is in the sub-buffer";
  set(1, *first_, 512, 1024); // the first part reads what the second one writes
  EXPECT_FALSE(plan());
}

TEST_F(PartPlanTest, TwoBuffersOverMemoryOfTheApplication) {
  access(0, true);
  access(1, false);
  launch_.range.global[1] = 16; // a quarter of a buffer
  alignas(64) static std::byte memory[2 * kSize];
  const auto over = [&](std::byte* bytes) { return Ref<Storage>::adopt(new Storage(*homes_, kSize, 64, bytes)); };
  first_ = over(memory);
  second_ = over(memory + kSize);
  set(0, *first_, 0, kSize);
  set(1, *second_, 0, kSize);
  EXPECT_TRUE(plan());
  second_ = over(memory + 512);
  set(1, *second_, 0, kSize);
  EXPECT_FALSE(plan()); // the first part reads what the second one writes
}

TEST_F(PartPlanTest, DecidesByTheValuesOfArguments) {
  access(0, true);
  EXPECT_TRUE(plan());
  setWidth(15); // the last word of a row is the first of the next one
  EXPECT_FALSE(plan());
  setWidth(17);
  EXPECT_TRUE(plan());
  setWidth(0); // all rows are one, and parts have columns of it
  const auto parts = plan();
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->front().dimension, 0u);
  EXPECT_EQ(parts->back().range.offset[0], 8u);
}

TEST_F(PartPlanTest, WritesOfAnyBytes) {
  access(0, true).isWhole = true;
  EXPECT_FALSE(plan());
}

TEST_F(PartPlanTest, WhatIsNotKnown) {
  access(0, true);
  EXPECT_TRUE(plan());
  built_.footprint.unknown = "it does something else";
  EXPECT_FALSE(plan());
  built_.footprint.unknown.clear();
  built_.info.enqueues = true;
  EXPECT_FALSE(plan());
  built_.info.enqueues = false;
  built_.info.refusesOffset = true;
  EXPECT_FALSE(plan());
}

TEST_F(PartPlanTest, KernelsThatSeeTheLaunch) {
  access(0, true);
  built_.footprint.seesLaunch = 2; // along the dimension
  EXPECT_FALSE(plan());            // and along the other one rows of different parts are intermingled
  built_.footprint.partArguments = {{PartArgument::Kind::NumGroups, 1}};
  EXPECT_TRUE(plan());
}

TEST_F(PartPlanTest, AddressesInsteadOfBuffers) {
  access(0, true);
  const std::byte* somewhere = first_->address(kHostHome) + 64;
  std::memcpy(launch_.args.block(), static_cast<const void*>(&somewhere), sizeof somewhere);
  EXPECT_FALSE(plan());
  somewhere = nullptr;
  views_[0] = nullptr;
  std::memcpy(launch_.args.block(), static_cast<const void*>(&somewhere), sizeof somewhere);
  access(1, true);
  EXPECT_TRUE(plan()); // a null pointer, which the kernel does not use
}

TEST_F(PartPlanTest, MembersWithoutAShare) {
  access(0, true);
  const auto parts = plan({0, 0.5, 0, 0.5, 0});
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 2u);
  EXPECT_EQ(parts->front().member, 1u);
  EXPECT_EQ(parts->back().member, 3u);
  EXPECT_EQ(parts->back().range.global[1], 32u);
  EXPECT_FALSE(plan({0, 1, 0}));
}

TEST_F(PartPlanTest, GroupsAreNeverCut) {
  access(0, true);
  launch_.range.global[1] = 63; // the last group has one row
  const auto parts = plan();
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->front().range.global[1], 32u);
  EXPECT_EQ(parts->back().range.global[1], 31u);
  launch_.range.global = {4, 2, 1};
  EXPECT_FALSE(plan()); // one group
}

} // namespace
} // namespace clotho::joint
