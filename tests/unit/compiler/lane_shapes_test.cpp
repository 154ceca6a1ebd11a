// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What LaneShapes and LanePatterns say of random kernels, against what their lanes compute.
#include "compiler/analysis/lane_shapes.hpp"

#include "abi/global_ids.hpp"
#include "compiler/analysis/analyses.hpp"
#include "compiler/analysis/lane_pattern.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "random_expressions.hpp"

#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>

#include <gtest/gtest.h>

namespace clotho::compiler {
namespace {

constexpr unsigned kGlobalSpace = 1, kLocalSpace = 3;
constexpr std::uint64_t kLocalMemory = 1 << 20; ///< more than any device has

/// Managers with our analyses.
struct Managers {
  Managers() {
    registerAnalyses(functions);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }

  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
};

/// kernel(a, b, i32 n, i64 m): if a condition holds, loads from an address that is computed at random, of the local id,
/// too.
class RandomKernel {
 public:
  explicit RandomKernel(unsigned seed) : chance_(seed), module_("test", context_), builder_(context_) {
    module_.setDataLayout("e-i64:64-v16:16-v24:32-v32:32-G1");
    llvm::Type* global = builder_.getPtrTy(kGlobalSpace);
    llvm::Type* local = builder_.getPtrTy(kLocalSpace);
    auto* type = llvm::FunctionType::get(builder_.getVoidTy(),
                                         {global, local, builder_.getInt32Ty(), builder_.getInt64Ty()}, false);
    function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "k", module_);
    function->setCallingConv(llvm::CallingConv::SPIR_KERNEL);
    auto* entry = llvm::BasicBlock::Create(context_, "entry", function);
    then = llvm::BasicBlock::Create(context_, "then", function);
    auto* otherwise = llvm::BasicBlock::Create(context_, "otherwise", function);
    auto* end = llvm::BasicBlock::Create(context_, "end", function);
    builder_.SetInsertPoint(entry);
    id = createIntrinsic(builder_, Intrinsic::LocalId, 0);
    groupBase = createIntrinsic(builder_, Intrinsic::GroupBase, 0);
    laneNumber = createIntrinsic(builder_, Intrinsic::SubGroupLane);
    globalId = llvm::cast<llvm::Instruction>(builder_.CreateNUWAdd(id, groupBase));
    values = {function->getArg(2), function->getArg(3), id, builder_.CreateTrunc(id, builder_.getInt32Ty(), "i")};
    if (chance_.oneIn(3)) values.push_back(globalId);
    if (chance_.oneIn(3)) values.push_back(laneNumber);
    // Most of what goes wrong does so in one step from these.
    const bool isShort = chance_.oneIn(2);
    if (isShort) values.push_back(narrowId());
    condition = chance_.oneIn(2) ? guard() : builder_.getTrue();
    builder_.CreateCondBr(condition, then, otherwise);
    builder_.SetInsertPoint(then);
    for (unsigned i = 0, count = isShort ? chance_.below(2) : 1 + chance_.below(5); i < count; ++i)
      addInstruction(builder_, values, chance_);
    addLoad();
    useAll();
    builder_.CreateBr(end);
    builder_.SetInsertPoint(otherwise);
    builder_.CreateBr(end);
    builder_.SetInsertPoint(end);
    builder_.CreateRetVoid();
  }

  Numbers numbersOf(unsigned lane, std::uint64_t firstId, std::uint64_t base, const llvm::APInt& n,
                    const llvm::APInt& m) const {
    Numbers numbers;
    for (unsigned i = 0; i < 2; ++i)
      numbers[function->getArg(i)] = {llvm::APInt(64, 0)};
    numbers[function->getArg(2)] = {n};
    numbers[function->getArg(3)] = {m};
    numbers[id] = {llvm::APInt(64, firstId + lane)};
    numbers[groupBase] = {llvm::APInt(64, base)};
    numbers[laneNumber] = {llvm::APInt(64, lane)};
    evaluate(function->getEntryBlock(), numbers);
    evaluate(*then, numbers);
    return numbers;
  }

