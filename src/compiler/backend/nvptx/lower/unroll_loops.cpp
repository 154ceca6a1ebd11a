// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/nvptx/lower/unroll_loops.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

namespace clotho::compiler {
namespace {

constexpr std::uint64_t kMostArrayBytes = 512; ///< of an array in registers, of which a thread has 255
constexpr unsigned kMostIterations = 64;
constexpr std::uint64_t kMostGrowth = 8192;  ///< instructions by which a function grows for its arrays
constexpr std::uint64_t kMostRepeated = 160; ///< instructions of an unrolled loop that stays a loop
constexpr unsigned kMostCopies = 4;
constexpr unsigned kMostOfShortLoop = 8;        ///< iterations
constexpr std::uint64_t kMostOfWholeLoop = 512; ///< instructions of all of them

/// Summary of a loop's instructions.
struct LoopBody {
  std::uint64_t size = 0;
  bool goesAlongArray = false; ///< an array's elements are chosen by the loop's iteration
  bool hasCalls = false;
};

class Unroller {
 public:
  Unroller(llvm::Function& function, llvm::FunctionAnalysisManager& analyses)
      : loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
        assumptions_(analyses.getResult<llvm::AssumptionAnalysis>(function)),
        costs_(analyses.getResult<llvm::TargetIRAnalysis>(function)),
        remarks_(analyses.getResult<llvm::OptimizationRemarkEmitterAnalysis>(function)) {}

  bool run() {
    bool changes = false;
    while (unrollOneAlongArray())
      changes = true;
    for (llvm::Loop* loop : loops_.getLoopsInPreorder())
      if (loop->isInnermost() && suggestCopies(*loop)) changes = true;
    return changes;
  }

 private:
  LoopBody bodyOf(const llvm::Loop& loop) const {
    LoopBody body;
    for (const llvm::BasicBlock* block : loop.blocks())
      for (const llvm::Instruction& instruction : *block) {
        const llvm::InstructionCost cost =
            costs_.getInstructionCost(&instruction, llvm::TargetTransformInfo::TCK_CodeSize);
        body.size += cost.isValid() ? static_cast<std::uint64_t>(cost.getValue()) : kMostGrowth;
        const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        body.hasCalls = body.hasCalls || (call != nullptr && !llvm::isa<llvm::IntrinsicInst>(call));
        const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
        body.goesAlongArray = body.goesAlongArray || (pointer != nullptr && isElementOfSmallArray(*pointer));
      }
    return body;
  }

  /// Whether the iteration of a loop tells which element of which array this is.
  bool isElementOfSmallArray(const llvm::Value& pointer) const {
    const auto* array = llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(&pointer));
    if (array == nullptr) return false;
    const auto bytes = array->getAllocationSize(array->getModule()->getDataLayout());
    return bytes && bytes->getFixedValue() <= kMostArrayBytes &&
           llvm::isa<llvm::SCEVAddRecExpr>(evolution_.getSCEV(const_cast<llvm::Value*>(&pointer)));
  }

  /// Unrolls one whole loop along arrays, an inner one first. Others around it may have a known number of iterations
  /// then.
  bool unrollOneAlongArray() {
    const llvm::SmallVector<llvm::Loop*, 4> loops = loops_.getLoopsInPreorder();
    for (llvm::Loop* loop : llvm::reverse(loops)) {
      const unsigned iterations = evolution_.getSmallConstantMaxTripCount(loop);
      if (iterations == 0 || iterations > kMostIterations || hasRequest(*loop)) continue;
      const LoopBody body = bodyOf(*loop);
      if (!body.goesAlongArray || body.hasCalls || (iterations - 1) * body.size > kMostGrowth - growth_) continue;
      growth_ += (iterations - 1) * body.size;
      const llvm::UnrollLoopOptions options{.Count = iterations,
                                            .Force = true,
                                            .Runtime = false,
                                            .AllowExpensiveTripCount = false,
                                            .UnrollRemainder = false,
                                            .ForgetAllSCEV = true,
                                            .SCEVExpansionBudget = 0};
      if (llvm::UnrollLoop(loop, options, &loops_, &evolution_, &dominators_, &assumptions_, &costs_, &remarks_,
                           /*PreserveLCSSA=*/true) == llvm::LoopUnrollResult::FullyUnrolled)
        return true;
    }
    return false;
  }

  bool suggestCopies(llvm::Loop& loop) const {
    if (hasRequest(loop)) return false;
    const LoopBody body = bodyOf(loop);
    if (body.hasCalls || body.size == 0) return false;
    auto copies = std::min<std::uint64_t>(kMostCopies, llvm::bit_floor(kMostRepeated / body.size));
    if (isShort(loop, body)) copies = evolution_.getSmallConstantTripCount(&loop);
    if (copies < 2) return false;
    llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.count", static_cast<unsigned>(copies));
    // Without it LLVM marks what it has unrolled as not to be unrolled, for the driver's compiler, too.
    llvm::LLVMContext& context = loop.getHeader()->getContext();
    auto* name = llvm::MDString::get(context, "llvm.loop.unroll.followup_unrolled");
    loop.setLoopID(
        llvm::makePostTransformationMetadata(context, loop.getLoopID(), {}, {llvm::MDNode::get(context, {name})}));
    return true;
  }

  /// Whether nothing of the loop is left if all of its iterations are copied: addresses are then constant distances
  /// apart, and no iteration is left over.
  bool isShort(const llvm::Loop& loop, const LoopBody& body) const {
    const unsigned iterations = evolution_.getSmallConstantTripCount(&loop);
    return iterations != 0 && iterations <= kMostOfShortLoop && iterations * body.size <= kMostOfWholeLoop;
  }

  static bool hasRequest(const llvm::Loop& loop) {
    return !loop.isLoopSimplifyForm() || llvm::hasUnrollTransformation(&loop) != llvm::TM_Unspecified;
  }

  llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  llvm::DominatorTree& dominators_;
  llvm::AssumptionCache& assumptions_;
  llvm::TargetTransformInfo& costs_;
  llvm::OptimizationRemarkEmitter& remarks_;
  std::uint64_t growth_ = 0;
};

} // namespace

llvm::PreservedAnalyses UnrollLoopsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  return Unroller(function, analyses).run() ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
