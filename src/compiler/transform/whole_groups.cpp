// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/whole_groups.hpp"

#include "compiler/transform/group_facts.hpp"
#include "compiler/transform/split_sub_group_loops.hpp"
#include "compiler/transform/sub_groups/lower_work_group_functions.hpp"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Function;
using llvm::Instruction;
using llvm::Value;

/// With 32 registers of 64 bytes, half of them for what sub-groups keep.
constexpr std::uint64_t kMostSubGroups = 16;
constexpr std::uint64_t kMostBytesKept = 16 * 64;

std::uint64_t subGroupsOf(const KernelParts& parts, const LocalSize& size) {
  return size[0] / parts.width * size[1] * size[2];
}

/// Whether a barrier comes again and again.
bool hasBarrierInLoop(const KernelParts& parts) {
  llvm::DominatorTree tree(parts.kernel);
  const llvm::LoopInfo loops(tree);
  return llvm::any_of(llvm::instructions(parts.kernel), [&](const Instruction& instruction) {
    return isPrimitive(&instruction, Primitive::Barrier) && loops.getLoopFor(instruction.getParent()) != nullptr;
  });
}

unsigned numberOfLocals(const Function& function) {
  unsigned count = 0;
  function.getFnAttribute(kWholeGroupAttribute).getValueAsString().getAsInteger(10, count);
  return count;
}

// ---- Side by side

/// A loop over the sub-groups: a block, and what its counter is in each round.
struct SubGroupLoop {
  BasicBlock* block;
  llvm::PHINode* counter;
  llvm::SmallVector<std::int64_t, kMostSubGroups> rounds;
};

bool mayRunBeside(const Instruction& instruction) {
  if (instruction.isTerminator() || !instruction.mayReadOrWriteMemory()) return true;
  if (llvm::getLoadStorePointerOperand(&instruction) != nullptr)
    return !instruction.isAtomic() && !instruction.isVolatile();
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (call == nullptr) return false;
  switch (call->getIntrinsicID()) {
  case llvm::Intrinsic::masked_load:
  case llvm::Intrinsic::masked_store:
  case llvm::Intrinsic::assume:
  case llvm::Intrinsic::prefetch: return true;
  default: return false;
  }
}

/// What is changed for lanes one by one, as counters in local memory are, must not be read by others meanwhile.
bool changesWhatItReads(const BasicBlock& block) {
  llvm::SmallPtrSet<const Value*, 8> read, written;
  for (const Instruction& instruction : block) {
    const Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    bool writes = llvm::isa<llvm::StoreInst>(instruction);
    if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
      writes = call->getIntrinsicID() == llvm::Intrinsic::masked_store;
      if (writes || call->getIntrinsicID() == llvm::Intrinsic::masked_load) pointer = call->getArgOperand(writes);
    }
    if (pointer == nullptr) continue;
    const Value* object = llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0);
    if (llvm::isa<llvm::AllocaInst>(object)) continue; // the frame: each sub-group has its own
    if (!llvm::isa<llvm::Argument, llvm::GlobalVariable>(object)) return true;
    (writes ? written : read).insert(object);
  }
  return llvm::any_of(written, [&](const Value* object) { return read.contains(object); });
}

std::optional<SubGroupLoop> matchLoop(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  constexpr std::size_t kMostInstructions = 2048;
  BasicBlock* block = loop.getHeader();
  // The kernel's own loops are no business of ours.
  const bool isOurs = llvm::any_of(std::array{"llvm.loop.parallel_accesses", kRowsLoopName, kSubGroupLoopName},
                                   [&](const char* name) { return llvm::findOptionMDForLoop(&loop, name) != nullptr; });
  if (!isOurs || loop.getNumBlocks() != 1 || loop.getLoopPreheader() == nullptr || loop.getUniqueExitBlock() == nullptr)
    return std::nullopt;
  const unsigned rounds = evolution.getSmallConstantTripCount(&loop);
  if (rounds < 2 || rounds > kMostSubGroups || rounds * block->size() > kMostInstructions) return std::nullopt;
  SubGroupLoop result{block, nullptr, {}};
  for (llvm::PHINode& phi : block->phis()) {
    if (result.counter != nullptr || !phi.getType()->isIntegerTy()) return std::nullopt;
    result.counter = &phi;
  }
  const auto* line =
      result.counter == nullptr ? nullptr : llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(result.counter));
  if (line == nullptr || !line->isAffine()) return std::nullopt;
  const auto* start = llvm::dyn_cast<llvm::SCEVConstant>(line->getStart());
  const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(line->getStepRecurrence(evolution));
  if (start == nullptr || step == nullptr) return std::nullopt;
  for (unsigned i = 0; i < rounds; ++i)
    result.rounds.push_back(start->getAPInt().getSExtValue() + i * step->getAPInt().getSExtValue());
  if (!llvm::all_of(*block, mayRunBeside) || changesWhatItReads(*block)) return std::nullopt;
  return result;
}

