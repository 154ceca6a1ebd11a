// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/memory/direct_kernels.hpp"

#include "compiler/analysis/mergeable_groups.hpp"
#include "compiler/analysis/work_item_uniformity.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/sub_group_operations.hpp"
#include "compiler/ir/variants.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/Local.h>

namespace clotho::compiler {
namespace {

using llvm::Function;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kGlobalSpace = 1, kConstantSpace = 2, kLocalSpace = 3;
constexpr unsigned kDeepest = 48;              ///< expressions of what a tile holds
constexpr std::uint64_t kLongestSide = 64;     ///< of a tile: longer ones do not lie in the nearest cache
constexpr std::size_t kMostInstructions = 600; ///< of a kernel that is worth a second version
constexpr unsigned kMostValues = 24;           ///< in the expression of what a tile holds

/// A row or a column of a tile: of `variable`, if any, and a constant.
struct Index {
  Value* variable = nullptr;
  std::uint64_t constant = 0;
};

struct Place {
  Index row, column;
};

/// local T tile[rows][columns]
struct Tile {
  std::uint64_t rows = 0, columns = 0, elementBytes = 0;
  llvm::Type* element = nullptr;
  llvm::StoreInst* store = nullptr; ///< the only one
  llvm::SmallVector<llvm::LoadInst*, 8> loads;
};

/// Of a row or a column, which are small.
Value* withoutCasts(Value* value) {
  constexpr unsigned kLeastBits = 8;
  static_assert(kLongestSide < 1U << (kLeastBits - 1));
  while (auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) {
    if (!llvm::isa<llvm::SExtInst, llvm::ZExtInst, llvm::TruncInst>(cast) ||
        cast->getType()->getScalarSizeInBits() < kLeastBits)
      break;
    value = cast->getOperand(0);
  }
  return value;
}

bool isLocalId(Value* value, unsigned dimension) {
  return isIntrinsic(withoutCasts(value), Intrinsic::LocalId, dimension);
}

bool isLocalId(const Index& index, unsigned dimension) {
  return index.constant == 0 && index.variable != nullptr && isLocalId(index.variable, dimension);
}

/// Facts that are the same for work-groups of one shape, however their work-items run.
bool isKnownFact(const IntrinsicCall& call) {
  return tellsPlace(call.intrinsic) || call.intrinsic == Intrinsic::Barrier;
}

/// What a kernel does with memory, where that is only to fill tiles, read them, and read and write what different
/// arguments point to.
struct Accesses {
  llvm::MapVector<llvm::GlobalVariable*, Tile> tiles;
  llvm::SmallVector<Instruction*, 4> barriers;
};

/// The barrier may keep the order of what different work-items write in one place.
bool comesBefore(llvm::ArrayRef<Instruction*> stores, llvm::ArrayRef<Instruction*> barriers) {
  return llvm::any_of(stores, [&](const Instruction* store) {
    return llvm::any_of(barriers,
                        [&](const Instruction* barrier) { return llvm::isPotentiallyReachable(store, barrier); });
  });
}

bool addTileAccess(Accesses& accesses, llvm::GlobalVariable& variable, Instruction& instruction) {
  const auto* outer = llvm::dyn_cast<llvm::ArrayType>(variable.getValueType());
  const auto* inner = outer == nullptr ? nullptr : llvm::dyn_cast<llvm::ArrayType>(outer->getElementType());
  if (inner == nullptr || inner->getElementType()->isArrayTy()) return false;
  Tile& tile = accesses.tiles[&variable];
  tile.rows = outer->getNumElements();
  tile.columns = inner->getNumElements();
  tile.element = inner->getElementType();
  tile.elementBytes = instruction.getDataLayout().getTypeAllocSize(tile.element).getFixedValue();
  if (llvm::getLoadStoreType(&instruction) != tile.element) return false;
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    tile.loads.push_back(load);
    return true;
  }
  if (tile.store != nullptr) return false;
  tile.store = llvm::cast<llvm::StoreInst>(&instruction);
  return true;
}

std::optional<Accesses> findAccesses(Function& kernel) {
  Accesses accesses;
  llvm::SmallPtrSet<const Value*, 8> read, written;
  llvm::SmallVector<Instruction*, 4> stores;
  for (Instruction& instruction : llvm::instructions(kernel)) {
    if (llvm::isa<llvm::AllocaInst>(instruction)) return std::nullopt;
    if (const auto call = matchIntrinsic(&instruction)) {
      if (!isKnownFact(*call)) return std::nullopt;
      if (call->intrinsic == Intrinsic::Barrier) accesses.barriers.push_back(&instruction);
      continue;
    }
    Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (pointer == nullptr) {
      if (llvm::isa<llvm::FenceInst>(instruction)) return std::nullopt;
      if (instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects()) return std::nullopt;
      continue;
    }
    if (instruction.isVolatile() || instruction.isAtomic()) return std::nullopt;
    Value* object = llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0);
    const unsigned space = pointer->getType()->getPointerAddressSpace();
    if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object); variable != nullptr && space == kLocalSpace) {
      if (!addTileAccess(accesses, *variable, instruction)) return std::nullopt;
    } else if (llvm::isa<llvm::Argument>(object) && (space == kGlobalSpace || space == kConstantSpace)) {
      (llvm::isa<llvm::LoadInst>(instruction) ? read : written).insert(object);
      if (llvm::isa<llvm::StoreInst>(instruction)) stores.push_back(&instruction);
    } else {
      return std::nullopt;
    }
  }
  if (accesses.tiles.empty() || comesBefore(stores, accesses.barriers) ||
      llvm::any_of(written, [&](const Value* object) { return read.contains(object); }))
    return std::nullopt;
  return accesses;
}

