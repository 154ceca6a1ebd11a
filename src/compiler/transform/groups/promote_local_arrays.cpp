// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/groups/promote_local_arrays.hpp"

#include "compiler/ir/kernel_facts.hpp"
#include "compiler/transform/groups/known_accesses.hpp"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

#include <map>

namespace clotho::compiler {
namespace {

using llvm::Function;
using llvm::Instruction;
using llvm::Value;

/// An array has at most so many, twice what AVX-512's registers hold. Places that no lane accesses are loaded, too, and
/// may lie behind local memory by a page (Arena::grow in device/cpu/executor.cpp).
constexpr std::int64_t kMostBytes = 4096;
/// Rounds of a loop over sub-groups, and instructions that all of them are.
constexpr unsigned kMostRounds = 64, kMostInstructions = 16384;
/// Pieces that a register which is read or written touches on the average: of a tile that is transposed it is the
/// tile's side, and memory does better.
constexpr double kMostShuffles = 4;
/// Loops that write to the array. What is written once and read, as the tile of a stencil, comes from memory as
/// quickly.
constexpr unsigned kFewestSteps = 4;

/// What values of a loop over sub-groups are in a round of it.
class RoundValues {
 public:
  RoundValues(llvm::ScalarEvolution& evolution, const llvm::LoopInfo& loops, const llvm::DataLayout& layout)
      : evolution_(evolution), loops_(loops), layout_(layout) {}

  /// Null where that is not known. `loop`: null for what is behind all loops.
  llvm::Constant* get(Value& value, const llvm::Loop* loop, unsigned round) {
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(&value)) return constant;
    auto* instruction = llvm::dyn_cast<Instruction>(&value);
    if (instruction == nullptr) return nullptr;
    const llvm::Loop* its = loops_.getLoopFor(instruction->getParent());
    if (its != nullptr && its != loop) return nullptr; // what another loop has left
    const auto [found, isNew] = known_.try_emplace({instruction, round}, nullptr);
    if (!isNew) return found->second;
    llvm::Constant* constant = find(*instruction, loop, round);
    known_[{instruction, round}] = constant;
    return constant;
  }

 private:
  llvm::Constant* find(Instruction& instruction, const llvm::Loop* loop, unsigned round) {
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) return count(*phi, round);
    if (instruction.mayReadOrWriteMemory() || instruction.isTerminator()) return nullptr;
    llvm::SmallVector<llvm::Constant*, 4> operands;
    for (Value* operand : instruction.operands()) {
      llvm::Constant* constant = get(*operand, loop, round);
      if (constant == nullptr) return nullptr;
      operands.push_back(constant);
    }
    return llvm::ConstantFoldInstOperands(&instruction, operands, layout_);
  }

  llvm::Constant* count(llvm::PHINode& phi, unsigned round) {
    if (!loops_.isLoopHeader(phi.getParent()) || !evolution_.isSCEVable(phi.getType())) return nullptr;
    const auto* line = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(&phi));
    if (line == nullptr || line->getLoop()->getHeader() != phi.getParent() || !line->isAffine()) return nullptr;
    const auto* start = llvm::dyn_cast<llvm::SCEVConstant>(line->getStart());
    const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(line->getOperand(1));
    if (start == nullptr || step == nullptr || !phi.getType()->isIntegerTy() ||
        phi.getType()->getIntegerBitWidth() < 32)
      return nullptr;
    const llvm::APInt& each = step->getAPInt();
    return llvm::ConstantInt::get(phi.getType(), start->getAPInt() + each * llvm::APInt(each.getBitWidth(), round));
  }

  llvm::ScalarEvolution& evolution_;
  const llvm::LoopInfo& loops_;
  const llvm::DataLayout& layout_;
  llvm::DenseMap<std::pair<const Instruction*, unsigned>, llvm::Constant*> known_;
};

