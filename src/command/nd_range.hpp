// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace clotho {

/// The range of a launch; unused dimensions have size 1 and offset 0.
struct NDRange {
  std::uint32_t dimensions = 1;
  std::array<std::uint64_t, 3> offset{0, 0, 0};
  std::array<std::uint64_t, 3> global{1, 1, 1};
  std::array<std::uint64_t, 3> local{1, 1, 1};
  /// How many work-items a range in one dimension has that is counted by rows (DeviceKernel::toCode), of which the last
  /// row may lack some; 0: it is not.
  std::uint64_t rowItems = 0;

  /// How many groups there are; the last may have fewer work-items than `local` says.
  std::uint64_t groups(int dimension) const {
    return global[dimension] / local[dimension] + (global[dimension] % local[dimension] != 0);
  }
  /// How many work-items all groups have; products of sizes may be huge.
  double items() const {
    return static_cast<double>(global[0]) * static_cast<double>(global[1]) * static_cast<double>(global[2]);
  }
  std::uint64_t groupItems() const { return local[0] * local[1] * local[2]; } ///< of the enqueued size
};

/// Work-groups of one size, whose ids in each dimension are those below the last, or the last alone where it is
/// smaller.
struct Box {
  std::array<std::uint64_t, 3> first, end; ///< ids of groups
  std::array<std::uint64_t, 3> local;

  std::uint64_t count(std::size_t dimension) const { return end[dimension] - first[dimension]; }
  std::uint64_t groups() const { return count(0) * count(1) * count(2); }
  std::uint64_t items() const { return local[0] * local[1] * local[2]; }
};

/// A launch as boxes. Its work-groups are numbered through all of them, one box after the other.
class Boxes {
 public:
  explicit Boxes(const NDRange& range) : local_(range.local) {
    for (std::size_t i = 0; i < 3; ++i) {
      full_[i] = range.global[i] / range.local[i];
      rest_[i] = range.global[i] - full_[i] * range.local[i];
      isUniform_ = isUniform_ && rest_[i] == 0;
    }
  }
  /// Number of work-groups of all boxes together.
  std::uint64_t groups(std::size_t dimension) const { return full_[dimension] + (rest_[dimension] != 0); }
  std::uint64_t groupCount() const { return groups(0) * groups(1) * groups(2); }
  std::uint64_t fullGroups(std::size_t dimension) const { return full_[dimension]; }

  unsigned count() const { return isUniform_ ? 1 : 8; }
  /// Some may be empty.
  Box operator[](unsigned number) const {
    Box box{{}, full_, local_};
    if (number == 0) return box;
    for (std::size_t i = 0; i < 3; ++i)
      if (number >> i & 1) {
        box.first[i] = full_[i];
        box.end[i] = groups(i);
        box.local[i] = rest_[i];
      }
    return box;
  }
  /// The linear index among all work-groups of one that has an index in its box.
  std::uint64_t indexInLaunch(const Box& box, std::uint64_t index) const {
    const std::uint64_t row = index / box.count(0);
    const std::uint64_t x = index % box.count(0) + box.first[0], y = row % box.count(1) + box.first[1],
                        z = row / box.count(1) + box.first[2];
    return (z * groups(1) + y) * groups(0) + x;
  }

 private:
  std::array<std::uint64_t, 3> local_, full_, rest_;
  bool isUniform_ = true;
};

} // namespace clotho
