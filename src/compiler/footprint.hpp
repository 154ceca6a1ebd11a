// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Bytes that parts of a launch read and write, as the compiler has found them. Launches are split among devices by it
/// (docs/architecture/split-launches.md), so an interval may be too large, never too small.
namespace clotho {

/// A number that a kernel computes, by the numbers that it is computed from: a node of an expression over integers of
/// `bits` bits, which wrap around.
struct FootprintNode {
  enum class Kind : std::uint8_t {
    Range,    ///< some value from `low` to `high`
    Argument, ///< `bits` bits of the argument `first`, `low` bytes behind its beginning
    // Ids and sizes along dimension `first`; LocalSize is that of the running work-group.
    GlobalId,
    LocalId,
    GroupId,
    GroupBase,
    LocalSize,
    EnqueuedSize,
    NumGroups,
    GlobalSize,
    GlobalOffset,
    // Operations on the nodes `first` and `second`.
    Add,
    Multiply,
    DivideUnsigned,
    RemainderUnsigned,
    MostSigned,
    MostUnsigned,
    LeastSigned,
    LeastUnsigned,
    // Operations on the node `first`.
    Truncate,
    ExtendUnsigned,
    ExtendSigned,
    /// `first` + k * `second` for some iteration k from 0 to `third`, or to `third` - 1 where `low` is 1.
    Counter,
  };
  Kind kind = Kind::Range;
  std::uint8_t bits = 64;
  std::uint32_t first = 0, second = 0, third = 0; ///< earlier nodes, an argument or a dimension
  std::int64_t low = 0, high = 0;

  auto operator<=>(const FootprintNode&) const = default;
};

/// A condition under which an access is made: `left` compared with `right`. The node `left` is an id plus `shift`,
/// unless that wraps around.
struct FootprintGuard {
  enum class Relation : std::uint8_t { Less, LessOrEqual, Greater, GreaterOrEqual, Equal, Differs };
  Relation relation = Relation::Less;
  bool isSigned = false;
  std::uint32_t left = 0, right = 0, id = 0; ///< nodes
  std::int64_t shift = 0;

  bool operator==(const FootprintGuard&) const = default;
};

/// Accesses at one place in a kernel: `bytes` bytes at the address that an argument gives, plus the node `offset`.
struct FootprintAccess {
  std::uint32_t argument = 0;
  bool isWrite = false;
  bool isWhole = false; ///< any of the argument's bytes
  std::uint32_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint32_t line = 0;
  std::vector<FootprintGuard> guards;

  bool operator==(const FootprintAccess&) const = default;
};

/// A number that parts of a launch give kernels behind their own arguments, in 8 bytes each, so that work-items see the
/// whole launch.
struct PartArgument {
  enum class Kind : std::uint8_t {
    FirstGroup, ///< id of the part's first group in the launch
    // Numbers of the launch:
    NumGroups,
    GlobalSize,
    GlobalOffset,
  };
  Kind kind = Kind::FirstGroup;
  std::uint32_t dimension = 0;

  bool operator==(const PartArgument&) const = default;
};

/// Whether each is one that there can be: program binaries and nodes may say anything.
bool areSound(const std::vector<PartArgument>& arguments);

/// All accesses of a kernel to global memory, or why they are not known.
struct KernelFootprint {
  std::vector<FootprintNode> nodes; ///< each behind those that it is computed from
  std::vector<FootprintAccess> accesses;
  /// Dimensions, as bits, along which the kernel sees more of the launch than global ids: group ids, the number of
  /// groups, the global size or the offset.
  std::uint32_t seesLaunch = 0;
  std::vector<PartArgument> partArguments; ///< of code that was built for parts: what it sees of the launch
  std::string unknown = "not examined";    ///< what the kernel does that forbids to split launches; empty: nothing
  std::uint32_t unknownLine = 0;

  bool operator==(const KernelFootprint&) const = default;
};

/// Work-groups of a launch: those with ids from `first` to below `end`, along each dimension.
struct FootprintBox {
  std::array<std::uint64_t, 3> offset{}, global{1, 1, 1}, local{1, 1, 1}; ///< of the launch
  std::array<std::uint64_t, 3> first{}, end{1, 1, 1};
  std::span<const std::byte> args{};            ///< argument block
  std::vector<std::uint32_t> argumentOffsets{}; ///< places of the arguments in it
};

/// Bytes from the address of an argument on: [begin, end), or any.
struct FootprintInterval {
  std::int64_t begin = 0, end = 0;
  bool isAny = false;
};

/// Values of the nodes for one box.
class FootprintValues {
 public:
  /// Both arguments outlive this.
  FootprintValues(const KernelFootprint& footprint, const FootprintBox& box);
  /// Bytes that the box's work-groups may touch by an access; nothing if they do not make it.
  std::optional<FootprintInterval> intervalOf(const FootprintAccess& access) const;

 private:
  /// Integers from `low` to `high`, which stand for themselves modulo 2^bits: none where `low` is the larger; or any
  /// integers.
  struct Numbers {
    std::int64_t low = 0, high = 0;
    bool isKnown = false;

    bool isEmpty() const { return isKnown && low > high; }
  };
  using Values = std::vector<Numbers>;

  void compute(Values& values, const Values* ids) const;
  Numbers valueOf(const FootprintNode& node, const Values& values) const;
  Numbers idOf(const FootprintNode& node) const;
  Numbers argumentOf(const FootprintNode& node) const;
  Numbers counterOf(const FootprintNode& node, const Values& values) const;
  /// The part of an id's interval for which the guard holds.
  Numbers narrowed(const FootprintGuard& guard, const Numbers& id) const;
  static Numbers asSigned(Numbers numbers, unsigned bits);
  static Numbers asUnsigned(Numbers numbers, unsigned bits);
  static Numbers product(const Numbers& left, const Numbers& right);
  static Numbers sum(const Numbers& left, const Numbers& right);

  const KernelFootprint& footprint_;
  const FootprintBox& box_;
  bool isValid_ = true; ///< each node refers to earlier ones alone; program binaries come from anywhere
  Values values_;
};

/// Bytes of one object, as one part of a launch uses them.
struct FootprintUse {
  std::uint64_t object = 0;
  std::int64_t begin = 0, end = 0;
  bool isWrite = false;
  std::uint32_t line = 0;
};

/// Two uses that forbid to run parts apart: both write the same bytes, or one reads what the other writes.
struct FootprintConflict {
  FootprintUse use, other;
};
/// The first conflict between different parts; nothing if they may run at once on memories of their own.
std::optional<FootprintConflict> conflictOf(const std::vector<std::vector<FootprintUse>>& parts);

/// Sentences for reports on whether and how launches of the kernel are split. What depends on the launch is said of an
/// example, whose sizes and integer arguments are powers of two.
std::string describe(const KernelFootprint& footprint);

} // namespace clotho
