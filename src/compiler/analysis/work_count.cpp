// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/work_count.hpp"

#include "compiler/ir/intrinsics.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <map>
#include <utility>

namespace clotho::compiler {
namespace {

using llvm::SCEV;

constexpr std::size_t kMostTerms = 24, kMostFactors = 6;

/// A sum of products of what launches have.
class Polynomial {
 public:
  Polynomial() = default;
  explicit Polynomial(double constant) { add({}, constant); }
  explicit Polynomial(WorkFactor factor) { add({factor}, 1); }

  void add(std::vector<WorkFactor> factors, double coefficient) {
    llvm::sort(factors);
    terms_[std::move(factors)] += coefficient;
  }
  Polynomial& operator+=(const Polynomial& other) {
    for (const auto& [factors, coefficient] : other.terms_)
      terms_[factors] += coefficient;
    return *this;
  }
  Polynomial operator*(const Polynomial& other) const {
    Polynomial result;
    for (const auto& [factors, coefficient] : terms_)
      for (const auto& [otherFactors, otherCoefficient] : other.terms_) {
        std::vector<WorkFactor> both = factors;
        llvm::append_range(both, otherFactors);
        result.add(std::move(both), coefficient * otherCoefficient);
      }
    return result;
  }
  Polynomial times(double number) const { return *this * Polynomial(number); }

  bool isTooLong() const {
    return terms_.size() > kMostTerms ||
           llvm::any_of(terms_, [](const auto& term) { return term.first.size() > kMostFactors; });
  }
  std::vector<WorkTerm> terms() const {
    std::vector<WorkTerm> result;
    for (const auto& [factors, coefficient] : terms_)
      if (coefficient != 0) result.push_back({coefficient, factors});
    return result;
  }

 private:
  std::map<std::vector<WorkFactor>, double> terms_;
};

using Known = std::optional<Polynomial>;

class Counter {
 public:
  Counter(llvm::Function& function, llvm::FunctionAnalysisManager& analyses)
      : function_(function), loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
        postDominators_(analyses.getResult<llvm::PostDominatorTreeAnalysis>(function)) {}

  KernelWork count() {
    Known flops = Polynomial(), bytes = Polynomial();
    for (llvm::BasicBlock& block : function_) {
      if (!dominators_.isReachableFromEntry(&block)) continue;
      const auto [blockFlops, blockBytes] = workOf(block);
      if (blockFlops == 0 && blockBytes == 0) continue;
      const Known times = executions(block);
      addTo(flops, blockFlops, times);
      addTo(bytes, blockBytes, times);
    }
    KernelWork result;
    if (flops) result.flops = flops->terms();
    if (bytes) result.bytes = bytes->terms();
    return result;
  }

 private:
  /// Nothing: not known.
  using Amount = std::optional<double>;

  static void addTo(Known& sum, Amount amount, const Known& times) {
    if (!sum || amount == 0) return;
    if (!amount || !times) {
      sum.reset();
      return;
    }
    *sum += times->times(*amount);
    if (sum->isTooLong()) sum.reset();
  }

  // --- Blocks ---

  std::pair<Amount, Amount> workOf(const llvm::BasicBlock& block) const {
    Amount flops = 0, bytes = 0;
    const auto add = [](Amount& sum, Amount more) { sum = sum && more ? Amount(*sum + *more) : std::nullopt; };
    for (const llvm::Instruction& instruction : block) {
      add(flops, flopsOf(instruction));
      add(bytes, bytesOf(instruction));
    }
    return {flops, bytes};
  }

  static double elements(const llvm::Type* type) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    return vector != nullptr ? vector->getNumElements() : 1;
  }

  static Amount flopsOf(const llvm::Instruction& instruction) {
    const double each = elements(instruction.getType());
    switch (instruction.getOpcode()) {
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul:
    case llvm::Instruction::FDiv:
    case llvm::Instruction::FRem: return each;
    case llvm::Instruction::AtomicRMW:
      return llvm::cast<llvm::AtomicRMWInst>(instruction).isFloatingPointOperation() ? 1 : 0;
    case llvm::Instruction::Call: return flopsOfCall(llvm::cast<llvm::CallInst>(instruction), each);
    default: return 0;
    }
  }

  static Amount flopsOfCall(const llvm::CallInst& call, double each) {
    switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::fmuladd: return 2 * each;
    case llvm::Intrinsic::fabs:
    case llvm::Intrinsic::copysign:
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::maxnum: return 0;
    default: break;
    }
    if (!call.getType()->isFPOrFPVectorTy()) return isHarmless(call) ? Amount(0) : std::nullopt;
    return call.getCalledFunction() != nullptr ? Amount(each) : std::nullopt;
  }

  /// A call that does no work of a kind that is counted.
  static bool isHarmless(const llvm::CallInst& call) {
    const llvm::Function* callee = call.getCalledFunction();
    return callee != nullptr && (callee->isIntrinsic() || isIntrinsicName(callee->getName()) ||
                                 call.doesNotAccessMemory() || callee->isDeclaration());
  }