class SideBySide {
 public:
  explicit SideBySide(SubGroupLoop& loop)
      : loop_(loop), layout_(loop.block->getDataLayout()), maps_(loop.rounds.size()) {}

  void run() {
    for (const auto& [round, value] : llvm::enumerate(loop_.rounds))
      maps_[round][loop_.counter] = llvm::ConstantInt::getSigned(loop_.counter->getType(), value);
    BasicBlock* block = loop_.block;
    BasicBlock* exit = block->getTerminator()->getSuccessor(block->getTerminator()->getSuccessor(0) == block ? 1 : 0);
    // What came before stays in the block; then all rounds at once, and on.
    const llvm::SmallVector<Instruction*, 64> body(
        llvm::make_pointer_range(llvm::make_range(block->getFirstNonPHIIt(), block->getTerminator()->getIterator())));
    llvm::IRBuilder<> builder(block->getTerminator());
    for (Instruction* instruction : body)
      copy(*instruction, builder);
    for (Instruction* instruction : body)
      instruction->replaceUsesWithIf(maps_.back()[instruction], [&](const llvm::Use& use) {
        const auto* user = llvm::cast<Instruction>(use.getUser());
        return user->getParent() != block;
      });
    loop_.counter->replaceUsesWithIf(maps_.back()[loop_.counter], [&](const llvm::Use& use) {
      return llvm::cast<Instruction>(use.getUser())->getParent() != block;
    });
    Instruction* end = block->getTerminator();
    llvm::BranchInst::Create(exit, end->getIterator());
    end->eraseFromParent();
    for (Instruction* instruction : llvm::reverse(body)) {
      instruction->replaceAllUsesWith(llvm::PoisonValue::get(instruction->getType()));
      instruction->eraseFromParent();
    }
    loop_.counter->replaceAllUsesWith(llvm::PoisonValue::get(loop_.counter->getType()));
    loop_.counter->eraseFromParent();
  }

 private:
  Value* inRound(Value* value, std::size_t round) const {
    Value* mapped = maps_[round].lookup(value);
    return mapped != nullptr ? mapped : value;
  }

  /// Once, where it is the same for all.
  void copy(Instruction& instruction, llvm::IRBuilder<>& builder) {
    const bool isSame = !instruction.mayWriteToMemory() && llvm::all_of(instruction.operands(), [&](Value* operand) {
      return llvm::all_of(llvm::seq<std::size_t>(1, maps_.size()),
                          [&](std::size_t round) { return inRound(operand, round) == inRound(operand, 0); });
    });
    Value* made = nullptr;
    for (std::size_t round = 0; round < maps_.size(); ++round) {
      if (!isSame || round == 0) {
        Instruction* copied = instruction.clone();
        for (llvm::Use& operand : copied->operands())
          operand = inRound(operand, round);
        made = llvm::ConstantFoldInstruction(copied, layout_);
        if (made != nullptr)
          copied->deleteValue();
        else
          made = builder.Insert(copied, instruction.getName());
      }
      maps_[round][&instruction] = made;
    }
  }

  SubGroupLoop& loop_;
  const llvm::DataLayout& layout_;
  std::vector<llvm::DenseMap<Value*, Value*>> maps_; ///< by round
};

// ---- Tiles

