// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Affine forms and distances between accesses, against what is computed.
#include "compiler/analysis/affine_address.hpp"

#include "parsed_function.hpp"
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
  /// From an address that is near the other's, if nothing wraps around.
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

TEST(AffineAddress, DistancesOfAccesses) {
  unsigned known = 0, bounded = 0, compared = 0;
  for (unsigned seed = 0; seed < 20000; ++seed) {
    TwoLoads loads(seed);
    const llvm::DataLayout& layout = loads.function->getDataLayout();
    const auto distance = accessAddressOf(*loads.first, layout).distanceTo(accessAddressOf(*loads.second, layout));
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

/// The form's number, of so many bits.
llvm::APInt evaluate(const AffineForm& form, const Numbers& numbers, unsigned bits) {
  llvm::APInt sum(64, static_cast<std::uint64_t>(form.constant));
  for (const AffineForm::Term& term : form.terms) {
    const llvm::APInt value = numberOf(term.value, numbers).value;
    sum += (term.extension == Extension::Unsigned ? value.zextOrTrunc(64) : value.sextOrTrunc(64)) *
           llvm::APInt(64, static_cast<std::uint64_t>(term.scale));
  }
  return sum.trunc(bits);
}

TEST(AffineAddress, FormsOfIntegers) {
  unsigned compared = 0;
  for (unsigned seed = 0; seed < 5000; ++seed) {
    TwoLoads loads(seed);
    for (const llvm::Instruction& instruction : loads.function->getEntryBlock()) {
      if (!instruction.getType()->isIntegerTy() || llvm::isa<llvm::LoadInst>(instruction)) continue;
      const AffineForm form = affineFormOf(instruction);
      for (unsigned i = 0; i < 16; ++i) {
        Numbers numbers = loads.randomNumbers();
        evaluate(loads.function->getEntryBlock(), numbers);
        const Number number = numberOf(&instruction, numbers);
        if (number.isPoison) continue;
        compared += !form.terms.empty() && form.terms.front().value != &instruction;
        std::string text;
        llvm::raw_string_ostream(text) << *loads.function << instruction;
        ASSERT_EQ(evaluate(form, numbers, number.value.getBitWidth()), number.value) << "seed " << seed << "\n" << text;
      }
    }
  }
  EXPECT_GT(compared, 50000u);
}

AffineForm formOf(std::initializer_list<AffineForm::Term> terms, std::int64_t constant) {
  AffineForm form;
  form.constant = constant;
  for (const AffineForm::Term& term : terms)
    form.add(term);
  return form;
}

TEST(AffineForm, AddsAndCompares) {
  Parsed f("define void @f(i64 %x, i64 %y, i64 %z) { ret void }");
  AffineForm form = formOf({{&f["x"], 4}, {&f["y"], 1}, {&f["x"], -1}}, 7);
  EXPECT_EQ(form, formOf({{&f["y"], 1}, {&f["x"], 3}}, 7)); // in any order
  EXPECT_EQ(form.distanceTo(formOf({{&f["x"], 3}, {&f["y"], 1}}, 9)), 2);
  EXPECT_FALSE(form.distanceTo(formOf({{&f["x"], 3}}, 7)));
  EXPECT_FALSE(form == formOf({{&f["x"], 3}, {&f["y"], 1, Extension::Signed}}, 7));
  form.add(formOf({{&f["z"], 1}, {&f["y"], -1}}, 1), 2);
  EXPECT_EQ(form, formOf({{&f["x"], 3}, {&f["y"], -1}, {&f["z"], 2}}, 9));
  form.add(AffineForm(form), -1);
  EXPECT_EQ(form, AffineForm());
  EXPECT_TRUE(form.terms.empty());
}

TEST(AffineForm, TakesIntegersApart) {
  Parsed f(R"(define void @f(i64 %x, i32 %y, i64 %w) {
    %shifted = shl i64 %x, 2
    %sum = add i64 %shifted, -3
    %rows = mul i64 %sum, %w
    %plain = add i32 %y, 1
    %wide = zext i32 %plain to i64
    %promised = add nuw i32 %y, 1
    %exact = zext i32 %promised to i64
    %low = trunc i64 %sum to i32
    ret void
  })");
  EXPECT_EQ(affineFormOf(f["sum"]), formOf({{&f["x"], 4}}, -3));
  EXPECT_EQ(affineFormOf(f["sum"], {.takesSums = false}), formOf({{&f["sum"], 1}}, 0));
  EXPECT_EQ(affineFormOf(f["shifted"], {.takesSums = false}), formOf({{&f["x"], 4}}, 0));
  EXPECT_EQ(affineFormOf(f["rows"]), formOf({{&f["rows"], 1}}, 0));
  const auto isWidth = [&](const llvm::Value& value) { return &value == &f["w"]; };
  EXPECT_EQ(affineFormOf(f["rows"], {.isFactor = isWidth}),
            formOf({{&f["x"], 4, Extension::None, &f["w"]}, {&f["w"], -3}}, 0));
  EXPECT_EQ(affineFormOf(f["wide"]), formOf({{&f["plain"], 1, Extension::Unsigned}}, 0));
  EXPECT_EQ(affineFormOf(f["exact"]), formOf({{&f["y"], 1, Extension::Unsigned}}, 1));
  EXPECT_EQ(affineFormOf(f["wide"], {.wrapping = AffineOptions::Wrapping::None}), formOf({{&f["y"], 1}}, 1));
  EXPECT_EQ(affineFormOf(f["low"]), formOf({{&f["x"], 4}}, -3)); // modulo 2^32
}

TEST(AffineAddress, TakesAddressesApart) {
  Parsed f(R"(define void @f(ptr %a, i64 %x, i32 %y) {
    %plain = add i32 %y, 1
    %index = zext i32 %plain to i64
    %row = getelementptr [8 x i32], ptr %a, i64 %x, i64 3
    %element = getelementptr i32, ptr %row, i64 %index
    %next = add i32 %y, 2
    %next.index = zext i32 %next to i64
    %beside = getelementptr i32, ptr %row, i64 %next.index
    %one = load i32, ptr %element
    %other = load i32, ptr %beside
    ret void
  })");
  const auto isX = [&](const llvm::Value& value) { return &value == &f["x"]; };
  const AffineAddress row = affineAddressOf(f["row"], f.layout());
  EXPECT_EQ(row, (AffineAddress{&f["a"], formOf({{&f["x"], 32}}, 12)}));
  EXPECT_EQ(affineAddressOf(f["row"], f.layout(), {.isTerm = isX}), row);
  EXPECT_EQ(affineAddressOf(f["element"], f.layout(), {.isTerm = isX}).object, &f["element"]);
  const auto distance = [&](AffineOptions::Wrapping wrapping) {
    return affineAddressOf(f["element"], f.layout(), {.wrapping = wrapping})
        .distanceTo(affineAddressOf(f["beside"], f.layout(), {.wrapping = wrapping}));
  };
  EXPECT_FALSE(distance(AffineOptions::Wrapping::Exact));
  EXPECT_EQ(distance(AffineOptions::Wrapping::None), 4);
}

} // namespace
} // namespace clotho::compiler
