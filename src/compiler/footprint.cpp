// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/footprint.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace clotho {

namespace {

using Kind = FootprintNode::Kind;
using Relation = FootprintGuard::Relation;

constexpr unsigned kMostBits = 64;
constexpr auto kLeast = std::numeric_limits<std::int64_t>::min(), kMost = std::numeric_limits<std::int64_t>::max();

bool isId(Kind kind) { return kind >= Kind::GlobalId && kind <= Kind::GroupBase; }
bool isOfTwo(Kind kind) { return kind >= Kind::Add && kind <= Kind::LeastUnsigned; }

std::int64_t halfOf(unsigned bits) { return std::int64_t{1} << (bits - 1); } ///< for less than 64 bits

/// Whether the node refers to earlier nodes and to what there is, and has a usual size.
bool isValid(const FootprintNode& node, std::size_t place, std::size_t arguments) {
  const bool hasSize = node.bits >= 1 && node.bits <= kMostBits;
  if (node.kind > Kind::Counter || !hasSize) return false;
  if (node.kind == Kind::Range) return node.low <= node.high;
  if (node.kind == Kind::Argument) return node.first < arguments && node.bits % 8 == 0 && node.low >= 0;
  if (node.kind <= Kind::GlobalOffset) return node.first < 3;
  if (node.kind == Kind::Counter) return node.first < place && node.second < place && node.third < place;
  return node.first < place && (!isOfTwo(node.kind) || node.second < place);
}

} // namespace

// --- Intervals ---

// Intervals of 64 bits that leave the signed numbers are unknown: they have no other form here.
bool areSound(const std::vector<PartArgument>& arguments) {
  constexpr std::size_t kMost = 12; // four kinds along three dimensions
  return arguments.size() <= kMost &&
         std::ranges::all_of(arguments, [](const PartArgument& each) { return each.dimension < 3; });
}

FootprintValues::Numbers FootprintValues::asSigned(Numbers numbers, unsigned bits) {
  if (bits >= kMostBits || numbers.isEmpty()) return numbers;
  const std::int64_t half = halfOf(bits);
  const Numbers all{-half, half - 1, true};
  if (!numbers.isKnown || numbers.high >= kMost - half || numbers.low <= kLeast + half) return all;
  const std::int64_t down = ((numbers.low + half) >> bits) << bits; // rounded towards the lower
  numbers.low -= down;
  if (__builtin_sub_overflow(numbers.high, down, &numbers.high)) return all;
  return numbers.high < half ? numbers : all;
}

FootprintValues::Numbers FootprintValues::asUnsigned(Numbers numbers, unsigned bits) {
  if (numbers.isEmpty()) return numbers;
  if (bits >= kMostBits) return numbers.isKnown && numbers.low >= 0 ? numbers : Numbers{};
  const std::int64_t end = bits == kMostBits - 1 ? kMost : (std::int64_t{1} << bits) - 1;
  const Numbers all{0, end, true};
  if (!numbers.isKnown) return all;
  const std::int64_t down = (numbers.low >> bits) << bits;
  numbers.low -= down;
  if (__builtin_sub_overflow(numbers.high, down, &numbers.high)) return all;
  return numbers.high <= end ? numbers : all;
}

FootprintValues::Numbers FootprintValues::sum(const Numbers& left, const Numbers& right) {
  if (left.isEmpty() || right.isEmpty()) return {1, 0, true};
  Numbers result{0, 0, left.isKnown && right.isKnown};
  const bool overflows = __builtin_add_overflow(left.low, right.low, &result.low) ||
                         __builtin_add_overflow(left.high, right.high, &result.high);
  return overflows ? Numbers{} : result;
}

FootprintValues::Numbers FootprintValues::product(const Numbers& left, const Numbers& right) {
  if (left.isEmpty() || right.isEmpty()) return {1, 0, true};
  const auto isZero = [](const Numbers& numbers) { return numbers.isKnown && numbers.low == 0 && numbers.high == 0; };
  if (isZero(left) || isZero(right)) return {0, 0, true};
  if (!left.isKnown || !right.isKnown) return {};
  std::array<std::int64_t, 4> corners{};
  if (__builtin_mul_overflow(left.low, right.low, corners.data()) ||
      __builtin_mul_overflow(left.low, right.high, &corners[1]) ||
      __builtin_mul_overflow(left.high, right.low, &corners[2]) ||
      __builtin_mul_overflow(left.high, right.high, &corners[3]))
    return {};
  const auto [least, most] = std::ranges::minmax(corners);
  return {least, most, true};
}

// --- Nodes ---

