// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divisions in all their forms, against what is computed.
#include "compiler/analysis/division.hpp"

#include "parsed_function.hpp"
#include "random_expressions.hpp"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Instructions.h>

#include <gtest/gtest.h>

namespace clotho::compiler {
namespace {

constexpr const char* kDivisions = R"(define void @f(i32 %x, i32 %y, i128 %z) {
  %udiv = udiv i32 %x, 12
  %sdiv = sdiv i32 %x, 12
  %urem = urem i32 %x, 12
  %srem = srem i32 %x, 12
  %lshr = lshr i32 %x, 5
  %ashr = ashr i32 %x, 5
  %low = and i32 %x, 31
  %high = and i32 %x, -32
  %any = udiv i32 %x, %y
  %negative = sdiv i32 %x, -4
  %mask = and i32 %x, 12
  %all = and i32 %x, -1
  %far = lshr i32 %x, 32
  %product = mul i32 %x, 4
  %wide = lshr i128 %z, 5
  ret void
})";

TEST(Division, IsWhatIsComputed) {
  Parsed f(kDivisions);
  Chance chance(1);
  for (const char* name : {"udiv", "sdiv", "urem", "srem", "lshr", "ashr", "low", "high"}) {
    const auto& instruction = llvm::cast<llvm::Instruction>(f[name]);
    const auto division = matchDivision(instruction);
    ASSERT_TRUE(division) << name;
    EXPECT_EQ(division->dividend, &f["x"]);
    for (unsigned i = 0; i < 100; ++i) {
      const llvm::APInt x = interestingNumber(32, chance), by(32, division->constant);
      const bool isShift = division->divisor == nullptr;
      const llvm::APInt rounded = llvm::APIntOps::RoundingSDiv(x, by, llvm::APInt::Rounding::DOWN);
      const llvm::APInt quotient = !division->isSigned ? x.udiv(by) : isShift ? rounded : x.sdiv(by);
      const llvm::APInt expected = division->result == Division::Result::Quotient ? quotient
                                   : division->isRemainder()                      ? x - quotient * by
                                                                                  : quotient * by;
      auto* const computed =
          llvm::ConstantFoldBinaryOpOperands(instruction.getOpcode(), llvm::ConstantInt::get(instruction.getType(), x),
                                             llvm::cast<llvm::Constant>(instruction.getOperand(1)), f.layout());
      EXPECT_EQ(llvm::cast<llvm::ConstantInt>(computed)->getValue(), expected) << name;
    }
  }
}

TEST(Division, KnowsWhatItDividesBy) {
  Parsed f(kDivisions);
  EXPECT_EQ(matchDivision(f["any"])->constant, 0u);
  EXPECT_EQ(matchDivision(f["any"])->divisor, &f["y"]);
  EXPECT_EQ(matchDivision(f["negative"])->constant, 0u);
  EXPECT_EQ(matchDivision(f["high"])->result, Division::Result::Multiple);
  for (const char* name : {"mask", "all", "far", "product", "wide", "x"})
    EXPECT_FALSE(matchDivision(f[name])) << name;
}

} // namespace
} // namespace clotho::compiler
