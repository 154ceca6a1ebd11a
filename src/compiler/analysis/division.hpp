// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>

namespace llvm {
class Value;
} // namespace llvm

namespace clotho::compiler {

/// A division of an integer in any form that LLVM gives it: a division, a remainder, a shift or a mask.
struct Division {
  enum class Result {
    Quotient,
    Remainder,
    Multiple, ///< the dividend without its remainder
  } result;
  llvm::Value* dividend;
  llvm::Value* divisor;   ///< null for shifts and masks
  std::uint64_t constant; ///< the divisor; 0: no positive constant
  bool isSigned;          ///< masks are the same with and without a sign

  bool isRemainder() const { return result == Result::Remainder; }
};

/// Nothing for vectors, for integers of more than 64 bits, and for other operations.
std::optional<Division> matchDivision(const llvm::Value& value);

} // namespace clotho::compiler
