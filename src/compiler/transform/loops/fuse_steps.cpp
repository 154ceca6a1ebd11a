// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/loops/fuse_steps.hpp"

#include "compiler/analysis/affine_address.hpp"
#include "compiler/transform/loops/row_loop_nest.hpp"
#include "compiler/transform/loops/sub_group_mask.hpp"

#include <llvm/ADT/SmallSet.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <numeric>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

/// The address in terms of the nest's counter. Counters of all nests have the same name, so that addresses compare.
AffineAddress addressOf(const Value& pointer, const RowLoopNest& nest, const llvm::DataLayout& layout) {
  const auto isCounter = [&](const Value& term) { return &term == nest.counter; };
  AffineAddress address = affineAddressOf(pointer, layout, {.isTerm = isCounter});
  for (AffineForm::Term& term : address.offset.terms)
    term.value = nullptr;
  return address;
}

/// The bytes from one work-item to the next.
std::int64_t scaleOf(const AffineAddress& address) {
  return address.offset.terms.empty() ? 0 : address.offset.terms.front().scale;
}

/// What a step reads of the work-item that is `distance` before each; `none` for those before which there is no such.
struct BackLoad {
  Instruction* load;
  unsigned distance;
  llvm::Constant* none;
};

/// A loop that gives each work-item's element of a row in memory a new value, made of what was in that row or in
/// another one.
struct Step {
  RowLoopNest nest;
  llvm::StoreInst* store;
  AffineAddress target; ///< of what it writes
  AffineAddress source; ///< of what it reads
  llvm::SmallVector<llvm::LoadInst*, 2> ownLoads;
  llvm::SmallVector<BackLoad, 2> backLoads;

  bool isInPlace() const { return source == target; }
  llvm::FixedVectorType* type() const {
    return llvm::dyn_cast<llvm::FixedVectorType>(store->getValueOperand()->getType());
  }
  /// How many rows it needs of those before, of which it takes each or those that are `stride` work-items apart.
  unsigned history(std::uint64_t stride) const {
    unsigned rows = 0;
    for (const BackLoad& back : backLoads)
      rows += static_cast<unsigned>(llvm::divideCeil(back.distance, stride));
    return rows;
  }
};

/// Whether the mask has those lanes on whose work-item has one `distance` before it.
bool asksForDistance(Value* mask, unsigned distance, const RowLoopNest& nest) {
  using namespace llvm::PatternMatch;
  Value* compared = mask;
  const bool isFirstLanes = match(mask, m_Shuffle(m_Value(compared), m_Poison(), m_ZeroMask()));
  auto* compare = llvm::dyn_cast<llvm::ICmpInst>(compared);
  if (compare == nullptr) return false;
  const auto known = matchSubGroupMask(*compare, *nest.counter, nest.width);
  if (!known || !known->after || known->distances.size() != nest.width) return false;
  for (std::uint64_t first = 0; first < known->bound; first += nest.width)
    for (unsigned lane = 0; lane < nest.width; ++lane)
      if (known->answer(first, isFirstLanes ? 0 : lane) != (first + lane >= distance)) return false;
  return known->bound >= distance;
}

class StepMatcher {
 public:
  StepMatcher(const RowLoopNest& nest, const llvm::DataLayout& layout)
      : layout_(layout), step_{nest, {}, {}, {}, {}, {}} {}

