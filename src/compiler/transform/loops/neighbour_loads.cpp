// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/loops/neighbour_loads.hpp"

#include "base/arithmetic.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <cstdint>

namespace clotho::compiler {
namespace {

using llvm::IRBuilder;
using llvm::LoadInst;
using llvm::Value;

constexpr std::uint64_t kRegister = 64; ///< bytes

/// Bytes for which a rotation of a register is one instruction, and what is lacking is spread by its load.
bool isDistance(std::int64_t bytes) {
  const std::int64_t distance = magnitude(bytes);
  return distance == 4 || distance == 8 || distance == 16;
}

struct Row {
  LoadInst* load;
  std::int64_t offset; ///< from the base that rows of a group share
};

/// Rows of one size and from one base, with no write between them, in the order of the block.
using Group = llvm::SmallVector<Row, 8>;

class BlockRows {
 public:
  explicit BlockRows(llvm::BasicBlock& block) : layout_(block.getDataLayout()) {
    for (llvm::Instruction& instruction : block) {
      if (instruction.mayWriteToMemory() || !llvm::isGuaranteedToTransferExecutionToSuccessor(&instruction)) close();
      if (auto* load = llvm::dyn_cast<LoadInst>(&instruction); load != nullptr && isWide(*load)) add(*load);
    }
    close();
  }

  llvm::MutableArrayRef<Group> groups() { return groups_; }

 private:
  bool isWide(const LoadInst& load) const {
    auto* type = llvm::dyn_cast<llvm::FixedVectorType>(load.getType());
    if (type == nullptr || !load.isSimple() || load.hasMetadata(llvm::LLVMContext::MD_nontemporal)) return false;
    const std::uint64_t bytes = layout_.getTypeStoreSize(type).getFixedValue();
    return bytes % kRegister == 0 && bytes * 8 == layout_.getTypeSizeInBits(type).getFixedValue() &&
           !type->getElementType()->isPointerTy();
  }

  void add(LoadInst& load) {
    llvm::APInt offset(64, 0);
    const Value* base = load.getPointerOperand()->stripAndAccumulateConstantOffsets(layout_, offset,
                                                                                    /*AllowNonInbounds=*/true);
    const std::uint64_t bytes = layout_.getTypeStoreSize(load.getType()).getFixedValue();
    open_[{base, bytes}].push_back({&load, offset.getSExtValue()});
  }

  void close() {
    for (auto& [place, group] : open_)
      if (group.size() > 1) groups_.push_back(std::move(group));
    open_.clear();
  }

  const llvm::DataLayout& layout_;
  llvm::MapVector<std::pair<const Value*, std::uint64_t>, Group> open_;
  std::vector<Group> groups_;
};

/// The row of which most others can be made; of several such, the one nearest to the middle, which is the one that
/// begins with a line where any does.
const Row* middleOf(const Group& group) {
  const auto [least, most] =
      std::minmax_element(group.begin(), group.end(), [](const Row& a, const Row& b) { return a.offset < b.offset; });
  const std::int64_t twiceMiddle = least->offset + most->offset;
  const Row* best = nullptr;
  std::int64_t bestCount = 0, bestDistance = 0;
  for (const Row& row : group) {
    const std::int64_t count = std::count_if(group.begin(), group.end(),
                                             [&](const Row& other) { return isDistance(other.offset - row.offset); });
    const std::int64_t distance = magnitude(2 * row.offset - twiceMiddle);
    if (count == 0 || count < bestCount || (count == bestCount && distance >= bestDistance && best != nullptr))
      continue;
    best = &row;
    bestCount = count;
    bestDistance = distance;
  }
  return best;
}

/// The row `distance` bytes beside `middle`, a register or more loaded from `address`: made of that and of what it
/// lacks.
Value* makeRow(IRBuilder<>& builder, Value* middle, Value* address, std::int64_t distance, llvm::Align align) {
  const std::uint64_t bytes = middle->getType()->getPrimitiveSizeInBits() / 8;
  const auto lacking = static_cast<unsigned>(magnitude(distance));
  const unsigned unit = lacking == 4 ? 4 : 8, count = static_cast<unsigned>(bytes / unit), moved = lacking / unit;
  auto* integer = builder.getIntNTy(8 * unit);
  auto* piece = llvm::FixedVectorType::get(integer, moved);
  const std::int64_t from = distance > 0 ? static_cast<std::int64_t>(bytes) : distance;
  Value* beside = builder.CreateAlignedLoad(
      piece, builder.CreatePtrAdd(address, builder.getInt64(static_cast<std::uint64_t>(from))),
      llvm::commonAlignment(align, static_cast<std::uint64_t>(magnitude(from))));
  llvm::SmallVector<int, 16> all, spread;
  for (unsigned i = 0; i < count; ++i) {
    spread.push_back(static_cast<int>(i % moved));
    all.push_back(static_cast<int>(distance > 0 ? i + moved : i + count - moved));
  }
  beside = builder.CreateShuffleVector(beside, spread);
  Value* units = builder.CreateBitCast(middle, llvm::FixedVectorType::get(integer, count));
  return distance > 0 ? builder.CreateShuffleVector(units, beside, all)
                      : builder.CreateShuffleVector(beside, units, all);
}

/// Those that can be made of one of them, of which the group is rid then. Whether there were some.
bool shareRows(Group& group) {
  const Row* middle = middleOf(group);
  if (middle == nullptr) return false;
  // The shared row is loaded in front of the first of them: nothing is written before the last.
  LoadInst& first = *group.front().load;
  IRBuilder<> builder(&first);
  const auto addressOf = [&](const Row& row) {
    const std::int64_t distance = row.offset - group.front().offset;
    return distance == 0 ? first.getPointerOperand()
                         : builder.CreatePtrAdd(first.getPointerOperand(),
                                                builder.getInt64(static_cast<std::uint64_t>(distance)));
  };
  Value* address = addressOf(*middle);
  auto* loaded = builder.CreateAlignedLoad(middle->load->getType(), address, middle->load->getAlign(), "middle");
  loaded->copyMetadata(*middle->load);
  Group left;
  const std::int64_t offset = middle->offset;
  for (const Row& row : group) {
    const std::int64_t distance = row.offset - offset;
    if (distance != 0 && !isDistance(distance)) {
      left.push_back(row);
      continue;
    }
    builder.SetInsertPoint(row.load);
    Value* made = distance == 0
                      ? loaded
                      : makeRow(builder, loaded, address, distance, std::min(row.load->getAlign(), loaded->getAlign()));
    row.load->replaceAllUsesWith(builder.CreateBitCast(made, row.load->getType()));
    row.load->eraseFromParent();
  }
  group = std::move(left);
  return true;
}

} // namespace

llvm::PreservedAnalyses NeighbourLoadsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::BasicBlock& block : function) {
    BlockRows rows(block);
    for (Group& group : rows.groups())
      while (shareRows(group))
        changed = true;
  }
  return changed ? llvm::PreservedAnalyses::allInSet<llvm::CFGAnalyses>() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
