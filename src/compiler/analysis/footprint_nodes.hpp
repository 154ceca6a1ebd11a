// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/footprint.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/BasicBlock.h>

#include <map>
#include <optional>

namespace llvm {
class Argument;
class DominatorTree;
class ICmpInst;
class Loop;
class ScalarEvolution;
class SCEV;
class SCEVAddExpr;
class SCEVAddRecExpr;
class Value;
} // namespace llvm

namespace clotho::compiler {

/// Writes integers of a kernel as nodes of its footprint. What cannot be written becomes a range.
class FootprintNodes {
 public:
  FootprintNodes(KernelFootprint& footprint, llvm::ScalarEvolution& evolution, const llvm::DominatorTree& dominators)
      : footprint_(footprint), evolution_(evolution), dominators_(dominators) {}

  /// The node of a value as accesses in a block see it.
  std::uint32_t nodeOf(const llvm::SCEV* value, const llvm::BasicBlock& block);
  /// The guard that holds where the comparison has this outcome; nothing if it is not one of an id with a number.
  std::optional<FootprintGuard> guardOf(const llvm::ICmpInst& comparison, bool outcome, const llvm::BasicBlock& block);
  /// False once there are more nodes than a launch should compute.
  bool hasRoom() const;

 private:
  std::uint32_t add(const FootprintNode& node);
  std::uint32_t combine(FootprintNode::Kind kind, const llvm::SCEV* value, const llvm::BasicBlock& block);
  std::uint32_t rangeOf(const llvm::SCEV* value);
  std::uint32_t sumOf(const llvm::SCEVAddExpr* sum, const llvm::BasicBlock& block);
  std::uint32_t counterOf(const llvm::SCEVAddRecExpr* counter, const llvm::BasicBlock& block);
  std::uint32_t unknownOf(const llvm::SCEV* value, const llvm::Value& of);
  std::optional<FootprintNode> argumentOf(const llvm::Value& value) const;
  std::optional<FootprintGuard> guardOf(const llvm::SCEV* left, const llvm::SCEV* right, unsigned predicate,
                                        const llvm::BasicBlock& block);
  /// Whether the block runs only in iterations that do not leave the loop.
  bool isBehindTest(const llvm::Loop& loop, const llvm::BasicBlock& block) const;

  KernelFootprint& footprint_;
  llvm::ScalarEvolution& evolution_;
  const llvm::DominatorTree& dominators_;
  std::map<FootprintNode, std::uint32_t> known_;
  llvm::SmallPtrSet<const llvm::Loop*, 4> counting_; ///< loops whose iterations are being expressed
};

} // namespace clotho::compiler