  Amount bytesOf(const llvm::Instruction& instruction) const {
    const llvm::DataLayout& layout = function_.getDataLayout();
    if (const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction))
      return bytesAt(pointer, static_cast<double>(layout.getTypeStoreSize(llvm::getLoadStoreType(&instruction))));
    if (const auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
      return bytesAt(atomic->getPointerOperand(), 2 * static_cast<double>(layout.getTypeStoreSize(atomic->getType())));
    if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
      return bytesAt(exchange->getPointerOperand(),
                     2 * static_cast<double>(layout.getTypeStoreSize(exchange->getNewValOperand()->getType())));
    if (const auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(&instruction)) {
      const auto* length = llvm::dyn_cast<llvm::ConstantInt>(transfer->getLength());
      if (length == nullptr) return std::nullopt;
      const auto size = static_cast<double>(length->getZExtValue());
      const Amount read = bytesAt(transfer->getRawSource(), size), written = bytesAt(transfer->getRawDest(), size);
      return read && written ? Amount(*read + *written) : std::nullopt;
    }
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call == nullptr || isHarmless(*call) || call->onlyAccessesInaccessibleMemory()) return 0;
    return std::nullopt;
  }

  /// Constants of the program stay in the caches.
  static Amount bytesAt(const llvm::Value* pointer, double size) {
    constexpr unsigned kPrivate = 0, kGlobal = 1, kConstant = 2, kLocal = 3;
    switch (pointer->getType()->getPointerAddressSpace()) {
    case kPrivate:
    case kLocal: return 0;
    case kGlobal: return size;
    case kConstant: return llvm::isa<llvm::GlobalVariable>(llvm::getUnderlyingObject(pointer)) ? 0 : size;
    default: return std::nullopt;
    }
  }

  // --- How often they run ---

  Known executions(llvm::BasicBlock& block) {
    Known result = Polynomial(shareOf(block));
    for (const llvm::Loop* loop = loops_.getLoopFor(&block); loop != nullptr && result; loop = loop->getParentLoop()) {
      const Known trips = tripsOf(*loop);
      result = trips ? Known(*result * *trips) : std::nullopt;
      if (result && result->isTooLong()) result.reset();
    }
    return result;
  }

  /// The part of its loop's iterations in which the block runs.
  double shareOf(llvm::BasicBlock& block) {
    if (const auto known = shares_.find(&block); known != shares_.end()) return known->second;
    double share = 1;
    const auto* node = dominators_.getNode(&block);
    if (const auto* parent = node->getIDom(); parent != nullptr) {
      llvm::BasicBlock* above = parent->getBlock();
      share = shareOf(*above);
      const auto* branch = above->getTerminator();
      const unsigned ways = branch->getNumSuccessors();
      const bool isSide = llvm::is_contained(llvm::successors(above), &block) && ways > 1;
      // A side of an `if` without `else` counts as executed. So does the way into and out of a loop.
      const bool hasElse = llvm::none_of(llvm::successors(above), [&](llvm::BasicBlock* each) {
        return postDominators_.dominates(each, above) || loops_.getLoopFor(each) != loops_.getLoopFor(above);
      });
      if (isSide && hasElse) share /= ways;
    }
    shares_.try_emplace(&block, share);
    return share;
  }

  Known tripsOf(const llvm::Loop& loop) {
    if (const auto known = trips_.find(&loop); known != trips_.end()) return known->second;
    trips_.try_emplace(&loop, std::nullopt); // for a count that depends on itself
    const SCEV* backedges = evolution_.getBackedgeTakenCount(&loop);
    Known result;
    if (!llvm::isa<llvm::SCEVCouldNotCompute>(backedges)) result = meanOf(backedges);
    // The body of a loop that tests first runs as often as the loop goes back.
    const bool testsFirst = loop.isLoopExiting(loop.getHeader()) && loop.getLoopLatch() != loop.getHeader();
    if (result && !testsFirst) *result += Polynomial(1);
    trips_[&loop] = result;
    return result;
  }

  // --- Values ---

  /// The mean over work-items and iterations.
  Known meanOf(const SCEV* value) {
    switch (value->getSCEVType()) {
    case llvm::scConstant: {
      const llvm::APInt& number = llvm::cast<llvm::SCEVConstant>(value)->getAPInt();
      return number.getSignificantBits() <= 64 ? Known(static_cast<double>(number.getSExtValue())) : std::nullopt;
    }
    case llvm::scTruncate:
    case llvm::scZeroExtend:
    case llvm::scSignExtend: return meanOf(llvm::cast<llvm::SCEVCastExpr>(value)->getOperand());
    case llvm::scAddExpr: {
      Polynomial sum;
      for (const SCEV* each : value->operands()) {
        const Known part = meanOf(each);
        if (!part) return std::nullopt;
        sum += *part;
      }
      return sum;
    }
    case llvm::scMulExpr: {
      Polynomial product(1);
      for (const SCEV* each : value->operands()) {
        const Known part = meanOf(each);
        if (!part) return std::nullopt;
        product = product * *part;
      }
      return product;
    }
    case llvm::scUDivExpr: {
      const auto* division = llvm::cast<llvm::SCEVUDivExpr>(value);
      const Known whole = meanOf(division->getLHS());
      const auto* by = llvm::dyn_cast<llvm::SCEVConstant>(division->getRHS());
      if (!whole || by == nullptr || by->getAPInt().isZero() || by->getAPInt().getActiveBits() > 32)
        return std::nullopt;
      return whole->times(1 / static_cast<double>(by->getAPInt().getZExtValue()));
    }
    case llvm::scUMaxExpr:
    case llvm::scSMaxExpr: return ofBound(*value);
    case llvm::scAddRecExpr: {
      const auto* steps = llvm::cast<llvm::SCEVAddRecExpr>(value);
      if (!steps->isAffine()) return std::nullopt;
      const Known start = meanOf(steps->getStart()), step = meanOf(steps->getStepRecurrence(evolution_));
      const Known trips = tripsOf(*steps->getLoop());
      if (!start || !step || !trips) return std::nullopt;
      Polynomial last = *trips;
      last += Polynomial(-1);
      Polynomial result = *step * last.times(0.5);
      result += *start;
      return result;
    }
    case llvm::scUnknown: return ofUnknown(llvm::cast<llvm::SCEVUnknown>(value)->getValue());
    default: return std::nullopt;
    }
  }

  /// Trip counts are written as max(end, begin) - begin, so that they are not negative: this is the end.
  Known ofBound(const SCEV& maximum) {
    const auto isSmallConstant = [](const SCEV* each) {
      const auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(each);
      return constant != nullptr && constant->getAPInt().sle(1);
    };
    const auto differs = [](const SCEV* each) {
      return llvm::SCEVExprContains(each, [](const SCEV* part) {
        if (llvm::isa<llvm::SCEVAddRecExpr>(part)) return true;
        const auto* unknown = llvm::dyn_cast<llvm::SCEVUnknown>(part);
        const auto call = unknown != nullptr ? matchIntrinsic(unknown->getValue()) : std::nullopt;
        return call && (call->intrinsic == Intrinsic::GlobalId || call->intrinsic == Intrinsic::LocalId ||
                        call->intrinsic == Intrinsic::GroupId);
      });
    };
    llvm::SmallVector<const SCEV*, 4> ends;
    for (const SCEV* each : maximum.operands())
      if (!isSmallConstant(each)) ends.push_back(each);
    if (ends.size() > 1) llvm::erase_if(ends, differs); // beginnings
    return ends.size() == 1 ? meanOf(ends.front()) : std::nullopt;
  }

  Known ofUnknown(const llvm::Value* value) const {
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value))
      return argument->getType()->isIntegerTy() ? Known(WorkFactor{WorkFactor::Kind::Argument, argument->getArgNo()})
                                                : std::nullopt;
    const auto call = matchIntrinsic(value);
    if (!call) return std::nullopt;
    const auto size = [&](WorkFactor::Kind kind) { return Polynomial(WorkFactor{kind, call->dimension}); };
    const auto mean = [](Polynomial count) {
      count += Polynomial(-1);
      return count.times(0.5);
    };
    switch (call->intrinsic) {
    case Intrinsic::GlobalSize: return size(WorkFactor::Kind::GlobalSize);
    case Intrinsic::LocalSize:
    case Intrinsic::EnqueuedSize: return size(WorkFactor::Kind::LocalSize);
    case Intrinsic::NumGroups: return size(WorkFactor::Kind::Groups);
    case Intrinsic::GlobalId: return mean(size(WorkFactor::Kind::GlobalSize));
    case Intrinsic::LocalId: return mean(size(WorkFactor::Kind::LocalSize));
    case Intrinsic::GroupId: return mean(size(WorkFactor::Kind::Groups));
    case Intrinsic::GroupBase: return size(WorkFactor::Kind::LocalSize) * mean(size(WorkFactor::Kind::Groups));
    case Intrinsic::GlobalOffset: return Polynomial(0);
    default: return std::nullopt;
    }
  }

  llvm::Function& function_;
  llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  llvm::DominatorTree& dominators_;
  llvm::PostDominatorTree& postDominators_;
  llvm::DenseMap<const llvm::BasicBlock*, double> shares_;
  std::map<const llvm::Loop*, Known> trips_;
};

} // namespace

llvm::AnalysisKey WorkCountAnalysis::Key;

KernelWork WorkCountAnalysis::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  return Counter(function, analyses).count();
}

} // namespace clotho::compiler
