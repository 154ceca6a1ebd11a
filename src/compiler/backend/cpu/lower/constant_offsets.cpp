// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/lower/constant_offsets.hpp"

#include "compiler/ir/run_pass.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/MathExtras.h>

#include <optional>

namespace clotho::compiler {
namespace {

using namespace llvm::PatternMatch;
using llvm::APInt;
using llvm::BinaryOperator;
using llvm::Value;

constexpr unsigned kDepthLimit = 6;

/// How an index becomes one of 64 bits.
enum class Extension : std::uint8_t { None, Signed, Unsigned };

/// A sum and a constant that is to be added to it.
struct Split {
  Value* sum;
  APInt constant; ///< of the sum's width; not negative if the sum is extended
};

class IndexSplitter {
 public:
  IndexSplitter(llvm::IRBuilder<>& builder, Extension extension) : builder_(builder), extension_(extension) {}

  /// Splits a constant off the value; nothing if there is none, or if the parts, each extended, may have another sum
  /// than the extended value.
  std::optional<Split> split(Value* value, unsigned depth = 0) {
    auto* sum = llvm::dyn_cast<BinaryOperator>(value);
    if (sum == nullptr || depth == kDepthLimit || !isSum(*sum)) return std::nullopt;
    if (const APInt* constant; match(sum->getOperand(1), m_APInt(constant))) {
      if (extension_ != Extension::None && constant->isNegative()) return std::nullopt;
      return Split{sum->getOperand(0), *constant};
    }
    for (unsigned i = 0; i < 2; ++i) {
      const std::optional<Split> part = split(sum->getOperand(i), depth + 1);
      if (!part) continue;
      // No step wraps around, whatever the signs are: the constant is not negative, and the steps of the old sum, of
      // which this is the same without the constant, did not.
      const bool keepsFlags = extension_ != Extension::None;
      Value* rest = builder_.CreateAdd(part->sum, sum->getOperand(1 - i), "", keepsFlags,
                                       keepsFlags && extension_ == Extension::Signed);
      return Split{rest, part->constant};
    }
    return std::nullopt;
  }

 private:
  /// Whether the operation is a sum that is the same after the extension of its operands, also in another order.
  bool isSum(const BinaryOperator& operation) const {
    if (operation.getOpcode() == llvm::Instruction::Or)
      return llvm::cast<llvm::PossiblyDisjointInst>(operation).isDisjoint();
    if (operation.getOpcode() != llvm::Instruction::Add) return false;
    switch (extension_) {
    case Extension::None: return true;
    case Extension::Signed: return operation.hasNoSignedWrap() && operation.hasNoUnsignedWrap();
    case Extension::Unsigned: return operation.hasNoUnsignedWrap();
    }
    return false;
  }

  llvm::IRBuilder<>& builder_;
  const Extension extension_;
};

/// Whether the last index of the address is the only one that is not zero, and counts elements of a known size.
bool hasOneIndex(const llvm::GetElementPtrInst& address) {
  return address.getNumIndices() == 1 && !address.getType()->isVectorTy() &&
         !address.getSourceElementType()->isScalableTy();
}

/// Replaces the address by one without the constant in its index, and an offset.
bool splitAddress(llvm::GetElementPtrInst& address, const llvm::DataLayout& layout) {
  constexpr unsigned kOffsetBits = 32; // of an instruction
  llvm::IRBuilder<> builder(&address);
  Value* index = address.getOperand(1);
  Extension extension = Extension::None;
  if (const auto* wide = llvm::dyn_cast<llvm::CastInst>(index); wide != nullptr) {
    if (!llvm::isa<llvm::SExtInst, llvm::ZExtInst>(wide)) return false;
    extension = llvm::isa<llvm::SExtInst>(wide) ? Extension::Signed : Extension::Unsigned;
    index = wide->getOperand(0);
  }
  if (extension == Extension::None && !index->getType()->isIntegerTy(layout.getIndexTypeSizeInBits(address.getType())))
    return false;
  const std::optional<Split> split = IndexSplitter(builder, extension).split(index);
  if (!split || split->constant.isZero()) return false;
  const std::int64_t count = split->constant.getSExtValue();
  const std::uint64_t size = layout.getTypeAllocSize(address.getSourceElementType());
  std::int64_t bytes;
  if (llvm::MulOverflow(count, static_cast<std::int64_t>(size), bytes) || !llvm::isIntN(kOffsetBits, bytes))
    return false;
  Value* number = split->sum;
  if (extension == Extension::Signed) number = builder.CreateSExt(number, address.getOperand(1)->getType());
  if (extension == Extension::Unsigned) number = builder.CreateZExt(number, address.getOperand(1)->getType());
  // The address without the constant may be out of bounds.
  Value* start = builder.CreateGEP(address.getSourceElementType(), address.getPointerOperand(), number);
  address.replaceAllUsesWith(builder.CreatePtrAdd(start, builder.getInt64(static_cast<std::uint64_t>(bytes))));
  return true;
}

} // namespace

llvm::PreservedAnalyses ConstantOffsetsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  llvm::SmallVector<llvm::GetElementPtrInst*, 32> addresses;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
        address != nullptr && hasOneIndex(*address))
      addresses.push_back(address);
  bool isChanged = false;
  for (llvm::GetElementPtrInst* address : addresses)
    isChanged |= splitAddress(*address, function.getDataLayout());
  return preservedWithEdges(isChanged);
}

} // namespace clotho::compiler