  std::string text() const {
    std::string text;
    llvm::raw_string_ostream(text) << *function;
    return text;
  }

  Chance& chance() { return chance_; }

 private:
  /// An id or a sum with one, in 32 bits.
  llvm::Value* narrowId() {
    llvm::Value* const ids[] = {id, globalId, laneNumber};
    llvm::Value* of = chance_.of(ids);
    if (chance_.oneIn(2)) of = builder_.CreateAdd(of, function->getArg(3));
    return builder_.CreateTrunc(of, builder_.getInt32Ty());
  }

  llvm::Value* guard() {
    llvm::Value* of = chance_.oneIn(2) ? values[3] : chance_.of(values);
    llvm::Value* bound = of->getType()->isIntegerTy(32) && chance_.oneIn(2)
                             ? function->getArg(2)
                             : static_cast<llvm::Value*>(
                                   builder_.getInt(interestingNumber(of->getType()->getIntegerBitWidth(), chance_)));
    const auto predicate = llvm::CmpInst::FIRST_ICMP_PREDICATE + static_cast<int>(chance_.below(10));
    return builder_.CreateICmp(static_cast<llvm::CmpInst::Predicate>(predicate), of, bound);
  }

  void addLoad() {
    llvm::Value* index = values.back();
    if (index->getType()->getIntegerBitWidth() < 64)
      index = chance_.oneIn(2) ? builder_.CreateSExt(index, builder_.getInt64Ty())
                               : builder_.CreateZExt(index, builder_.getInt64Ty(), "", chance_.oneIn(4));
    if (chance_.oneIn(3)) index = builder_.CreateAdd(index, builder_.getInt64(chance_.below(3)));
    element = builder_.getIntNTy(8u << chance_.below(3));
    llvm::Value* base = function->getArg(chance_.oneIn(3) ? 1 : 0);
    address = llvm::cast<llvm::Instruction>(chance_.oneIn(2) ? builder_.CreateInBoundsGEP(element, base, index)
                                                             : builder_.CreateGEP(element, base, index));
    builder_.CreateLoad(element, address);
  }

  /// What is of no use is stored, or left out: analyses may say anything of it.
  void useAll() {
    llvm::SmallVector<llvm::Instruction*, 8> all;
    for (llvm::Instruction& value : llvm::reverse(*then))
      all.push_back(&value);
    for (llvm::Instruction* value : all) {
      if (!value->use_empty() || llvm::isa<llvm::LoadInst>(value)) continue;
      if (chance_.oneIn(2))
        builder_.CreateStore(value, function->getArg(0));
      else
        value->eraseFromParent();
    }
  }

 public:
  llvm::Function* function;
  llvm::BasicBlock* then;
  llvm::Value* condition;
  llvm::Instruction *id, *groupBase, *laneNumber, *globalId, *address;
  llvm::Type* element;
  std::vector<llvm::Value*> values;

 private:
  Chance chance_;
  llvm::LLVMContext context_;
  llvm::Module module_;
  llvm::IRBuilder<> builder_;
};

/// A sub-group that runs a kernel.
class SubGroup {
 public:
  SubGroup(RandomKernel& kernel, unsigned width) : kernel_(kernel) {
    Chance& chance = kernel.chance();
    const std::uint64_t first = std::uint64_t{width} * (chance.oneIn(2) ? 0 : chance.below(100));
    const std::uint64_t base = (chance.oneIn(3)   ? 0
                                : chance.oneIn(4) ? kMostIds
                                                  : std::uint64_t{1} << (31 + chance.below(3))) +
                               chance.below(20) * 4;
    const llvm::APInt n = interestingNumber(32, chance),
                      m = interestingNumber(32 + 8 * chance.below(5), chance).zext(64);
    const unsigned begun = chance.oneIn(3) ? 1 + chance.below(width) : width;
    for (unsigned lane = 0; lane < width; ++lane) {
      numbers.push_back(kernel.numbersOf(lane, first, base < 40 ? base : base - 40, n, m));
      active.push_back(lane < begun && numberOf(kernel.condition, numbers.back()).value.isOne());
    }
  }