/// Which element a pointer into the tile points to.
std::optional<Place> placeOf(const Tile& tile, const Value* pointer, const llvm::DataLayout& layout) {
  const std::uint64_t rowBytes = tile.columns * tile.elementBytes;
  const unsigned bits = layout.getIndexTypeSizeInBits(pointer->getType());
  llvm::SmallMapVector<Value*, llvm::APInt, 4> variables;
  llvm::APInt constant(bits, 0);
  while (!llvm::isa<llvm::GlobalVariable>(pointer)) {
    const auto* step = llvm::dyn_cast<llvm::GEPOperator>(pointer);
    if (step == nullptr || !step->collectOffset(layout, bits, variables, constant)) return std::nullopt;
    pointer = step->getPointerOperand();
  }
  if (constant.isNegative() || constant.uge(tile.rows * rowBytes)) return std::nullopt;
  const std::uint64_t bytes = constant.getZExtValue();
  Place place{{nullptr, bytes / rowBytes}, {nullptr, bytes % rowBytes / tile.elementBytes}};
  if (bytes % tile.elementBytes != 0) return std::nullopt;
  for (const auto& [variable, scale] : variables) {
    Index* index = scale == rowBytes ? &place.row : scale == tile.elementBytes ? &place.column : nullptr;
    if (index == nullptr || index->variable != nullptr) return std::nullopt;
    index->variable = variable;
  }
  return place;
}