FootprintValues::FootprintValues(const KernelFootprint& footprint, const FootprintBox& box)
    : footprint_(footprint), box_(box), values_(footprint.nodes.size()) {
  const std::size_t arguments = box.argumentOffsets.size();
  for (std::size_t i = 0; i < footprint.nodes.size() && isValid_; ++i)
    isValid_ = isValid(footprint.nodes[i], i, arguments);
  if (isValid_) compute(values_, nullptr);
}

void FootprintValues::compute(Values& values, const Values* ids) const {
  for (std::size_t i = 0; i < footprint_.nodes.size(); ++i) {
    const FootprintNode& node = footprint_.nodes[i];
    values[i] = ids && isId(node.kind) ? (*ids)[i] : valueOf(node, values);
  }
}

FootprintValues::Numbers FootprintValues::idOf(const FootprintNode& node) const {
  const std::uint32_t dimension = node.first;
  const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  const std::uint64_t offset = box_.offset[dimension], global = box_.global[dimension], local = box_.local[dimension],
                      first = box_.first[dimension], end = box_.end[dimension];
  constexpr std::uint64_t kMostItems = std::uint64_t{1} << 61; // sums of these do not wrap around
  if (first >= end || local == 0) return {1, 0, true};
  if (offset > kMostItems || global > kMostItems || local > kMostItems || end > kMostItems / local) return {};
  const std::uint64_t last = std::min(end * local, global); // behind the last work-item
  const auto exactly = [&](std::uint64_t value) { return Numbers{number(value), number(value), true}; };
  switch (node.kind) {
  case Kind::GlobalId: return {number(offset + first * local), number(offset + last) - 1, true};
  case Kind::LocalId: return {0, number(std::min(local, global)) - 1, true};
  case Kind::GroupId: return {number(first), number(end) - 1, true};
  case Kind::GroupBase: return {number(offset + first * local), number(offset + (end - 1) * local), true};
  case Kind::LocalSize: return {number(std::min(local, last - (end - 1) * local)), number(local), true};
  case Kind::EnqueuedSize: return exactly(local);
  case Kind::NumGroups: return exactly(global / local + (global % local != 0 ? 1 : 0));
  case Kind::GlobalSize: return exactly(global);
  default: return exactly(offset);
  }
}

FootprintValues::Numbers FootprintValues::argumentOf(const FootprintNode& node) const {
  std::uint64_t value = 0; // least significant bytes first
  const std::size_t size = node.bits / 8U,
                    place = box_.argumentOffsets[node.first] + static_cast<std::size_t>(node.low);
  if (place + size > box_.args.size()) return {};
  std::memcpy(&value, box_.args.data() + place, size);
  const unsigned unused = kMostBits - node.bits;
  const std::int64_t number = static_cast<std::int64_t>(value << unused) >> unused;
  return {number, number, true};
}

FootprintValues::Numbers FootprintValues::counterOf(const FootprintNode& node, const Values& values) const {
  Numbers rounds = asUnsigned(values[node.third], footprint_.nodes[node.third].bits);
  if (rounds.isEmpty() || !rounds.isKnown) return rounds;
  rounds = {0, rounds.high - (node.low != 0 ? 1 : 0), true}; // none where that is negative
  return sum(values[node.first], product(rounds, values[node.second]));
}

FootprintValues::Numbers FootprintValues::valueOf(const FootprintNode& node, const Values& values) const {
  if (node.kind == Kind::Range) return {node.low, node.high, true};
  if (node.kind == Kind::Argument) return argumentOf(node);
  if (node.kind <= Kind::GlobalOffset) return idOf(node);
  if (node.kind == Kind::Counter) return counterOf(node, values);
  const Numbers &left = values[node.first], &right = isOfTwo(node.kind) ? values[node.second] : left;
  if (left.isEmpty() || right.isEmpty()) return {1, 0, true};
  const auto extreme = [&](bool isSigned, bool isMost) -> Numbers {
    const Numbers a = isSigned ? asSigned(left, node.bits) : asUnsigned(left, node.bits);
    const Numbers b = isSigned ? asSigned(right, node.bits) : asUnsigned(right, node.bits);
    if (!isSigned && !isMost && a.isKnown != b.isKnown) return {0, a.isKnown ? a.high : b.high, true};
    if (!a.isKnown || !b.isKnown) return {};
    if (isMost) return {std::max(a.low, b.low), std::max(a.high, b.high), true};
    return {std::min(a.low, b.low), std::min(a.high, b.high), true};
  };
  switch (node.kind) {
  case Kind::Add: return sum(left, right);
  case Kind::Multiply: return product(left, right);
  case Kind::DivideUnsigned: {
    const Numbers a = asUnsigned(left, node.bits), b = asUnsigned(right, node.bits);
    if (!a.isKnown || !b.isKnown || b.low <= 0) return {};
    return {a.low / b.high, a.high / b.low, true};
  }
  case Kind::RemainderUnsigned: {
    const Numbers a = asUnsigned(left, node.bits), b = asUnsigned(right, node.bits);
    if (!b.isKnown || b.low <= 0) return {};
    if (a.isKnown && a.high < b.low) return a;
    return {0, a.isKnown ? std::min(a.high, b.high - 1) : b.high - 1, true};
  }
  case Kind::MostSigned: return extreme(true, true);
  case Kind::MostUnsigned: return extreme(false, true);
  case Kind::LeastSigned: return extreme(true, false);
  case Kind::LeastUnsigned: return extreme(false, false);
  case Kind::Truncate: return left; // the same numbers, modulo a smaller power
  case Kind::ExtendUnsigned: return asUnsigned(left, footprint_.nodes[node.first].bits);
  default: return asSigned(left, footprint_.nodes[node.first].bits);
  }
}