  bool areAllActive() const {
    return llvm::all_of(active, [](bool is) { return is; });
  }

  /// The launch is as it has to be, and no active lane has undefined behaviour.
  bool isDefined(const LaunchFacts& facts) const {
    bool isAnyActive = false;
    if (facts.idsFit && !numberOf(kernel_.globalId, numbers.back()).value.uge(kMostIds)) return false;
    for (std::size_t lane = 0; lane < numbers.size(); ++lane) {
      if (!active[lane]) continue;
      isAnyActive = true;
      const Number address = numbers[lane].lookup(kernel_.address);
      const std::uint64_t size = kernel_.element->getIntegerBitWidth() / 8;
      const bool isLocal = kernel_.address->getType()->getPointerAddressSpace() == kLocalSpace;
      const std::uint64_t memory = std::min(isLocal ? kLocalMemory : std::uint64_t{1} << 47, facts.largestMemory);
      if (address.isPoison || address.value.ugt(memory - size)) return false;
    }
    return isAnyActive;
  }

  std::vector<Numbers> numbers; ///< by lane
  std::vector<bool> active;

 private:
  RandomKernel& kernel_;
};

class LaneShapesTest : public testing::Test {
 protected:
  /// What the vectoriser keeps of each affine or uniform value (Widener::copyScalar), from which it makes all lanes':
  /// lane 0's, computed of lane 0's whether that lane is active or not.
  static Numbers firstLane(const RandomKernel& kernel, const SubGroup& group, const LaneShapes& shapes) {
    Numbers first = group.numbers[0];
    for (const llvm::Instruction& value : *kernel.then) {
      const LaneShape shape = shapes.of(&value);
      if (!first.contains(&value) || !shape.isAffine()) continue;
      first[&value] = *compute(value, first);
      if (shape.isUniform()) continue;
      if (value.getOpcode() == llvm::Instruction::Or)
        first[&value] = {numberOf(value.getOperand(0), first).value + numberOf(value.getOperand(1), first).value};
      const auto* extension = llvm::dyn_cast<llvm::ZExtInst>(&value);
      if (extension == nullptr) continue;
      const bool isToldByLast = shapes.isToldByLastLane(*extension);
      const llvm::APInt from = numberOf(value.getOperand(0), first).value;
      const llvm::APInt across(64, (group.numbers.size() - 1) * static_cast<std::uint64_t>(shape.stride()));
      if (isToldByLast && shape.stride() > 0)
        first[&value] = {(from + across.trunc(from.getBitWidth())).zext(64) - across};
      else if (extension->hasNonNeg() && !isToldByLast)
        first[&value] = {from.sext(64)};
    }
    return first;
  }

  /// Empty if lanes have the shape.
  static std::string contradiction(const SubGroup& group, const Numbers& first, const llvm::Instruction& value,
                                   const LaneShapes& shapes) {
    const LaneShape shape = shapes.of(&value);
    const llvm::APInt from = numberOf(&value, first).value;
    const unsigned bits = from.getBitWidth();
    for (std::size_t lane = 0; lane < group.numbers.size(); ++lane) {
      const Number is = numberOf(&value, group.numbers[lane]);
      if (!shape.isAffine() || !group.active[lane] || is.isPoison) continue;
      const llvm::APInt step(64, lane * static_cast<std::uint64_t>(shape.stride()));
      if (is.value != from + step.trunc(bits)) return "stride " + std::to_string(shape.stride());
    }
    const Number second = numberOf(&value, group.numbers[1]);
    if (!group.areAllActive() || numberOf(&value, group.numbers[0]).isPoison || second.isPoison ||
        !shapes.isLinear(&value))
      return "";
    for (std::size_t lane = 0; lane < group.numbers.size(); ++lane)
      if (const Number is = numberOf(&value, group.numbers[lane]);
          !is.isPoison && is.value != from + (second.value - from) * llvm::APInt(64, lane).trunc(bits))
        return "linear";
    return "";
  }

