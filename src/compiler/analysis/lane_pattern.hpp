// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>

#include <optional>

namespace clotho::compiler {

/// A value that differs between lanes in a way that is known when the kernel is compiled, though not by a constant from
/// lane to lane: `2 * lid - (lid & 3)`, say. It is a base that all lanes share plus an offset for each lane. Known
/// bits make it so: the local id of a sub-group's first work-item is a multiple of the width.
struct LanePattern {
  llvm::SmallVector<std::int64_t, 16> offsets; ///< by lane; of pointers in bytes
  unsigned zeros;                              ///< so many low bits of the base are known to be zero

  bool isDistinct() const;
};

class LanePatterns {
 public:
  LanePatterns(const LaneShapes& shapes, const llvm::DataLayout& layout, unsigned width)
      : shapes_(shapes), layout_(layout), width_(width) {}

  /// For integers and pointers. An extension of 32 bits has a pattern only where it serves addresses of memory so small
  /// that no work-item which accesses it has an index near 2^31.
  std::optional<LanePattern> of(const llvm::Value* value, unsigned depth = 0) const;

  /// Writes the base of a value that has a pattern; `uniform` gives what uniform values, and the local id of the first
  /// lane, have become.
  llvm::Value* base(llvm::Value* value, llvm::IRBuilder<>& builder,
                    llvm::function_ref<llvm::Value*(llvm::Value*)> uniform) const;

 private:
  std::optional<LanePattern> ofBinary(const llvm::BinaryOperator& operation, unsigned depth) const;
  std::optional<LanePattern> ofAddress(const llvm::GetElementPtrInst& address, unsigned depth) const;

  const LaneShapes& shapes_;
  const llvm::DataLayout& layout_;
  unsigned width_;
};

/// Whether both surely are the same value: written of the same parts in the same way.
bool areSame(const llvm::Value* a, const llvm::Value* b, unsigned depth = 0);

} // namespace clotho::compiler
