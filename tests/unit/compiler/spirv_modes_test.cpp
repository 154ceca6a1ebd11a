// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the reader of SPIR-V makes of execution modes.
#include "spirv_reader_test.hpp"

#include "compiler/analysis/width_dependence.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <ctime>

namespace clotho::compiler {
namespace {

/// Seconds of the processor that `act` takes.
template <class Act> double secondsOf(Act act) {
  const std::clock_t before = std::clock();
  act();
  return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
}

TEST_F(SpirvReaderTest, WorkGroupsWithoutWorkItems) {
  for (const char* size : {"0 1 1", "16 0 1", "1 1 0"})
    expectRefused(std::string("OpEntryPoint Kernel %f \"empty\"\nOpExecutionMode %f LocalSize ") + size + R"(
      %void = OpTypeVoid
      %function = OpTypeFunction %void
      %f = OpFunction %void None %function
      %entry = OpLabel
      OpReturn
      OpFunctionEnd)",
                  "a kernel requires work-groups without work-items");
}

TEST_F(SpirvReaderTest, DefaultsOfFastArithmeticForOtherTypes) {
  constexpr const char* kTypes[] = {"OpTypeInt 128 0", "OpTypeInt 32 0", "OpTypeVoid"};
  for (const char* type : kTypes)
    expectRefused("  OpEntryPoint Kernel %k \"k\"\n  OpExecutionModeId %k !6028 %t %c\n  %t = " + std::string(type) +
                      R"(
  %none = OpTypeVoid
  %f = OpTypeFunction %none
  %number = OpTypeInt 16 0
  %c = OpConstant %number 7
  %k = OpFunction %none None %f
  %l = OpLabel
  OpReturn
  OpFunctionEnd
)",
                  "a default of fast arithmetic for what is no float");
}

TEST_F(SpirvReaderTest, LimitsThatNoLaunchCanKeep) {
  const auto expectModesRefused = [&](const std::string& modes, const std::string& why) {
    expectRefused("OpEntryPoint Kernel %f \"f\"\n" + modes + R"(
      %void = OpTypeVoid
      %function = OpTypeFunction %void
      %f = OpFunction %void None %function
      %entry = OpLabel
      OpReturn
      OpFunctionEnd)",
                  why);
  };
  const std::string kSize = "OpExecutionMode %f LocalSize 16 2 1\n";
  const std::string kBeyond = "requires work-groups that its own limits do not allow";
  expectModesRefused(kSize + "OpExecutionMode %f MaxWorkgroupSizeINTEL 8 8 8", kBeyond);
  expectModesRefused(kSize + "OpExecutionMode %f MaxWorkDimINTEL 1", kBeyond);
  expectModesRefused("OpExecutionMode %f MaxWorkDimINTEL 4", "more than three dimensions");
  expectModesRefused("OpExecutionMode %f MaxWorkgroupSizeINTEL 8 0 8", "only work-groups without work-items");
  expectModesRefused("OpExecutionMode %f !6446 !1", "named size of sub-groups that is not the primary one");
  expectModesRefused("OpExecutionMode %f !6447 !1", "a mapping of lanes other than WrapINTEL");
}

TEST_F(SpirvReaderTest, ManyLoopsAndModes) {
  constexpr unsigned kCount = 40000;
  std::string modes, loops;
  for (unsigned i = 0; i < kCount; ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i + 1);
    modes += "OpExecutionMode %f DenormPreserve 32\n";
    loops += "%h" + n + " = OpLabel\n %s" + n + " = OpFAdd %float %x %x\n OpLoopMerge %h" + next + " %h" + n +
             " Unroll\n OpBranchConditional %truth %h" + n + " %h" + next + "\n";
  }
  const Words words = assemble(std::string("OpCapability DenormPreserve\nOpExtension \"SPV_KHR_float_controls\"\n") +
                               kBegin + "OpEntryPoint Kernel %f \"loops\"\n" + modes + R"(
    %void = OpTypeVoid
    %bool = OpTypeBool
    %small = OpTypeInt 7 0
    %uint = OpTypeInt 32 0
    %float = OpTypeFloat 32
    %zero = OpConstant %uint 0
    %function = OpTypeFunction %void %uint %float
    %f = OpFunction %void None %function
    %number = OpFunctionParameter %uint
    %x = OpFunctionParameter %float
    %entry = OpLabel
    %truth = OpINotEqual %bool %number %zero
    OpBranch %h0
    )" + loops + "%h" + std::to_string(kCount) +
                               " = OpLabel\n OpReturn\n OpFunctionEnd\n");
  std::unique_ptr<llvm::Module> module;
  EXPECT_LT(secondsOf([&] { module = read(words); }),
            10); // of many billions of steps if each loop looked at each block
  ASSERT_NE(module, nullptr) << log_;
  unsigned marked = 0;
  for (llvm::Function& function : *module)
    for (llvm::BasicBlock& block : function)
      marked += block.getTerminator()->getMetadata(llvm::LLVMContext::MD_loop) != nullptr ? 1 : 0;
  EXPECT_EQ(marked, kCount);
}

