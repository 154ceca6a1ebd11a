// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/ir/kernel_facts.hpp"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>

#include <cstdint>
#include <optional>

namespace llvm {
class DataLayout;
class Value;
} // namespace llvm

namespace clotho::compiler {

/// Extension to 64 bits of a term that has fewer. Terms in bounds are known not to have wrapped around.
enum class Extension { None, Signed, Unsigned, SignedInBounds, UnsignedInBounds };

/// A sum of scaled integers, such as ids and loop counters, and a constant. The equation holds modulo 2^64, or modulo
/// 2^n for an n-bit integer.
struct AffineForm {
  struct Term {
    llvm::Value* value;
    std::int64_t scale;
    Extension extension = Extension::None;
    const llvm::Value* factor = nullptr; ///< factor of the value; null: 1
    bool isOfSame(const Term& other) const {
      return value == other.value && extension == other.extension && factor == other.factor;
    }
  };
  /// Terms in the order in which they were found, distinct in value, extension or factor. No scale is zero.
  llvm::SmallVector<Term, 4> terms;
  std::int64_t constant = 0;

  void add(const Term& term);
  void add(const AffineForm& form, std::int64_t times = 1);
  /// The other form less this one, if that is a constant.
  std::optional<std::int64_t> distanceTo(const AffineForm& other) const;
  bool operator==(const AffineForm& other) const { return distanceTo(other) == 0; }
};

/// An address: a base (an object, or a pointer that cannot be decomposed) and an offset from it in bytes.
struct AffineAddress {
  const llvm::Value* object = nullptr;
  AffineForm offset;
  std::uint64_t largestMemory = kAnyMemory; ///< The form holds if no buffer has more bytes.

  /// Bytes from this address to the other one, if that is a constant.
  std::optional<std::int64_t> distanceTo(const AffineAddress& other) const {
    return object == other.object ? offset.distanceTo(other.offset) : std::nullopt;
  }
  bool operator==(const AffineAddress& other) const { return distanceTo(other) == 0; }
};

struct AffineOptions {
  /// Sums narrower than 64 bits that may be decomposed.
  enum class Wrapping {
    Exact,    ///< only sums that are known not to wrap around before they are extended
    InBounds, ///< also index + small constant where an index that wraps around would be out of bounds
    None,     ///< all sums of 32 bits or more and small constants: for small numbers, or guesses
  } wrapping = Wrapping::Exact;
  bool takesSums = true; ///< split sums too; otherwise only constant factors
  /// Accepts the values that may be terms; an address with any other term becomes the base itself. Null: all values.
  llvm::function_ref<bool(const llvm::Value&)> isTerm = nullptr;
  /// Values that may be the factor of a term. Null: none.
  llvm::function_ref<bool(const llvm::Value&)> isFactor = nullptr;
};

/// Fewest bits of an integer that is used as an index.
inline constexpr unsigned kIndexBits = 32;

/// Strips conversions between integers of at least this many bits.
llvm::Value* withoutCasts(llvm::Value* value, unsigned leastBits = kIndexBits);

AffineForm affineFormOf(const llvm::Value& integer, const AffineOptions& options = {});
AffineAddress affineAddressOf(const llvm::Value& pointer, const llvm::DataLayout& layout,
                              const AffineOptions& options = {});

/// Constant distance from one address to another. It holds if no buffer is larger than `largestMemory` bytes.
struct Distance {
  std::int64_t bytes;
  std::uint64_t largestMemory = kAnyMemory;
};

/// The address of an access, decomposed twice. `exact` assumes nothing. `inBounds` assumes that the access is made: no
/// 32-bit index has wrapped around then, since the access would be out of bounds (largestMemoryWithoutWrap), so small
/// constants may be split off such an index.
struct AccessAddress {
  AffineAddress exact, inBounds;

  /// Distance between two accesses that are both made, if it is a constant.
  std::optional<Distance> distanceTo(const AccessAddress& other) const;
};

AccessAddress accessAddressOf(const llvm::Value& pointer, const llvm::DataLayout& layout);

} // namespace clotho::compiler
