// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/vectorise/private_arrays.hpp"

#include "base/arithmetic.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include <numeric>

namespace clotho::compiler {
namespace {

/// An address within an array, in bytes.
struct Place {
  std::int64_t offset = 0;
  llvm::SmallVector<PrivateArrays::Term, 2> terms;
};

/// A number, and by which small constant it is multiplied for an index: where LLVM counts bytes, elements are no steps
/// of addresses.
std::pair<llvm::Value*, std::int64_t> factored(llvm::Value* index) {
  using namespace llvm::PatternMatch;
  constexpr unsigned kMostBits = 24;
  llvm::Value* number = nullptr;
  const llvm::APInt* by = nullptr;
  if (!index->getType()->isIntegerTy(64)) return {index, 1};
  if (match(index, m_Mul(m_Value(number), m_APInt(by))) && by->isSignedIntN(kMostBits))
    return {number, by->getSExtValue()};
  if (match(index, m_Shl(m_Value(number), m_APInt(by))) && by->ult(kMostBits))
    return {number, std::int64_t(1) << by->getZExtValue()};
  return {index, 1};
}

bool step(const llvm::GEPOperator& address, const llvm::DataLayout& layout, Place& place) {
  llvm::APInt constant(64, 0);
  llvm::SmallMapVector<llvm::Value*, llvm::APInt, 4> variable;
  if (address.getType()->isVectorTy() || !address.collectOffset(layout, 64, variable, constant)) return false;
  place.offset += constant.getSExtValue();
  for (const auto& [index, scale] : variable) {
    const auto [number, factor] = factored(index);
    place.terms.push_back({number, scale.getSExtValue() * factor});
  }
  return true;
}

} // namespace

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
  llvm::SmallMapVector<llvm::Instruction*, Place, 16> accesses;
  llvm::SmallVector<std::pair<llvm::Instruction*, Place>, 16> work = {{&array, {}}};
  llvm::SmallVector<llvm::Instruction*, 16> replaced = {&array};
  // Every access and every term of an address is a multiple of the unit.
  std::uint64_t unit = 0;
  while (!work.empty()) {
    const auto [pointer, place] = work.pop_back_val();
    for (llvm::User* user : pointer->users()) {
      auto* instruction = llvm::cast<llvm::Instruction>(user);
      if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(instruction)) {
        Place next = place;
        if (!step(llvm::cast<llvm::GEPOperator>(*address), layout_, next)) return;
        work.emplace_back(address, std::move(next));
        replaced.push_back(address);
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
      unit = std::gcd(unit, static_cast<std::uint64_t>(magnitude(place.offset)));
      for (const Term& term : place.terms)
        unit = std::gcd(unit, static_cast<std::uint64_t>(magnitude(term.scale)));
      accesses.insert({instruction, place});
    }
  }
  // Larger ones would need their bytes put together from several places.
  for (const auto& [instruction, place] : accesses)
    if (layout_.getTypeStoreSize(llvm::getLoadStoreType(instruction)->getScalarType()) != unit) return;
  if (unit == 0) return;
  for (auto& [instruction, place] : accesses) {
    Access& access = accesses_[instruction];
    access.array = &array;
    access.offset = place.offset / static_cast<std::int64_t>(unit);
    for (const Term& term : place.terms)
      access.terms.push_back({term.index, term.scale / static_cast<std::int64_t>(unit)});
  }
  for (llvm::Instruction* instruction : replaced)
    replaced_[instruction] = true;
  units_[&array] = static_cast<unsigned>(unit);
}

} // namespace clotho::compiler
