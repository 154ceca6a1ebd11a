// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"
#include "compiler/analysis/sub_group_flow.hpp"

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Instructions.h>

#include <optional>

namespace clotho::compiler {

/// What is assumed of an instruction: that it is the same as another value, that it is true or false in all lanes, that
/// a truncation loses nothing, that no two lanes' values of what it extends have a wrap between them, that it flips
/// bits of what begins at a multiple of the width, so that all lanes stay in one such row, or that it is a quotient or
/// remainder, and the quotient the same in all lanes.
struct Assumption {
  enum class Kind { Same, NoneEqual, AllAlike, Known, Fits, Exact, Flipped, Quotient };
  llvm::Instruction* instruction;
  Kind kind;
  llvm::Value* moving = nullptr;  ///< affine, if the assumptions before this one hold
  llvm::Value* resting = nullptr; ///< uniform; of Exact: any constant
  std::int64_t stride = 0;
  llvm::CmpInst::Predicate predicate{};        ///< of moving and resting; for Same: which holds
  bool value = false;                          ///< of Known, and of a comparison for equality
  llvm::SmallVector<llvm::Use*, 2> masks = {}; ///< of Flipped: uniform bits with which `moving` is masked
};

/// Goes through the kernel in order and collects what is worth to be assumed.
class Speculation {
 public:
  Speculation(const LaneShapes& shapes, const SubGroupFlow& flow);
  llvm::SmallVector<Assumption, 16> assumptions;

  /// Whether all lanes have one value if the assumptions hold.
  bool isSettled(const llvm::Value* value);

 private:
  /// Stride of a value that is affine if the assumptions so far hold; zero for a uniform one.
  std::optional<std::int64_t> strideOf(const llvm::Value* value) const;
  bool isUniform(const llvm::Value* value) const { return strideOf(value) == 0; }
  bool moves(const llvm::Value* value) const;
  void look(llvm::Instruction& instruction);
  /// Rows and columns of what is numbered from one end to the other: row lengths that are known, and so long that most
  /// sub-groups are in one row.
  bool lookAtQuotient(llvm::Instruction& instruction);
  /// Launches whose global ids do not fit into an int are rare.
  void lookAtExtension(llvm::CastInst& extension);
  void lookAtClamp(llvm::Instruction& clamp, llvm::CmpInst::Predicate predicate);
  void lookAtFlip(llvm::Instruction& flip);
  void lookAtComparison(llvm::ICmpInst& compare);
  void lookAtRow(llvm::ICmpInst& compare);
  /// What makes selections give what moves on, rather than what stands still.
  std::optional<bool> preferred(const llvm::ICmpInst& compare, llvm::CmpInst::Predicate predicate) const;
  std::optional<std::int64_t> computedStride(llvm::Instruction& instruction) const;

  const LaneShapes& shapes_;
  llvm::DenseMap<const llvm::Value*, std::int64_t> strides_;
  llvm::DenseMap<const llvm::Value*, bool> settled_;
  llvm::DenseMap<const llvm::Value*, bool> known_;
  llvm::DenseSet<const llvm::TruncInst*> fitting_;
  llvm::SmallVector<Assumption, 8> insideRows_; ///< comparisons that all lanes share
  bool hasInsides_ = false;                     ///< lanes ask whether they are inside
};

/// Whether hardly any sub-groups are at an edge: rows are as long as the launch or nearly so, there is one of them, and
/// no index begins again within it.
bool hasFewEdges(const llvm::Function& kernel, const Speculation& speculation);

/// Whether lanes part at the beginning of each row, where a comparison or a clamp has a constant bound, and so at its
/// end.
bool hasEdgesInRows(const Speculation& speculation);

} // namespace clotho::compiler
