// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/lower/estimate_reciprocals.hpp"

#include "compiler/ir/run_pass.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

namespace clotho::compiler {
namespace {

namespace Intrinsic = llvm::Intrinsic;
using llvm::Value;

/// Estimates of 14 bits, for vectors of 4, 8 and 16 floats.
using Estimates = std::array<Intrinsic::ID, 3>;
constexpr Estimates kReciprocals = {Intrinsic::x86_avx512_rcp14_ps_128, Intrinsic::x86_avx512_rcp14_ps_256,
                                    Intrinsic::x86_avx512_rcp14_ps_512};
constexpr Estimates kRoots = {Intrinsic::x86_avx512_rsqrt14_ps_128, Intrinsic::x86_avx512_rsqrt14_ps_256,
                              Intrinsic::x86_avx512_rsqrt14_ps_512};
/// Estimates of 12 bits, which treat subnormal numbers as zeros.
constexpr Estimates kShortRoots = {Intrinsic::x86_sse_rsqrt_ps, Intrinsic::x86_avx_rsqrt_ps_256,
                                   Intrinsic::not_intrinsic};

bool isVectorOfFloats(llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector != nullptr && vector->getElementType()->isFloatTy() && vector->getNumElements() % 4 == 0;
}

bool isOne(Value* value) { return llvm::PatternMatch::match(value, llvm::PatternMatch::m_SpecificFP(1.0)); }

/// Builds the estimates of one function.
class Estimator {
 public:
  Estimator(llvm::LLVMContext& context, const ProcessorModel& cpu) : builder_(context), cpu_(cpu) {
    llvm::FastMathFlags flags;
    flags.setAllowContract();
    builder_.setFastMathFlags(flags);
  }

  bool replace(llvm::BinaryOperator& division) {
    if (division.getOpcode() != llvm::Instruction::FDiv || !isVectorOfFloats(division.getType())) return false;
    Value* result = nullptr;
    if (llvm::CallInst* root = rootToInvert(division)) {
      Value* inverse = inverseOf(*root);
      builder_.SetInsertPoint(&division);
      result = isOne(division.getOperand(0)) ? inverse : builder_.CreateFMul(division.getOperand(0), inverse);
    } else if (cpu_.estimatesReciprocals && division.hasAllowReciprocal() && isOne(division.getOperand(0))) {
      builder_.SetInsertPoint(&division);
      result = reciprocal(division.getOperand(1));
    }
    if (result == nullptr) return false;
    division.replaceAllUsesWith(result);
    division.eraseFromParent();
    return true;
  }

 private:
  /// The square root in the divisor, if its reciprocal may be estimated. With a Newton step, estimates of 14 bits meet
  /// the default accuracy of OpenCL's division, which the front end attaches to each.
  llvm::CallInst* rootToInvert(llvm::BinaryOperator& division) const {
    constexpr float kEnough = 2.0F; // ulp, of rsqrt and of the division
    auto* root = llvm::dyn_cast<llvm::IntrinsicInst>(division.getOperand(1));
    if (root == nullptr || root->getIntrinsicID() != Intrinsic::sqrt) return nullptr;
    const bool mayBeInexact = cpu_.hasRootEstimate && isOne(division.getOperand(0)) &&
                              llvm::cast<llvm::FPMathOperator>(division).getFPAccuracy() >= kEnough;
    return division.hasAllowReciprocal() || mayBeInexact ? root : nullptr;
  }

  /// Reciprocal of the square root, shared by all quotients: often a vector's elements are all divided by its length.
  Value* inverseOf(llvm::CallInst& root) {
    Value*& inverse = inverses_[&root];
    if (inverse == nullptr) {
      builder_.SetInsertPoint(root.getNextNode());
      Value* x = root.getArgOperand(0);
      inverse = cpu_.hasRootEstimate ? reciprocalRoot(x, kRoots) : reciprocalRootOfNormal(x);
    }
    return inverse;
  }

