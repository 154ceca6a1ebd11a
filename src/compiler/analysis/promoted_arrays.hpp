// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/SetVector.h>

#include <cstdint>
#include <memory>

namespace llvm {
class Argument;
class Function;
class Loop;
class LoopInfo;
class ScalarEvolution;
} // namespace llvm

namespace clotho::compiler {

/// Largest array, in bytes: twice the capacity of AVX-512's registers. Elements that no lane accesses are loaded, too,
/// up to a page beyond local memory (Arena::grow in device/cpu/executor.cpp).
inline constexpr std::int64_t kMostPromotedBytes = 4096;

/// Chooses the local arrays whose accesses are known once loops over sub-groups are unrolled, and those loops.
class PromotedArrays {
 public:
  /// `function`: a kernel's function for whole work-groups, whose parameters are those of GroupParameter.
  PromotedArrays(llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution, llvm::Function& function,
                 unsigned registerBytes);
  ~PromotedArrays();

  /// Whether promoting the array to registers pays; then its loops are added to `wanted`.
  bool add(llvm::Argument& variable);

  /// 0: unknown.
  unsigned tripCountOf(const llvm::Loop& loop) const;

  llvm::SmallSetVector<llvm::Loop*, 16> wanted; ///< loops to unroll

 private:
  class IterationValues;

  std::size_t instructionsOf(llvm::ArrayRef<llvm::Loop*> loops) const;
  bool isSimple(const llvm::Loop& loop) const;

  llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  std::unique_ptr<IterationValues> values_;
  unsigned registerBytes_;
};

} // namespace clotho::compiler
