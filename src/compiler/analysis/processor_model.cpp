// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/processor_model.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/CodeGen/TargetLowering.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Target/TargetMachine.h>

#include <optional>

namespace clotho::compiler {
namespace {

using llvm::TargetTransformInfo;

/// Vector operations that begin in a cycle: `usual` for up to 256 bits, `wide` for 512.
struct Pipes {
  unsigned usual, wide;
};

/// Data that LLVM's scheduling models lack for some processors.
struct Processor {
  llvm::StringRef cpu; ///< LLVM's name of the processor, or the common beginning of several names
  unsigned latency;    ///< Latency of a fused multiply-add of floats, in cycles
  Pipes reals;         ///< pipes that can start such instructions
  Pipes integers;      ///< pipes that can start simple instructions of integers
};

// A name that has another one as its prefix comes first, since the first match is taken.
constexpr Processor kProcessors[] = {
    {"znver1", 5, {1, 0}, {2, 0}},         {"znver2", 5, {2, 0}, {3, 0}},         {"znver3", 4, {2, 0}, {4, 0}},
    {"znver4", 4, {2, 1}, {4, 2}},         {"znver", 4, {2, 2}, {4, 4}},          {"bdver", 6, {1, 0}, {1, 0}},
    {"btver2", 5, {1, 0}, {1, 0}},         {"haswell", 5, {2, 0}, {2, 0}},        {"broadwell", 5, {2, 0}, {2, 0}},
    {"skylake-avx512", 4, {2, 2}, {3, 2}}, {"cascadelake", 4, {2, 2}, {3, 2}},    {"cooperlake", 4, {2, 2}, {3, 2}},
    {"icelake-server", 4, {2, 2}, {3, 2}}, {"sapphirerapids", 4, {2, 2}, {3, 2}}, {"emeraldrapids", 4, {2, 2}, {3, 2}},
    {"graniterapids", 4, {2, 2}, {3, 2}},  {"diamondrapids", 4, {2, 2}, {3, 2}},  {"cannonlake", 4, {2, 1}, {3, 2}},
    {"icelake-client", 4, {2, 1}, {3, 2}}, {"tigerlake", 4, {2, 1}, {3, 2}},      {"rocketlake", 4, {2, 1}, {3, 2}},
    {"neoverse-v", 4, {4, 0}, {4, 0}},     {"cortex-x", 4, {4, 0}, {4, 0}},       {"apple-", 4, {4, 0}, {4, 0}},
    {"a64fx", 9, {2, 2}, {2, 2}},
};

std::optional<Processor> knownProcessor(llvm::StringRef cpu) {
  for (const Processor& row : kProcessors)
    if (cpu.starts_with(row.cpu)) return row;
  return std::nullopt;
}

/// Whether an x86 processor with vectors of 512 bits has two pipes for them, if its name tells nothing: those with both
/// AVX-512 and AVX-VNNI do (Zen 5, Sapphire Rapids and what came later).
bool hasTwoWidePipes(const llvm::MCSubtargetInfo& cpu) { return cpu.checkFeatures("+avxvnni"); }

/// The widest vector that elementwise code should use.
unsigned vectorBitsOf(const llvm::Triple& triple, const llvm::MCSubtargetInfo& cpu, const TargetTransformInfo& costs) {
  if (triple.isX86()) return cpu.checkFeatures("+avx512f") ? 512 : cpu.checkFeatures("+avx2") ? 256 : 128;
  const auto bits = costs.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  return static_cast<unsigned>(std::max<std::uint64_t>(bits, 128));
}

constexpr auto kKind = TargetTransformInfo::TCK_RecipThroughput;

/// Whether a blend costs less than a masked store of a whole vector, by the cost tables.
bool isBlendCheaper(const TargetTransformInfo& costs, llvm::LLVMContext& context, unsigned bits, unsigned vectorBits) {
  auto* type = llvm::FixedVectorType::get(llvm::IntegerType::get(context, bits), vectorBits / bits);
  auto* mask = llvm::FixedVectorType::get(llvm::Type::getInt1Ty(context), vectorBits / bits);
  const llvm::Align align(bits / 8);
  const auto masked = costs.getMemIntrinsicInstrCost(
      llvm::MemIntrinsicCostAttributes(llvm::Intrinsic::masked_store, type, align, /*AddressSpace=*/0), kKind);
  const auto blend =
      costs.getMemoryOpCost(llvm::Instruction::Load, type, align, 0, kKind) +
      costs.getCmpSelInstrCost(llvm::Instruction::Select, type, mask, llvm::CmpInst::BAD_ICMP_PREDICATE, kKind) +
      costs.getMemoryOpCost(llvm::Instruction::Store, type, align, 0, kKind);
  // A blended store first tests whether any lane is to be stored.
  constexpr int kQuestion = 2;
  return masked > blend + kQuestion;
}

/// Cost of a gathered lane, in loads of a scalar. LLVM's cost tables underestimate gathers and scatters of AVX-512.
/// AMD's are microcoded: 2.5 cycles a lane, in which three loads could begin in each cycle (Zen 4). With Intel's, a
/// sparse matrix product takes a quarter longer than scalar code (Sapphire Rapids).
constexpr double kGatheredLaneOfAmd = 7.5, kGatheredLaneOfIntel = 2;

/// On Intel's processors a product of 32-bit integers takes ten cycles and a sum one more. One product begins in a
/// cycle, or one of 512 bits in two cycles (Sapphire Rapids); products of floats take four cycles, and two begin in
/// each. LLVM's cost tables have the ten cycles for AMD's processors too, which take three.
constexpr Pipes kProductChainsOfIntel = {16, 8};
constexpr unsigned kProductLatencyOfIntel = 10;

} // namespace

bool ProcessorModel::blends(unsigned bits) const {
  return bits >= 8 && bits <= 64 && llvm::isPowerOf2_32(bits) && blendsStores[llvm::Log2_32(bits / 8)];
}

bool ProcessorModel::lacksMaskedLoads(unsigned bits) const {
  return bits >= 8 && bits <= 64 && llvm::isPowerOf2_32(bits) && !masksLoads[llvm::Log2_32(bits / 8)];
}

ProcessorModel processorModel(const llvm::TargetMachine& machine) {
  const llvm::MCSubtargetInfo& cpu = *machine.getMCSubtargetInfo();
  const bool isX86 = machine.getTargetTriple().isX86();
  llvm::LLVMContext context;
  llvm::Module module("", context);
  module.setDataLayout(machine.createDataLayout());
  auto* function = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                                          llvm::GlobalValue::ExternalLinkage, "f", module);
  const TargetTransformInfo costs = machine.getTargetTransformInfo(*function);

