// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/memory.hpp"

#include "base/error.hpp"
#include "device/cluster/window.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace clotho::node {
namespace {

constexpr std::uint64_t kPage = 4096, kSize = 64 * kPage;

/// Addresses at which nothing is.
std::uint64_t freeAddresses() {
  const cluster::Window window(kSize);
  return window.base();
}

class NodeMemory : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(memory_.isReserved()); }
  bool has(std::uint64_t address, std::uint64_t size) {
    try {
      return memory_.at(address, size) == reinterpret_cast<std::byte*>(address);
    } catch (const Error& error) {
      EXPECT_EQ(error.code, CL_INVALID_VALUE);
      return false;
    }
  }
  const std::uint64_t base_ = freeAddresses();
  Memory memory_{base_, kSize};
};

TEST_F(NodeMemory, HasWhatIsUsedAndNothingElse) {
  EXPECT_FALSE(has(base_, 1));
  ASSERT_TRUE(memory_.use(base_ + kPage, 100));
  EXPECT_TRUE(has(base_ + kPage, 100));
  EXPECT_TRUE(has(base_ + kPage + 99, 1));
  EXPECT_FALSE(has(base_ + kPage, 101));
  EXPECT_FALSE(has(base_ + kPage + 100, 1));
  EXPECT_FALSE(has(base_ + kPage - 1, 2));
  EXPECT_FALSE(has(base_ + kPage + 1, ~std::uint64_t{0}));
  memory_.free(base_ + kPage);
  EXPECT_FALSE(has(base_ + kPage, 1));
}

TEST_F(NodeMemory, IsFreshWhenItIsUsedAgain) {
  ASSERT_TRUE(memory_.use(base_, 2 * kPage));
  std::byte* bytes = memory_.at(base_, 2 * kPage);
  bytes[0] = bytes[2 * kPage - 1] = std::byte{7};
  memory_.free(base_);
  ASSERT_TRUE(memory_.use(base_, 2 * kPage));
  EXPECT_EQ(bytes[0], std::byte{0});
  EXPECT_EQ(bytes[2 * kPage - 1], std::byte{0});
}

TEST_F(NodeMemory, RefusesPiecesThatCannotBe) {
  EXPECT_FALSE(memory_.use(base_, 0));
  EXPECT_FALSE(memory_.use(base_ + 1, 8));
  EXPECT_FALSE(memory_.use(base_ - kPage, kPage));
  EXPECT_FALSE(memory_.use(base_ + kSize, kPage));
  EXPECT_FALSE(memory_.use(base_, kSize + 1));
  EXPECT_FALSE(memory_.use(base_ + kPage, ~std::uint64_t{0} - kPage));
  ASSERT_TRUE(memory_.use(base_ + 2 * kPage, kPage + 1)); // two pages
  EXPECT_FALSE(memory_.use(base_ + 3 * kPage, kPage));
  EXPECT_FALSE(memory_.use(base_, 2 * kPage + 1));
  EXPECT_TRUE(memory_.use(base_ + 4 * kPage, kPage));
  EXPECT_TRUE(memory_.use(base_, 2 * kPage));
}

TEST_F(NodeMemory, AnArgumentIsTheSameObjectAsLongAsItsMemoryIsUsed) {
  ASSERT_TRUE(memory_.use(base_, kPage));
  const Ref<RemoteObject> whole = memory_.object({base_, kPage, false}), part = memory_.object({base_ + 64, 64, false});
  EXPECT_EQ(memory_.object({base_, kPage, false}), whole);
  EXPECT_FALSE(memory_.object({base_, kPage, true}) == whole);
  EXPECT_EQ(part->addressOn(kHostHome), reinterpret_cast<std::byte*>(base_ + 64));
  EXPECT_EQ(part->size(), 64u);
  EXPECT_EQ(&part->storage(), &whole->storage());
  EXPECT_EQ(part->storage().size(), kPage);
  EXPECT_THROW(memory_.object({base_ + 64, kPage, false}), Error);
}

TEST(NodeMemoryWindow, IsNotReservedWhereSomethingIs) {
  const cluster::Window window(kSize);
  EXPECT_FALSE(Memory(window.base(), kSize).isReserved());
  EXPECT_FALSE(Memory(freeAddresses() + 1, kSize).isReserved());
  EXPECT_FALSE(Memory(freeAddresses(), 0).isReserved());
  EXPECT_FALSE(Memory(~std::uint64_t{0} - kPage + 1, 2 * kPage).isReserved());
}

} // namespace
} // namespace clotho::node
