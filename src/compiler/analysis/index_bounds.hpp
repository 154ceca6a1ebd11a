// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/ir/kernel_facts.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

#include <cstdint>
#include <optional>

namespace clotho::compiler {

/// Whether programs compute indices in integers of that type.
inline bool isIndexType(const llvm::Type& type) { return type.isIntegerTy(32) || type.isIntegerTy(64); }

/// From one lane to another, an index is at most so far away where a bound is to hold for it.
inline constexpr std::int64_t kLongestSpan = 1 << 24;

/// No constant that is added to an index on the way to an address is larger.
inline constexpr std::uint64_t kGreatestIndexTerm = 1 << 21;
/// No more of them are added to either of two indices whose distance is asked for.
inline constexpr unsigned kMostIndexTerms = 8;

/// The value is used for nothing but the addresses of loads, stores and prefetches, also around loops.
bool servesAddresses(const llvm::Value& value);

/// An index of 32 bits wraps around at 2^32, or 2^31 if it is signed. A work-item that accesses memory with it is in
/// bounds of that memory, and so its index is far from there if the memory is not very large: no other lane whose index
/// is within kLongestSpan of it has one on the other side. This is the size, in bytes, up to which that follows for
/// each access which the extension serves; nothing if it does not follow for memory of any size, as for `a[x - 2^32]`.
/// Where all memory is small (local, private), kAnyMemory.
std::optional<std::uint64_t> largestMemoryWithoutWrap(const llvm::CastInst& extension, const llvm::DataLayout& layout);

/// largestMemoryWithoutWrap of each extension of a function's, in their order.
class IndexBoundsAnalysis : public llvm::AnalysisInfoMixin<IndexBoundsAnalysis> {
 public:
  using Result = llvm::MapVector<const llvm::CastInst*, std::optional<std::uint64_t>>;
  static Result run(llvm::Function& function, llvm::FunctionAnalysisManager&);

 private:
  friend llvm::AnalysisInfoMixin<IndexBoundsAnalysis>;
  static llvm::AnalysisKey Key;
};

} // namespace clotho::compiler
