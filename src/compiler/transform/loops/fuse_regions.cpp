// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/loops/fuse_regions.hpp"

#include "compiler/analysis/affine_address.hpp"
#include "compiler/ir/group_results.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/local_memory.hpp"
#include "compiler/ir/marks.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <optional>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kGlobalSpace = 1, kLocalSpace = 3;

bool isBarrier(const Instruction& instruction) { return isIntrinsic(&instruction, Intrinsic::Barrier); }

/// An address `memory + scale * lid + offset`, in bytes.
struct AddressOfItem {
  const Value* memory = nullptr;
  std::int64_t scale = 0, offset = 0;
};

/// Local memory, its constants and local ids are so small that an index which wraps around in 32 bits is out of bounds.
std::optional<AddressOfItem> addressOfItem(const Value& pointer, const llvm::DataLayout& layout) {
  constexpr std::int64_t kGreatestScale = 1 << 16; // bytes; a group has fewer than 2^15 work-items
  const AffineAddress address = affineAddressOf(pointer, layout, {.wrapping = AffineOptions::Wrapping::None});
  if (!llvm::isa<llvm::Argument, llvm::GlobalVariable>(address.object)) return std::nullopt;
  AddressOfItem result{address.object, 0, address.offset.constant};
  for (const AffineForm::Term& term : address.offset.terms) {
    if (!isIntrinsic(term.value, Intrinsic::LocalId) || term.scale > kGreatestScale) return std::nullopt;
    result.scale += term.scale;
  }
  return result;
}

/// What work-items run from a barrier on until the next one, which is the same on all ways.
struct Segment {
  llvm::SmallVector<const Instruction*, 16> accesses; ///< of memory that others see
  Instruction* end = nullptr;
  bool isPlain = true; ///< nothing but simple loads and stores, no other end, and no way round
};

Segment segmentAfter(Instruction& start) {
  Segment segment;
  llvm::SmallPtrSet<BasicBlock*, 16> reached;
  llvm::SmallVector<Instruction*, 16> work = {start.getNextNode()};
  while (!work.empty() && segment.isPlain) {
    Instruction* at = work.pop_back_val();
    for (; !isBarrier(*at) && !at->isTerminator(); at = at->getNextNode()) {
      if (!at->mayReadOrWriteMemory() || llvm::isa<llvm::LifetimeIntrinsic>(at)) continue;
      const Value* pointer = llvm::getLoadStorePointerOperand(at);
      if (pointer == nullptr || isLaneAfterLane(*at)) {
        segment.isPlain = false;
        break;
      }
      segment.accesses.push_back(at);
    }
    if (isBarrier(*at)) {
      segment.isPlain = segment.isPlain && (segment.end == nullptr || segment.end == at) && at != &start;
      segment.end = at;
      continue;
    }
    if (llvm::succ_empty(at->getParent())) segment.isPlain = false; // returns
    for (BasicBlock* next : llvm::successors(at->getParent())) {
      if (next == start.getParent()) segment.isPlain = false;
      if (reached.insert(next).second) work.push_back(&next->front());
    }
  }
  segment.isPlain = segment.isPlain && segment.end != nullptr;
  return segment;
}

/// All barriers that may be the next one from the instruction on.
llvm::SmallSetVector<Instruction*, 4> nextBarriers(Instruction& start) {
  llvm::SmallSetVector<Instruction*, 4> found;
  llvm::SmallPtrSet<BasicBlock*, 16> reached;
  llvm::SmallVector<Instruction*, 16> work = {&start};
  while (!work.empty()) {
    Instruction* at = work.pop_back_val();
    while (!isBarrier(*at) && !at->isTerminator())
      at = at->getNextNode();
    if (isBarrier(*at)) {
      found.insert(at);
      continue;
    }
    for (BasicBlock* next : llvm::successors(at->getParent()))
      if (reached.insert(next).second) work.push_back(&next->front());
  }
  return found;
}

