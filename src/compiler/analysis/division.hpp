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
  llvm::Value* divisor;   ///< null if the division is written as a shift or mask
  std::uint64_t constant; ///< the divisor; 0 if it is no positive constant
  bool isSigned;          ///< either for masks, which do not depend on it

  bool isRemainder() const { return result == Result::Remainder; }
};

/// Nothing for vectors, for integers of more than 64 bits, and for other operations.
std::optional<Division> matchDivision(const llvm::Value& value);

} // namespace clotho::compiler