bool collectAccesses(Value& pointer, llvm::SmallVectorImpl<Instruction*>& accesses) {
  return llvm::all_of(pointer.users(), [&](llvm::User* user) {
    if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(user))
      return address->getType()->isPointerTy() && collectAccesses(*address, accesses);
    auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (store != nullptr ? !store->isSimple() || store->getValueOperand() == &pointer
                         : !llvm::isa<llvm::LoadInst>(user) || !llvm::cast<llvm::LoadInst>(user)->isSimple())
      return false;
    accesses.push_back(llvm::cast<Instruction>(user));
    return true;
  });
}

/// The size of a local array of which the same pieces are stored and loaded, all at known places; 0: of any other.
std::uint64_t tileSize(const llvm::Argument& variable, llvm::ArrayRef<Instruction*> accesses) {
  const llvm::DataLayout& layout = variable.getParent()->getDataLayout();
  llvm::SmallDenseSet<std::int64_t, 16> places;
  const llvm::Type* type = nullptr;
  std::int64_t size = 0;
  for (const Instruction* access : accesses) {
    llvm::APInt offset(layout.getIndexTypeSizeInBits(variable.getType()), 0);
    const Value* pointer = llvm::getLoadStorePointerOperand(access);
    if (pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true) != &variable) return 0;
    llvm::Type* its = llvm::getLoadStoreType(access);
    if (type != nullptr && its != type) return 0;
    type = its;
    const auto bytes = static_cast<std::int64_t>(layout.getTypeStoreSize(its).getFixedValue());
    if (offset.getSExtValue() < 0 || offset.getSExtValue() % bytes != 0) return 0;
    places.insert(offset.getSExtValue());
    size = std::max(size, offset.getSExtValue() + bytes);
  }
  return places.size() <= kMostSubGroups ? static_cast<std::uint64_t>(size) : 0;
}

// ---- Stores in halves

bool isLocal(const Value* pointer) {
  const auto* argument = llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0));
  return argument != nullptr && argument->getArgNo() >= kFirstOwn &&
         argument->getArgNo() < kFirstOwn + numberOfLocals(*argument->getParent());
}

/// Whether what comes between writes to local variables only, and the load reads no such.
bool mayLoadAt(const llvm::LoadInst& load, const llvm::StoreInst& store) {
  if (!load.isSimple() || load.getParent() != store.getParent() || isLocal(load.getPointerOperand())) return false;
  for (const Instruction* next = load.getNextNode(); next != &store; next = next->getNextNode()) {
    if (!next->mayWriteToMemory()) continue;
    const auto* other = llvm::dyn_cast<llvm::StoreInst>(next);
    if (other == nullptr || !isLocal(other->getPointerOperand())) return false;
  }
  return true;
}

void storeInHalves(llvm::StoreInst& store) {
  constexpr std::uint64_t kRegisterBits = 512;
  Value* value = store.getValueOperand();
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  if (type == nullptr || type->getPrimitiveSizeInBits() != kRegisterBits) return;
  const unsigned count = type->getNumElements() / 2;
  llvm::IRBuilder<> builder(&store);
  auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
  if (load != nullptr && (!load->hasOneUse() || !mayLoadAt(*load, store))) load = nullptr;
  for (unsigned half = 0; half < 2; ++half) {
    const unsigned offset = half * kRegisterBits / 16;
    const auto address = [&](Value* pointer) {
      return half == 0 ? pointer : builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), pointer, offset);
    };
    Value* piece = nullptr;
    if (load != nullptr) {
      llvm::LoadInst* loaded = builder.CreateAlignedLoad(llvm::FixedVectorType::get(type->getElementType(), count),
                                                         address(load->getPointerOperand()),
                                                         llvm::commonAlignment(load->getAlign(), offset));
      loaded->setAAMetadata(load->getAAMetadata());
      piece = loaded;
    } else {
      piece = builder.CreateShuffleVector(value, llvm::createSequentialMask(half * count, count, 0));
    }
    // Volatile, so that instruction selection does not put the halves together again.
    llvm::StoreInst* stored =
        builder.CreateAlignedStore(piece, address(store.getPointerOperand()),
                                   llvm::commonAlignment(store.getAlign(), offset), /*isVolatile=*/true);
    stored->setAAMetadata(store.getAAMetadata());
  }
  store.eraseFromParent();
  if (load != nullptr) load->eraseFromParent();
}

} // namespace

