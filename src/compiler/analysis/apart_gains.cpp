// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/apart_gains.hpp"

#include "base/arithmetic.hpp"
#include "compiler/analysis/affine_address.hpp"
#include "compiler/ir/apart_arguments.hpp"
#include "compiler/ir/intrinsics.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

namespace clotho::compiler {
namespace {

using llvm::Function;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kGlobalSpace = 1;

/// The pointer's argument, if it points to global memory that other arguments may point to as well.
const llvm::Argument* baseOf(const Value* pointer) {
  const auto* argument = llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0));
  return argument != nullptr && argument->getType()->isPointerTy() &&
                 argument->getType()->getPointerAddressSpace() == kGlobalSpace
             ? argument
             : nullptr;
}

/// Whether the loop stores to one address in every iteration, and accesses through other arguments keep the value from
/// being promoted to a register.
bool keepsSumInMemory(const llvm::Loop& loop, llvm::ScalarEvolution& evolution, const llvm::DominatorTree& dominators) {
  const llvm::BasicBlock* latch = loop.getLoopLatch();
  if (latch == nullptr) return false;
  llvm::SmallPtrSet<const llvm::Argument*, 4> storedThrough, accessed;
  for (llvm::BasicBlock* block : loop.blocks())
    for (Instruction& instruction : *block) {
      if (isIntrinsic(&instruction, Intrinsic::Barrier)) return false;
      Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
      const llvm::Argument* base = pointer == nullptr ? nullptr : baseOf(pointer);
      if (base == nullptr) continue;
      accessed.insert(base);
      if (llvm::isa<llvm::StoreInst>(instruction) && !isApart(*base) && dominators.dominates(block, latch) &&
          evolution.isLoopInvariant(evolution.getSCEV(pointer), &loop))
        storedThrough.insert(base);
    }
  return !storedThrough.empty() && accessed.size() > 1;
}

/// Most bytes between accesses of one work-item that count as adjacent: a cache line.
constexpr std::uint64_t kBeside = 64;

bool areBeside(const AccessAddress& one, const AccessAddress& other) {
  const auto distance = one.distanceTo(other);
  return distance && distance->bytes != 0 && static_cast<std::uint64_t>(magnitude(distance->bytes)) < kBeside;
}

/// Bytes by which an address advances in each iteration; 0 if unknown.
std::uint64_t stepOf(const Value& pointer, const llvm::Loop& loop) {
  using namespace llvm::PatternMatch;
  const auto stepOfCounter = [&](const llvm::PHINode& phi) -> std::int64_t {
    const llvm::APInt* step = nullptr;
    const Value* next = phi.getIncomingValueForBlock(loop.getLoopLatch());
    return match(next, m_Add(m_Specific(&phi), m_APInt(step))) && step->isSignedIntN(16) ? step->getSExtValue() : 0;
  };
  std::int64_t bytes = 0;
  for (const AffineForm::Term& term : affineAddressOf(pointer, loop.getHeader()->getDataLayout()).offset.terms) {
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(term.value);
    if (phi != nullptr && phi->getParent() == loop.getHeader())
      bytes += stepOfCounter(*phi) * term.scale;
    else if (!loop.isLoopInvariant(term.value))
      return 0;
  }
  return static_cast<std::uint64_t>(magnitude(bytes));
}

/// Whether successive iterations store to adjacent addresses and load through another argument, or the reverse: the
/// iterations then cannot access their adjacent elements together.
bool goesAlongMemory(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  // Longer loops, and those of unknown trip count, are not unrolled if they store.
  constexpr unsigned kMostTrips = 64;
  const unsigned trips = loop.getLoopLatch() == nullptr ? 0 : evolution.getSmallConstantTripCount(&loop);
  if (trips < 2 || trips > kMostTrips) return false;
  struct Accesses {
    llvm::SmallPtrSet<const llvm::Argument*, 4> by, along;
  } loads, stores;
  for (llvm::BasicBlock* block : loop.blocks())
    for (Instruction& instruction : *block) {
      if (isIntrinsic(&instruction, Intrinsic::Barrier)) return false;
      Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
      const llvm::Argument* base = pointer == nullptr ? nullptr : baseOf(pointer);
      if (base == nullptr || isApart(*base)) continue;
      Accesses& accesses = llvm::isa<llvm::StoreInst>(instruction) ? stores : loads;
      accesses.by.insert(base);
      const std::uint64_t step = stepOf(*pointer, loop);
      if (step != 0 && step < kBeside) accesses.along.insert(base);
    }
  const auto isParted = [](const Accesses& along, const Accesses& others) {
    return llvm::any_of(along.along, [&](const llvm::Argument* base) {
      return llvm::any_of(others.by, [&](const llvm::Argument* other) { return other != base; });
    });
  };
  return isParted(stores, loads) || isParted(loads, stores);
}

/// Whether a load through another argument separates two stores that could be merged, or a store two loads.
bool partsNeighbours(const llvm::BasicBlock& block) {
  constexpr std::size_t kMostAccesses = 64;
  struct Access {
    bool stores;
    const llvm::Argument* by;
    AccessAddress address;
  };
  llvm::SmallVector<Access, 16> accesses;
  for (const Instruction& instruction : block) {
    const Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    const llvm::Argument* base = pointer == nullptr ? nullptr : baseOf(pointer);
    if (isIntrinsic(&instruction, Intrinsic::Barrier) || accesses.size() == kMostAccesses) accesses.clear();
    if (base == nullptr) continue;
    const Access access{llvm::isa<llvm::StoreInst>(instruction), base,
                        accessAddressOf(*pointer, block.getDataLayout())};
    bool isParted = false;
    for (const Access& before : llvm::reverse(accesses)) {
      if (before.by != base && before.stores != access.stores)
        isParted |= !isApart(*base) && !isApart(*before.by);
      else if (isParted && before.by == base && before.stores == access.stores &&
               areBeside(before.address, access.address))
        return true;
    }
    accesses.push_back(access);
  }
  return false;
}

} // namespace

bool gainsFromApartArguments(Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(kernel);
  const auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(kernel);
  const auto loops = analyses.getResult<llvm::LoopAnalysis>(kernel).getLoopsInPreorder();
  return llvm::any_of(loops,
                      [&](const llvm::Loop* loop) {
                        return keepsSumInMemory(*loop, evolution, dominators) || goesAlongMemory(*loop, evolution);
                      }) ||
         llvm::any_of(kernel, partsNeighbours);
}

} // namespace clotho::compiler
