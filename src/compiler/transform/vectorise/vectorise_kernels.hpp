// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/transform/vectorise/vectorisation_report.hpp"

#include <llvm/IR/PassManager.h>

#include <vector>

namespace clotho::compiler {

/// Of the name of a vectorised kernel's twin.
inline constexpr const char* kTwinSuffix = ".short";
/// Of a version of the kernel that runs fewer work-items at once.
inline constexpr const char* kNarrowSuffix = ".narrow";
/// Of the name by which a vectorised kernel calls its twin for a sub-group that it does not run itself; the parameters
/// are the local ids of the sub-group's first work-item and the kernel's own.
inline constexpr const char* kRestSuffix = ".rest";
/// Of a version that runs several rows at once (jam_rows.hpp), and of the name by which it calls the kernel itself for
/// a row, or what is left of it; the parameters are as above.
inline constexpr const char* kRowsSuffix = ".rows";
inline constexpr const char* kApartSuffix = ".apart";
/// Of such a version: how many rows.
inline constexpr const char* kRowsAttribute = "clotho-rows";

/// Of a twin that runs what other versions leave, so that its build time counts for more than its speed.
inline constexpr const char* kSeldomAttribute = "clotho-seldom";

/// Of such a twin, if each row may have sub-groups for it at both ends.
inline constexpr const char* kEdgesAttribute = "clotho-edges";

/// Of a twin whose lanes follow the linear local id (kernels that use sub-groups): its get_local_id(0) goes from 0 to
/// the work-group's size, and no other id is left.
inline constexpr const char* kLinearAttribute = "clotho-linear";

/// Of the name of a kernel's exact variant (below).
inline constexpr const char* kExactSuffix = ".exact";
/// Of a kernel that has one: what must hold of a launch, so that it need not be used (LaunchFacts).
inline constexpr const char* kLargestMemoryAttribute = "clotho-largest-memory";
inline constexpr const char* kIdsFitAttribute = "clotho-ids-fit";

/// The kernel whose exact variant this is; null for any other function.
llvm::Function* exactOf(const llvm::Function& function);

struct VectoriseOptions {
  unsigned vectorBits = 512; ///< of the target's registers
  unsigned width = 0;        ///< W of every kernel; 0: chosen for each
  /// Vector operations that wait for each other in a sum, which the target has under way at once: what a multiplication
  /// and an addition take, in cycles, times how many begin in each. Chains are hidden with so many vectors.
  unsigned operationsAtOnce = 4;
  /// The target estimates reciprocal square roots of float to 14 bits (AVX-512).
  bool hasRootEstimate = false;
  /// It permutes 32-bit elements of a whole register (AVX2), of AVX-512's where vectorBits say so.
  bool hasPermutation = false;
  bool mayReport = false;
};

/// Turns each kernel into its sub-group function: W work-items, neighbours along dimension 0, in the lanes of vectors.
/// get_local_id(0) is then the id of the first lane. The kernel itself takes rows whose length is a multiple of W; its
/// twin `K.short`, an internal function, takes others, with the last sub-group of each row masked. A remainder kernel
/// (transform/remainder_kernels.hpp) takes all rows itself, masked, and has the width of the kernel that it completes.
/// Where it follows from facts of the launch only that an index does not wrap around between lanes (LaneShapes), there
/// is an exact variant `K.exact`, which assumes nothing and takes all work-groups of launches for which they do not
/// hold. It has one lane, unless the kernel has barriers or the size of sub-groups matters. A kernel that uses
/// sub-groups has the size that it requires or the device's default (kDefaultSubGroupSize), and its twin cuts
/// work-groups by the linear local id. Needs: functions inlined as far as they are to be, private variables in
/// registers where possible. Gives: kernels with the attribute kWidthAttribute; a kernel that is not fit stays as it
/// is, and the report says why.
class VectoriseKernelsPass : public llvm::PassInfoMixin<VectoriseKernelsPass> {
 public:
  explicit VectoriseKernelsPass(VectoriseOptions options = {}, std::vector<VectorisationReport>* reports = nullptr)
      : options_(options), reports_(reports) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  VectoriseOptions options_;
  std::vector<VectorisationReport>* reports_;
};

} // namespace clotho::compiler
