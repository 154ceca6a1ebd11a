// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace llvm {
class Loop;
class PHINode;
class Value;
} // namespace llvm

/// Values as sums of products, with the counters of a loop apart from their starts.
namespace clotho::compiler {

/// How a value is interpreted: as a signed or unsigned integer that does not wrap around, or modulo 2^n.
enum class Reading : std::uint8_t { Signed, Unsigned, Modular };

/// A factor of a term: a value that is not decomposed, or the distance of a loop's counter from its start.
struct Factor {
  llvm::Value* value;
  Reading reading;
  bool isDistance = false;
  auto operator<=>(const Factor&) const = default;
};

/// A sum of products with coefficients.
class Polynomial {
 public:
  using Product = std::vector<Factor>; ///< sorted

  /// A number.
  static Polynomial constant(std::int64_t number) { return of({}, number); }
  /// A single product.
  static Polynomial of(Product product, std::int64_t coefficient = 1) {
    Polynomial result;
    if (coefficient != 0) result.terms_.emplace(std::move(product), coefficient);
    return result;
  }

  /// The coefficient of each product; none is 0.
  const std::map<Product, std::int64_t>& terms() const { return terms_; }

  /// Adds `other * times`; false if a coefficient overflows.
  bool add(const Polynomial& other, std::int64_t times);

  /// The product; nothing if it has many terms, or a coefficient is too large.
  std::optional<Polynomial> times(const Polynomial& other) const;

 private:
  std::map<Product, std::int64_t> terms_;
};

/// Start and constant step of a loop counter.
struct Counter {
  llvm::Value* start;
  std::int64_t step; ///< Step, in bytes for pointers
};

/// Nothing if the phi is no counter of the loop, or its step is no constant, or so large that 64-bit distances might
/// wrap around.
std::optional<Counter> counterOf(const llvm::PHINode& phi, const llvm::Loop& loop, Reading reading);

/// Decomposes a value. Nothing if a coefficient would be too large.
std::optional<Polynomial> polynomialOf(llvm::Value& value, const llvm::Loop& loop, Reading reading);

} // namespace clotho::compiler
