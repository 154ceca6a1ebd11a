// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/value_numbers.hpp"

#include <llvm/ADT/APInt.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr std::size_t kMostTerms = 16;
constexpr std::size_t kMostFactors = 4;

/// First word of a key in the table of interned expressions.
enum class Kind : std::uint64_t { Itself, Operation, Integer, Address };

bool isInteger(const llvm::Type* type) { return type->isIntegerTy() && type->getIntegerBitWidth() <= 64; }

/// Whether the instruction depends only on its operands and always gives the same result.
bool isPure(const Instruction& instruction) {
  if (llvm::isa<llvm::CmpInst, llvm::SelectInst, llvm::CastInst, llvm::BinaryOperator>(instruction)) return true;
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call != nullptr && call->isAssociative(); // such as minima and maxima
}

std::uint64_t identity(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

} // namespace

llvm::AnalysisKey ValueNumbersAnalysis::Key;

unsigned ValueNumbers::of(const Value* value) {
  if (const auto known = numbers_.find(value); known != numbers_.end()) return known->second;
  Key key;
  if (isInteger(value->getType())) {
    const unsigned bits = value->getType()->getIntegerBitWidth();
    key = {static_cast<std::uint64_t>(Kind::Integer), bits};
    for (const auto& [factors, coefficient] : polynomial(value)) {
      const std::uint64_t within = coefficient & llvm::maskTrailingOnes<std::uint64_t>(bits);
      if (within == 0) continue;
      key.push_back(within);
      key.push_back(factors.size());
      key.insert(key.end(), factors.begin(), factors.end());
    }
  } else if (const auto* address = llvm::dyn_cast<llvm::GEPOperator>(value)) {
    const Value* base = nullptr;
    if (const auto offset = ofAddress(*address, base)) {
      key = {static_cast<std::uint64_t>(Kind::Address), of(base)};
      for (const auto& [factors, coefficient] : *offset) {
        if (coefficient == 0) continue;
        key.push_back(coefficient);
        key.push_back(factors.size());
        key.insert(key.end(), factors.begin(), factors.end());
      }
    }
  }
  const unsigned number = key.empty() ? atom(value) : intern(std::move(key));
  return numbers_[value] = number;
}

std::optional<std::int64_t> ValueNumbers::distance(const Value* from, const Value* to) {
  if (!isInteger(from->getType())) return std::nullopt;
  const unsigned bits = from->getType()->getIntegerBitWidth();
  Polynomial difference = polynomial(to);
  for (const auto& [factors, coefficient] : polynomial(from))
    difference[factors] -= coefficient;
  std::int64_t constant = 0;
  for (const auto& [factors, coefficient] : difference) {
    const std::int64_t within = llvm::SignExtend64(coefficient, bits);
    if (factors.empty())
      constant = within;
    else if (within != 0)
      return std::nullopt;
  }
  return constant;
}

ValueNumbers::Polynomial ValueNumbers::polynomial(const Value* value) {
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value))
    return {{Factors(), static_cast<std::uint64_t>(constant->getSExtValue())}};
  if (const auto known = polynomials_.find(value); known != polynomials_.end()) return known->second;
  Polynomial made;
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) {
    const bool isOfInteger = isInteger(cast->getSrcTy());
    made = llvm::isa<llvm::TruncInst>(cast) && isOfInteger ? polynomial(cast->getOperand(0)) : ofExtension(*cast);
  } else if (const auto* operation = llvm::dyn_cast<llvm::Operator>(value)) {
    made = sumOrProduct(*operation, [&](const Value* operand) { return polynomial(operand); });
  }
  if (made.empty() || made.size() > kMostTerms) made = atomOf(value);
  polynomials_[value] = made;
  return made;
}

