// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/linear_id.hpp"

#include "compiler/analysis/affine_address.hpp"

namespace clotho::compiler {
namespace {

std::optional<unsigned> dimensionOfSize(const llvm::Value& value) {
  const auto call = matchLowerBits(&value);
  const bool isSize = call && (call->intrinsic == Intrinsic::LocalSize || call->intrinsic == Intrinsic::EnqueuedSize);
  return isSize ? std::optional(call->dimension) : std::nullopt;
}

bool isLocalSize(const llvm::Value& value) { return dimensionOfSize(value).has_value(); }

} // namespace

std::optional<LinearId> matchLinearId(const llvm::Value& sum) {
  const AffineForm form = affineFormOf(sum, {.isFactor = isLocalSize});
  if (form.terms.size() != 2 || form.constant != 0) return std::nullopt;
  const auto isLow = [](const AffineForm::Term& term) { return term.scale == 1 && term.factor == nullptr; };
  const AffineForm::Term &low = form.terms[isLow(form.terms[0]) ? 0 : 1],
                         &high = form.terms[isLow(form.terms[0]) ? 1 : 0];
  const auto lowId = matchIntrinsic(low.value), highId = matchIntrinsic(high.value);
  const bool isWhole = low.extension == Extension::None && high.extension == Extension::None;
  if (!isLow(low) || !isWhole || !lowId || !highId || high.scale <= 0) return std::nullopt;
  if (high.factor == nullptr) return LinearId{*highId, *lowId, static_cast<std::uint64_t>(high.scale), std::nullopt};
  return high.scale == 1 ? std::optional(LinearId{*highId, *lowId, 0, dimensionOfSize(*high.factor)}) : std::nullopt;
}

} // namespace clotho::compiler
