// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/vectorise/compare_with_scalar.hpp"

#include "compiler/ir/intrinsics.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/ProfDataUtils.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Support/raw_ostream.h>

#include <cmath>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::Intrinsic::ID;
using llvm::Value;

// In loads of a scalar, of which processors begin two or three in each cycle.
constexpr double kLoad = 1, kOperation = 0.5, kDivision = 10, kCall = 15, kMove = 1, kAtomic = 20;
/// Of a branch that depends on what has been loaded: now and then it is guessed wrongly.
constexpr double kGuess = 4;
/// Of a load from where one in the round before says: it waits for that.
constexpr double kChase = 4;
/// Of each lane of a gather from where a scatter has stored: it waits until that is in the cache.
constexpr double kForward = 4;
/// Lanes wait for the one with most rounds.
constexpr double kWaiting = 2;
/// How many times as often as what is around it a loop runs; the deepest that counts.
constexpr double kRounds = 8;
constexpr unsigned kDeepest = 6;
/// The estimate is a rough one.
constexpr double kClearly = 1.2;

/// Whether the value comes from a load in the loop whose address changes there; `acrossRounds`: of an earlier round.
bool dependsOnLoad(const Value* value, const llvm::Loop& loop, bool acrossRounds) {
  llvm::SmallPtrSet<const Value*, 16> seen;
  // With whether the way led through the round before.
  llvm::SmallVector<std::pair<const Value*, bool>, 16> work = {{value, false}};
  while (!work.empty()) {
    const auto [next, before] = work.pop_back_val();
    const auto* instruction = llvm::dyn_cast<Instruction>(next);
    if (instruction == nullptr || !loop.contains(instruction) || !seen.insert(next).second) continue;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction);
        load != nullptr && (before || !acrossRounds) && !loop.isLoopInvariant(load->getPointerOperand()))
      return true;
    const bool turns = llvm::isa<llvm::PHINode>(instruction) && instruction->getParent() == loop.getHeader();
    for (const Value* operand : instruction->operands())
      work.emplace_back(operand, before || turns);
  }
  return false;
}

/// Lanes leave it in different rounds: its header knows which are in it.
bool isDivergent(const llvm::Loop& loop) {
  return llvm::any_of(loop.getHeader()->phis(), [](const llvm::PHINode& phi) {
    return phi.getType()->isVectorTy() && phi.getType()->isIntOrIntVectorTy(1);
  });
}

class Estimate {
 public:
  Estimate(const llvm::Function& function, const llvm::LoopInfo& loops, const ProcessorModel& cpu)
      : layout_(function.getDataLayout()), loops_(loops), cpu_(cpu) {}

  /// Of a work-item's function, too, what its processor has to guess and to wait for. Of a kernel with barriers, only
  /// what is in loops without any: what becomes of the rest is decided later, when sub-groups have been put together.
  double of(const llvm::Function& function, bool isScalar) const {
    const bool hasBarriers = callsIntrinsic(function, Intrinsic::Barrier) || callsIntrinsic(function, Intrinsic::Yield);
    double sum = 0;
    for (const llvm::BasicBlock& block : function) {
      if (hasBarriers && !isInLoopWithoutBarriers(block)) continue;
      double once = 0;
      for (const Instruction& instruction : block)
        once += of(instruction) + (isScalar ? waitingFor(instruction) : 0);
      sum += roundsOf(block) * once;
    }
    return sum;
  }

 private:
  bool isInLoopWithoutBarriers(const llvm::BasicBlock& block) const {
    const llvm::Loop* loop = loops_.getLoopFor(&block);
    return loop != nullptr && llvm::none_of(loop->blocks(), [](const llvm::BasicBlock* within) {
             return llvm::any_of(*within, [](const Instruction& instruction) {
               return isIntrinsic(&instruction, Intrinsic::Barrier) || isIntrinsic(&instruction, Intrinsic::Yield);
             });
           });
  }

  /// Where hardly any sub-group comes: addresses that are no row though they looked like one.
  static bool isUnlikely(const llvm::BasicBlock& block) {
    const llvm::BasicBlock* before = block.getSinglePredecessor();
    const auto* branch = before == nullptr ? nullptr : llvm::dyn_cast<llvm::BranchInst>(before->getTerminator());
    std::uint64_t taken = 0, other = 0;
    if (branch == nullptr || !branch->isConditional() || !llvm::extractBranchWeights(*branch, taken, other))
      return false;
    if (branch->getSuccessor(0) != &block) std::swap(taken, other);
    return taken < other;
  }

  double roundsOf(const llvm::BasicBlock& block) const {
    if (isUnlikely(block)) return 0;
    double rounds = 1;
    unsigned depth = 0;
    bool waits = false;
    for (const llvm::Loop* loop = loops_.getLoopFor(&block); loop != nullptr; loop = loop->getParentLoop()) {
      if (++depth <= kDeepest) rounds *= kRounds;
      waits = waits || isDivergent(*loop);
    }
    return waits ? kWaiting * rounds : rounds;
  }

