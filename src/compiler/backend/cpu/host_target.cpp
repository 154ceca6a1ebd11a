// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/host_target.hpp"

#include "compiler/backend/cpu/code_generation_limits.hpp"

#include <llvm/ADT/StringMap.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>
#include <llvm/TargetParser/X86TargetParser.h>

namespace clotho::compiler {
namespace {

std::string hostFeatures() {
  llvm::SubtargetFeatures features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures())
    features.AddFeature(feature.first(), feature.second);
  return features.getString();
}

/// Features that are never used: INSERTQ and EXTRQ, which LLVM uses for shuffles, have no AVX form, and each costs more
/// than 100 ns between AVX instructions on Zen 3.
constexpr const char* kUnwanted = "-sse4a";

/// Whether LLVM has 64-bit code for the CPU. Otherwise LLVM would report that and end the process.
bool isKnown(const llvm::Target& target, const llvm::Triple& triple, const std::string& cpu) {
  const std::unique_ptr<llvm::MCSubtargetInfo> any(target.createMCSubtargetInfo(triple, "", ""));
  if (any == nullptr || !any->isCPUStringValid(cpu)) return false;
  using namespace llvm::X86;
  return !triple.isX86() || parseArchX86(cpu) == CK_None || parseArchX86(cpu, /*Only64Bit=*/true) != CK_None;
}

} // namespace

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const Target& target, bool optimise) {
  static const bool initialised = [] {
    limitCodeGeneration();
    return !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter() &&
           !llvm::InitializeNativeTargetAsmParser();
  }();
  if (!initialised) return llvm::createStringError("LLVM has no code generator for this CPU");
  const llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string why;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(triple, why);
  if (found == nullptr) return llvm::createStringError(why);

  if (!target.cpu.empty() && !isKnown(*found, triple, target.cpu))
    return llvm::createStringError("there is no code generator for the CPU '" + target.cpu + "'");

  static const std::string hostCpu = llvm::sys::getHostCPUName().str();
  static const std::string features = hostFeatures();
  std::string wanted = target.features.empty() && target.cpu.empty() ? features : target.features;
  if (triple.isX86()) wanted += (wanted.empty() ? "" : ",") + std::string(kUnwanted);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard; // fmuladd becomes fma where the CPU has it
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      triple, target.cpu.empty() ? hostCpu : target.cpu, wanted, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      optimise ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::Less));
  if (!machine) return llvm::createStringError("there is no code generator for the CPU '" + target.cpu + "'");
  return machine;
}

} // namespace clotho::compiler
