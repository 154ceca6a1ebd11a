// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>

#include <optional>

namespace clotho::compiler {

/// A value whose lanes differ by constants that are known at compile time but are not a stride: `2 * lid - (lid & 3)`,
/// say. It is a base that is uniform plus an offset for each lane. The offsets are known since the local id of a
/// sub-group's first work-item is a multiple of the width.
struct LanePattern {
  llvm::SmallVector<std::int64_t, 16> offsets; ///< one for each lane; in bytes if the value is a pointer
  unsigned zeros;                              ///< number of low bits of the base that are known to be zero

  bool isDistinct() const;
};

class LanePatterns {
 public:
  LanePatterns(const LaneShapes& shapes, const llvm::DataLayout& layout, unsigned width)
      : shapes_(shapes), layout_(layout), width_(width) {}

  /// Pattern of an integer or a pointer. An extension of 32 bits has a pattern only if it is used for addresses in
  /// memory so small that no access has an index near 2^31.
  std::optional<LanePattern> of(const llvm::Value* value, unsigned depth = 0) const;

  /// Emits the base of a value that has a pattern. `uniform` maps uniform values, and the local id of the first lane,
  /// to their scalar copies.
  llvm::Value* base(llvm::Value* value, llvm::IRBuilder<>& builder,
                    llvm::function_ref<llvm::Value*(llvm::Value*)> uniform) const;

 private:
  std::optional<LanePattern> ofBinary(const llvm::BinaryOperator& operation, unsigned depth) const;
  std::optional<LanePattern> ofAddress(const llvm::GetElementPtrInst& address, unsigned depth) const;

  const LaneShapes& shapes_;
  const llvm::DataLayout& layout_;
  unsigned width_;
};

/// Whether both values are certainly equal: the same operations on the same operands.
bool areSame(const llvm::Value* a, const llvm::Value* b, unsigned depth = 0);

} // namespace clotho::compiler