// --- Guards ---

// `left` is an id plus a constant only where its interval is that of the id, moved by the constant: all conversions on
// the way have kept each number then.
FootprintValues::Numbers FootprintValues::narrowed(const FootprintGuard& guard, const Numbers& id) const {
  Numbers result = id;
  const unsigned bits = footprint_.nodes[guard.left].bits;
  const Numbers& left = values_[guard.left];
  const Numbers right = guard.isSigned ? asSigned(values_[guard.right], footprint_.nodes[guard.right].bits)
                                       : asUnsigned(values_[guard.right], footprint_.nodes[guard.right].bits);
  constexpr std::int64_t kMostShift = std::int64_t{1} << 61;
  const bool isSmall =
      guard.shift < kMostShift && guard.shift > -kMostShift && right.high < kMostShift && right.low > -kMostShift;
  const Numbers& own = values_[guard.id];
  if (!left.isKnown || !right.isKnown || !own.isKnown || left.isEmpty() || right.isEmpty() || own.isEmpty() ||
      !isSmall || own.high >= kMostShift || left.low != own.low + guard.shift || left.high != own.high + guard.shift)
    return result;
  // Numbers that the comparison takes for others. Negative ones are large without a sign, and larger than `right` then.
  if (guard.isSigned || guard.relation == Relation::Equal || guard.relation == Relation::Differs) {
    const Numbers same = guard.isSigned ? asSigned(left, bits) : asUnsigned(left, bits);
    if (!same.isKnown || same.low != left.low || same.high != left.high) return result;
  } else {
    const bool isBelow = guard.relation == Relation::Less || guard.relation == Relation::LessOrEqual;
    if (bits < kMostBits && left.high > (bits == kMostBits - 1 ? kMost : (std::int64_t{1} << bits) - 1)) return result;
    if (left.low < 0) {
      const bool isLarge = bits == kMostBits || (std::int64_t{1} << std::min(bits, 62U)) + left.low > right.high;
      if (!isBelow || !isLarge) return result;
      result.low = std::max(result.low, -guard.shift);
    }
  }
  switch (guard.relation) {
  case Relation::Less: result.high = std::min(result.high, right.high - 1 - guard.shift); break;
  case Relation::LessOrEqual: result.high = std::min(result.high, right.high - guard.shift); break;
  case Relation::Greater: result.low = std::max(result.low, right.low + 1 - guard.shift); break;
  case Relation::GreaterOrEqual: result.low = std::max(result.low, right.low - guard.shift); break;
  case Relation::Equal:
    result.low = std::max(result.low, right.low - guard.shift);
    result.high = std::min(result.high, right.high - guard.shift);
    break;
  case Relation::Differs:
    if (right.low != right.high) break;
    if (result.low == right.low - guard.shift) ++result.low;
    if (result.high == right.low - guard.shift) --result.high;
    break;
  }
  return result;
}

