// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/compare_with_scalar.hpp"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>

#include <gtest/gtest.h>

namespace clotho::compiler {
namespace {

constexpr const char* kX86 = "x86_64-linux-gnu";
constexpr const char* kArm = "aarch64-linux-gnu";

std::unique_ptr<llvm::TargetMachine> machineFor(const char* triple, const char* cpu) {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  std::string why;
  const llvm::Triple target(triple);
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(target, why);
  EXPECT_NE(found, nullptr) << why;
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(target, cpu, "", {}, llvm::Reloc::PIC_));
}

/// Estimated gain of @widened, which runs eight work-items, over @scalar.
double gainOf(const std::string& functions, const char* triple, const char* cpu) {
  const auto machine = machineFor(triple, cpu);
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(functions, error, context);
  if (!module) {
    ADD_FAILURE() << error.getMessage().str();
    return 0;
  }
  module->setDataLayout(machine->createDataLayout());
  llvm::Function &scalar = *module->getFunction("scalar"), &widened = *module->getFunction("widened");
  const llvm::DominatorTree scalarTree(scalar), widenedTree(widened);
  const llvm::LoopInfo scalarLoops(scalarTree), widenedLoops(widenedTree);
  return estimatedGain({widened, widenedLoops}, {scalar, scalarLoops}, 8, machine->getTargetTransformInfo(widened),
                       processorModel(*machine));
}

constexpr const char* kRow = R"(
  define void @scalar(ptr %from, ptr %to) {
    %x = load float, ptr %from, align 4
    %y = fmul float %x, %x
    store float %y, ptr %to, align 4
    ret void
  }
  define void @widened(ptr %from, ptr %to) {
    %x = load <8 x float>, ptr %from, align 4
    %y = fmul <8 x float> %x, %x
    store <8 x float> %y, ptr %to, align 4
    ret void
  })";

constexpr const char* kGathered = R"(
  declare <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr>, <8 x i1>, <8 x float>)
  declare void @llvm.masked.scatter.v8f32.v8p0(<8 x float>, <8 x ptr>, <8 x i1>)
  define void @scalar(ptr %from, ptr %to) {
    %x = load float, ptr %from, align 4
    store float %x, ptr %to, align 4
    ret void
  }
  define void @widened(<8 x ptr> %from, <8 x ptr> %to, <8 x i1> %live) {
    %x = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %from, <8 x i1> %live, <8 x float> poison)
    call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %x, <8 x ptr> align 4 %to, <8 x i1> %live)
    ret void
  })";

TEST(EstimatedGain, VectorsDoAsManyAsTheyHold) {
  EXPECT_DOUBLE_EQ(gainOf(kRow, kX86, "znver4"), 8);
  EXPECT_DOUBLE_EQ(gainOf(kRow, kX86, "x86-64-v3"), 8);
  // Two registers of four.
  EXPECT_DOUBLE_EQ(gainOf(kRow, kX86, "x86-64"), 4);
  EXPECT_DOUBLE_EQ(gainOf(kRow, kArm, "neoverse-n1"), 4);
}

/// By what was measured with AVX-512, by LLVM's tables elsewhere.
TEST(EstimatedGain, LanesOfGathersCountEach) {
  const double ofAmd = gainOf(kGathered, kX86, "znver4"), ofIntel = gainOf(kGathered, kX86, "skylake-avx512");
  EXPECT_NEAR(ofAmd, 1 / 7.5, 1e-6);
  EXPECT_DOUBLE_EQ(ofIntel, 0.5);
  EXPECT_DOUBLE_EQ(gainOf(kGathered, kX86, "znver5"), ofAmd);
  // A level of instructions may be AMD's.
  EXPECT_DOUBLE_EQ(gainOf(kGathered, kX86, "x86-64-v4"), ofAmd);
  for (const char* cpu : {"x86-64-v3", "znver3", "x86-64"})
    EXPECT_LT(gainOf(kGathered, kX86, cpu), 0.5) << cpu;
  EXPECT_LT(gainOf(kGathered, kArm, "neoverse-n1"), 0.5);
}

/// A loop up to %n, and a widened one whose lanes begin it with `next` and leave it apart.
std::string divergentLoop(const std::string& next) {
  return R"(
  define void @scalar(ptr %a, i32 %n) {
  entry:
    br label %loop
  loop:
    %i = phi i32 [ 0, %entry ], [ %next, %loop ]
    %v = load float, ptr %a, align 4
    %next = add i32 %i, 1
    %again = icmp slt i32 %next, %n
    br i1 %again, label %loop, label %end
  end:
    ret void
  }
  define void @widened(ptr %a, i32 %n, <8 x i1> %first) {
  entry:
    br label %loop
  loop:
    %live = phi <8 x i1> [ %first, %entry ], [ %staying, %loop ]
    )" + next +
         R"(
    %v = load <8 x float>, ptr %a, align 4
    %one = insertelement <8 x i32> poison, i32 %n, i64 0
    %all = shufflevector <8 x i32> %one, <8 x i32> poison, <8 x i32> zeroinitializer
    %more = icmp slt <8 x i32> %next, %all
    %staying = and <8 x i1> %live, %more
    %bits = bitcast <8 x i1> %staying to i8
    %again = icmp ne i8 %bits, 0
    br i1 %again, label %loop, label %end
  end:
    ret void
  })";
}

