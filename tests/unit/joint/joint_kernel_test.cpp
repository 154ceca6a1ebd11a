// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Local sizes that a joint device chooses: the first member's, as far as they suit all.
#include "device/joint/joint_kernel.hpp"

#include "../runtime/fake_kernel.hpp"
#include "command/nd_range.hpp"

#include <gtest/gtest.h>

namespace clotho::joint {
namespace {

using Sizes = std::array<std::uint64_t, 3>;

/// Code with room for so many work-items, for which so many are chosen.
class MemberKernel final : public DeviceKernel {
 public:
  MemberKernel(const BuiltKernel& built, std::size_t room, const Sizes& chosen = {1, 1, 1}, std::uint64_t bytes = 0)
      : DeviceKernel(built), room_(room), chosen_(chosen), bytes_(bytes) {}

  std::uint64_t privateBytesOfGroup(const Sizes& local) const noexcept override {
    return bytes_ * local[0] * local[1] * local[2];
  }
  std::size_t largestGroup(std::uint64_t, std::size_t most) const noexcept override { return std::min(most, room_); }
  void chooseLocalSize(NDRange& range, const DeviceProperties&) const noexcept override { range.local = chosen_; }

 private:
  const std::size_t room_;
  const Sizes chosen_;
  const std::uint64_t bytes_;
};

class JointKernelTest : public testing::Test {
 protected:
  JointKernelTest() { device_.privateMemorySize = 1 << 20; }

  Sizes choose(std::initializer_list<const DeviceKernel*> members, const Sizes& global) {
    const JointKernel kernel(built_, members, std::vector<double>(members.size(), 1));
    NDRange range{.dimensions = 3, .global = global};
    kernel.chooseLocalSize(range, device_);
    return range.local;
  }

  const BuiltKernel built_ = builtFor(16);
  DeviceProperties device_;
};

TEST_F(JointKernelTest, TheFirstMembersChoice) {
  const MemberKernel first(built_, 4096, {64, 4, 1}), second(built_, 256);
  EXPECT_EQ(choose({&first, &second}, {256, 256, 1}), (Sizes{64, 4, 1}));
}

TEST_F(JointKernelTest, NoMoreThanEachMemberHasRoomFor) {
  const MemberKernel first(built_, 4096, {256, 8, 1}), second(built_, 128);
  EXPECT_EQ(choose({&first, &second}, {4096, 4096, 1}), (Sizes{128, 1, 1}));
  const MemberKernel odd(built_, 4096, {27, 9, 1});
  EXPECT_EQ(choose({&odd, &second}, {2700, 900, 1}), (Sizes{1, 9, 1}));
}

TEST_F(JointKernelTest, NoMorePrivateDataThanThereIsMemory) {
  const MemberKernel first(built_, 4096, {1024, 1, 1}), second(built_, 4096, {}, 4096);
  EXPECT_EQ(choose({&first, &second}, {1 << 20, 1, 1}), (Sizes{256, 1, 1}));
}

TEST_F(JointKernelTest, AMemberThatCannotRunTheKernelDoesNotCount) {
  const MemberKernel first(built_, 4096, {256, 8, 1});
  EXPECT_EQ(choose({&first, nullptr}, {4096, 4096, 1}), (Sizes{256, 8, 1}));
}

TEST_F(JointKernelTest, WorkGroupsForAllMembers) {
  const MemberKernel member(built_, 4096, {1024, 1, 1});
  EXPECT_EQ(choose({&member, &member}, {4096, 1, 1}), (Sizes{512, 1, 1}));
  EXPECT_EQ(choose({&member, &member, &member, &member}, {4096, 1, 1}), (Sizes{256, 1, 1}));
  // Small work-groups stay whole.
  EXPECT_EQ(choose({&member, &member}, {128, 1, 1}), (Sizes{64, 1, 1}));
}

} // namespace
} // namespace clotho::joint
