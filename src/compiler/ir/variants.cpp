// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/variants.hpp"

#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cassert>

namespace clotho::compiler {
namespace {

constexpr VariantInfo kVariants[] = {
    {Variant::Original, "original", "", "all work-groups that no other variant serves"},
    {Variant::Remainder, "remainder", ".remainder", "work-groups smaller than the size that the kernel requires"},
    {Variant::Exact, "exact", ".exact", "launches of which the kernel's assumptions do not hold"},
    {Variant::Direct, "direct", ".direct",
     "work-groups that fill their tiles of local memory whole, without these tiles (local-memory elimination)"},
    {Variant::Predicated, "predicated", ".predicated",
     "sub-groups with missing lanes or with lanes that part, under masks"},
    {Variant::HalfWidth, "half-width", ".half_width", "narrower sub-groups where lanes of a wide one part"},
    {Variant::Rows, "rows", ".rows", "several rows at once, which share what they load (unroll-and-jam)"},
    {Variant::Fallback, "fallback", ".fallback", "sub-groups that their caller does not run itself"},
    {Variant::RowFallback, "row-fallback", ".row_fallback", "rows that cannot run at once"},
};

} // namespace

llvm::ArrayRef<VariantInfo> variants() { return kVariants; }

const VariantInfo& infoOf(Variant variant) {
  const VariantInfo& info = kVariants[static_cast<std::size_t>(variant)];
  assert(info.variant == variant);
  return info;
}

std::optional<Variant> variantNamed(llvm::StringRef name) {
  const auto* info = llvm::find_if(kVariants, [&](const VariantInfo& each) { return each.name == name; });
  return info == std::end(kVariants) ? std::nullopt : std::optional(info->variant);
}

std::string variantName(llvm::StringRef function, Variant variant) { return (function + infoOf(variant).suffix).str(); }

Variant variantOf(const llvm::Function& function) { return factsOf(function).variant; }

llvm::Function* findVariant(const llvm::Function& function, Variant variant) {
  llvm::Function* found = function.getParent()->getFunction(variantName(function.getName(), variant));
  return found != nullptr && variantOf(*found) == variant ? found : nullptr;
}

llvm::Function* originalOf(const llvm::Function& function, Variant variant) {
  llvm::StringRef name = function.getName();
  return variantOf(function) == variant && name.consume_back(infoOf(variant).suffix)
             ? function.getParent()->getFunction(name)
             : nullptr;
}

llvm::Function* cloneVariant(llvm::Function& from, const llvm::Function& of, Variant variant) {
  llvm::ValueToValueMapTy map;
  llvm::Function* copy = llvm::CloneFunction(&from, map);
  copy->setName(variantName(of.getName(), variant));
  copy->setSubprogram(nullptr);
  llvm::stripDebugInfo(*copy);
  changeFacts(*copy, [&](KernelFacts& facts) { facts.variant = variant; });
  return copy;
}

llvm::Function* cloneExact(llvm::Function& kernel) {
  llvm::Function* any = findVariant(kernel, Variant::Remainder);
  llvm::Function* copy = cloneVariant(any != nullptr ? *any : kernel, kernel, Variant::Exact);
  changeFacts(*copy, [](KernelFacts& facts) { facts.isSeldomRun = true; });
  return copy;
}

bool isOriginalKernel(const llvm::Function& function) {
  return isKernel(function) && variantOf(function) == Variant::Original;
}

} // namespace clotho::compiler