  std::optional<Step> run() {
    for (Instruction& instruction : step_.nest.body())
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction); store != nullptr && isRow(*store)) {
        if (step_.store != nullptr) return std::nullopt;
        step_.store = store;
      }
    if (step_.store == nullptr) return std::nullopt;
    step_.target = addressOf(*step_.store->getPointerOperand(), step_.nest, layout_);
    if (isInNest(step_.target.object)) return std::nullopt;
    if (step_.nest.dependsOnLoopsAround()) return std::nullopt;
    findSource();
    // In one row, what is further up has to be done first. Two rows have nothing in common: each work-item reads its
    // element of one and writes that of the other, so where they met two would be in a race. Not so where a barrier
    // between reading and writing has been given up for the order, which other steps would not keep.
    if (step_.nest.descends != step_.isInPlace() || scaleOf(step_.source) != scaleOf(step_.target)) return std::nullopt;
    if (isInNest(step_.source.object)) return std::nullopt;
    for (Instruction& instruction : step_.nest.body())
      if (!instruction.isTerminator() && !consider(instruction)) return std::nullopt;
    return std::move(step_);
  }

 private:
  /// Whether the store is of as many adjacent elements as there are lanes, and its address goes on with the counter.
  bool isRow(llvm::StoreInst& store) const {
    const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(store.getValueOperand()->getType());
    if (!store.isSimple() || type == nullptr || type->getNumElements() != step_.nest.width) return false;
    const std::uint64_t bits = layout_.getTypeSizeInBits(type->getElementType()).getFixedValue();
    const AffineAddress address = addressOf(*store.getPointerOperand(), step_.nest, layout_);
    return bits % 8 == 0 && scaleOf(address) == static_cast<std::int64_t>(bits / 8);
  }

  bool isInNest(const Value* value) const {
    const auto* instruction = llvm::dyn_cast<Instruction>(value);
    return instruction != nullptr && step_.nest.outermost->contains(instruction);
  }

  /// Each work-item reads its own element.
  void findSource() {
    step_.source = step_.target;
    for (Instruction& instruction : step_.nest.body())
      if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load != nullptr)
        step_.source = addressOf(*load->getPointerOperand(), step_.nest, layout_);
  }

  bool consider(Instruction& instruction) {
    if (&instruction == step_.store) return true;
    if (!instruction.mayReadOrWriteMemory()) return !instruction.mayHaveSideEffects();
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load != nullptr && !load->isSimple()) return false;
    auto* masked = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (masked != nullptr && masked->getIntrinsicID() != llvm::Intrinsic::masked_load) return false;
    if (load == nullptr && masked == nullptr) return false;
    const auto bytes =
        addressOf(load != nullptr ? *load->getPointerOperand() : *masked->getArgOperand(0), step_.nest, layout_)
            .distanceTo(step_.source);
    if (!bytes || instruction.getType() != step_.type() || *bytes < 0 || *bytes % scaleOf(step_.source) != 0 ||
        !instruction.comesBefore(step_.store))
      return false;
    if (*bytes == 0) {
      step_.ownLoads.push_back(load);
      return load != nullptr;
    }
    constexpr std::int64_t kFarthest = 1024; // work-items
    const std::int64_t distance = *bytes / scaleOf(step_.source);
    if (masked == nullptr || distance > kFarthest) return false;
    auto* none = llvm::dyn_cast<llvm::Constant>(masked->getArgOperand(2));
    if (none == nullptr || (!llvm::isa<llvm::UndefValue>(none) && none->getSplatValue() == nullptr) ||
        !asksForDistance(masked->getArgOperand(1), static_cast<unsigned>(distance), step_.nest))
      return false;
    step_.backLoads.push_back({&instruction, static_cast<unsigned>(distance), none});
    return true;
  }

  const llvm::DataLayout& layout_;
  Step step_;
};

/// What of the nest fills the step's row, if what else it does has nothing to do with that memory.
llvm::StoreInst* fillsRowOf(const RowLoopNest& nest, const Step& step, llvm::AAResults& aliases,
                            const llvm::DataLayout& layout) {
  // A round is copied into other loops.
  if (nest.descends || !nest.hasRowsOf(step.nest) || nest.dependsOnLoopsAround()) return nullptr;
  const auto around = [](Instruction& access) {
    return llvm::MemoryLocation::get(&access).getWithNewSize(llvm::LocationSize::beforeOrAfterPointer());
  };
  llvm::StoreInst* fills = nullptr;
  for (Instruction& instruction : nest.body()) {
    if (instruction.isTerminator()) continue;
    if (!instruction.mayReadOrWriteMemory()) {
      if (instruction.mayHaveSideEffects()) return nullptr;
      continue;
    }
    if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::prefetch)
      continue;
    Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (pointer == nullptr || instruction.isVolatile() || instruction.isAtomic()) return nullptr;
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (store != nullptr && addressOf(*pointer, nest, layout) == step.source &&
        store->getValueOperand()->getType() == step.type()) {
      if (fills != nullptr) return nullptr;
      fills = store;
    } else if (!aliases.isNoAlias(around(instruction), around(*step.store)) ||
               !aliases.isNoAlias(around(instruction), llvm::MemoryLocation::getBeforeOrAfter(step.source.object))) {
      return nullptr;
    }
  }
  return fills;
}