/// Whether all of `before` may come after `after` of work-items with larger local ids, and only of those.
bool mayRunDescending(const Segment& before, const Segment& after, const llvm::DataLayout& layout) {
  for (const Instruction* first : before.accesses)
    for (const Instruction* second : after.accesses) {
      if (llvm::isa<llvm::LoadInst>(first) && llvm::isa<llvm::LoadInst>(second)) continue;
      const Value *a = llvm::getLoadStorePointerOperand(first), *b = llvm::getLoadStorePointerOperand(second);
      const unsigned spaceA = a->getType()->getPointerAddressSpace(), spaceB = b->getType()->getPointerAddressSpace();
      const auto isKnown = [](unsigned space) { return space == kGlobalSpace || space == kLocalSpace; };
      if (!isKnown(spaceA) || !isKnown(spaceB)) return false;
      if (spaceA != spaceB) continue;
      if (spaceA != kLocalSpace) return false;
      const auto addressA = addressOfItem(*a, layout), addressB = addressOfItem(*b, layout);
      if (!addressA || !addressB) return false;
      if (addressA->memory != addressB->memory) continue;
      const auto sizeOf = [&](const Instruction* access) {
        return static_cast<std::int64_t>(layout.getTypeStoreSize(llvm::getLoadStoreType(access)).getFixedValue());
      };
      // Elements of one array, of which `second` has the same or a later one in each work-item.
      const std::int64_t ahead = addressB->offset - addressA->offset;
      if (addressA->scale != addressB->scale || addressA->scale < sizeOf(first) || addressA->scale < sizeOf(second) ||
          ahead < 0 || ahead % addressA->scale != 0)
        return false;
    }
  return true;
}

} // namespace

llvm::PreservedAnalyses FuseRegionsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  if (!isKernel(function) || function.isDeclaration() || countsOnOrder(function)) return llvm::PreservedAnalyses::all();
  llvm::SmallVector<Instruction*, 16> barriers;
  for (Instruction& instruction : llvm::instructions(function)) {
    const auto call = matchIntrinsic(&instruction);
    // Work-items of one row only: of others, each order has its own. Rows of which the kernel knows nothing do the
    // same, unless they ask who came first.
    const bool isId = call && (call->intrinsic == Intrinsic::LocalId || call->intrinsic == Intrinsic::GlobalId);
    if (isId && call->dimension != 0) return llvm::PreservedAnalyses::all();
    if (instruction.isAtomic() && !instruction.use_empty()) return llvm::PreservedAnalyses::all();
    if (call && call->intrinsic == Intrinsic::Barrier) barriers.push_back(&instruction);
  }
  if (barriers.size() < 3) return llvm::PreservedAnalyses::all();
  llvm::DenseMap<const Instruction*, unsigned> leads; // from how many places a barrier is the next one
  for (Instruction* next : nextBarriers(function.getEntryBlock().front()))
    ++leads[next];
  llvm::SmallVector<Segment, 16> segments;
  for (Instruction* barrier : barriers) {
    segments.push_back(segmentAfter(*barrier));
    for (Instruction* next : nextBarriers(*barrier->getNextNode()))
      ++leads[next];
  }
  llvm::SmallPtrSet<Instruction*, 16> removed;
  for (unsigned i = 0; i < barriers.size(); ++i) {
    const Segment& before = segments[i];
    if (removed.contains(barriers[i]) || !before.isPlain || leads[before.end] != 1) continue;
    if (before.end->hasMetadata(kDescendingName)) continue; // what follows it is two segments already
    if (before.end->hasMetadata(kSweepName)) continue;      // it is there for the order of what it divides
    const auto found = llvm::find(barriers, before.end);
    const Segment& after = segments[static_cast<unsigned>(found - barriers.begin())];
    if (!after.isPlain || after.end == barriers[i] || before.accesses.empty() || after.accesses.empty() ||
        !mayRunDescending(before, after, function.getDataLayout()))
      continue;
    barriers[i]->setMetadata(kDescendingName, llvm::MDNode::get(function.getContext(), {}));
    removed.insert(before.end);
  }
  // To one work-item, what it reads and what it writes have nothing to do with each other; a fence keeps them in order
  // until lanes are made of it.
  for (Instruction* barrier : removed) {
    auto* fence = new llvm::FenceInst(function.getContext(), llvm::AtomicOrdering::AcquireRelease,
                                      llvm::SyncScope::SingleThread, barrier->getIterator());
    fence->setMetadata(kDescendingName, llvm::MDNode::get(function.getContext(), {}));
    barrier->eraseFromParent();
  }
  return removed.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
