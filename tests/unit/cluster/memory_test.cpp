// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/memory.hpp"

#include "base/error.hpp"
#include "device/cluster/window.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <sys/mman.h>
#include <sys/resource.h>
#include <utility>
#include <vector>

namespace clotho::node {
namespace {

constexpr std::uint64_t kPage = 4096, kSize = 64 * kPage;

/// Addresses at which nothing is.
std::uint64_t freeAddresses() {
  const cluster::Window window(kSize);
  return window.base();
}

/// Memory of a device at addresses that the caller chooses, or the device.
class PlacedMemory final : public DeviceMemory {
 public:
  bool canPlace() const noexcept override { return mayPlace; }
  bool allocateAt(void* memory, std::size_t size) noexcept override {
    if (isTaken) return false;
    placed = {static_cast<std::byte*>(memory), size};
    return true;
  }
  void deallocateAt(void* memory, std::size_t size) noexcept override {
    EXPECT_TRUE(memory == placed.data() && size == placed.size());
    placed = {};
  }
  void* allocate(std::size_t size, std::size_t) noexcept override {
    ++allocations;
    return aligned_alloc(kPage, size);
  }
  void deallocate(void* memory, std::size_t) noexcept override {
    --allocations;
    std::free(memory);
  }
  bool write(void*, const void*, std::size_t) noexcept override { return false; }
  DeviceQueue& transfers() noexcept override { std::abort(); }

  bool mayPlace = true, isTaken = false;
  std::span<std::byte> placed;
  int allocations = 0;
};

TEST(NodeMemoryOfADevice, LiesWhereTheProgramWantsIt) {
  constexpr std::uint64_t kWindow = 7 * DeviceMemory::kPlaceAlignment;
  PlacedMemory device;
  {
    Memory memory(device, kWindow, kSize);
    EXPECT_TRUE(memory.isReserved());
    EXPECT_EQ(memory.window(), kWindow);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(device.placed.data()), kWindow);
    EXPECT_EQ(device.placed.size(), kSize);
    EXPECT_TRUE(memory.use(kWindow + kPage, 1));
  }
  EXPECT_TRUE(device.placed.empty());
  EXPECT_FALSE(Memory(device, kWindow + kPage, kSize).isReserved());
  EXPECT_FALSE(Memory(device, kWindow, 0).isReserved());
  EXPECT_FALSE(Memory(device, 0 - DeviceMemory::kPlaceAlignment, std::uint64_t{1} << 31).isReserved());
  device.isTaken = true;
  EXPECT_FALSE(Memory(device, kWindow, kSize).isReserved());
  EXPECT_EQ(device.allocations, 0);
}

TEST(NodeMemoryOfADevice, LiesAnywhereIfTheDeviceChooses) {
  PlacedMemory device;
  device.mayPlace = false;
  {
    const Memory memory(device, 0, kSize);
    EXPECT_TRUE(memory.isReserved());
    EXPECT_NE(memory.window(), 0u);
    EXPECT_EQ(device.allocations, 1);
  }
  EXPECT_EQ(device.allocations, 0);
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
  EXPECT_TRUE(bytes[0] == std::byte{0});
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

TEST_F(NodeMemory, StaysUsableAsLongAsACommandHasIt) {
  ASSERT_TRUE(memory_.use(base_, kPage));
  volatile std::byte* const bytes = memory_.at(base_, kPage);
  bytes[0] = std::byte{7};
  Ref<MemoryView> operand = memory_.operand(base_, 8);
  memory_.free(base_);
  EXPECT_FALSE(has(base_, 1));
  EXPECT_TRUE(bytes[0] == std::byte{7});
  EXPECT_FALSE(memory_.use(base_, kPage)) << "the bytes have two users";
  memory_.free(base_);
  operand = {};
  ASSERT_TRUE(memory_.use(base_, kPage));
  EXPECT_TRUE(bytes[0] == std::byte{0});
}

TEST_F(NodeMemory, ObjectsAreForgottenWhenThereAreMany) {
  ASSERT_TRUE(memory_.use(base_, kSize));
  const Ref<RemoteObject> first = memory_.object({base_, 1, false});
  memory_.trim();
  EXPECT_EQ(memory_.object({base_, 1, false}), first);
  for (std::uint64_t i = 1; i <= Memory::kMostObjects; ++i)
    memory_.object({base_ + i, 1, false});
  memory_.trim();
  EXPECT_FALSE(memory_.object({base_, 1, false}) == first);
}

TEST_F(NodeMemory, WhatTheSystemDoesNotGiveIsAFailedAllocation) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_DATA, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &none), 0);
  void* const page = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool isGiven = memory_.use(base_, kSize);
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &before), 0);
  if (page != MAP_FAILED) {
    munmap(page, kPage);
    GTEST_SKIP() << "the system does not enforce the limit";
  }
  EXPECT_FALSE(isGiven);
  try {
    memory_.at(base_, 1);
    ADD_FAILURE() << "memory that is not there";
  } catch (const Error& error) {
    EXPECT_EQ(error.code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  }
  memory_.free(base_);
  EXPECT_TRUE(memory_.use(base_, kSize));
}

TEST(NodeMemoryWindow, CountsPartsThatItGivesBack) {
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 30;
  std::uint64_t base = 0;
  {
    const cluster::Window window(kLarge);
    base = window.base();
  }
  Memory memory(base, kLarge);
  ASSERT_TRUE(memory.isReserved());
  std::atomic<std::uint64_t> parts{0};
  memory.countParts(parts);
  ASSERT_TRUE(memory.use(base, kLarge));
  memory.free(base);
  EXPECT_GE(parts.load(), 4u);
}

TEST(NodeMemoryWindow, LargePiecesAreGivenBackLater) {
  constexpr std::uint64_t kLarge = std::uint64_t{256} << 20;
  std::uint64_t base = 0;
  {
    const cluster::Window window(kLarge);
    base = window.base();
  }
  std::vector<std::function<void()>> later; // outlives the memory
  Memory memory(base, kLarge);
  ASSERT_TRUE(memory.isReserved());
  memory.giveBackLater([&](std::function<void()> task) {
    later.push_back(std::move(task));
    return true;
  });
  ASSERT_TRUE(memory.use(base, kPage));
  memory.free(base);
  EXPECT_TRUE(later.empty());
  const std::uint64_t size = kLarge - 3 * kPage, at = base + 3 * kPage;
  ASSERT_TRUE(memory.use(at, size));
  volatile std::byte* bytes = memory.at(at, size);
  for (std::uint64_t i = 0; i < size; i += kPage)
    bytes[i] = std::byte{7};
  memory.free(at);
  if (later.empty()) GTEST_SKIP() << "the system cannot move pages away";
  // The addresses are free again, though the pages are there still.
  ASSERT_TRUE(memory.use(at, size));
  for (std::uint64_t i = 0; i < size; i += kPage)
    ASSERT_TRUE(bytes[i] == std::byte{0});
  bytes[0] = std::byte{8};
  later.front()();
  EXPECT_TRUE(bytes[0] == std::byte{8});
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