/// Polynomial of a sum or a product; empty for other operations.
ValueNumbers::Polynomial ValueNumbers::sumOrProduct(const llvm::Operator& operation,
                                                    llvm::function_ref<Polynomial(const Value*)> ofOperand) {
  Polynomial result;
  const auto add = [&](const Value* operand, std::uint64_t times) {
    for (const auto& [factors, coefficient] : ofOperand(operand))
      result[factors] += coefficient * times;
  };
  const auto multiply = [&](const Polynomial& left, const Polynomial& right) {
    for (const auto& [ofLeft, a] : left)
      for (const auto& [ofRight, b] : right) {
        Factors both = ofLeft;
        both.insert(both.end(), ofRight.begin(), ofRight.end());
        if (both.size() > kMostFactors) return false;
        std::ranges::sort(both);
        result[both] += a * b;
      }
    return true;
  };
  switch (operation.getOpcode()) {
  case Instruction::Or:
    if (!llvm::cast<llvm::PossiblyDisjointInst>(operation).isDisjoint()) return {};
    [[fallthrough]];
  case Instruction::Add:
    add(operation.getOperand(0), 1);
    add(operation.getOperand(1), 1);
    break;
  case Instruction::Sub:
    add(operation.getOperand(0), 1);
    add(operation.getOperand(1), ~std::uint64_t{0});
    break;
  case Instruction::Xor: {
    // The complement of x, to which LLVM turns -1 - x.
    const auto* mask = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
    if (mask == nullptr || !mask->isMinusOne()) return {};
    add(operation.getOperand(0), ~std::uint64_t{0});
    result[Factors()] -= 1;
    break;
  }
  case Instruction::Mul:
    if (!multiply(ofOperand(operation.getOperand(0)), ofOperand(operation.getOperand(1)))) return {};
    break;
  case Instruction::Shl: {
    const auto* by = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
    if (by == nullptr || by->getZExtValue() >= 64) return {};
    add(operation.getOperand(0), std::uint64_t{1} << by->getZExtValue());
    break;
  }
  default: return {};
  }
  // A constant zero is kept as a term.
  std::erase_if(result, [](const auto& term) { return term.second == 0 && !term.first.empty(); });
  if (result.empty()) result[Factors()] = 0;
  return result;
}

/// Moves constants out of an extension if their addition does not overflow.
ValueNumbers::Polynomial ValueNumbers::ofExtension(const llvm::CastInst& extension) {
  if (extensions_ == Extensions::OfParts && isInteger(extension.getSrcTy()) && isInteger(extension.getType()) &&
      llvm::isa<llvm::SExtInst, llvm::ZExtInst>(extension)) {
    // A number that is known not to be negative has the same sign and zero extension.
    const bool isSigned = llvm::isa<llvm::SExtInst>(extension) || extension.hasNonNeg();
    return extended(extension.getOperand(0), isSigned, extension.getType(), 0);
  }
  const auto* sum = llvm::dyn_cast<llvm::AddOperator>(extension.getOperand(0));
  const auto* constant = sum != nullptr ? llvm::dyn_cast<llvm::ConstantInt>(sum->getOperand(1)) : nullptr;
  const bool isSigned = llvm::isa<llvm::SExtInst>(extension);
  if (constant == nullptr || !isInteger(sum->getType()) || (!isSigned && !llvm::isa<llvm::ZExtInst>(extension)) ||
      !(isSigned ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap()))
    return {};
  const unsigned inner =
      intern({static_cast<std::uint64_t>(Kind::Operation), extension.getOpcode(), identity(extension.getType()),
              identity(extension.getSrcTy()), of(sum->getOperand(0))});
  const std::uint64_t added =
      isSigned ? static_cast<std::uint64_t>(constant->getSExtValue()) : constant->getZExtValue();
  return {{Factors(), added}, {Factors{inner}, 1}};
}