  double waitingFor(const Instruction& instruction) const {
    const llvm::Loop* loop = loops_.getLoopFor(instruction.getParent());
    if (loop == nullptr) return 0;
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instruction))
      return branch->isConditional() && dependsOnLoad(branch->getCondition(), *loop, false) ? kGuess : 0;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      return dependsOnLoad(load->getPointerOperand(), *loop, true) ? kChase : 0;
    return 0;
  }

  std::uint64_t bitsOf(const llvm::Type* type) const {
    return layout_.getTypeSizeInBits(const_cast<llvm::Type*>(type)).getFixedValue();
  }

  /// The vectors that a value takes. Of one a scalar's short vectors have each element alone.
  double registersOf(const llvm::Type* type) const {
    if (!type->isSized() || type->isVoidTy() || !type->isVectorTy()) return 1;
    return std::max(1.0, std::ceil(static_cast<double>(bitsOf(type)) / cpu_.vectorBits));
  }

  double ofMasked(const std::array<double, 4>& costs, const llvm::Type* type) const {
    const unsigned bits = type->getScalarType()->isPointerTy() ? 64 : type->getScalarSizeInBits();
    return registersOf(type) * costs[std::min(llvm::Log2_32(std::max(bits, 8U) / 8), 3U)];
  }

  double of(const Instruction& instruction) const {
    const llvm::Type* type = instruction.getType();
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) return ofCall(*call);
    if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction)) return kAtomic;
    if (const Value* pointer = llvm::getLoadStorePointerOperand(&instruction); pointer != nullptr)
      return kLoad * registersOf(llvm::getLoadStoreType(&instruction));
    switch (instruction.getOpcode()) {
    case Instruction::PHI:
    case Instruction::GetElementPtr:
    case Instruction::SExt:
    case Instruction::ZExt:
    case Instruction::Trunc:
    case Instruction::BitCast:
    case Instruction::PtrToInt:
    case Instruction::IntToPtr:
    case Instruction::AddrSpaceCast:
    case Instruction::Freeze:
    case Instruction::Alloca:
    case Instruction::Ret: return 0;
    case Instruction::ExtractElement:
    case Instruction::InsertElement:
      // Elements of short vectors are scalars.
      return bitsOf(instruction.getOperand(0)->getType()) <= 128 ? 0 : kMove;
    case Instruction::SDiv:
    case Instruction::UDiv:
    case Instruction::SRem:
    case Instruction::URem:
      if (llvm::isa<llvm::Constant>(instruction.getOperand(1))) return 4 * kOperation * registersOf(type);
      return kDivision * (type->isVectorTy() ? elementsOf(type) : 1);
    case Instruction::FDiv:
    case Instruction::FRem: return kDivision * registersOf(type);
    default: return kOperation * registersOf(type);
    }
  }

  static double elementsOf(const llvm::Type* type) {
    return llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
  }

  double ofCall(const llvm::CallInst& call) const {
    if (matchIntrinsic(&call) || llvm::isa<llvm::DbgInfoIntrinsic>(call)) return 0;
    const llvm::Type* type = call.getType();
    switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::masked_gather: return ofLanes(cpu_.gather, type) + (waitsForScatter(call) ? elementsOf(type) * kForward : 0);
    case llvm::Intrinsic::masked_scatter: return ofLanes(cpu_.scatter, call.getArgOperand(0)->getType());
    case llvm::Intrinsic::masked_load: return ofMasked(cpu_.maskedLoad, type);
    case llvm::Intrinsic::masked_store: return ofMasked(cpu_.maskedStore, call.getArgOperand(0)->getType());
    case llvm::Intrinsic::prefetch:
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end: return 0;
    case llvm::Intrinsic::sqrt: return kDivision * registersOf(type);
    case llvm::Intrinsic::not_intrinsic: return kCall * registersOf(type);
    default: return 2 * kOperation * registersOf(type);
    }
  }

  /// There is a scatter to the same private array in its loop.
  bool waitsForScatter(const llvm::CallInst& gather) const {
    const llvm::Loop* loop = loops_.getLoopFor(gather.getParent());
    const Value* array = llvm::getUnderlyingObject(gather.getArgOperand(0));
    if (loop == nullptr || !llvm::isa<llvm::AllocaInst>(array)) return false;
    return llvm::any_of(array->users(), [&](const llvm::User* user) {
      return llvm::any_of(user->users(), [&](const llvm::User* access) {
        const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(access);
        return call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::masked_scatter && loop->contains(call);
      });
    });
  }

  /// Of narrow elements there are no scatters.
  double ofLanes(double lane, const llvm::Type* type) const {
    constexpr double kNarrow = 3;
    const bool isNarrow = !type->getScalarType()->isPointerTy() && type->getScalarSizeInBits() < 32;
    return elementsOf(type) * (isNarrow ? std::max(lane, kNarrow) : lane);
  }

  const llvm::DataLayout& layout_;
  const llvm::LoopInfo& loops_;
  const ProcessorModel& cpu_;
};

} // namespace

bool losesToScalar(llvm::Function& widened, llvm::Function& scalar, const llvm::LoopInfo& loops, unsigned width,
                   const ProcessorModel& cpu) {
  const llvm::DominatorTree dominators(widened);
  const llvm::LoopInfo widenedLoops(dominators);
  const double together = Estimate(widened, widenedLoops, cpu).of(widened, /*isScalar=*/false);
  const double apart = width * Estimate(scalar, loops, cpu).of(scalar, /*isScalar=*/true);
  if (getenv("CLOTHO_EST")) llvm::errs() << "ESTIMATE " << scalar.getName() << " W=" << width << " " << apart / together << "\n";
  return together > kClearly * apart;
}

} // namespace clotho::compiler
