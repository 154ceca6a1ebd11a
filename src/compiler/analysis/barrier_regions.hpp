// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

#include <vector>

namespace clotho::compiler {

/// How a value reaches a later region.
enum class Storage {
  Recompute, ///< not stored: cheap, and computed from values that every region has
  Group,     ///< uniform: stored once for the group
  Item,      ///< a slot in the context array for each work-item
};

/// Blocks that all work-items run before any work-item goes on: those that are reachable from `start` without passing
/// an end.
struct BarrierRegion {
  llvm::BasicBlock* start = nullptr;
  std::vector<llvm::BasicBlock*> blocks;        ///< Blocks in the kernel's order
  llvm::SmallVector<llvm::BasicBlock*, 4> ends; ///< blocks that end in a barrier, behind which other regions begin
  bool mayReturn = false;
  bool itemsMayPart = false;                       ///< Some work-items may return while others go on.
  llvm::SmallVector<llvm::Instruction*, 8> liveIn; ///< values of earlier regions that this one or later ones use
};

/// Divides a kernel into parallel regions and lists the values that are live from one to the next. Regions end at
/// barriers. They also end at uniform branches that all work-items reach and that choose between barriers: the
/// work-group takes such a branch once, outside the loops over work-items. Region 0 is the kernel's entry.
/// Needs: isolated barriers (transform/lower/isolate_barriers.hpp).
struct BarrierRegions {
  std::vector<BarrierRegion> regions;
  /// Regions that follow each end: one for a barrier, one for each target of a branch.
  llvm::MapVector<const llvm::BasicBlock*, llvm::SmallVector<unsigned, 2>> after;
  llvm::MapVector<llvm::Instruction*, Storage> liveAcross;
  llvm::SmallVector<llvm::AllocaInst*, 8> frameAllocas;   ///< private memory that lives across a barrier
  llvm::SmallVector<llvm::AllocaInst*, 8> privateAllocas; ///< other private memory
  bool needsLiveFlags = false;                            ///< A flag for each work-item says whether it has returned.
};

BarrierRegions findBarrierRegions(llvm::Function& kernel);

/// Whether a value that is live across barriers is recomputed after them instead of stored.
bool isRecomputed(const llvm::Value& value);

class BarrierRegionsAnalysis : public llvm::AnalysisInfoMixin<BarrierRegionsAnalysis> {
 public:
  using Result = BarrierRegions;
  static Result run(llvm::Function& function, llvm::FunctionAnalysisManager&) { return findBarrierRegions(function); }

 private:
  friend llvm::AnalysisInfoMixin<BarrierRegionsAnalysis>;
  static llvm::AnalysisKey Key;
};

} // namespace clotho::compiler