/// Distributes the extension over a sum or product that does not wrap around.
ValueNumbers::Polynomial ValueNumbers::extended(const Value* value, bool isSigned, llvm::Type* type, unsigned depth) {
  constexpr unsigned kDepthLimit = 8;
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value))
    return {{Factors(), isSigned ? static_cast<std::uint64_t>(constant->getSExtValue()) : constant->getZExtValue()}};
  if (const auto* trunc = llvm::dyn_cast<llvm::TruncInst>(value);
      trunc != nullptr && trunc->getSrcTy() == type &&
      (isSigned ? trunc->hasNoSignedWrap() : trunc->hasNoUnsignedWrap()))
    return polynomial(trunc->getOperand(0));
  // Disjoint bits are added without any overflow; a complement is computed without signed overflow.
  bool isExact = llvm::isa<llvm::PossiblyDisjointInst>(value);
  if (const auto* operation = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(value))
    isExact = isSigned ? operation->hasNoSignedWrap() : operation->hasNoUnsignedWrap();
  else if (const auto* other = llvm::dyn_cast<llvm::BinaryOperator>(value))
    isExact |= isSigned && other->getOpcode() == Instruction::Xor;
  if (isExact && depth < kDepthLimit) {
    const Polynomial parts = sumOrProduct(llvm::cast<llvm::Operator>(*value), [&](const Value* operand) {
      return extended(operand, isSigned, type, depth + 1);
    });
    if (!parts.empty() && parts.size() <= kMostTerms) return parts;
  }
  const Instruction::CastOps opcode = isSigned ? Instruction::SExt : Instruction::ZExt;
  return {{Factors{intern({static_cast<std::uint64_t>(Kind::Operation), opcode, identity(type),
                           identity(value->getType()), of(value)})},
           1}};
}

std::optional<ValueNumbers::Polynomial> ValueNumbers::ofAddress(const llvm::GEPOperator& address, const Value*& base) {
  const auto* instruction = llvm::dyn_cast<Instruction>(&address);
  if (instruction == nullptr) return std::nullopt;
  const llvm::DataLayout& layout = instruction->getDataLayout();
  Polynomial sum;
  const llvm::GEPOperator* part = &address;
  do {
    llvm::SmallMapVector<Value*, llvm::APInt, 4> variable;
    llvm::APInt constant(64, 0);
    if (layout.getIndexTypeSizeInBits(part->getType()) != 64 || part->getType()->isVectorTy() ||
        !part->collectOffset(layout, 64, variable, constant))
      return std::nullopt;
    sum[Factors()] += constant.getZExtValue();
    for (const auto& [index, scale] : variable) {
      if (!isInteger(index->getType())) return std::nullopt;
      Polynomial value;
      if (index->getType()->getIntegerBitWidth() == 64)
        value = polynomial(index);
      else if (extensions_ == Extensions::OfParts)
        value = extended(index, /*isSigned=*/true, llvm::Type::getInt64Ty(index->getContext()), 0);
      else // addresses extend their indices
        value[{intern({static_cast<std::uint64_t>(Kind::Operation), Instruction::SExt,
                       identity(llvm::Type::getInt64Ty(index->getContext())), identity(index->getType()),
                       of(index)})}] = 1;
      for (const auto& [factors, coefficient] : value)
        sum[factors] += coefficient * scale.getZExtValue();
    }
    base = part->getPointerOperand();
    part = llvm::dyn_cast<llvm::GEPOperator>(base);
  } while (part != nullptr);
  return sum;
}

ValueNumbers::Polynomial ValueNumbers::atomOf(const Value* value) { return {{Factors{atom(value)}, 1}}; }

unsigned ValueNumbers::atom(const Value* value) {
  const auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (instruction == nullptr || !isPure(*instruction))
    return intern({static_cast<std::uint64_t>(Kind::Itself), identity(value)});
  Key key = {static_cast<std::uint64_t>(Kind::Operation), instruction->getOpcode(), identity(value->getType())};
  if (const auto* compare = llvm::dyn_cast<llvm::CmpInst>(instruction)) key.push_back(compare->getPredicate());
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(instruction)) key.push_back(call->getIntrinsicID());
  const std::size_t own = key.size();
  for (const Value* operand : instruction->operands()) {
    if (llvm::isa<llvm::CastInst>(instruction)) key.push_back(identity(operand->getType()));
    if (!llvm::isa<llvm::Function>(operand)) key.push_back(of(operand));
  }
  if (instruction->isCommutative() && !llvm::isa<llvm::CmpInst>(instruction))
    std::sort(key.begin() + static_cast<std::ptrdiff_t>(own), key.end());
  return intern(std::move(key));
}

unsigned ValueNumbers::intern(Key key) {
  return interned_.try_emplace(std::move(key), static_cast<unsigned>(interned_.size())).first->second;
}

} // namespace clotho::compiler
