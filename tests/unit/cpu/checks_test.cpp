// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/check_cells.hpp"
#include "device/cpu/checks.hpp"
#include "device/known_memory.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

namespace clotho::cpu {
namespace {

/// A site with the texts that the compiler puts behind it.
class Site {
 public:
  Site(CheckKind kind, std::uint32_t bytes, std::uint32_t argument, const char* name) : storage_(64) {
    const CheckSite site{0, static_cast<std::uint32_t>(kind), 3, 5, bytes, argument};
    std::memcpy(storage_.data(), &site, sizeof site);
    auto* text = reinterpret_cast<char*>(storage_.data()) + sizeof site;
    for (const char* each : {"file.cl", "x = a[i];", name}) {
      std::strcpy(text, each);
      text += std::strlen(each) + 1;
    }
  }
  const CheckSite& get() const { return *reinterpret_cast<const CheckSite*>(storage_.data()); }

 private:
  std::vector<std::uint64_t> storage_;
};

std::string textOf(CheckKind kind, std::uint32_t bytes, std::uint64_t a, std::uint64_t b, std::uint32_t argument = 1) {
  const Site site(kind, bytes, argument, "a");
  return describe({&site.get(), a, b});
}

TEST(CheckText, SaysWhereAnAccessIs) {
  EXPECT_EQ(textOf(kFaultRead, 4, 64, 64), "read of 4 bytes, just behind argument 1 'a' (64 bytes)");
  EXPECT_EQ(textOf(kFaultWrite, 4, 72, 64), "write of 4 bytes, 8 bytes behind argument 1 'a' (64 bytes)");
  EXPECT_EQ(textOf(kFaultRead, 1, std::uint64_t(-3), 64), "read of 1 byte, 3 bytes before argument 1 'a' (64 bytes)");
  EXPECT_EQ(textOf(kFaultRead, 16, 56, 64),
            "read of 16 bytes, from byte 56 on, over the end of argument 1 'a' (64 bytes)");
  EXPECT_EQ(textOf(kFaultRead, 4, 0, 0), "read of 4 bytes, null pointer: argument 1 'a'");
  EXPECT_EQ(textOf(kFaultWrite, 4, 32, 32, kNoCheckedArgument), "write of 4 bytes, just behind 'a' (32 bytes)");
}

TEST(CheckText, ShowsValues) {
  EXPECT_EQ(textOf(kFaultDivision, 0, 7, 0), "division of 7 by zero");
  double large = 1e10;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &large, sizeof bits);
  EXPECT_EQ(textOf(kFaultConversion, 0, bits, 32),
            "conversion of 1e+10 to an integer of 32 bits, which cannot hold it");
  EXPECT_EQ(textOf(kFaultImageWrite, 0, 8 | (std::uint64_t{0x1fffff} << 21), 8 | (8 << 21)),
            "write of texel (8, -1, 0) of image argument 1 'a', which has (8, 8, 0)");
}

TEST(KnownMemory, KnowsWhatIsFreedAndWhatLiesBeside) {
  using State = KnownMemory::State;
  const auto bytes = std::make_unique<std::byte[]>(256);
  KnownMemory& known = KnownMemory::get();
  const auto at = [&](std::size_t offset) {
    return known.find(reinterpret_cast<std::uintptr_t>(bytes.get()) + offset).state;
  };
  known.add(bytes.get() + 64, 128, 32);
  EXPECT_EQ(at(0), State::Unknown);
  EXPECT_EQ(at(40), State::Beside);
  EXPECT_EQ(at(64), State::Live);
  EXPECT_EQ(at(191), State::Live);
  EXPECT_EQ(at(192), State::Beside);
  EXPECT_EQ(at(224), State::Unknown);
  known.free(bytes.get() + 64);
  EXPECT_EQ(at(100), State::Freed);
  known.forget(bytes.get() + 64);
  EXPECT_EQ(at(100), State::Unknown);
}

TEST(CheckCells, BeginAnewWhenAllPhasesAreTaken) {
  CheckCells cells;
  const CheckPhases first = cells.takePhases(10), second = cells.takePhases(1);
  EXPECT_EQ(first.first, 1U);
  EXPECT_EQ(second.first, 11U);
  EXPECT_EQ(first.epoch, second.epoch);
  const ReservedMemory used = cells.take(4096), late = cells.take(4096);
  ASSERT_NE(used.base(), nullptr);
  ASSERT_NE(late.base(), nullptr);
  used.base()[0] = std::byte{1};
  late.base()[0] = std::byte{1};
  cells.giveBack(used, first.epoch);
  // What fits is taken whole, and the next launch has no phase that older cells may have.
  const CheckPhases most = cells.takePhases(CheckCells::kPhases - 20), next = cells.takePhases(100);
  EXPECT_EQ(most.epoch, first.epoch);
  EXPECT_NE(next.epoch, first.epoch);
  EXPECT_EQ(next.first, 1U);
  // A launch of before gives back cells of phases that come again.
  cells.giveBack(late, first.epoch);
  const ReservedMemory fresh = cells.take(4096), another = cells.take(4096);
  ASSERT_NE(fresh.base(), nullptr);
  ASSERT_NE(another.base(), nullptr);
  EXPECT_EQ(fresh.base()[0], std::byte{0});
  EXPECT_EQ(another.base()[0], std::byte{0});
  cells.giveBack(fresh, next.epoch);
  cells.giveBack(another, next.epoch);
}

TEST(ReportedSites, TellTheFirstLaunch) {
  const Site site(kFaultRead, 4, 0, "a");
  ReportedSites sites;
  EXPECT_TRUE(sites.add(site.get(), 3));
  EXPECT_FALSE(sites.add(site.get(), 3));
}

} // namespace
} // namespace clotho::cpu