bool isContracted(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::fmuladd;
}

TEST_F(SpirvReaderTest, ContractionIsOffInWhatOneKernelRuns) {
  const auto module = read(R"(
    OpCapability FunctionPointersINTEL
    OpExtension "SPV_INTEL_function_pointers"
    OpEntryPoint Kernel %exact "exact"
    OpEntryPoint Kernel %free "free"
    OpExecutionMode %exact ContractionOff
    %void = OpTypeVoid
    %float = OpTypeFloat 32
    %function = OpTypeFunction %void %float
    %type = OpTypePointer CodeSectionINTEL %function
    %pointed = OpConstantFunctionPointerINTEL %type %pointee
    %exact = OpFunction %void None %function
    %x1 = OpFunctionParameter %float
    %l1 = OpLabel
    %p1 = OpFMul %float %x1 %x1
    %r1 = OpFAdd %float %p1 %x1
    %c1 = OpFunctionCall %void %called %r1
    OpReturn
    OpFunctionEnd
    %free = OpFunction %void None %function
    %x2 = OpFunctionParameter %float
    %l2 = OpLabel
    %p2 = OpFMul %float %x2 %x2
    %r2 = OpFAdd %float %p2 %x2
    %c2 = OpFunctionCall %void %other %r2
    OpReturn
    OpFunctionEnd
    %called = OpFunction %void None %function
    %x3 = OpFunctionParameter %float
    %l3 = OpLabel
    %p3 = OpFMul %float %x3 %x3
    %r3 = OpFAdd %float %p3 %x3
    OpReturn
    OpFunctionEnd
    %other = OpFunction %void None %function
    %x4 = OpFunctionParameter %float
    %l4 = OpLabel
    %p4 = OpFMul %float %x4 %x4
    %r4 = OpFAdd %float %p4 %x4
    OpReturn
    OpFunctionEnd
    %pointee = OpFunction %void None %function
    %x5 = OpFunctionParameter %float
    %l5 = OpLabel
    %p5 = OpFMul %float %x5 %x5
    %r5 = OpFAdd %float %p5 %x5
    OpReturn
    OpFunctionEnd)");
  ASSERT_NE(module, nullptr) << log_;
  std::string contracted;
  for (llvm::Function& function : *module)
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (instruction.getOpcode() == llvm::Instruction::FAdd) contracted += '0';
      if (isContracted(instruction)) contracted += '1';
    }
  EXPECT_EQ(contracted, "01010"); // in the order of the functions
}

/// Versions of a kernel need the same results, so passes must not contract: see hasRelaxedArithmetic.
TEST_F(SpirvReaderTest, ContractionIsDoneByTheReader) {
  const auto module = read(R"(
    OpEntryPoint Kernel %k "k"
    %void = OpTypeVoid
    %float = OpTypeFloat 32
    %pointer = OpTypePointer CrossWorkgroup %float
    %function = OpTypeFunction %void %float %float %pointer
    %k = OpFunction %void None %function
    %x = OpFunctionParameter %float
    %y = OpFunctionParameter %float
    %to = OpFunctionParameter %pointer
    %entry = OpLabel
    %p1 = OpFMul %float %x %y
    %sum = OpFAdd %float %y %p1
    %p2 = OpFMul %float %x %sum
    %less = OpFSub %float %p2 %y
    %p3 = OpFMul %float %less %y
    %more = OpFSub %float %x %p3
    %shared = OpFMul %float %more %y
    %first = OpFAdd %float %shared %x
    %second = OpFAdd %float %shared %first
    OpBranch %end
    %end = OpLabel
    %p4 = OpFMul %float %second %y
    OpStore %to %p4 Aligned 4
    OpReturn
    OpFunctionEnd)");
  ASSERT_NE(module, nullptr) << log_;
  std::string made;
  for (llvm::Function& function : *module) {
    EXPECT_FALSE(hasRelaxedArithmetic(function));
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (isContracted(instruction)) made += "mad ";
      if (instruction.isUnaryOp() || instruction.isBinaryOp()) made += instruction.getOpcodeName() + std::string(" ");
    }
  }
  // A negated term or factor makes a sum of each difference. `shared` has two uses.
  EXPECT_EQ(made, "mad fneg mad fneg mad fmul fadd fadd fmul ");
}

} // namespace
} // namespace clotho::compiler