/// Replaces what a kernel loads from tiles by what its work-items load for them.
class TileBypass {
 public:
  TileBypass(Function& kernel, Accesses& accesses, llvm::FunctionAnalysisManager& analyses)
      : kernel_(kernel), accesses_(accesses), layout_(kernel.getDataLayout()),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(kernel)),
        loops_(analyses.getResult<llvm::LoopAnalysis>(kernel)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(kernel)) {}

  /// The local size for which the kernel is the same; nothing if there is none, and the kernel then of no use.
  std::optional<LocalSize> run() {
    if (!chooseSize()) return std::nullopt;
    for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel_)))
      if (const auto call = matchIntrinsic(&instruction);
          call && (call->intrinsic == Intrinsic::LocalSize || call->intrinsic == Intrinsic::EnqueuedSize)) {
        instruction.replaceAllUsesWith(llvm::ConstantInt::get(instruction.getType(), size_[call->dimension]));
        instruction.eraseFromParent();
      }
    const WorkItemUniformity uniformity(kernel_);
    for (const Instruction& instruction : llvm::instructions(kernel_))
      if (uniformity.isUniform(instruction)) uniform_.insert(&instruction);
    for (auto& [variable, tile] : accesses_.tiles)
      for (llvm::LoadInst* load : tile.loads)
        if (!bypass(tile, *load)) return std::nullopt;
    for (auto& [variable, tile] : accesses_.tiles)
      tile.store->eraseFromParent();
    for (Instruction* barrier : accesses_.barriers)
      barrier->eraseFromParent();
    for (llvm::BasicBlock& block : kernel_)
      llvm::SimplifyInstructionsInBlock(&block);
    return size_;
  }

 private:
  /// A tile is filled whole in each round of a loop, with a barrier: work-item (x, y) fills tile[y][x]. The last column
  /// may only be there against conflicts between a GPU's banks of memory.
  bool chooseSize() {
    const auto required = kernel_.getMetadata("reqd_work_group_size");
    for (auto& [variable, tile] : accesses_.tiles) {
      if (tile.store == nullptr || tile.rows < 2 || tile.rows > kLongestSide || tile.columns > kLongestSide)
        return false;
      const auto filled = placeOf(tile, tile.store->getPointerOperand(), layout_);
      if (!filled || !isLocalId(filled->row, 1) || !isLocalId(filled->column, 0)) return false;
      llvm::Loop* loop = loops_.getLoopFor(tile.store->getParent());
      if (loop == nullptr || loop->getLoopLatch() == nullptr ||
          !dominators_.dominates(tile.store->getParent(), loop->getLoopLatch()) ||
          llvm::none_of(accesses_.barriers,
                        [&](const Instruction* barrier) { return loops_.getLoopFor(barrier->getParent()) == loop; }))
        return false;
    }
    const Tile& first = accesses_.tiles.front().second;
    for (const std::uint64_t row : {first.columns, first.columns - 1}) {
      size_ = {row, first.rows, 1};
      const bool isFilled = llvm::all_of(accesses_.tiles, [&](const auto& entry) {
        const Tile& tile = entry.second;
        return tile.rows == size_[1] && (tile.columns == row || tile.columns == row + 1);
      });
      const bool isRequired =
          required == nullptr || llvm::all_of(llvm::seq(0U, 3U), [&](unsigned i) {
            return llvm::mdconst::extract<llvm::ConstantInt>(required->getOperand(i))->getZExtValue() == size_[i];
          });
      if (isFilled && isRequired && row % 4 == 0) return true;
    }
    return false;
  }

  bool isUniform(const Value& value) const {
    const auto* instruction = llvm::dyn_cast<Instruction>(&value);
    return instruction == nullptr || uniform_.contains(instruction);
  }

  /// Within the part of the tile that has been filled.
  bool isFilled(const Index& index, unsigned dimension, const Instruction& at) {
    const std::uint64_t count = size_[dimension];
    if (isLocalId(index, dimension)) return true;
    if (index.variable == nullptr) return index.constant < count;
    if (!isUniform(*index.variable) || index.constant >= count) return false;
    const llvm::SCEV* variable = evolution_.getSCEV(index.variable);
    return evolution_.isKnownPredicateAt(llvm::ICmpInst::ICMP_ULT, variable,
                                         evolution_.getConstant(variable->getType(), count - index.constant), &at);
  }

  bool bypass(const Tile& tile, llvm::LoadInst& load) {
    const auto place = placeOf(tile, load.getPointerOperand(), layout_);
    const llvm::Loop* loop = loops_.getLoopFor(tile.store->getParent());
    if (!place || !dominators_.dominates(tile.store, &load) || !loop->contains(&load) ||
        !isFilled(place->row, 1, load) || !isFilled(place->column, 0, load))
      return false;
    place_ = *place;
    made_.clear();
    llvm::IRBuilder<> builder(&load);
    Value* value = rebuild(tile.store->getValueOperand(), builder, 0);
    if (value == nullptr) return false;
    load.replaceAllUsesWith(value);
    load.eraseFromParent();
    return true;
  }

  Value* idOf(const Index& index, llvm::IRBuilder<>& builder) {
    if (index.variable == nullptr) return builder.getInt64(index.constant);
    return builder.CreateAdd(builder.CreateZExtOrTrunc(index.variable, builder.getInt64Ty()),
                             builder.getInt64(index.constant), "", /*HasNUW=*/true, /*HasNSW=*/true);
  }

  Value* factOf(const IntrinsicCall& call, Instruction& fact, llvm::IRBuilder<>& builder) {
    if (call.intrinsic != Intrinsic::LocalId && call.intrinsic != Intrinsic::GlobalId)
      return isUniform(fact) ? &fact : nullptr;
    if (call.dimension == 2) return &fact; // one only, along this dimension
    const Index& index = call.dimension == 0 ? place_.column : place_.row;
    if (isLocalId(index, call.dimension)) return &fact;
    Value* id = idOf(index, builder);
    if (call.intrinsic == Intrinsic::LocalId) return id;
    return builder.CreateAdd(createIntrinsic(builder, Intrinsic::GroupBase, call.dimension), id, "", /*HasNUW=*/true);
  }

  /// The value that the work-item which fills `place_` computes; null where that cannot be told.
  Value* rebuild(Value* value, llvm::IRBuilder<>& builder, unsigned depth) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction == nullptr) return value;
    if (Value* made = made_.lookup(value)) return made;
    if (depth == kDeepest || made_.size() > kMostValues) return nullptr;
    Value* result = nullptr;
    if (const auto call = matchIntrinsic(instruction)) {
      result = factOf(*call, *instruction, builder);
    } else if (isUniform(*instruction)) {
      result = instruction;
    } else {
      const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(instruction);
      const bool isGlobalLoad = llvm::isa<llvm::LoadInst>(instruction) &&
                                instruction->getOperand(0)->getType()->getPointerAddressSpace() != kLocalSpace;
      const bool mayCopy =
          isGlobalLoad || (intrinsic != nullptr && !intrinsic->mayReadOrWriteMemory()) ||
          llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CastInst, llvm::CmpInst, llvm::SelectInst,
                    llvm::GetElementPtrInst, llvm::FreezeInst, llvm::ExtractElementInst, llvm::InsertElementInst,
                    llvm::ShuffleVectorInst>(*instruction);
      if (!mayCopy) return nullptr;
      llvm::SmallVector<Value*, 4> operands;
      for (Value* operand : instruction->operands()) {
        operands.push_back(rebuild(operand, builder, depth + 1));
        if (operands.back() == nullptr) return nullptr;
      }
      Instruction* copy = instruction->clone();
      for (auto [operand, rebuilt] : llvm::zip_equal(copy->operands(), operands))
        operand.set(rebuilt);
      result = builder.Insert(copy, instruction->getName());
    }
    made_[value] = result;
    return result;
  }

  Function& kernel_;
  Accesses& accesses_;
  const llvm::DataLayout& layout_;
  llvm::DominatorTree& dominators_;
  llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  llvm::SmallPtrSet<const Instruction*, 32> uniform_; ///< of those that were there at first
  LocalSize size_{};
  Place place_;
  llvm::DenseMap<Value*, Value*> made_; ///< for `place_`
};

