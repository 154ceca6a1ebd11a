// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PassManager.h>

#include <map>
#include <optional>
#include <vector>

namespace clotho::compiler {

/// Value numbers of one function: values with the same number are equal wherever both are defined. Integers in
/// addresses are compared as polynomials modulo their type's range, so that (y + 1) * w - w + x equals y * w + x in any
/// order of operations. All other values are equal only if they are the same operation on the same values. Loads are
/// equal to nothing.
class ValueNumbers {
 public:
  /// How extensions of sums and products are numbered.
  enum class Extensions {
    OfWhole, ///< one number for the extended value, however it is computed; only constants are split off
    OfParts, ///< sums and products of extended operands, which are assumed not to wrap around
  };
  explicit ValueNumbers(Extensions extensions = Extensions::OfWhole) : extensions_(extensions) {}

  unsigned of(const llvm::Value* value);
  /// The constant that must be added to one integer to get the other, if there is one wherever both are defined. Both
  /// have the same type; the sum may wrap around.
  std::optional<std::int64_t> distance(const llvm::Value* from, const llvm::Value* to);

 private:
  using Factors = std::vector<unsigned>; ///< atoms, sorted; none: a constant
  /// Maps products to coefficients modulo 2^64; bits above the type's width are cut off when the polynomial is
  /// complete.
  using Polynomial = std::map<Factors, std::uint64_t>;
  using Key = std::vector<std::uint64_t>;

  Polynomial polynomial(const llvm::Value* value);
  Polynomial sumOrProduct(const llvm::Operator& operation,
                          llvm::function_ref<Polynomial(const llvm::Value*)> ofOperand);
  Polynomial ofExtension(const llvm::CastInst& extension);
  Polynomial extended(const llvm::Value* value, bool isSigned, llvm::Type* type, unsigned depth);
  std::optional<Polynomial> ofAddress(const llvm::GEPOperator& address, const llvm::Value*& base);
  Polynomial atomOf(const llvm::Value* value);
  unsigned atom(const llvm::Value* value);
  unsigned intern(Key key);

  const Extensions extensions_;
  llvm::DenseMap<const llvm::Value*, unsigned> numbers_;
  llvm::DenseMap<const llvm::Value*, Polynomial> polynomials_;
  std::map<Key, unsigned> interned_;
};

class ValueNumbersAnalysis : public llvm::AnalysisInfoMixin<ValueNumbersAnalysis> {
 public:
  using Result = ValueNumbers;
  static Result run(llvm::Function&, llvm::FunctionAnalysisManager&) {
    return ValueNumbers(ValueNumbers::Extensions::OfParts);
  }

 private:
  friend llvm::AnalysisInfoMixin<ValueNumbersAnalysis>;
  static llvm::AnalysisKey Key;
};

} // namespace clotho::compiler
