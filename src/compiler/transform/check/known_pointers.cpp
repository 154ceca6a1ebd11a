// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/check/known_pointers.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/KnownBits.h>
#include <llvm/Transforms/Utils/Local.h>

namespace clotho::compiler {
namespace {

using llvm::Value;

/// Attribute of a parameter. Its value is the offset and the size.
constexpr llvm::StringLiteral kExtent = "clotho-extent";

/// The extent of a pointer that is a constant distance from a variable, or from a parameter whose extent is noted.
std::optional<KnownExtent> extentOf(const Value* pointer, const llvm::DataLayout& layout) {
  llvm::APInt distance(64, 0);
  for (;;) {
    pointer = pointer->stripAndAccumulateConstantOffsets(layout, distance, /*AllowNonInbounds=*/true);
    const auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(pointer);
    if (cast == nullptr) break;
    pointer = cast->getPointerOperand();
  }
  if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(pointer)) {
    const auto size = variable->getAllocationSize(layout);
    return size ? std::optional(KnownExtent{distance.getSExtValue(), size->getFixedValue()}) : std::nullopt;
  }
  const auto* parameter = llvm::dyn_cast<llvm::Argument>(pointer);
  const std::optional<KnownExtent> noted = parameter != nullptr ? notedExtent(*parameter) : std::nullopt;
  return noted ? std::optional(KnownExtent{noted->offset + distance.getSExtValue(), noted->size}) : std::nullopt;
}

} // namespace

llvm::Align alignmentOf(Value& pointer, const llvm::Instruction& at, unsigned depth) {
  constexpr unsigned kMostSteps = 8;
  const llvm::DataLayout& layout = at.getDataLayout();
  const auto known = [&] { return llvm::getKnownAlignment(&pointer, layout, &at); };
  const auto ofSource = [&](Value* source) { return alignmentOf(*source, at, depth + 1); };
  if (depth == kMostSteps) return known();
  if (auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(&pointer)) return ofSource(cast->getPointerOperand());
  if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&pointer))
    return std::min(ofSource(select->getTrueValue()), ofSource(select->getFalseValue()));
  const auto* address = llvm::dyn_cast<llvm::GEPOperator>(&pointer);
  if (address == nullptr) return known();
  const unsigned bits = layout.getIndexTypeSizeInBits(pointer.getType());
  llvm::SmallMapVector<Value*, llvm::APInt, 4> variable;
  llvm::APInt constant(bits, 0);
  if (!address->collectOffset(layout, bits, variable, constant)) return known();
  unsigned zeros = std::min<unsigned>(constant.countr_zero(), llvm::Value::MaxAlignmentExponent);
  for (const auto& [index, stride] : variable)
    zeros = std::min(zeros, stride.countr_zero() + llvm::computeKnownBits(index, layout).countMinTrailingZeros());
  const llvm::Align own =
      std::min(llvm::Align(std::uint64_t{1} << zeros), ofSource(const_cast<Value*>(address->getPointerOperand())));
  return std::max(own, known());
}

void noteWhatCallsPass(llvm::Function& function) {
  const llvm::DataLayout& layout = function.getDataLayout();
  for (llvm::Argument& parameter : function.args()) {
    if (!parameter.getType()->isPointerTy() || function.use_empty()) continue;
    std::optional<llvm::Align> align;
    std::optional<KnownExtent> extent;
    bool doAgree = true;
    for (llvm::User* user : function.users()) {
      auto& call = *llvm::cast<llvm::CallInst>(user);
      Value& passed = *call.getArgOperand(parameter.getArgNo());
      const llvm::Align its = alignmentOf(passed, call);
      align = align ? std::min(*align, its) : its;
      const std::optional<KnownExtent> here = extentOf(&passed, layout);
      doAgree = doAgree && here && (!extent || *extent == *here);
      extent = here;
    }
    if (align > parameter.getParamAlign().valueOrOne()) {
      parameter.removeAttr(llvm::Attribute::Alignment);
      parameter.addAttr(llvm::Attribute::getWithAlignment(function.getContext(), *align));
    }
    if (doAgree)
      function.addParamAttr(
          parameter.getArgNo(),
          llvm::Attribute::get(function.getContext(), kExtent,
                               (llvm::Twine(extent->offset) + "," + llvm::Twine(extent->size)).str()));
  }
}

std::optional<KnownExtent> notedExtent(const llvm::Argument& parameter) {
  const llvm::Attribute attribute = parameter.getParent()->getAttributes().getParamAttr(parameter.getArgNo(), kExtent);
  if (!attribute.isValid()) return std::nullopt;
  const auto [offset, size] = attribute.getValueAsString().split(',');
  KnownExtent extent{};
  if (offset.getAsInteger(10, extent.offset) || size.getAsInteger(10, extent.size)) return std::nullopt;
  return extent;
}

} // namespace clotho::compiler