  static std::string contradiction(const SubGroup& group, const Numbers& first, llvm::Instruction& value,
                                   const LanePatterns& patterns, const LanePattern& pattern) {
    auto* scratch = llvm::BasicBlock::Create(value.getContext(), "scratch", value.getFunction());
    llvm::IRBuilder<> builder(scratch);
    const llvm::Value* base = patterns.base(&value, builder, [](llvm::Value* of) { return of; });
    Numbers numbers = first;
    evaluate(*scratch, numbers);
    const llvm::APInt from = numberOf(base, numbers).value;
    scratch->eraseFromParent();
    for (std::size_t lane = 0; lane < group.numbers.size(); ++lane) {
      const Number is = numberOf(&value, group.numbers[lane]);
      const llvm::APInt step(64, static_cast<std::uint64_t>(pattern.offsets[lane]));
      if (!is.isPoison && group.active[lane] && is.value != from + step.trunc(from.getBitWidth())) return "pattern";
    }
    return "";
  }

  void check(unsigned seed, unsigned width, bool mayAssume) {
    RandomKernel kernel(seed);
    ASSERT_FALSE(llvm::verifyFunction(*kernel.function, &llvm::errs()));
    auto& analyses = managers_.functions;
    const LaneShapes shapes(*kernel.function, analyses.getResult<SubGroupUniformityAnalysis>(*kernel.function),
                            analyses.getResult<SubGroupFlowAnalysis>(*kernel.function), mayAssume);
    const llvm::DataLayout& layout = kernel.function->getDataLayout();
    const LanePatterns patterns(shapes, layout, width);
    for (unsigned round = 0; round < 60; ++round) {
      const SubGroup group(kernel, width);
      if (!group.isDefined(shapes.facts())) continue;
      const Numbers first = firstLane(kernel, group, shapes);
      for (llvm::Instruction& value : *kernel.then) {
        if (!group.numbers[0].contains(&value)) continue;
        ++checked_;
        affine_ += shapes.of(&value).isAffine() && !shapes.of(&value).isUniform();
        linear_ += shapes.of(&value).isVarying() && shapes.isLinear(&value);
        patterns_ += shapes.of(&value).isVarying() && patterns.of(&value);
        std::string wrong = contradiction(group, first, value, shapes);
        if (wrong.empty())
          if (const auto pattern = patterns.of(&value)) wrong = contradiction(group, first, value, patterns, *pattern);
        ASSERT_EQ(wrong, "") << value.getNameOrAsOperand() << ", seed " << seed << ", " << width << " lanes from id "
                             << llvm::toString(numberOf(kernel.id, group.numbers[0]).value, 10, false)
                             << ", group from "
                             << llvm::toString(numberOf(kernel.groupBase, group.numbers[0]).value, 10, false)
                             << ", n = "
                             << llvm::toString(numberOf(kernel.function->getArg(2), group.numbers[0]).value, 10, false)
                             << ", m = "
                             << llvm::toString(numberOf(kernel.function->getArg(3), group.numbers[0]).value, 10, false)
                             << '\n'
                             << kernel.text();
      }
    }
    analyses.clear(*kernel.function, "k");
  }

  Managers managers_;
  std::size_t checked_ = 0, affine_ = 0, linear_ = 0, patterns_ = 0;
};

TEST_F(LaneShapesTest, HoldForRandomKernels) {
  for (unsigned seed = 0; seed < 12000 && !HasFatalFailure(); ++seed)
    for (const unsigned width : {2u, 8u})
      check(seed, width, /*mayAssume=*/true);
  EXPECT_GT(affine_, 100000u);
  EXPECT_GT(linear_, 1000u);
  EXPECT_GT(patterns_, 1000u);
}

TEST_F(LaneShapesTest, HoldWithoutFactsOfTheLaunch) {
  for (unsigned seed = 0; seed < 6000 && !HasFatalFailure(); ++seed)
    check(seed, 4, /*mayAssume=*/false);
  EXPECT_GT(affine_, 20000u);
}

} // namespace
} // namespace clotho::compiler