bool mayRunWhole(const KernelParts& parts, const LocalSize& size) {
  if (parts.width < 2 || parts.rows != 1 || !parts.hasBarriers() || size[0] % parts.width != 0) return false;
  // Private memory outside the frame is one for all sub-groups, which use it one after the other.
  if (!parts.regions.privateAllocas.empty() || parts.regions.needsLiveFlags) return false;
  const std::uint64_t subGroups = subGroupsOf(parts, size);
  if (subGroups > kMostSubGroups || subGroups * parts.frame.bytesPerItem > kMostBytesKept) return false;
  if (subGroups == 0 || parts.frame.bytesPerItem == 0 || countsOnOrder(parts.kernel)) return false;
  return hasBarrierInLoop(parts) &&
         llvm::none_of(parts.regions.regions, [](const BarrierRegion& region) { return region.isDescending; });
}

std::optional<LocalSize> suggestedLocalSize(const KernelParts& parts) {
  for (const LocalMemory::Variable& variable : parts.local.variables) {
    const auto* outer = llvm::dyn_cast<llvm::ArrayType>(variable.variable->getValueType());
    const auto* inner = outer == nullptr ? nullptr : llvm::dyn_cast<llvm::ArrayType>(outer->getElementType());
    if (inner == nullptr || inner->getElementType()->isArrayTy()) continue;
    // Rows are often one element longer, against conflicts between banks of a GPU's memory.
    for (const std::uint64_t row : {inner->getNumElements(), inner->getNumElements() - 1}) {
      const LocalSize size = {row, outer->getNumElements(), 1};
      if (size[1] > 1 && mayRunWhole(parts, size)) return size;
    }
  }
  return std::nullopt;
}

llvm::PreservedAnalyses UnrollSubGroupsPass::run(Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (!function.hasFnAttribute(kWholeGroupAttribute)) return llvm::PreservedAnalyses::all();
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  for (llvm::Loop* loop : loops)
    llvm::simplifyLoop(loop, &analyses.getResult<llvm::DominatorTreeAnalysis>(function), &loops, &evolution,
                       &analyses.getResult<llvm::AssumptionAnalysis>(function), nullptr, /*PreserveLCSSA=*/false);
  std::vector<SubGroupLoop> matched;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder())
    if (auto found = matchLoop(*loop, evolution)) matched.push_back(std::move(*found));
  for (SubGroupLoop& loop : matched)
    SideBySide(loop).run();
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses KeepTilesPass::run(Function& function, llvm::FunctionAnalysisManager&) {
  if (!function.hasFnAttribute(kWholeGroupAttribute)) return llvm::PreservedAnalyses::all();
  bool changed = false;
  for (unsigned i = 0; i < numberOfLocals(function); ++i) {
    llvm::Argument& variable = *function.getArg(kFirstOwn + i);
    llvm::SmallVector<Instruction*, 64> accesses;
    if (!collectAccesses(variable, accesses)) continue;
    const std::uint64_t size = tileSize(variable, accesses);
    if (size == 0) continue;
    llvm::IRBuilder<> builder(&function.getEntryBlock(), function.getEntryBlock().begin());
    llvm::AllocaInst* own =
        builder.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), size), nullptr, variable.getName() + ".own");
    // What is read first is zero, in contexts that initialise memory.
    builder.CreateMemSet(own, builder.getInt8(0), size, own->getAlign());
    own->setAlignment(std::max(own->getAlign(), variable.getParamAlign().valueOrOne()));
    variable.replaceAllUsesWith(own);
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses HalveTileStoresPass::run(Function& function, llvm::FunctionAnalysisManager&) {
  if (!function.hasFnAttribute(kWholeGroupAttribute)) return llvm::PreservedAnalyses::all();
  for (unsigned i = 0; i < numberOfLocals(function); ++i) {
    llvm::SmallVector<Instruction*, 64> accesses;
    if (!collectAccesses(*function.getArg(kFirstOwn + i), accesses)) continue;
    for (Instruction* access : accesses)
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(access)) storeInHalves(*store);
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