/// Steps that follow each other, perhaps after a loop that fills the row.
struct Chain {
  llvm::SmallVector<Step, 8> steps;
  std::optional<RowLoopNest> filler;
  llvm::StoreInst* fills = nullptr;

  /// How far from each other rows are that have to do with each other, at least.
  std::uint64_t stride() const {
    const std::uint64_t width = steps.front().nest.width;
    std::uint64_t common = filler ? width : 0;
    for (const Step& step : steps)
      for (const BackLoad& back : step.backLoads)
        common = std::gcd(common, std::uint64_t{back.distance});
    return common % width == 0 && common != 0 ? common : width;
  }
  unsigned history() const {
    unsigned rows = 0;
    for (const Step& step : steps)
      rows += step.history(stride());
    return rows;
  }
};

/// Makes one loop of them, in place of the last one. Where only every n-th row has to do with each other, these are a
/// loop, within one over the first of them.
class ChainFuser {
 public:
  explicit ChainFuser(const Chain& chain)
      : chain_(chain), last_(chain.steps.back()), stride_(chain.stride()), host_(last_.nest.body()),
        builder_(&host_, host_.getFirstInsertionPt()) {}

  void run() {
    beginFirst();
    Value* start = builder_.getInt64(0);
    if (stride_ != last_.nest.width) start = loopOverFirstRows();
    countUp(start);
    builder_.SetInsertPoint(&host_, host_.getFirstInsertionPt());
    llvm::ValueToValueMapTy map;
    Value* row = chain_.filler ? copy(*chain_.filler, *chain_.fills, map) : loadRow();
    for (const Step& step : llvm::drop_end(chain_.steps))
      row = take(step, row);
    if (!last_.isInPlace()) {
      // What the last but one has written stays there.
      store(*row, last_.source);
      runOnce();
    }
    for (llvm::LoadInst* load : last_.ownLoads)
      load->replaceAllUsesWith(row);
    for (const BackLoad& back : last_.backLoads)
      back.load->replaceAllUsesWith(valueOf(back, row));
    for (Instruction& instruction : llvm::make_early_inc_range(llvm::reverse(host_)))
      if (llvm::isInstructionTriviallyDead(&instruction)) instruction.eraseFromParent();
  }

 private:
  /// From where the first loop began on goes the last one's; those between are no longer reached.
  void beginFirst() {
    const RowLoopNest& first = chain_.filler ? *chain_.filler : chain_.steps.front().nest;
    BasicBlock* header = last_.nest.outermost->getHeader();
    for (llvm::PHINode& phi : header->phis())
      phi.addIncoming(phi.getIncomingValueForBlock(last_.nest.before), first.before);
    first.before->getTerminator()->replaceSuccessorWith(first.outermost->getHeader(), header);
  }

  Value* create(const AffineAddress& address) {
    Value* element =
        builder_.CreateGEP(last_.type()->getElementType(), const_cast<Value*>(address.object), last_.nest.counter);
    const std::int64_t bytes = address.offset.constant;
    return bytes != 0 ? builder_.CreatePtrAdd(element, builder_.getInt64(bytes)) : element;
  }

  Value* loadRow() {
    const Step& first = chain_.steps.front();
    return builder_.CreateAlignedLoad(last_.type(), create(first.source), elementAlign(), "row");
  }

  void store(Value& row, const AffineAddress& address) {
    builder_.CreateAlignedStore(&row, create(address), elementAlign());
  }

