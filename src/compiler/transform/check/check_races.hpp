// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/transform/check/checked_accesses.hpp"
#include "compiler/transform/check/checker.hpp"
#include "compiler/transform/check/group_phases.hpp"
#include "compiler/transform/check/pointer_extents.hpp"

#include <llvm/IR/PassManager.h>

namespace clotho::compiler {

/// Marks accesses in which races are looked for. A mark is a call of a function `clotho.touch.KIND.CELLS`, which stands
/// for the code of ExpandTouchesPass: passes before the vectoriser would take it for what one work-item does, and leave
/// out what it seems to do twice.
class RaceChecks {
 public:
  RaceChecks(llvm::Function& kernel, Checker& checker, const GroupPhases& phases,
             llvm::ArrayRef<CheckedAccess> accesses);

  /// Marks the access, before it. `isMisaligned`: null if it is not.
  void mark(const CheckedAccess& access, const std::optional<PointerExtent>& extent, llvm::Value* offset,
            llvm::Value* isMisaligned);
  /// Moves variables to registers: call when all is marked.
  void promote();
  /// Bytes for which there is a cell, in global memory.
  std::uint64_t granule() const { return granules_[0]; }

 private:
  void trackAcquires();

  llvm::Function& kernel_;
  Checker& checker_;
  const GroupPhases& phases_;
  std::uint64_t granules_[2] = {8, 8}; ///< of global and of local memory
  llvm::Value* item_;                  ///< linear local id
  // Whether the work-item has acquired what others of its group, and of other groups, have released.
  llvm::AllocaInst *acquired_, *acquiredOthers_;
};

/// Replaces the marks by code that compares with cells (abi/checks.h) and updates them.
/// Needs: no pass after it but the vectoriser's that simplifies memory accesses of work-items.
struct ExpandTouchesPass : llvm::PassInfoMixin<ExpandTouchesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
  static bool isRequired() { return true; }
};

} // namespace clotho::compiler
