// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What SmallRanges and ValueNumbers say of random arithmetic, against what it amounts to, and isSameAtAnyWidth of what
// tells work-items apart.
#include "compiler/analysis/small_ranges.hpp"
#include "compiler/analysis/value_numbers.hpp"
#include "compiler/analysis/width_dependence.hpp"
#include "random_expressions.hpp"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <gtest/gtest.h>

namespace clotho::compiler {
namespace {

std::string textOf(const llvm::Function& function) {
  std::string text;
  llvm::raw_string_ostream(text) << function;
  return text;
}

/// A function of integers of several sizes with random arithmetic in one block.
struct RandomFunction {
  RandomFunction(unsigned seed, llvm::ArrayRef<unsigned> sizes) : module("test", context), chance(seed) {
    llvm::IRBuilder<> builder(context);
    llvm::SmallVector<llvm::Type*, 4> types;
    for (const unsigned bits : sizes)
      types.push_back(builder.getIntNTy(bits));
    function = llvm::Function::Create(llvm::FunctionType::get(builder.getVoidTy(), types, false),
                                      llvm::Function::ExternalLinkage, "f", module);
    builder.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
    for (llvm::Argument& argument : function->args())
      values.push_back(&argument);
    for (unsigned i = 0; i < 12; ++i)
      addInstruction(builder, values, chance);
    builder.CreateRetVoid();
  }

  Numbers run() {
    Numbers numbers;
    for (const llvm::Argument& argument : function->args())
      numbers[&argument] = {interestingNumber(argument.getType()->getIntegerBitWidth(), chance)};
    evaluate(function->getEntryBlock(), numbers);
    return numbers;
  }

  llvm::LLVMContext context;
  llvm::Module module;
  Chance chance;
  llvm::Function* function;
  std::vector<llvm::Value*> values;
};

TEST(SmallRanges, ContainsWhatValuesAre) {
  std::size_t narrower = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    RandomFunction random(seed, {8, 8, 16, 32});
    SmallRanges ranges;
    for (unsigned round = 0; round < 50; ++round)
      for (const auto& [value, number] : random.run()) {
        const llvm::ConstantRange range = ranges.of(value);
        narrower += !range.isFullSet();
        ASSERT_TRUE(number.isPoison || range.contains(number.value))
            << "seed " << seed << ": " << value->getNameOrAsOperand() << " is "
            << llvm::toString(number.value, 10, false) << " in\n"
            << textOf(*random.function);
        ASSERT_TRUE(number.isPoison || !ranges.fitsUnsigned(value) || number.value.getActiveBits() <= 16);
        ASSERT_TRUE(number.isPoison || !ranges.fitsSigned(value) || number.value.getSignificantBits() <= 16);
      }
  }
  EXPECT_GT(narrower, 100000u);
}

TEST(ValueNumbers, SameNumberIsSameValue) {
  std::size_t same = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    RandomFunction random(seed, {32, 32, 64});
    ValueNumbers numbers;
    llvm::DenseMap<unsigned, const llvm::Value*> first;
    std::vector<std::pair<const llvm::Value*, const llvm::Value*>> pairs;
    for (const llvm::Value* value : random.values) {
      const auto [known, isNew] = first.try_emplace(numbers.of(value), value);
      if (!isNew) pairs.emplace_back(known->second, value);
    }
    same += pairs.size();
    for (unsigned round = 0; round < 50 && !pairs.empty(); ++round) {
      const Numbers results = random.run();
      for (const auto& [a, b] : pairs) {
        const Number left = results.lookup(a), right = results.lookup(b);
        ASSERT_TRUE(left.isPoison || right.isPoison || (a->getType() == b->getType() && left.value == right.value))
            << "seed " << seed << ": " << a->getNameOrAsOperand() << " and " << b->getNameOrAsOperand() << " in\n"
            << textOf(*random.function);
      }
    }
  }
  EXPECT_GT(same, 300u);
}

template <class Asks> bool askOfKernel(const std::string& instructions, Asks asks) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const auto module =
      llvm::parseAssemblyString("define spir_kernel void @k(ptr addrspace(1) %global, ptr addrspace(3) %local) {\n" +
                                    instructions + "ret void\n}",
                                problem, context);
  if (module == nullptr) ADD_FAILURE() << problem.getMessage().str();
  return module != nullptr && asks(*module->getFunction("k"));
}

bool isSameWith(const std::string& instructions) {
  return askOfKernel(instructions,
                     [](const llvm::Function& kernel) { return isSameAtAnyWidth(kernel, ProcessorModel()); });
}

constexpr const char* kUse = "store i32 %x, ptr addrspace(1) %global\n";

TEST(WidthDependence, AnswersOfLocalMemoryTellTheOrder) {
  EXPECT_FALSE(isSameWith(std::string("%x = atomicrmw add ptr addrspace(3) %local, i32 1 monotonic\n") + kUse));
  EXPECT_TRUE(isSameWith("%x = atomicrmw add ptr addrspace(3) %local, i32 1 monotonic\n"));
}

TEST(WidthDependence, WorkGroupsComeInAnyOrder) {
  EXPECT_TRUE(isSameWith(std::string("%x = atomicrmw volatile add ptr addrspace(1) %global, i32 1 monotonic\n") + kUse))
      << "atomics of OpenCL 1.x take pointers to volatile";
}

TEST(WidthDependence, ChangesWhoseOrderMatters) {
  EXPECT_FALSE(isSameWith("%x = atomicrmw fadd ptr addrspace(3) %local, float 1.0 monotonic\n")) << "rounds";
  EXPECT_FALSE(isSameWith("%x = atomicrmw xchg ptr addrspace(3) %local, i32 1 monotonic\n")) << "the last one stays";
  EXPECT_FALSE(isSameWith("store atomic i32 1, ptr addrspace(3) %local monotonic, align 4\n"));
  EXPECT_TRUE(isSameWith("%x = atomicrmw umax ptr addrspace(3) %local, i32 1 monotonic\n"));
  EXPECT_TRUE(isSameWith("%x = atomicrmw fadd ptr addrspace(1) %global, float 1.0 monotonic\n"))
      << "in any order as it is";
}

TEST(WidthDependence, OthersSeeVolatileMemory) {
  const auto goesInStep = [](const std::string& instructions) { return askOfKernel(instructions, mayGoInStep); };
  EXPECT_TRUE(goesInStep(std::string("%x = load volatile i32, ptr addrspace(3) %local\n") + kUse));
  EXPECT_TRUE(goesInStep("store volatile i32 1, ptr addrspace(1) %global\n"));
  EXPECT_FALSE(
      goesInStep(std::string("%p = alloca i32\nstore volatile i32 1, ptr %p\n%x = load volatile i32, ptr %p\n") + kUse))
      << "but nobody that of one work-item";
  EXPECT_FALSE(goesInStep("store i32 1, ptr addrspace(1) %global\n"));
}

} // namespace
} // namespace clotho::compiler