/// The local arrays of a function whose loops have been written out.
class Promotion {
 public:
  Promotion(llvm::Argument& variable, KnownAccesses accesses, unsigned registerBytes)
      : variable_(variable), accesses_(std::move(accesses)),
        lanes_(static_cast<int>(registerBytes / accesses_.unitBytes)) {}

  void run(llvm::DominatorTree& tree) {
    makePieces();
    for (const KnownAccess& access : accesses_.all) {
      if (access.isStore())
        write(access);
      else
        read(access);
    }
    for (const KnownAccess& access : accesses_.all)
      access.instruction->eraseFromParent();
    llvm::PromoteMemToReg(pieces_, tree);
  }

 private:
  llvm::FixedVectorType* type() const { return llvm::FixedVectorType::get(accesses_.unit, lanes_); }

  /// What they hold at first is what memory holds: zero, in contexts that initialise it.
  void makePieces() {
    llvm::IRBuilder<> builder(&*variable_.getParent()->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    const std::int64_t count = accesses_.end / lanes_ + (accesses_.end % lanes_ != 0);
    for (std::int64_t i = 0; i < count; ++i) {
      Value* place = builder.CreateConstGEP1_64(accesses_.unit, &variable_, i * lanes_);
      Value* first = builder.CreateAlignedLoad(type(), place, llvm::Align(accesses_.unitBytes), variable_.getName());
      llvm::AllocaInst* piece = builder.CreateAlloca(type());
      builder.CreateStore(first, piece);
      pieces_.push_back(piece);
    }
  }

  /// A vector of as many units as the access has, in registers of which the last may have lanes too many.
  llvm::SmallVector<Value*, 8> split(llvm::IRBuilder<>& builder, Value* value, int count) const {
    llvm::SmallVector<Value*, 8> parts;
    for (int first = 0; first < count; first += lanes_) {
      llvm::SmallVector<int, 64> mask;
      for (int lane = first; lane < first + lanes_; ++lane)
        mask.push_back(lane < count ? lane : llvm::PoisonMaskElem);
      const bool isAll = first == 0 && count == lanes_;
      parts.push_back(isAll ? value : builder.CreateShuffleVector(value, mask));
    }
    return parts;
  }

  void read(const KnownAccess& access) {
    llvm::IRBuilder<> builder(access.instruction);
    const int count = static_cast<int>(access.places.size());
    llvm::SmallVector<Value*, 8> parts;
    for (int first = 0; first < count; first += lanes_)
      parts.push_back(readPart(builder, llvm::ArrayRef(access.places).slice(first, std::min(lanes_, count - first))));
    Value* all = parts.size() == 1 ? parts.front() : llvm::concatenateVectors(builder, parts);
    const int made = static_cast<int>(parts.size()) * lanes_;
    if (count == 1) {
      all = builder.CreateExtractElement(all, std::uint64_t{0});
    } else if (made != count) {
      all = builder.CreateShuffleVector(all, llvm::createSequentialMask(0, count, 0));
    }
    all = builder.CreateBitCast(all, access.instruction->getType());
    if (Value* otherwise = access.otherwise(); otherwise != nullptr && !llvm::isa<llvm::PoisonValue>(otherwise))
      all = builder.CreateSelect(access.mask(), all, otherwise);
    all->takeName(access.instruction);
    access.instruction->replaceAllUsesWith(all);
  }

  Value* readPart(llvm::IRBuilder<>& builder, llvm::ArrayRef<std::int64_t> places) {
    llvm::SmallVector<std::int64_t, 16> from; // pieces, in the order of their lanes
    for (const std::int64_t place : places)
      if (place >= 0 && !llvm::is_contained(from, place / lanes_)) from.push_back(place / lanes_);
    if (from.empty()) return llvm::PoisonValue::get(type());
    const auto load = [&](std::int64_t piece) { return builder.CreateLoad(type(), pieces_[piece]); };
    const auto shuffle = [&](Value* a, Value* b, std::int64_t ofA, std::int64_t ofB, llvm::ArrayRef<bool> done) {
      llvm::SmallVector<int, 64> mask(lanes_, llvm::PoisonMaskElem);
      for (const auto& [lane, place] : llvm::enumerate(places)) {
        if (place < 0) continue;
        if (!done.empty() && done[lane])
          mask[lane] = static_cast<int>(lane);
        else if (ofA >= 0 && place / lanes_ == ofA)
          mask[lane] = static_cast<int>(place % lanes_);
        else if (place / lanes_ == ofB)
          mask[lane] = lanes_ + static_cast<int>(place % lanes_);
      }
      return llvm::ShuffleVectorInst::isIdentityMask(mask, lanes_) ? a : builder.CreateShuffleVector(a, b, mask);
    };
    Value* first = load(from[0]);
    Value* second = from.size() > 1 ? static_cast<Value*>(load(from[1])) : llvm::PoisonValue::get(type());
    Value* made = shuffle(first, second, from[0], from.size() > 1 ? from[1] : -1, {});
    llvm::SmallVector<bool, 64> done(places.size(), false);
    for (std::size_t i = 2; i < from.size(); ++i) {
      for (const auto& [lane, place] : llvm::enumerate(places))
        done[lane] = place >= 0 && llvm::is_contained(llvm::ArrayRef(from).take_front(i), place / lanes_);
      made = shuffle(made, load(from[i]), -1, from[i], done);
    }
    return made;
  }

  void write(const KnownAccess& access) {
    llvm::IRBuilder<> builder(access.instruction);
    const int count = static_cast<int>(access.places.size());
    Value* value = builder.CreateBitCast(
        access.value(), count == 1 ? accesses_.unit : llvm::FixedVectorType::get(accesses_.unit, count));
    if (count == 1) value = builder.CreateInsertElement(llvm::PoisonValue::get(type()), value, std::uint64_t{0});
    const llvm::SmallVector<Value*, 8> values =
        count == 1 ? llvm::SmallVector<Value*, 8>{value} : split(builder, value, count);
    llvm::SmallVector<Value*, 8> masks;
    if (access.isMaskKnown) {
      masks.resize(values.size(), nullptr);
    } else {
      const int repeat = count / static_cast<int>(access.lanes());
      llvm::SmallVector<int, 64> lanes;
      for (int unit = 0; unit < count; ++unit)
        lanes.push_back(unit / repeat);
      masks = split(builder, builder.CreateShuffleVector(access.mask(), lanes), count);
    }
    // Which of the value's registers goes to which piece, and where each lane of that comes from.
    std::map<std::pair<std::int64_t, int>, llvm::SmallVector<int, 64>> moves;
    for (const auto& [unit, place] : llvm::enumerate(access.places)) {
      if (place < 0) continue;
      const int from = static_cast<int>(unit);
      // The last of the lanes that write to one place counts.
      for (int other = 0; other < static_cast<int>(values.size()); ++other)
        if (const auto found = moves.find({place / lanes_, other}); found != moves.end())
          found->second[place % lanes_] = llvm::PoisonMaskElem;
      auto& lanes = moves.try_emplace({place / lanes_, from / lanes_}, lanes_, llvm::PoisonMaskElem).first->second;
      lanes[place % lanes_] = from % lanes_;
    }
    for (const auto& [key, lanes] : moves) {
      const auto [piece, part] = key;
      Value* before = builder.CreateLoad(type(), pieces_[piece]);
      Value* after = masks[part] == nullptr ? blend(builder, before, values[part], lanes)
                                            : choose(builder, before, values[part], masks[part], lanes);
      builder.CreateStore(after, pieces_[piece]);
    }
  }

  Value* blend(llvm::IRBuilder<>& builder, Value* before, Value* value, llvm::ArrayRef<int> lanes) const {
    llvm::SmallVector<int, 64> mask;
    for (int lane = 0; lane < lanes_; ++lane)
      mask.push_back(lanes[lane] == llvm::PoisonMaskElem ? lane : lanes_ + lanes[lane]);
    const bool isAll = llvm::all_of(llvm::seq(0, lanes_), [&](int lane) { return mask[lane] == lanes_ + lane; });
    return isAll ? value : builder.CreateShuffleVector(before, value, mask);
  }

  Value* choose(llvm::IRBuilder<>& builder, Value* before, Value* value, Value* mask, llvm::ArrayRef<int> lanes) const {
    llvm::SmallVector<int, 64> fromMask;
    for (const int lane : lanes)
      fromMask.push_back(lane == llvm::PoisonMaskElem ? lanes_ : lane);
    Value* isWritten = builder.CreateShuffleVector(mask, llvm::Constant::getNullValue(mask->getType()), fromMask);
    return builder.CreateSelect(isWritten, builder.CreateShuffleVector(value, lanes), before);
  }

  llvm::Argument& variable_;
  KnownAccesses accesses_;
  int lanes_;
  llvm::SmallVector<llvm::AllocaInst*, 64> pieces_;
};

/// Shuffles for each register that is accessed: how many pieces of the array it is made of, or goes to.
double shufflesARegister(const KnownAccesses& accesses, unsigned registerBytes) {
  const auto lanes = static_cast<std::int64_t>(registerBytes / accesses.unitBytes);
  std::size_t registers = 0, shuffles = 0;
  for (const KnownAccess& access : accesses.all)
    for (std::size_t first = 0; first < access.places.size(); first += lanes) {
      llvm::SmallDenseSet<std::int64_t, 16> pieces;
      for (const std::int64_t place : llvm::ArrayRef(access.places).drop_front(first).take_front(lanes))
        if (place >= 0) pieces.insert(place / lanes);
      if (pieces.empty()) continue;
      ++registers;
      shuffles += pieces.size();
    }
  return static_cast<double>(shuffles) / static_cast<double>(std::max<std::size_t>(registers, 1));
}

/// Whether lanes access neighbours, as far as they do.
bool isRow(const KnownAccess& access) {
  std::optional<std::int64_t> first;
  for (const auto& [unit, place] : llvm::enumerate(access.places)) {
    if (place < 0) continue;
    const std::int64_t its = place - static_cast<std::int64_t>(unit);
    if (first && its != *first) return false;
    first = its;
  }
  return true;
}

/// Whether arrays are worth it, and which loops are to be written out for them.
class Candidates {
 public:
  Candidates(llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution, const llvm::DataLayout& layout, unsigned width,
             unsigned registerBytes)
      : loops_(loops), evolution_(evolution), values_(evolution, loops, layout), width_(width),
        registerBytes_(registerBytes) {}