  llvm::Align elementAlign() const {
    return std::min(last_.store->getAlign(),
                    llvm::Align(llvm::bit_floor(static_cast<std::uint64_t>(scaleOf(last_.target)))));
  }

  /// Each round of the loops around did the same; once the rows are one loop, another would begin with its results.
  void runOnce() {
    for (const llvm::Loop* loop = last_.nest.row; loop != last_.nest.outermost;) {
      loop = loop->getParentLoop();
      auto* end = llvm::cast<llvm::BranchInst>(loop->getLoopLatch()->getTerminator());
      end->setCondition(builder_.getInt1(!loop->contains(end->getSuccessor(0))));
    }
  }

  /// What the step makes of a row.
  Value* take(const Step& step, Value* row) {
    llvm::ValueToValueMapTy map;
    for (llvm::LoadInst* load : step.ownLoads)
      map[load] = row;
    for (const BackLoad& back : step.backLoads)
      map[back.load] = valueOf(back, row);
    return copy(step.nest, *step.store, map);
  }

  /// Copies a round for the counter, but for what is in the map already, and gives what it stores.
  Value* copy(const RowLoopNest& nest, llvm::StoreInst& store, llvm::ValueToValueMapTy& map) {
    map[nest.counter] = last_.nest.counter;
    for (const Instruction& instruction : nest.body()) {
      if (instruction.isTerminator() || &instruction == &store || map.count(&instruction) != 0) continue;
      Instruction* made = builder_.Insert(instruction.clone(), instruction.getName());
      llvm::RemapInstruction(made, map, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
      map[&instruction] = made;
    }
    Value* stored = store.getValueOperand();
    const auto found = map.find(stored);
    return found != map.end() ? static_cast<Value*>(found->second) : stored;
  }

  /// What the load would have read, if `row` is what is there before the step.
  Value* valueOf(const BackLoad& back, Value* row) {
    const auto width = static_cast<unsigned>(last_.nest.width);
    const auto rows = static_cast<unsigned>(back.distance / stride_), lanes = back.distance % width;
    llvm::SmallVector<Value*, 8> history = {row}; // of the rounds before, the last first
    while (history.size() <= rows + (lanes != 0 ? 1 : 0))
      history.push_back(keep(history.back(), *back.none));
    if (lanes == 0) return history[rows];
    llvm::SmallVector<int, 16> from;
    for (unsigned lane = 0; lane < width; ++lane)
      from.push_back(static_cast<int>(width - lanes + lane));
    return builder_.CreateShuffleVector(history[rows + 1], history[rows], from, "back");
  }

  /// The value of the round before.
  Value* keep(Value* value, llvm::Constant& atFirst) {
    llvm::IRBuilder<> first(&host_, host_.begin());
    llvm::PHINode* phi = first.CreatePHI(value->getType(), 2, "kept");
    for (BasicBlock* from : llvm::predecessors(&host_))
      phi->addIncoming(from == &host_ ? value : &atFirst, from);
    return phi;
  }

  void countUp(Value* start) {
    llvm::PHINode* counter = last_.nest.counter;
    llvm::BranchInst* end = last_.nest.end;
    builder_.SetInsertPoint(end);
    Value* next = builder_.CreateAdd(counter, builder_.getInt64(stride_), "", true, true);
    for (unsigned i = 0; i < counter->getNumIncomingValues(); ++i)
      counter->setIncomingValue(i, counter->getIncomingBlock(i) == &host_ ? next : start);
    const auto goesOn =
        end->getSuccessor(0) == &host_ ? withinLimit() : llvm::CmpInst::getInversePredicate(withinLimit());
    end->setCondition(builder_.CreateICmp(goesOn, next, last_.nest.limit));
  }

  llvm::CmpInst::Predicate withinLimit() const {
    return last_.nest.descends ? llvm::CmpInst::ICMP_ULE : llvm::CmpInst::ICMP_ULT;
  }

  /// Gives the counter of the first of the rows that go together.
  Value* loopOverFirstRows() {
    llvm::Function* function = host_.getParent();
    BasicBlock* header = BasicBlock::Create(host_.getContext(), "first", function, &host_);
    BasicBlock* latch = BasicBlock::Create(host_.getContext(), "first.next", function);
    llvm::BranchInst* end = last_.nest.end;
    BasicBlock* exit = end->getSuccessor(end->getSuccessor(0) == &host_ ? 1 : 0);

    llvm::IRBuilder<> builder(header);
    llvm::PHINode* first = builder.CreatePHI(builder.getInt64Ty(), 2, "first_row");
    for (BasicBlock* from : llvm::to_vector(llvm::predecessors(&host_))) {
      if (from == &host_) continue;
      from->getTerminator()->replaceSuccessorWith(&host_, header);
      first->addIncoming(builder.getInt64(0), from);
      last_.nest.counter->removeIncomingValue(from, /*DeletePHIIfEmpty=*/false);
    }
    builder.CreateBr(&host_);
    last_.nest.counter->addIncoming(first, header);

    builder.SetInsertPoint(latch);
    Value* next = builder.CreateAdd(first, builder.getInt64(last_.nest.width), "", true, true);
    first->addIncoming(next, latch);
    Value* isFirst = builder.CreateICmpULT(next, builder.getInt64(stride_));
    Value* isThere = builder.CreateICmp(withinLimit(), next, last_.nest.limit);
    builder.CreateCondBr(builder.CreateAnd(isFirst, isThere), header, exit);
    exit->replacePhiUsesWith(&host_, latch);
    end->replaceSuccessorWith(exit, latch);
    return first;
  }

  const Chain& chain_;
  const Step& last_;
  const std::uint64_t stride_; ///< of the counter
  BasicBlock& host_;
  llvm::IRBuilder<> builder_;
};

/// Looks for chains whose steps together keep no more rows than there is room for.
class ChainFinder {
 public:
  ChainFinder(llvm::Function& function, llvm::AAResults& aliases, const llvm::TargetTransformInfo& target,
              std::optional<unsigned> rows)
      : layout_(function.getDataLayout()), aliases_(aliases), target_(target), rows_(rows) {}