/// Lanes of which each counts for itself make different numbers of rounds; lanes that are neighbours as many.
TEST(EstimatedGain, LanesWaitForTheLast) {
  const std::string neighbours = divergentLoop(R"(%i = phi i32 [ 0, %entry ], [ %after, %loop ]
    %after = add i32 %i, 1
    %base = insertelement <8 x i32> poison, i32 %i, i64 0
    %same = shufflevector <8 x i32> %base, <8 x i32> poison, <8 x i32> zeroinitializer
    %next = add <8 x i32> %same, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>)");
  const std::string apart = divergentLoop(R"(%i = phi <8 x i32> [ zeroinitializer, %entry ], [ %next, %loop ]
    %base = insertelement <8 x i32> poison, i32 1, i64 0
    %same = shufflevector <8 x i32> %base, <8 x i32> poison, <8 x i32> zeroinitializer
    %next = add <8 x i32> %i, splat (i32 1))");
  EXPECT_LT(gainOf(apart, kX86, "znver4"), 0.6 * gainOf(neighbours, kX86, "znver4"));
}

/// Each round waits for the load of the one before, alone or eight at once.
TEST(EstimatedGain, LanesWaitTogetherForLoads) {
  const auto chase = [](const char* operand) {
    return R"(
  declare <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr>, <8 x i1>, <8 x i32>)
  define void @scalar(ptr %a, i32 %n) {
  entry:
    br label %loop
  loop:
    %i = phi i32 [ 0, %entry ], [ %next, %loop ]
    %at = phi i32 [ 0, %entry ], [ %loaded, %loop ]
    %next = add i32 %i, 1
    %place = getelementptr i32, ptr %a, i32 )" +
           std::string(operand) + R"(
    %loaded = load i32, ptr %place, align 4
    %again = icmp slt i32 %next, %n
    br i1 %again, label %loop, label %end
  end:
    ret void
  }
  define void @widened(ptr %a, i32 %n, <8 x i1> %live) {
  entry:
    br label %loop
  loop:
    %i = phi i32 [ 0, %entry ], [ %next, %loop ]
    %at = phi <8 x i32> [ zeroinitializer, %entry ], [ %loaded, %loop ]
    %next = add i32 %i, 1
    %place = getelementptr i32, ptr %a, <8 x i32> %at
    %loaded = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %place, <8 x i1> %live, <8 x i32> poison)
    %again = icmp slt i32 %next, %n
    br i1 %again, label %loop, label %end
  end:
    ret void
  })";
  };
  EXPECT_GT(gainOf(chase("%at"), kX86, "znver4"), 1);
  EXPECT_LT(gainOf(chase("%i"), kX86, "znver4"), 1);
}

/// How often a loop runs that counts to a constant decides what counts of what is beside it.
TEST(EstimatedGain, ShortLoopsCountForLess) {
  const auto counted = [](const char* bound) {
    const auto around = [&](const std::string& name, const std::string& work) {
      return R"(
  define void @)" +
             name +
             R"((ptr %from, ptr %to, <8 x ptr> %places, <8 x i1> %live) {
  entry:
    br label %row
  row:
    %k = phi i32 [ 0, %entry ], [ %after, %row ]
    %after = add i32 %k, 1
    %x = load <8 x float>, ptr %from, align 4
    %y = fmul <8 x float> %x, %x
    store <8 x float> %y, ptr %to, align 4
    %more = icmp slt i32 %after, 8
    br i1 %more, label %row, label %loop
  loop:
    %i = phi i32 [ 0, %row ], [ %next, %loop ]
    %next = add i32 %i, 1
    )" + work +
             R"(
    %again = icmp slt i32 %next, )" +
             bound + R"(
    br i1 %again, label %loop, label %end
  end:
    ret void
  })";
    };
    return "declare <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr>, <8 x i1>, <8 x float>)\n" +
           around("scalar", "%z = load float, ptr %from, align 4") +
           around("widened", "%z = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %places, "
                             "<8 x i1> %live, <8 x float> poison)");
  };
  EXPECT_GT(gainOf(counted("1"), kX86, "znver4"), 1.5 * gainOf(counted("8"), kX86, "znver4"));
  EXPECT_DOUBLE_EQ(gainOf(counted("8"), kX86, "znver4"), gainOf(counted("800"), kX86, "znver4"));
}

} // namespace
} // namespace clotho::compiler
