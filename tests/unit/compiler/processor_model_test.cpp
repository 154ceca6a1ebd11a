// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/processor_model.hpp"

#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>

#include <gtest/gtest.h>

namespace clotho::compiler {
namespace {

ProcessorModel modelOf(const char* triple, const char* cpu, const char* features = "") {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  std::string why;
  const llvm::Triple target(triple);
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(target, why);
  EXPECT_NE(found, nullptr) << why;
  const std::unique_ptr<llvm::TargetMachine> machine(
      found->createTargetMachine(target, cpu, features, {}, llvm::Reloc::PIC_));
  return processorModel(*machine);
}

constexpr const char* kX86 = "x86_64-linux-gnu";
constexpr const char* kArm = "aarch64-linux-gnu";

TEST(ProcessorModel, Registers) {
  const auto sizes = [](const ProcessorModel& model) { return std::pair(model.vectorBits, model.registers); };
  EXPECT_EQ(sizes(modelOf(kX86, "x86-64")), std::pair(128U, 16U));
  EXPECT_EQ(sizes(modelOf(kX86, "x86-64-v3")), std::pair(256U, 16U));
  EXPECT_EQ(sizes(modelOf(kX86, "znver3")), std::pair(256U, 16U));
  EXPECT_EQ(sizes(modelOf(kX86, "x86-64-v4")), std::pair(512U, 32U));
  EXPECT_EQ(sizes(modelOf(kArm, "neoverse-n1")), std::pair(128U, 32U));
}

TEST(ProcessorModel, Chains) {
  EXPECT_EQ(modelOf(kX86, "znver3").chains(), 8U);
  EXPECT_EQ(modelOf(kX86, "znver4").chains(), 4U);
  EXPECT_EQ(modelOf(kX86, "znver5").chains(), 8U);
  EXPECT_EQ(modelOf(kX86, "sapphirerapids").chains(), 8U);
  EXPECT_EQ(modelOf(kX86, "haswell").chains(), 10U);
  EXPECT_EQ(modelOf(kX86, "x86-64-v3").chains(), 8U);
  // A processor of a later day has two pipes of 512 bits if it has what all of those have that do.
  EXPECT_EQ(modelOf(kX86, "x86-64-v4").chains(), 4U);
  EXPECT_EQ(modelOf(kX86, "x86-64-v4", "+avxvnni").chains(), 8U);
  EXPECT_EQ(modelOf(kArm, "neoverse-v2").chains(), 16U);
  EXPECT_EQ(modelOf(kArm, "cortex-a72").chains(), 8U);
}

/// Products of 32-bit integers take longer than those of floats on Intel's processors, and on any that is not known.
TEST(ProcessorModel, ProductChains) {
  EXPECT_EQ(modelOf(kX86, "znver3").productChains, 8U);
  EXPECT_EQ(modelOf(kX86, "znver3").productLatency, 4U);
  EXPECT_EQ(modelOf(kX86, "sapphirerapids").productLatency, 10U);
  EXPECT_EQ(modelOf(kX86, "sapphirerapids").productChains, 8U);
  EXPECT_EQ(modelOf(kX86, "haswell").productChains, 16U);
  EXPECT_EQ(modelOf(kX86, "x86-64-v3").productChains, 16U);
  EXPECT_EQ(modelOf(kArm, "neoverse-v2").productChains, 16U);
}

/// AVX2 has masked stores of 32 and 64 bits, which are slow; AVX-512 has fast ones of all sizes; AArch64 without SVE
/// none.
TEST(ProcessorModel, MaskedStores) {
  const auto blended = [](const ProcessorModel& model) { return model.blendsStores; };
  constexpr std::array<bool, 4> kAll = {true, true, true, true}, kNone = {};
  EXPECT_EQ(blended(modelOf(kX86, "znver3")), kAll);
  EXPECT_EQ(blended(modelOf(kX86, "x86-64-v3")), kAll);
  EXPECT_EQ(blended(modelOf(kX86, "x86-64")), kAll);
  EXPECT_EQ(blended(modelOf(kX86, "x86-64-v4")), kNone);
  EXPECT_EQ(blended(modelOf(kX86, "znver5")), kNone);
  EXPECT_EQ(blended(modelOf(kArm, "neoverse-n1")), (std::array<bool, 4>{true, true, true, false})); // two lanes
}

/// Gathers of AVX-512 cost extra, most on AMD's processors and on those that may be AMD's; LLVM's tables have the rest.
TEST(ProcessorModel, LanesOfGathers) {
  for (const char* cpu : {"znver4", "znver5", "x86-64-v4"})
    EXPECT_GT(modelOf(kX86, cpu).gatheredLane, modelOf(kX86, "sapphirerapids").gatheredLane) << cpu;
  EXPECT_GT(modelOf(kX86, "skylake-avx512").gatheredLane, 1);
  for (const char* cpu : {"x86-64-v3", "znver3"})
    EXPECT_EQ(modelOf(kX86, cpu).gatheredLane, 0) << cpu;
  EXPECT_EQ(modelOf(kArm, "neoverse-v2").gatheredLane, 0);
}

TEST(ProcessorModel, MaskedLoads) {
  EXPECT_EQ(modelOf(kX86, "znver3").masksLoads, (std::array<bool, 4>{false, false, true, true}));
  EXPECT_EQ(modelOf(kX86, "x86-64").masksLoads, (std::array<bool, 4>{}));
  EXPECT_EQ(modelOf(kX86, "znver5").masksLoads, (std::array<bool, 4>{true, true, true, true}));
  EXPECT_EQ(modelOf(kArm, "neoverse-n1").masksLoads, (std::array<bool, 4>{}));
  EXPECT_TRUE(modelOf(kX86, "znver3").lacksMaskedLoads(8));
  EXPECT_FALSE(modelOf(kX86, "znver3").lacksMaskedLoads(1) || modelOf(kX86, "znver3").lacksMaskedLoads(32));
}

TEST(ProcessorModel, MaskRegisters) {
  for (const char* cpu : {"x86-64", "x86-64-v3", "znver3"})
    EXPECT_FALSE(modelOf(kX86, cpu).hasMaskRegisters) << cpu;
  for (const char* cpu : {"x86-64-v4", "znver5", "skylake-avx512"})
    EXPECT_TRUE(modelOf(kX86, cpu).hasMaskRegisters) << cpu;
  EXPECT_FALSE(modelOf(kArm, "neoverse-n1").hasMaskRegisters);
}

TEST(ProcessorModel, OtherWidthsAreNotBlended) {
  const ProcessorModel model = modelOf(kX86, "znver3");
  EXPECT_TRUE(model.blends(8) && model.blends(64));
  EXPECT_FALSE(model.blends(1) || model.blends(24) || model.blends(128));
}

} // namespace
} // namespace clotho::compiler