  void add(const RowLoopNest& nest) {
    nests_.push_back(nest);
    steps_.push_back(StepMatcher(nest, layout_).run());
  }

  std::vector<Chain> find() {
    std::vector<Chain> chains;
    for (unsigned i = 0; i < nests_.size(); ++i)
      if (steps_[i] && !taken_.contains(i) && !continues(i)) follow(i, chains);
    return chains;
  }

 private:
  std::optional<unsigned> before(unsigned nest) const {
    for (unsigned i = 0; i < nests_.size(); ++i)
      if (nests_[i].isFollowedBy(nests_[nest])) return i;
    return std::nullopt;
  }
  std::optional<unsigned> after(unsigned nest) const {
    for (unsigned i = 0; i < nests_.size(); ++i)
      if (nests_[nest].isFollowedBy(nests_[i])) return i;
    return std::nullopt;
  }

  bool continues(unsigned nest) const {
    const auto other = before(nest);
    return other && steps_[*other] && areOfOneRow(*steps_[*other], *steps_[nest]);
  }

  /// The second goes on with what the first has written, in place or between the same two rows.
  static bool areOfOneRow(const Step& a, const Step& b) {
    return a.target == b.source && a.source == b.target && a.type() == b.type() && a.nest.hasRowsOf(b.nest);
  }

  /// How many rows fit into five eighths of the registers: 20 of AVX-512's, which all steps of 256 work-items keep
  /// (19).
  unsigned room(const Step& step) const {
    if (rows_) return *rows_;
    const std::uint64_t row = layout_.getTypeSizeInBits(step.type()).getFixedValue();
    const std::uint64_t bits =
        target_.getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
    if (bits == 0) return 0;
    const unsigned registers = target_.getNumberOfRegisters(target_.getRegisterClassForType(/*Vector=*/true));
    return registers * 5 / 8 / static_cast<unsigned>(llvm::divideCeil(row, bits));
  }

