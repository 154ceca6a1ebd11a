// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/linear_kernel.hpp"

#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/replace_calls.hpp"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>

namespace clotho::compiler {
namespace {

using llvm::Value;

std::uint64_t itemsOf(const LocalSize& size) { return size[0] * size[1] * size[2]; }

/// An unsigned quotient and remainder, in the form that LanePatterns recognises (analysis/lane_pattern.hpp) if the
/// divisor is a power of two.
struct Division {
  Value* quotient;
  Value* remainder;
};

Division quotientOf(llvm::IRBuilder<>& builder, Value* number, std::uint64_t by) {
  if (llvm::isPowerOf2_64(by))
    return {builder.CreateLShr(number, llvm::Log2_64(by)), builder.CreateAnd(number, by - 1)};
  llvm::Constant* divisor = llvm::ConstantInt::get(number->getType(), by);
  return {builder.CreateUDiv(number, divisor), builder.CreateURem(number, divisor)};
}

/// Computes the local ids of a work-item from its linear one.
class LocalIds {
 public:
  LocalIds(llvm::IRBuilder<>& entry, llvm::CallInst& linear, const std::optional<LocalSize>& size) : entry_(entry) {
    if (size)
      divideBy(*size, linear);
    else
      divideBySizeOfLaunch(linear);
  }
  Value* of(unsigned dimension) const { return ids_[dimension]; }

 private:
  Value* narrow(Value* id) { return entry_.CreateTrunc(id, entry_.getInt32Ty(), "", /*IsNUW=*/true, /*IsNSW=*/true); }
  void set(unsigned dimension, Value* id) {
    ids_[dimension] = entry_.CreateZExt(id, entry_.getInt64Ty(), "", /*IsNonNeg=*/true);
  }

  /// A single row, along any dimension, needs no division.
  void divideBy(const LocalSize& size, Value& linear) {
    const std::uint64_t items = itemsOf(size);
    Value* rest = &linear; // what is left to divide, below `most`
    std::uint64_t most = items;
    for (unsigned i = 0; i < 3; ++i) {
      if (size[i] == 1) {
        ids_[i] = entry_.getInt64(0);
      } else if (size[i] == items) {
        ids_[i] = &linear;
      } else {
        if (rest == &linear) rest = narrow(rest);
        const Division division = size[i] == most ? Division{nullptr, rest} : quotientOf(entry_, rest, size[i]);
        set(i, division.remainder);
        rest = division.quotient;
        most /= size[i];
      }
    }
  }

  void divideBySizeOfLaunch(Value& linear) {
    Value* rest = narrow(&linear);
    for (unsigned i = 0; i < 2; ++i) {
      Value* size = narrow(createIntrinsic(entry_, Intrinsic::LocalSize, i));
      set(i, entry_.CreateURem(rest, size));
      rest = entry_.CreateUDiv(rest, size);
    }
    set(2, rest);
  }

  llvm::IRBuilder<>& entry_;
  Value* ids_[3] = {};
};

} // namespace

unsigned blockLanesOf(const llvm::Function& kernel) {
  constexpr std::uint64_t kFewest = 4, kMost = 16; // half of the largest sub-group
  const auto size = factsOf(kernel).linearOf;
  if (!size || (*size)[1] * (*size)[2] == 1) return 0;
  const std::uint64_t lanes = std::min(kMost, (*size)[0] & -(*size)[0]);
  return lanes >= kFewest ? static_cast<unsigned>(lanes) : 0;
}

void makeLinear(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  const std::optional<LocalSize> size = requiredSizes(kernel);
  changeFacts(kernel, [&](KernelFacts& facts) {
    facts.isLinear = true;
    facts.linearOf = size;
  });
  // The required size becomes a bound of the linear id, which is the only one left.
  if (size) setRequiredSizes(kernel, {itemsOf(*size), 1, 1});
  llvm::IRBuilder<> entry(&kernel.getEntryBlock(), kernel.getEntryBlock().getFirstInsertionPt());
  llvm::CallInst* own = createIntrinsic(entry, Intrinsic::LocalId, 0);
  const LocalIds ids(entry, *own, size);
  replaceIntrinsics(kernel, [&](llvm::CallInst& call, const IntrinsicCall& what) -> Value* {
    return what.intrinsic == Intrinsic::LocalId && &call != own ? ids.of(what.dimension) : nullptr;
  });
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::ADCEPass());
  analyses.invalidate(kernel, passes.run(kernel, analyses));
}

llvm::Function* cloneLinear(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  llvm::ValueToValueMapTy map;
  llvm::Function* linear = llvm::CloneFunction(&kernel, map);
  linear->setName(kernel.getName() + ".linear");
  linear->setSubprogram(nullptr);
  llvm::stripDebugInfo(*linear);
  makeLinear(*linear, analyses);
  return linear;
}

} // namespace clotho::compiler
