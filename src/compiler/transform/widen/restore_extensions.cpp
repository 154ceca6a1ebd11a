// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/restore_extensions.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

namespace clotho::compiler {
namespace {

using namespace llvm::PatternMatch;

constexpr std::uint64_t kLowHalf = 0xffffffff;

/// A value extended from 32 to 64 bits and then shifted left; `whole` is null for other values.
struct Extension {
  llvm::Value* whole = nullptr; ///< value whose low half is used
  bool isSigned = false;
  std::uint64_t shift = 0;
};

Extension extensionOf(llvm::Instruction& instruction) {
  llvm::Value* whole = nullptr;
  std::uint64_t back = 0, shift = 0, mask = 0;
  if (llvm::PatternMatch::match(&instruction, m_Shr(m_Shl(m_Value(whole), m_SpecificInt(32)), m_ConstantInt(back))) &&
      back <= 32)
    return {whole, instruction.getOpcode() == llvm::Instruction::AShr, 32 - back};
  if (llvm::PatternMatch::match(&instruction,
                                m_And(m_Shl(m_Value(whole), m_ConstantInt(shift)), m_ConstantInt(mask))) &&
      shift < 32 && mask == kLowHalf << shift)
    return {whole, false, shift};
  if (llvm::PatternMatch::match(&instruction, m_And(m_Value(whole), m_SpecificInt(kLowHalf)))) return {whole, false, 0};
  return {};
}

/// Whether an address depends on the value. In addresses the form of extensions shows which lanes are adjacent.
bool isForAddress(const llvm::Value& value, unsigned depth = 3) {
  return llvm::any_of(value.users(), [&](const llvm::User* user) {
    if (llvm::isa<llvm::GetElementPtrInst>(user)) return true;
    return depth != 0 && user->getType()->isIntegerTy() && isForAddress(*user, depth - 1);
  });
}

/// Rewrites a complement as -1 - x: LLVM turns `n - 1 - i` into n + ~i, but a difference shows the stride between
/// lanes.
bool restoreDifference(llvm::Instruction& instruction) {
  llvm::Value* value = nullptr;
  if (!llvm::PatternMatch::match(&instruction, m_Not(m_Value(value))) || !instruction.getType()->isIntegerTy() ||
      instruction.getType()->getIntegerBitWidth() < 32 || !isForAddress(instruction))
    return false;
  llvm::IRBuilder<> builder(&instruction);
  instruction.replaceAllUsesWith(builder.CreateSub(llvm::Constant::getAllOnesValue(instruction.getType()), value, "",
                                                   /*HasNUW=*/true, /*HasNSW=*/true));
  return true;
}

/// Rewrites zext(trunc(x) >> n) as a shift and a mask of x: truncating and extending vectors would move data between
/// halves of registers.
bool keepWide(llvm::Instruction& instruction) {
  llvm::Value* whole = nullptr;
  std::uint64_t shift = 0;
  if (!llvm::PatternMatch::match(&instruction,
                                 m_ZExt(m_OneUse(m_LShr(m_OneUse(m_Trunc(m_Value(whole))), m_ConstantInt(shift))))))
    return false;
  const unsigned narrow = instruction.getOperand(0)->getType()->getScalarSizeInBits();
  if (whole->getType() != instruction.getType() || shift >= narrow || isForAddress(instruction)) return false;
  llvm::IRBuilder<> builder(&instruction);
  llvm::Type* type = instruction.getType();
  llvm::Value* bits = builder.CreateAnd(
      builder.CreateLShr(whole, shift),
      llvm::ConstantInt::get(type, llvm::APInt::getLowBitsSet(type->getScalarSizeInBits(), narrow - unsigned(shift))));
  instruction.replaceAllUsesWith(bits);
  return true;
}

} // namespace

bool restoreExtensions(llvm::Function& function) {
  bool changed = false;
  llvm::SmallVector<llvm::WeakTrackingVH, 4> dead;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (keepWide(instruction) || restoreDifference(instruction)) {
      dead.emplace_back(&instruction);
      continue;
    }
    if (!instruction.getType()->isIntegerTy(64)) continue;
    const Extension extension = extensionOf(instruction);
    if (extension.whole == nullptr) continue;
    llvm::IRBuilder<> builder(&instruction);
    llvm::Value* half = builder.CreateTrunc(extension.whole, builder.getInt32Ty());
    llvm::Value* value = extension.isSigned ? builder.CreateSExt(half, builder.getInt64Ty())
                                            : builder.CreateZExt(half, builder.getInt64Ty());
    if (extension.shift != 0) value = builder.CreateShl(value, extension.shift);
    instruction.replaceAllUsesWith(value);
    instruction.eraseFromParent();
    changed = true;
  }
  if (dead.empty()) return changed;
  llvm::RecursivelyDeleteTriviallyDeadInstructions(dead);
  return true;
}

} // namespace clotho::compiler