  /// All steps from the first one on, in one chain or several.
  void follow(unsigned first, std::vector<Chain>& chains) {
    Chain chain;
    llvm::SmallVector<unsigned, 8> members;
    if (const auto other = before(first); other && !fused_.contains(*other)) {
      chain.fills = fillsRowOf(nests_[*other], *steps_[first], aliases_, layout_);
      if (chain.fills != nullptr) {
        chain.filler = nests_[*other];
        members.push_back(*other);
      }
    }
    const auto end = [&] {
      if (members.size() > 1) {
        chains.push_back(std::move(chain));
        fused_.insert(members.begin(), members.end());
      }
      chain = {};
      members.clear();
    };
    const auto isFree = [&](unsigned nest) { return steps_[nest] && !taken_.contains(nest) && !fused_.contains(nest); };
    for (std::optional<unsigned> next = first; next && isFree(*next); next = after(*next)) {
      const Step& step = *steps_[*next];
      if (!chain.steps.empty() && !areOfOneRow(chain.steps.back(), step)) break;
      taken_.insert(*next);
      chain.steps.push_back(step);
      members.push_back(*next);
      if (chain.history() <= room(step)) continue;
      chain.steps.pop_back();
      members.pop_back();
      end();
      chain.steps.push_back(step);
      members.push_back(*next);
      if (chain.history() <= room(step)) continue;
      chain = {};
      members.clear();
    }
    end();
  }

  const llvm::DataLayout& layout_;
  llvm::AAResults& aliases_;
  const llvm::TargetTransformInfo& target_;
  const std::optional<unsigned> rows_;
  std::vector<RowLoopNest> nests_;
  std::vector<std::optional<Step>> steps_; ///< what a nest is, if it is one
  llvm::SmallSet<unsigned, 8> taken_;      ///< steps that were looked at
  llvm::SmallSet<unsigned, 8> fused_;      ///< what is part of a chain, and so goes into no other one
};

/// What several loops share of the group's numbers and addresses is computed in the first of them, which then is not
/// closed. All of that leaves loops in the end.
void moveUp(llvm::Function& function) {
  BasicBlock& entry = function.getEntryBlock();
  const auto isThere = [&](const llvm::Use& operand) {
    const auto* instruction = llvm::dyn_cast<Instruction>(operand);
    return instruction == nullptr || instruction->getParent() == &entry;
  };
  for (BasicBlock& block : llvm::drop_begin(function))
    for (Instruction& instruction : llvm::make_early_inc_range(block))
      if (llvm::isa<llvm::GetElementPtrInst, llvm::CastInst, llvm::BinaryOperator>(instruction) &&
          !instruction.getType()->isVectorTy() && llvm::isSafeToSpeculativelyExecute(&instruction) &&
          llvm::all_of(instruction.operands(), isThere)) {
        instruction.moveBefore(entry.getTerminator()->getIterator());
        instruction.dropLocation();
      }
}

} // namespace

llvm::PreservedAnalyses FuseStepsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  llvm::SmallVector<RowLoopNest, 8> nests;
  moveUp(function);
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
    if (loop->isInnermost())
      if (const auto nest = matchRowLoopNest(*loop)) nests.push_back(*nest);
  if (nests.size() < 2) return llvm::PreservedAnalyses::allInSet<llvm::CFGAnalyses>();
  ChainFinder finder(function, analyses.getResult<llvm::AAManager>(function),
                     analyses.getResult<llvm::TargetIRAnalysis>(function), rows_);
  for (const RowLoopNest& nest : nests)
    finder.add(nest);
  const std::vector<Chain> chains = finder.find();
  // The last first: where one begins is where the one before it ends.
  for (const Chain& chain : llvm::reverse(chains))
    ChainFuser(chain).run();
  if (chains.empty()) return llvm::PreservedAnalyses::allInSet<llvm::CFGAnalyses>();
  llvm::EliminateUnreachableBlocks(function);
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
