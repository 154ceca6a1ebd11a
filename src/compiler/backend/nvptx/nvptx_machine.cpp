// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/nvptx/nvptx_machine.hpp"

#include <llvm-c/Target.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Target/TargetMachine.h>

namespace clotho::compiler {
namespace {

/// Number of an architecture that every newer GPU can run code of; 0 for others. Names such as sm_90a are bound to one
/// architecture.
unsigned numberOf(llvm::StringRef cpu) {
  unsigned number = 0;
  if (!cpu.consume_front("sm_") || cpu.getAsInteger(10, number)) return 0;
  return number;
}

/// Features of the target. The oldest version of PTX that has all instructions of ours is that of sm_75; LLVM would
/// take an older one for an older architecture.
std::string featuresOf(const Target& target, llvm::StringRef cpu) {
  constexpr unsigned kFirstOfOldestPtx = 75;
  if (!target.features.empty() || numberOf(cpu) >= kFirstOfOldestPtx) return target.features;
  return "+ptx63";
}

const llvm::Target* nvptxTarget(const llvm::Triple& triple, std::string& why) {
  static const bool initialised = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  return initialised ? llvm::TargetRegistry::lookupTarget(triple, why) : nullptr;
}

} // namespace

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createNvptxMachine(const Target& target, bool optimise) {
  const llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string why;
  const llvm::Target* found = nvptxTarget(triple, why);
  if (found == nullptr) return llvm::createStringError(why);
  const std::string cpu = target.cpu.empty() ? kOldestGpu : target.cpu;
  // LLVM would report an unknown architecture on standard error and make code for another.
  const std::unique_ptr<llvm::MCSubtargetInfo> any(found->createMCSubtargetInfo(triple, "", ""));
  if (any == nullptr || !any->isCPUStringValid(cpu) || numberOf(cpu) < numberOf(kOldestGpu))
    return llvm::createStringError("there is no code generator for the GPU '" + cpu + "'");
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard; // fmuladd becomes fma
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      triple, cpu, featuresOf(target, cpu), options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      optimise ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::Less));
  if (!machine) return llvm::createStringError("there is no code generator for the GPU '" + cpu + "'");
  return machine;
}

unsigned architectureOf(const llvm::TargetMachine& machine) { return numberOf(machine.getTargetCPU()); }

} // namespace clotho::compiler
