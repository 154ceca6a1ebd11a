// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

#include <cstdint>
#include <map>
#include <string>

namespace clotho::compiler {

/// Lanes of a warp.
inline constexpr unsigned kWarpSize = 32;

/// Work-items of the kernel's sub-groups, which are warps, or parts of these where the kernel requires such.
unsigned warpPart(const llvm::Function& kernel);

struct EntryFact {
  std::string symbol;           ///< name of the entry
  std::uint64_t localBytes = 0; ///< size of the kernel's local variables
  bool usesPrintf = false;
  bool usesSubGroups = false;
  unsigned subGroupSize = kWarpSize;
};

/// Facts by the name of the kernel.
using EntryFacts = std::map<std::string, EntryFact, std::less<>>;

/// Makes an entry of each kernel, which takes a CudaLaunch and the argument block (abi/cuda_kernel.h), and replaces
/// intrinsics by what these say and by special registers.
/// Needs: functions that use intrinsics are inlined; sub-group operations are lowered; address spaces are SPIR's.
/// Gives: no kernel, intrinsic or local variable; local memory is one dynamic array.
class MakeEntriesPass : public llvm::PassInfoMixin<MakeEntriesPass> {
 public:
  /// `facts`: where the entries' facts go, if they are wanted.
  explicit MakeEntriesPass(EntryFacts* facts = nullptr) : facts_(facts) {}

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }

 private:
  EntryFacts* facts_;
};

} // namespace clotho::compiler
