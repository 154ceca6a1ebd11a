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

/// Whether programs compute indices in integers of this type.
inline bool isIndexType(const llvm::Type& type) { return type.isIntegerTy(32) || type.isIntegerTy(64); }

/// Longest distance between the indices of two lanes for which a bound must hold.
inline constexpr std::int64_t kLongestSpan = 1 << 24;

/// Largest constant that may be added to an index on the way to an address.
inline constexpr std::uint64_t kGreatestIndexTerm = 1 << 21;
/// Most constants that may be added to either of two indices whose distance is computed.
inline constexpr unsigned kMostIndexTerms = 8;

/// Whether the value is used only for the addresses of loads, stores and prefetches, also through loop phis.
bool servesAddresses(const llvm::Value& value);

/// Largest memory, in bytes, for which the 32-bit index has not wrapped around in any access that uses the extension. A
/// 32-bit index wraps around at 2^32, or at 2^31 if it is signed. A work-item that accesses memory with it is in bounds
/// of that memory. If the memory is not very large, the index is therefore far from the wrap, and no other lane whose
/// index is within kLongestSpan of it is on the other side. Nothing if this follows for memory of no size, as for `a[x
/// - 2^32]`; kAnyMemory if all memory is small (local, private).
std::optional<std::uint64_t> largestMemoryWithoutWrap(const llvm::CastInst& extension, const llvm::DataLayout& layout);

/// largestMemoryWithoutWrap of each extension in a function, in program order.
class IndexBoundsAnalysis : public llvm::AnalysisInfoMixin<IndexBoundsAnalysis> {
 public:
  using Result = llvm::MapVector<const llvm::CastInst*, std::optional<std::uint64_t>>;
  static Result run(llvm::Function& function, llvm::FunctionAnalysisManager&);

 private:
  friend llvm::AnalysisInfoMixin<IndexBoundsAnalysis>;
  static llvm::AnalysisKey Key;
};

} // namespace clotho::compiler
