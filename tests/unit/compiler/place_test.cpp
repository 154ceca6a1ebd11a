// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is said of the distance between two accesses, against where they are.
#include "compiler/analysis/place.hpp"

#include "random_expressions.hpp"

#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <gtest/gtest.h>

namespace clotho::compiler {
namespace {

constexpr unsigned kGlobalSpace = 1;
constexpr std::uint64_t kBegin = std::uint64_t(1) << 46; ///< of the buffer
constexpr std::uint64_t kMost = std::uint64_t(1) << 45;  ///< that any buffer has, in bytes

/// f(a, i32 n, i64 m): two loads from a, by indices that are computed at random.
class TwoLoads {
 public:
  explicit TwoLoads(unsigned seed) : chance_(seed), module_("test", context_), builder_(context_) {
    module_.setDataLayout("e-i64:64-v16:16-v24:32-v32:32-G1");
    auto* type = llvm::FunctionType::get(
        builder_.getVoidTy(), {builder_.getPtrTy(kGlobalSpace), builder_.getInt32Ty(), builder_.getInt64Ty()}, false);
    function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module_);
    builder_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function));
    std::vector<llvm::Value*> values{function->getArg(1), function->getArg(2)};
    for (unsigned i = 0, count = chance_.below(3); i < count; ++i)
      addInstruction(builder_, values, chance_);
    llvm::Value* common = chance_.of(values);
    const bool isInBounds = chance_.oneIn(2);
    first = addLoad(common, isInBounds);
    second = addLoad(common, isInBounds);
    builder_.CreateRetVoid();
  }

  /// Values of the arguments: the buffer's address, and random numbers.
  Numbers randomNumbers() {
    const auto any = [&](unsigned bits) {
      // Half of them where indices wrap around.
      const llvm::APInt near = chance_.oneIn(2) ? llvm::APInt(bits, 0) : llvm::APInt::getSignedMinValue(bits);
      return chance_.oneIn(2) ? interestingNumber(bits, chance_) : near + chance_.below(16) - 8;
    };
    return {{function->getArg(0), {llvm::APInt(64, kBegin)}},
            {function->getArg(1), {any(32)}},
            {function->getArg(2), {any(64)}}};
  }

  llvm::Function* function;
  llvm::Value *first, *second; ///< the addresses

 private:
  /// From a place that is beside the other's, if nothing wraps around.
  llvm::Value* addLoad(llvm::Value* index, bool isInBounds) {
    const auto add = [&] {
      const llvm::APInt term =
          chance_.oneIn(8) ? interestingNumber(index->getType()->getIntegerBitWidth(), chance_)
                           : llvm::APInt(32, chance_.below(8)).zextOrTrunc(index->getType()->getIntegerBitWidth()) - 4;
      if (!chance_.oneIn(3))
        index = builder_.CreateAdd(index, builder_.getInt(term), "", chance_.oneIn(6), chance_.oneIn(6));
    };
    const auto multiply = [&] {
      auto* factor = llvm::ConstantInt::get(index->getType(), 1 + chance_.below(5));
      if (chance_.oneIn(3)) index = builder_.CreateMul(index, factor, "", chance_.oneIn(3), chance_.oneIn(3));
    };
    add();
    if (chance_.oneIn(4)) multiply();
    if (chance_.oneIn(3)) add();
    if (index->getType()->getIntegerBitWidth() < 64)
      index = chance_.oneIn(2) ? builder_.CreateSExt(index, builder_.getInt64Ty())
                               : builder_.CreateZExt(index, builder_.getInt64Ty());
    if (chance_.oneIn(3)) add();
    if (chance_.oneIn(6)) multiply();
    llvm::Value* address = isInBounds ? builder_.CreateInBoundsGEP(builder_.getInt32Ty(), function->getArg(0), index)
                                      : builder_.CreateGEP(builder_.getInt32Ty(), function->getArg(0), index);
    builder_.CreateLoad(builder_.getInt32Ty(), address);
    return address;
  }

  Chance chance_;
  llvm::LLVMContext context_;
  llvm::Module module_;
  llvm::IRBuilder<> builder_;
};

TEST(Place, DistancesOfAccesses) {
  unsigned known = 0, bounded = 0, compared = 0;
  for (unsigned seed = 0; seed < 20000; ++seed) {
    TwoLoads loads(seed);
    const llvm::DataLayout& layout = loads.function->getDataLayout();
    const auto distance = placeOfAccess(loads.first, layout).distanceTo(placeOfAccess(loads.second, layout));
    if (!distance) continue;
    ++known;
    bounded += distance->largestMemory != kAnyMemory;
    const std::uint64_t size = std::min(distance->largestMemory, kMost);
    for (unsigned i = 0; i < 64; ++i) {
      Numbers numbers = loads.randomNumbers();
      evaluate(loads.function->getEntryBlock(), numbers);
      const Number one = numberOf(loads.first, numbers), other = numberOf(loads.second, numbers);
      const auto isInBounds = [&](const Number& address) {
        return !address.isPoison && address.value.getZExtValue() - kBegin <= size - sizeof(std::uint32_t);
      };
      if (!isInBounds(one) || !isInBounds(other)) continue; // not both are made
      ++compared;
      std::string text;
      llvm::raw_string_ostream(text) << *loads.function;
      ASSERT_EQ((other.value - one.value).getSExtValue(), distance->bytes) << "seed " << seed << "\n" << text;
    }
  }
  // Else nothing has been tested.
  EXPECT_GT(known, 2000u);
  EXPECT_GT(bounded, 500u);
  EXPECT_GT(compared, 50000u);
}

} // namespace
} // namespace clotho::compiler