/// Before anything is copied.
bool mayBeWorthwhile(const Function& kernel) {
  if (!isKernel(kernel) || kernel.isDeclaration() || variantOf(kernel) == Variant::Remainder || usesSubGroups(kernel) ||
      kernel.getInstructionCount() > kMostInstructions || !callsIntrinsic(kernel, Intrinsic::Barrier))
    return false;
  return llvm::any_of(kernel.getParent()->globals(), [](const llvm::GlobalVariable& variable) {
    const auto* array = llvm::dyn_cast<llvm::ArrayType>(variable.getValueType());
    return variable.getAddressSpace() == kLocalSpace && array != nullptr && array->getElementType()->isArrayTy();
  });
}

} // namespace

llvm::PreservedAnalyses DirectKernelsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager& moduleAnalyses) {
  auto& analyses = moduleAnalyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  if (!module.debug_compile_units().empty()) return llvm::PreservedAnalyses::all();
  llvm::SmallVector<Function*, 4> kernels;
  for (Function& function : module)
    if (mayBeWorthwhile(function)) kernels.push_back(&function);
  bool changed = false;
  for (Function* kernel : kernels) {
    if (!findAccesses(*kernel)) continue;
    Function* copy = cloneVariant(*kernel, *kernel, Variant::Direct);
    auto accesses = findAccesses(*copy);
    const auto size = TileBypass(*copy, *accesses, analyses).run();
    analyses.clear(*copy, copy->getName());
    if (!size || !isMergeable(*copy)) {
      copy->eraseFromParent();
      continue;
    }
    changed = true;
    changeFacts(*copy, [&](KernelFacts& facts) { facts.directSize = *size; });
    copy->setMetadata("reqd_work_group_size", nullptr);
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
