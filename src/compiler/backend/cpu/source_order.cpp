// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/source_order.hpp"

#include <llvm/CodeGen/LiveIntervals.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/RegisterClassInfo.h>
#include <llvm/CodeGen/RegisterPressure.h>
#include <llvm/CodeGen/TargetRegisterInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>

namespace clotho::compiler {
namespace {

class SourceOrderPass final : public llvm::MachineFunctionPass {
 public:
  explicit SourceOrderPass(llvm::StringSet<>& functions) : MachineFunctionPass(id), functions_(functions) {}

  llvm::StringRef getPassName() const override { return "Clotho source order"; }

  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.addRequired<llvm::LiveIntervalsWrapperPass>();
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    const unsigned buffer = function.getSubtarget().getSchedModel().MicroOpBufferSize;
    if (llvm::none_of(function, [&](const llvm::MachineBasicBlock& block) { return block.size() > buffer; }))
      return false;
    const llvm::LiveIntervals& intervals = getAnalysis<llvm::LiveIntervalsWrapperPass>().getLIS();
    llvm::RegisterClassInfo classes;
    classes.runOnMachineFunction(function);
    const llvm::SmallDenseSet<unsigned, 8> vectorSets = findVectorSets(function);
    const bool fits = llvm::all_of(function, [&](const llvm::MachineBasicBlock& block) {
      llvm::IntervalPressure pressure;
      llvm::RegPressureTracker tracker(pressure);
      tracker.init(&function, &classes, &intervals, &block, block.end(), /*TrackLaneMasks=*/false,
                   /*TrackUntiedDefs=*/false);
      while (tracker.getPos() != block.begin())
        tracker.recede();
      tracker.closeRegion();
      return llvm::all_of(vectorSets, [&](unsigned set) {
        return pressure.MaxSetPressure[set] <= classes.getRegPressureSetLimit(set);
      });
    });
    if (fits) functions_.insert(("function (" + function.getName() + ")").str());
    return false;
  }

 private:
  /// Pressure sets of the function's vector registers.
  static llvm::SmallDenseSet<unsigned, 8> findVectorSets(const llvm::MachineFunction& function) {
    constexpr unsigned kScalarBits = 64;
    const llvm::MachineRegisterInfo& registers = function.getRegInfo();
    const llvm::TargetRegisterInfo& all = *registers.getTargetRegisterInfo();
    llvm::SmallDenseSet<unsigned, 8> sets;
    for (unsigned i = 0; i < registers.getNumVirtRegs(); ++i) {
      const llvm::TargetRegisterClass* of = registers.getRegClass(llvm::Register::index2VirtReg(i));
      if (all.getRegSizeInBits(*of).getFixedValue() <= kScalarBits) continue;
      for (const int* set = all.getRegClassPressureSets(of); *set != -1; ++set)
        sets.insert(static_cast<unsigned>(*set));
    }
    return sets;
  }

  static inline char id = 0;
  llvm::StringSet<>& functions_;
};

} // namespace

llvm::MachineFunctionPass* createSourceOrderPass(llvm::StringSet<>& functions) {
  return new SourceOrderPass(functions);
}

} // namespace clotho::compiler
