// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/loop_polynomials.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/MathExtras.h>

namespace clotho::compiler {
namespace {

using llvm::Value;

bool isExact(const llvm::OverflowingBinaryOperator& operation, Reading reading) {
  switch (reading) {
  case Reading::Signed: return operation.hasNoSignedWrap();
  case Reading::Unsigned: return operation.hasNoUnsignedWrap();
  case Reading::Modular: return true;
  }
  llvm_unreachable("no such reading");
}

/// Largest step with which 64-bit distances do not wrap around during a program's run.
constexpr std::int64_t kLargestStep = 1 << 16;

/// Decomposes values into polynomials.
class Reader {
 public:
  explicit Reader(const llvm::Loop& loop) : loop_(loop) {}

  std::optional<Polynomial> read(Value* value, Reading reading, unsigned depth = 0) const {
    constexpr unsigned kDepthLimit = 8;
    Polynomial whole = Polynomial::of({Factor{value, reading}});
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value)) {
      const auto known = reading != Reading::Unsigned ? number->getValue().trySExtValue() : std::nullopt;
      if (known) return Polynomial::constant(*known);
      if (number->getValue().getActiveBits() >= 64) return std::nullopt;
      return Polynomial::constant(static_cast<std::int64_t>(number->getZExtValue()));
    }
    if (depth == kDepthLimit) return whole;
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) {
      const auto counter = counterOf(*phi, loop_, reading);
      if (!counter) return whole;
      auto sum = read(counter->start, reading, depth + 1);
      if (!sum || !sum->add(Polynomial::of({Factor{phi, reading, /*isDistance=*/true}}), 1)) return std::nullopt;
      return sum;
    }
    if (const auto* extension = llvm::dyn_cast<llvm::SExtInst>(value);
        extension != nullptr && reading == Reading::Signed)
      return read(extension->getOperand(0), Reading::Signed, depth + 1);
    if (const auto* extension = llvm::dyn_cast<llvm::ZExtInst>(value);
        extension != nullptr && reading != Reading::Modular)
      return read(extension->getOperand(0), extension->hasNonNeg() ? Reading::Signed : Reading::Unsigned, depth + 1);
    if (auto* gep = llvm::dyn_cast<llvm::GEPOperator>(value)) return readAddress(*gep, reading, depth);
    if (const auto* both = llvm::dyn_cast<llvm::PossiblyDisjointInst>(value); both != nullptr && both->isDisjoint())
      return readSum(*both, reading, depth);
    const auto* operation = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(value);
    return operation != nullptr && isExact(*operation, reading) ? readSum(*operation, reading, depth) : whole;
  }

 private:
  std::optional<Polynomial> readSum(const llvm::User& operation, Reading reading, unsigned depth) const {
    auto left = read(operation.getOperand(0), reading, depth + 1);
    const auto right = read(operation.getOperand(1), reading, depth + 1);
    if (!left || !right) return std::nullopt;
    switch (llvm::cast<llvm::Operator>(operation).getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Or:
      if (!left->add(*right, 1)) return std::nullopt;
      return left;
    case llvm::Instruction::Sub:
      if (!left->add(*right, -1)) return std::nullopt;
      return left;
    case llvm::Instruction::Mul: return left->times(*right);
    case llvm::Instruction::Shl: {
      const auto* by = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
      constexpr unsigned kBits = 62;
      if (by == nullptr || by->getValue().uge(kBits)) return std::nullopt;
      return left->times(Polynomial::constant(std::int64_t{1} << by->getZExtValue()));
    }
    default: return std::nullopt;
    }
  }

  std::optional<Polynomial> readAddress(llvm::GEPOperator& gep, Reading reading, unsigned depth) const {
    Polynomial whole = Polynomial::of({Factor{&gep, reading}});
    const llvm::DataLayout& layout = loop_.getHeader()->getDataLayout();
    if (!gep.isInBounds() || gep.getType()->isVectorTy()) return whole;
    llvm::APInt constant(layout.getIndexTypeSizeInBits(gep.getType()), 0);
    llvm::SmallMapVector<Value*, llvm::APInt, 4> variable;
    if (!gep.collectOffset(layout, constant.getBitWidth(), variable, constant)) return whole;
    auto sum = read(gep.getPointerOperand(), reading, depth + 1);
    if (!sum || !sum->add(Polynomial::constant(constant.getSExtValue()), 1)) return std::nullopt;
    for (const auto& [index, size] : variable) {
      // Narrower indices are extended as signed numbers.
      const auto part = read(index, Reading::Signed, depth + 1);
      if (!part || !sum->add(*part, size.getSExtValue())) return std::nullopt;
    }
    return sum;
  }

  const llvm::Loop& loop_;
};

} // namespace

bool Polynomial::add(const Polynomial& other, std::int64_t times) {
  for (const auto& [product, coefficient] : other.terms_) {
    std::int64_t more = 0, &sum = terms_[product];
    if (llvm::MulOverflow(coefficient, times, more) || llvm::AddOverflow(sum, more, sum)) return false;
    if (sum == 0) terms_.erase(product);
  }
  return true;
}

std::optional<Polynomial> Polynomial::times(const Polynomial& other) const {
  constexpr std::size_t kMostTerms = 16;
  if (terms_.size() * other.terms_.size() > kMostTerms) return std::nullopt;
  Polynomial result;
  for (const auto& [left, coefficient] : terms_)
    for (const auto& [right, factor] : other.terms_) {
      Product product = left;
      product.insert(product.end(), right.begin(), right.end());
      llvm::sort(product);
      std::int64_t number = 0;
      if (llvm::MulOverflow(coefficient, factor, number) || !result.add(of(std::move(product), number), 1))
        return std::nullopt;
    }
  return result;
}

std::optional<Counter> counterOf(const llvm::PHINode& phi, const llvm::Loop& loop, Reading reading) {
  if (phi.getParent() != loop.getHeader() || phi.getNumIncomingValues() != 2) return std::nullopt;
  const llvm::BasicBlock *before = loop.getLoopPredecessor(), *latch = loop.getLoopLatch();
  if (before == nullptr || latch == nullptr) return std::nullopt;
  Value* start = phi.getIncomingValueForBlock(before);
  Value* next = phi.getIncomingValueForBlock(latch);
  std::optional<std::int64_t> step;
  if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(next)) {
    const llvm::DataLayout& layout = phi.getDataLayout();
    llvm::APInt offset(layout.getIndexTypeSizeInBits(gep->getType()), 0);
    if (gep->getPointerOperand() == &phi && gep->isInBounds() && gep->accumulateConstantOffset(layout, offset))
      step = offset.trySExtValue();
  } else if (const auto* sum = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(next)) {
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(sum->getOperand(1));
    if (sum->getOpcode() == llvm::Instruction::Add && sum->getOperand(0) == &phi && number != nullptr &&
        isExact(*sum, reading) && (reading != Reading::Unsigned || number->getValue().isNonNegative()))
      step = number->getValue().trySExtValue();
  }
  if (!step || *step == 0 || *step > kLargestStep || *step < -kLargestStep) return std::nullopt;
  return Counter{start, *step};
}

std::optional<Polynomial> polynomialOf(Value& value, const llvm::Loop& loop, Reading reading) {
  return Reader(loop).read(&value, reading);
}

} // namespace clotho::compiler