  /// Whether the array is worth it. Its loops are wanted then.
  bool add(llvm::Argument& variable);

  unsigned roundsOf(const llvm::Loop& loop) const { return evolution_.getSmallConstantTripCount(&loop); }

  llvm::SmallSetVector<llvm::Loop*, 16> wanted;

 private:
  std::size_t instructionsOf(llvm::ArrayRef<llvm::Loop*> loops) const {
    std::size_t count = 0;
    for (const llvm::Loop* loop : loops)
      for (const llvm::BasicBlock* block : loop->blocks())
        count += block->size() * roundsOf(*loop);
    return count;
  }

  bool isSimple(const llvm::Loop& loop) const {
    const unsigned rounds = roundsOf(loop);
    // Steps that have been fused hand rows from round to round.
    const auto phis = loop.getHeader()->phis();
    return std::distance(phis.begin(), phis.end()) == 1 && rounds != 0 && rounds <= kMostRounds && loop.isOutermost() &&
           loop.isInnermost() && loop.getLoopPreheader() != nullptr && loop.getUniqueExitBlock() != nullptr &&
           loop.getExitingBlock() != nullptr && loop.getExitingBlock() == loop.getLoopLatch();
  }

  llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  RoundValues values_;
  unsigned width_, registerBytes_;
};

bool Candidates::add(llvm::Argument& variable) {
  llvm::SmallVector<Instruction*, 64> instructions;
  if (!collectLocalAccesses(variable, instructions)) return false;
  llvm::SmallSetVector<llvm::Loop*, 16> around;
  llvm::SmallPtrSet<const llvm::Loop*, 16> steps;
  for (const Instruction* access : instructions) {
    llvm::Loop* loop = loops_.getLoopFor(access->getParent());
    if (loop == nullptr) continue;
    around.insert(loop);
    if (access->getType()->isVoidTy()) steps.insert(loop);
  }
  // What is counted comes before what folds the places of all lanes in all rounds.
  if (steps.size() < kFewestSteps || !llvm::all_of(around, [&](const llvm::Loop* loop) { return isSimple(*loop); }))
    return false;
  around.insert(wanted.begin(), wanted.end());
  if (instructionsOf(around.getArrayRef()) > kMostInstructions) return false;

  const std::optional<KnownAccesses> accesses = knownAccesses(variable, kMostBytes, [&](Instruction& access) {
    llvm::Loop* loop = loops_.getLoopFor(access.getParent());
    return Rounds{loop == nullptr ? 1 : roundsOf(*loop),
                  [this, loop](Value& value, unsigned round) { return values_.get(value, loop, round); }};
  });
  if (!accesses) return false;
  // A row of more than the lanes is what lanes that lie apart share.
  const bool areApart =
      llvm::any_of(accesses->all, [&](const KnownAccess& access) { return access.lanes() > width_ || !isRow(access); });
  if (!areApart || shufflesARegister(*accesses, registerBytes_) > kMostShuffles) return false;
  wanted = std::move(around);
  return true;
}

} // namespace

