// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"
#include "compiler/analysis/sub_group_flow.hpp"

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Instructions.h>

#include <optional>

namespace clotho::compiler {

/// An assumption about an instruction: it equals another value; it is true or false in all lanes; a truncation is
/// exact; no two lanes of an extended value have a wrap between them; it XORs an id that begins at a multiple of the
/// width, so that all lanes stay in one aligned row; or it is a quotient or remainder whose quotient is uniform.
struct Assumption {
  enum class Kind { Same, NoneEqual, AllAlike, Known, Fits, Exact, Butterfly, Quotient };
  llvm::Instruction* instruction;
  Kind kind;
  llvm::Value* moving = nullptr;  ///< affine, if the assumptions before this one hold
  llvm::Value* resting = nullptr; ///< uniform; of Exact: any constant
  std::int64_t stride = 0;
  llvm::CmpInst::Predicate predicate{};        ///< compares `moving` with `resting`; for Same: it holds
  bool value = false;                          ///< the result of Known, and of comparisons for equality
  llvm::SmallVector<llvm::Use*, 2> masks = {}; ///< Uniform bits with which `moving` is masked (Butterfly)
};

/// Visits the kernel in order and collects useful assumptions.
class Speculation {
 public:
  Speculation(const LaneShapes& shapes, const SubGroupFlow& flow);
  llvm::SmallVector<Assumption, 16> assumptions;

  /// Whether the value is uniform if the assumptions hold.
  bool isSettled(const llvm::Value* value);

 private:
  /// Stride of a value that is affine if the assumptions so far hold; zero for a uniform one.
  std::optional<std::int64_t> strideOf(const llvm::Value* value) const;
  bool isUniform(const llvm::Value* value) const { return strideOf(value) == 0; }
  bool moves(const llvm::Value* value) const;
  void look(llvm::Instruction& instruction);
  /// Handles the rows and columns of linear indices: row lengths that are known and so long that most sub-groups are
  /// within one row.
  bool lookAtQuotient(llvm::Instruction& instruction);
  /// Assumes that global ids fit into an int, as in nearly all launches.
  void lookAtExtension(llvm::CastInst& extension);
  void lookAtClamp(llvm::Instruction& clamp, llvm::CmpInst::Predicate predicate);
  void lookAtButterfly(llvm::Instruction& butterfly);
  void lookAtComparison(llvm::ICmpInst& compare);
  void lookAtRow(llvm::ICmpInst& compare);
  /// The outcome for which selects give the varying value rather than the uniform one.
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

/// Whether hardly any sub-groups are at an edge: there is one row, about as long as the launch, and no index wraps
/// within it.
bool hasFewEdges(const llvm::Function& kernel, const Speculation& speculation);

/// Whether lanes diverge at the beginning of each row, since a comparison or a clamp has a constant bound, and so also
/// at its end.
bool hasEdgesInRows(const Speculation& speculation);

} // namespace clotho::compiler