  Value* constant(Value* like, double value) { return llvm::ConstantFP::get(like->getType(), value); }

  /// Estimates for all elements, by the widest vectors that the processor has.
  Value* estimate(Value* x, const Estimates& instructions) {
    const unsigned count = llvm::cast<llvm::FixedVectorType>(x->getType())->getNumElements();
    const bool hasMask = &instructions != &kShortRoots;
    const unsigned most = std::min(cpu_.vectorBits / 32, hasMask ? 16U : 8U); // the short ones end at 256 bits
    unsigned each = 4;
    while (each < most && count % (2 * each) == 0)
      each *= 2;
    const Intrinsic::ID id = instructions[llvm::Log2_32(each) - 2];
    llvm::SmallVector<Value*, 8> parts;
    for (unsigned first = 0; first < count; first += each) {
      Value* part =
          count == each ? x : builder_.CreateShuffleVector(x, llvm::createSequentialMask(first, each, /*NumUndefs=*/0));
      llvm::SmallVector<Value*, 3> arguments = {part};
      if (hasMask) {
        arguments.push_back(llvm::Constant::getNullValue(part->getType()));
        arguments.push_back(llvm::ConstantInt::getAllOnesValue(builder_.getIntNTy(std::max(each, 8U))));
      }
      parts.push_back(builder_.CreateIntrinsic(id, {}, arguments));
    }
    return llvm::concatenateVectors(builder_, parts);
  }

  /// One Newton step, y + y / 2 * (1 - x * y * y): from 14 bits, less than 1.1 ulp. At zero and at infinity the
  /// estimate is right, but the error is NaN. Any positive error preserves the estimate there, so the minimum of the
  /// error, which is tiny, and one is taken: MINPS returns its second operand if the first is NaN.
  Value* reciprocalRoot(Value* x, const Estimates& instructions) {
    Value* y = estimate(x, instructions);
    Value* one = constant(x, 1.0);
    Value* error = builder_.CreateFSub(one, builder_.CreateFMul(builder_.CreateFMul(x, y), y));
    error = builder_.CreateSelect(builder_.CreateFCmpOLT(error, one), error, one);
    return builder_.CreateFAdd(y, builder_.CreateFMul(builder_.CreateFMul(y, constant(x, 0.5)), error));
  }

  /// Scales subnormal numbers to normal ones first, by a power of 4.
  Value* reciprocalRootOfNormal(Value* x) {
    Value* isSmall = builder_.CreateFCmpOLT(x, constant(x, 0x1p-126));
    Value* normal = builder_.CreateSelect(isSmall, builder_.CreateFMul(x, constant(x, 0x1p24)), x);
    Value* scale = builder_.CreateSelect(isSmall, constant(x, 0x1p12), constant(x, 1.0));
    return builder_.CreateFMul(reciprocalRoot(normal, kShortRoots), scale);
  }

  /// One Newton step, y * (2 - x * y). x * y is NaN if x is zero or infinite, and infinite if 1 / x overflows. The
  /// estimate y is right in these cases. Raising the factor (2 - x * y), otherwise nearly 1, to at least 1/2 preserves
  /// it: MAXPS returns its second operand if the first is NaN.
  Value* reciprocal(Value* x) {
    Value* y = estimate(x, kReciprocals);
    Value* factor = builder_.CreateFSub(constant(x, 2.0), builder_.CreateFMul(x, y));
    Value* half = constant(x, 0.5);
    return builder_.CreateFMul(y, builder_.CreateSelect(builder_.CreateFCmpOGT(factor, half), factor, half));
  }

  llvm::IRBuilder<> builder_;
  const ProcessorModel& cpu_;
  llvm::DenseMap<llvm::CallInst*, Value*> inverses_;
};

} // namespace

llvm::PreservedAnalyses EstimateReciprocalsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  Estimator estimator(function.getContext(), cpu_);
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
    if (auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction))
      changed = estimator.replace(*binary) || changed;
  return preservedWithEdges(changed);
}

} // namespace clotho::compiler