  ProcessorModel model;
  model.vectorBits = vectorBitsOf(machine.getTargetTriple(), cpu, costs);
  model.registers = costs.getNumberOfRegisters(costs.getRegisterClassForType(/*Vector=*/true));
  const bool isWide = model.vectorBits == 512;
  if (const auto known = knownProcessor(cpu.getCPU())) {
    model.latency = known->latency;
    const auto begin = [&](Pipes pipes) { return isWide ? std::max(pipes.wide, 1U) : pipes.usual; };
    model.pipes = begin(known->reals);
    model.integerPipes = begin(known->integers);
  } else {
    model.pipes = isX86 && isWide && !hasTwoWidePipes(cpu) ? 1 : 2;
    model.integerPipes = isX86 && isWide ? 2 : 3;
  }
  model.productLatency = model.latency;
  model.productChains = model.chains();
  if (isX86 && !cpu.getCPU().starts_with("znver")) {
    model.productLatency = kProductLatencyOfIntel;
    model.productChains =
        std::max(model.productChains, isWide ? kProductChainsOfIntel.wide : kProductChainsOfIntel.usual);
  }
  for (unsigned bits = 8; bits <= 64; bits *= 2) {
    model.blendsStores[llvm::Log2_32(bits / 8)] = isBlendCheaper(costs, context, bits, model.vectorBits);
    auto* type = llvm::FixedVectorType::get(llvm::IntegerType::get(context, bits), model.vectorBits / bits);
    model.masksLoads[llvm::Log2_32(bits / 8)] = costs.isLegalMaskedLoad(type, llvm::Align(bits / 8), 0);
  }
  const llvm::TargetLowering& lowering = *machine.getSubtargetImpl(*function)->getTargetLowering();
  model.hasMaskRegisters = lowering.isTypeLegal(llvm::MVT::v8i1);
  // A level of instructions (x86-64-v4) may stand for AMD's or Intel's processors. Without AVX-512,
  // `gatheredLane` stays 0: LLVM's cost tables are right there.
  const bool mayBeOfAmd = cpu.getCPU().starts_with("znver") || cpu.getCPU().starts_with("x86-64");
  if (isX86 && cpu.checkFeatures("+avx512f"))
    model.gatheredLane = mayBeOfAmd ? kGatheredLaneOfAmd : kGatheredLaneOfIntel;
  if (isX86) {
    model.hasRootEstimate = cpu.checkFeatures("+avx512f,+avx512vl");
    // Intel's processors divide 8 floats at a time: 16 take 3.8 ns on Sapphire Rapids, and 1.8 ns by an estimate. On
    // Zen 4, 16 take 1.7 ns and an estimate 1.3 ns, but with four multiplications beside them 1.7 ns and 2.2 ns.
    model.estimatesReciprocals = model.hasRootEstimate && !mayBeOfAmd;
    model.hasPermutation = cpu.checkFeatures("+avx2");
    model.choosesBytes = cpu.checkFeatures("+ssse3");
  }
  return model;
}

} // namespace clotho::compiler
