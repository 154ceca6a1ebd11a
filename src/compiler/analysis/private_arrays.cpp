// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/private_arrays.hpp"

#include "base/arithmetic.hpp"
#include "compiler/analysis/private_memory.hpp"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <numeric>

namespace clotho::compiler {
PrivateArrays::PrivateArrays(llvm::Function& function) : layout_(function.getDataLayout()) {
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* array = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) consider(*array);
}

const PrivateArrays::Access* PrivateArrays::accessOf(const llvm::Instruction* access) const {
  const auto found = accesses_.find(access);
  return found == accesses_.end() ? nullptr : &found->second;
}

void PrivateArrays::consider(llvm::AllocaInst& array) {
  const auto size = array.getAllocationSize(layout_);
  if (!size || size->isScalable() || size->isZero()) return;
  llvm::SmallVector<std::pair<llvm::Instruction*, AffineForm>, 16> accesses;
  llvm::SmallVector<llvm::Instruction*, 16> work = {&array}, replaced = {&array};
  // Every access and every term of an address is a multiple of the unit.
  std::uint64_t unit = 0;
  while (!work.empty()) {
    llvm::Instruction* pointer = work.pop_back_val();
    const AffineAddress address = affineAddressOf(*pointer, layout_, {.takesSums = false});
    if (address.object != &array) return;
    for (llvm::User* user : pointer->users()) {
      auto* instruction = llvm::cast<llvm::Instruction>(user);
      if (llvm::isa<llvm::GetElementPtrInst>(instruction)) {
        work.push_back(instruction);
        replaced.push_back(instruction);
        continue;
      }
      if (llvm::isa<llvm::LifetimeIntrinsic>(instruction)) {
        replaced.push_back(instruction);
        continue;
      }
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction);
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(instruction);
      if ((load == nullptr || !load->isSimple()) && (store == nullptr || !store->isSimple())) return;
      if (store != nullptr && store->getValueOperand() == pointer) return;
      llvm::Type* type = llvm::getLoadStoreType(instruction);
      llvm::Type* scalar = type->getScalarType();
      if (type->isAggregateType() || layout_.getTypeSizeInBits(scalar) < 8) return;
      unit = std::gcd(unit, layout_.getTypeStoreSize(scalar).getFixedValue());
      unit = std::gcd(unit, static_cast<std::uint64_t>(magnitude(address.offset.constant)));
      for (const AffineForm::Term& term : address.offset.terms)
        unit = std::gcd(unit, static_cast<std::uint64_t>(magnitude(term.scale)));
      accesses.emplace_back(instruction, address.offset);
    }
  }
  // Larger accesses would have to be assembled from several elements.
  for (const auto& [instruction, offset] : accesses)
    if (layout_.getTypeStoreSize(llvm::getLoadStoreType(instruction)->getScalarType()) != unit) return;
  if (unit == 0) return;
  // Debuggers are told of one element for each lane.
  if (size->getFixedValue() != unit && isShownByDebuggers(array)) return;
  for (auto& [instruction, offset] : accesses) {
    offset.constant /= static_cast<std::int64_t>(unit);
    for (AffineForm::Term& term : offset.terms)
      term.scale /= static_cast<std::int64_t>(unit);
    accesses_[instruction] = {&array, std::move(offset)};
  }
  for (llvm::Instruction* instruction : replaced)
    replaced_[instruction] = true;
  units_[&array] = static_cast<unsigned>(unit);
}

} // namespace clotho::compiler
