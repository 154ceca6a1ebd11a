// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/ir/kernel_facts.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace llvm {
class DataLayout;
class Value;
} // namespace llvm

namespace clotho::compiler {

/// To 64 bits, of a term that has fewer; the others are known not to have wrapped around (PlaceOfAccess).
enum class Extension { None, Signed, Unsigned, SignedInBounds, UnsignedInBounds };

/// An address as a sum: where it begins, multiples of values, and the bytes that are added to that.
struct Place {
  const llvm::Value* base = nullptr;
  std::map<std::pair<const llvm::Value*, Extension>, std::int64_t> terms;
  std::int64_t offset = 0;

  /// A constant number of bytes apart.
  bool isBeside(const Place& other) const { return base == other.base && terms == other.terms; }
};

/// Through all sums that do not wrap around before they are extended.
Place placeOf(const llvm::Value* pointer, const llvm::DataLayout& layout);

/// How far it is from one place to another, where no buffer has more bytes than `largestMemory`.
struct Distance {
  std::int64_t bytes;
  std::uint64_t largestMemory = kAnyMemory;
};

/// The place of an access. If two accesses are both made, no 32-bit index of either has wrapped around, since the
/// access would be out of bounds (largestMemoryWithoutWrap). So small constants that are added to such an index may
/// wrap around or not.
struct PlaceOfAccess {
  Place exact;
  Place inBounds; ///< if no buffer has more bytes than `largestMemory`
  std::uint64_t largestMemory = kAnyMemory;

  /// If it is a constant, and both accesses are made.
  std::optional<Distance> distanceTo(const PlaceOfAccess& other) const;
};

PlaceOfAccess placeOfAccess(const llvm::Value* pointer, const llvm::DataLayout& layout);

/// How many bytes `to` comes behind `from`, if placeOf finds that to be a constant.
std::optional<std::int64_t> bytesBetween(const llvm::Value* from, const llvm::Value* to,
                                         const llvm::DataLayout& layout);

} // namespace clotho::compiler