llvm::PreservedAnalyses PromoteLocalArraysPass::run(Function& function, llvm::FunctionAnalysisManager& analyses) {
  const KernelFacts facts = factsOf(function);
  // Debuggers show local memory.
  if (facts.localParameters == 0 || facts.width < 2 || facts.wholeGroupLocals ||
      !function.getParent()->debug_compile_units().empty())
    return llvm::PreservedAnalyses::all();
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& tree = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  auto& assumptions = analyses.getResult<llvm::AssumptionAnalysis>(function);
  auto& costs = analyses.getResult<llvm::TargetIRAnalysis>(function);
  Candidates candidates(loops, evolution, function.getDataLayout(), facts.width, registerBytes_);
  llvm::SmallVector<llvm::Argument*, 4> variables;
  for (llvm::Argument& argument : function.args())
    if (argument.getArgNo() < 64 && (facts.localParameters >> argument.getArgNo() & 1) != 0 && candidates.add(argument))
      variables.push_back(&argument);
  if (variables.empty()) return llvm::PreservedAnalyses::all();

  for (llvm::Loop* loop : candidates.wanted) {
    llvm::simplifyLoop(loop, &tree, &loops, &evolution, &assumptions, nullptr, /*PreserveLCSSA=*/false);
    llvm::formLCSSARecursively(*loop, tree, &loops, &evolution);
    llvm::UnrollLoopOptions options{};
    options.Count = candidates.roundsOf(*loop);
    options.Force = true;
    llvm::OptimizationRemarkEmitter remarks(&function);
    llvm::UnrollLoop(loop, options, &loops, &evolution, &tree, &assumptions, &costs, &remarks, /*PreserveLCSSA=*/true);
  }
  const auto once = [](Instruction&) -> Rounds {
    return {1, [](Value& value, unsigned) { return llvm::dyn_cast<llvm::Constant>(&value); }};
  };
  for (llvm::Argument* variable : variables)
    if (std::optional<KnownAccesses> accesses = knownAccesses(*variable, kMostBytes, once))
      Promotion(*variable, std::move(*accesses), registerBytes_).run(tree);
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
