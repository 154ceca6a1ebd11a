// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/compare_pass.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>

namespace clotho::compiler {
namespace {

class ComparePass final : public llvm::MachineFunctionPass {
 public:
  ComparePass() : MachineFunctionPass(id) {}

  llvm::StringRef getPassName() const override { return "Comparisons"; }

  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    const llvm::TargetInstrInfo& instructions = *function.getSubtarget().getInstrInfo();
    bool changed = false;
    for (llvm::MachineBasicBlock& block : function)
      for (llvm::MachineInstr& instruction : llvm::make_early_inc_range(block)) {
        llvm::Register left, right;
        std::int64_t mask = 0, value = 0;
        if (instruction.isCompare() && instructions.analyzeCompare(instruction, left, right, mask, value) &&
            !left.isPhysical() && !right.isPhysical())
          changed |= instructions.optimizeCompareInstr(instruction, left, right, mask, value, &function.getRegInfo());
      }
    return changed;
  }

 private:
  static char id;
};

char ComparePass::id = 0;

} // namespace

llvm::MachineFunctionPass* createComparePass() { return new ComparePass; }

} // namespace clotho::compiler