std::optional<FootprintInterval> FootprintValues::intervalOf(const FootprintAccess& access) const {
  constexpr FootprintInterval kAny{0, 0, true};
  const std::size_t count = footprint_.nodes.size();
  const auto isMissing = [&](const FootprintGuard& guard) {
    return guard.left >= count || guard.right >= count || guard.id >= count || !isId(footprint_.nodes[guard.id].kind);
  };
  if (!isValid_ || (!access.isWhole && access.offset >= count) || std::ranges::any_of(access.guards, isMissing))
    return kAny;
  const Values* values = &values_;
  Values guarded;
  if (!access.guards.empty()) {
    Values ids = values_;
    for (const FootprintGuard& guard : access.guards) {
      ids[guard.id] = narrowed(guard, ids[guard.id]);
      if (ids[guard.id].isEmpty()) return std::nullopt;
    }
    guarded.resize(count);
    compute(guarded, &ids);
    values = &guarded;
  }
  if (access.isWhole) return kAny;
  const Numbers& offset = (*values)[access.offset];
  if (offset.isEmpty()) return std::nullopt;
  std::int64_t end = 0;
  if (!offset.isKnown || access.bytes > static_cast<std::uint64_t>(kMost) ||
      __builtin_add_overflow(offset.high, static_cast<std::int64_t>(access.bytes), &end))
    return kAny;
  return FootprintInterval{offset.low, end, false};
}

// --- Conflicts ---

std::optional<FootprintConflict> conflictOf(const std::vector<std::vector<FootprintUse>>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (const FootprintUse& use : parts[i]) {
      if (!use.isWrite) continue;
      for (std::size_t k = 0; k < parts.size(); ++k) {
        if (k == i) continue;
        for (const FootprintUse& other : parts[k])
          if (other.object == use.object && use.begin < other.end && other.begin < use.end)
            return FootprintConflict{use, other};
      }
    }
  return std::nullopt;
}

// --- Reports ---

namespace {

constexpr std::uint64_t kExampleSize = 1024, kExampleGroup = 16;

std::string atLine(std::uint32_t line) { return line != 0 ? "line " + std::to_string(line) + ": " : ""; }

/// The uses of two parts of an example along a dimension.
std::vector<std::vector<FootprintUse>> exampleUses(const KernelFootprint& footprint, std::uint32_t dimensions,
                                                   std::uint32_t along) {
  std::uint32_t arguments = 0;
  for (const FootprintNode& node : footprint.nodes)
    if (node.kind == Kind::Argument) arguments = std::max(arguments, node.first + 1);
  constexpr std::size_t kRoom = 256; // for each argument
  std::vector<std::byte> args(arguments * kRoom);
  FootprintBox box;
  for (std::uint32_t i = 0; i < arguments; ++i)
    box.argumentOffsets.push_back(static_cast<std::uint32_t>(i * kRoom));
  for (const FootprintNode& node : footprint.nodes)
    if (const std::size_t size = node.bits / 8U;
        node.kind == Kind::Argument && node.low >= 0 && static_cast<std::size_t>(node.low) + size <= kRoom)
      std::memcpy(args.data() + node.first * kRoom + node.low, &kExampleSize, size);
  box.args = args;
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    box.global[i] = kExampleSize;
    box.local[i] = kExampleGroup;
    box.end[i] = kExampleSize / kExampleGroup;
  }
  std::vector<std::vector<FootprintUse>> parts(2);
  const std::uint64_t half = box.end[along] / 2;
  for (std::size_t part = 0; part < 2; ++part) {
    box.first[along] = part * half;
    box.end[along] = (part + 1) * half;
    const FootprintValues values(footprint, box);
    for (const FootprintAccess& access : footprint.accesses)
      if (const auto interval = values.intervalOf(access))
        parts[part].push_back({access.argument, interval->isAny ? kLeast : interval->begin,
                               interval->isAny ? kMost : interval->end, access.isWrite, access.line});
  }
  return parts;
}

/// Number of dimensions that ids in writes are of.
std::uint32_t dimensionsOf(const KernelFootprint& footprint) {
  std::uint32_t result = 1;
  for (const FootprintNode& node : footprint.nodes)
    if (isId(node.kind)) result = std::max(result, node.first + 1);
  return std::min<std::uint32_t>(result, 3);
}

} // namespace

std::string describe(const KernelFootprint& footprint) {
  if (!footprint.unknown.empty()) return "launches run whole: " + atLine(footprint.unknownLine) + footprint.unknown;
  const std::uint32_t dimensions = dimensionsOf(footprint);
  std::string why;
  for (std::uint32_t along = dimensions; along-- > 0;) {
    const auto conflict = conflictOf(exampleUses(footprint, dimensions, along));
    if (!conflict)
      return "launches are split along dimension " + std::to_string(along) + " if their arguments allow it";
    why = atLine(conflict->use.line) +
          (conflict->other.isWrite ? "parts may write the same bytes"
                                   : "a part may write what another one reads in " +
                                         (conflict->other.line != 0 ? "line " + std::to_string(conflict->other.line)
                                                                    : std::string("the kernel")));
  }
  return "launches run whole: " + why;
}

} // namespace clotho
