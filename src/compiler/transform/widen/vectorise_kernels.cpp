// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/vectorise_kernels.hpp"

#include "compiler/analysis/choose_width.hpp"
#include "compiler/analysis/compare_with_scalar.hpp"
#include "compiler/analysis/full_vectors.hpp"
#include "compiler/analysis/speculation.hpp"
#include "compiler/analysis/sub_group_division.hpp"
#include "compiler/analysis/waiting_loops.hpp"
#include "compiler/analysis/widening_obstacles.hpp"
#include "compiler/analysis/width_dependence.hpp"
#include "compiler/compiler.hpp"
#include "compiler/ir/checks.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/replace_calls.hpp"
#include "compiler/ir/run_pass.hpp"
#include "compiler/ir/sub_group_operations.hpp"
#include "compiler/ir/variants.hpp"
#include "compiler/transform/widen/exchange_calls.hpp"
#include "compiler/transform/widen/linear_kernel.hpp"
#include "compiler/transform/widen/several_rows.hpp"
#include "compiler/transform/widen/specialise.hpp"
#include "compiler/transform/widen/widener.hpp"
#include "compiler/transform/widen/widening_sources.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace clotho::compiler {
namespace {

llvm::Function* declareLike(llvm::Function& kernel) {
  auto* function = llvm::Function::Create(kernel.getFunctionType(), kernel.getLinkage(), kernel.getAddressSpace(), "",
                                          kernel.getParent());
  function->copyAttributesFrom(&kernel);
  function->copyMetadata(&kernel, 0);
  return function;
}

class KernelVectoriser {
 public:
  KernelVectoriser(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses, const VectoriseOptions& options,
                   VectorisationReport& report)
      : kernel_(kernel), analyses_(analyses), options_(options), report_(report),
        sources_(analyses, variantOf(kernel) == Variant::Exact) {
    if (!mayRun("byte-tables")) options_.cpu.choosesBytes = false;
  }

  /// Vectorises the kernel. Returns the function that now is the kernel: itself, or another one that has taken its name
  /// and uses.
  llvm::Function& run() {
    beginReport(kernel_.getName());
    if (usesSubGroups(kernel_)) {
      runWithSubGroups();
    } else {
      report_.scalarBecause = reasonForOne();
      mayChangeWidth_ = report_.scalarBecause.empty() && options_.width == 0 && isSameAtAnyWidth(kernel_, options_.cpu);
      if (report_.scalarBecause.empty()) runAny();
      if (mayChangeWidth_)
        changeFacts(full_ != nullptr ? *full_ : kernel_, [&](KernelFacts& facts) {
          facts.mayChangeWidth = true;
          facts.mayOnlyWiden = mayGoInStep(kernel_);
          facts.widthToTry = widthToTry_;
        });
      if (lacksFaster_)
        changeFacts(full_ != nullptr ? *full_ : kernel_, [](KernelFacts& facts) { facts.lacksFaster = true; });
    }
    return full_ != nullptr ? *full_ : kernel_;
  }

  /// Facts of the launch on which the code depends.
  const LaunchFacts& facts() const { return sources_.facts(); }

 private:
  void beginReport(llvm::StringRef name) {
    report_ = {};
    report_.kernel = name.str();
    report_.laneDimension = factsOf(kernel_).laneDimension;
    if (const auto shape = factsOf(kernel_).shape)
      report_.shape =
          llvm::join(llvm::map_range(*shape, [](std::uint64_t size) { return std::to_string(size); }), " x ");
  }

  /// Vectorises if possible. A kernel that stays scalar is restored, since preparations for vectors do not help it.
  void runAny() {
    llvm::ValueToValueMapTy map;
    llvm::Function* untouched = options_.width == 0 ? llvm::CloneFunction(&kernel_, map) : nullptr;
    vectorise();
    if (untouched == nullptr) return;
    if (full_ != nullptr) {
      untouched->eraseFromParent();
      return;
    }
    full_ = untouched;
    full_->takeName(&kernel_);
    kernel_.replaceAllUsesWith(full_);
  }

  void vectorise() {
    callExchanges();
    sources_.prepare(kernel_);
    if (hasEndlessLoop(kernel_, analyses_.getResult<llvm::LoopAnalysis>(kernel_))) {
      report_.scalarBecause = "it has a loop without an end";
      return;
    }
    auto source = sources_.lookAt(kernel_);
    if (options_.width == 0 && (options_.width = widthOfFullVectors(*source)) == 1) {
      report_.scalarBecause = "its own vectors are enough for the processor";
      return;
    }
    const bool isRemainder = takesAllRows();
    const bool isMasked = isRemainder || !options_.makesFaster;
    if (!isMasked && !callsIntrinsic(kernel_, Intrinsic::Barrier) && !callsIntrinsic(kernel_, Intrinsic::Yield) &&
        source->isConsistent() && mayRun("uniform-versioning") && runSpecialised(*source)) {
      if (full_ != nullptr) kernel_.replaceAllUsesWith(full_);
      return;
    }
    sources_.bringTogether(source);
    if (!source->isConsistent()) {
      report_.scalarBecause = "its control flow is beyond the analysis";
      return;
    }
    if (isRemainder)
      runMasked(*source);
    else if (isMasked)
      runAllRows(*source);
    else
      runAsItIs(*source);
    if (full_ != nullptr) kernel_.replaceAllUsesWith(full_);
  }

  LoopedKernel loopedKernel(const WideningSource& source) const {
    return {source.function, source.flow.loops(), analyses_.getResult<llvm::DominatorTreeAnalysis>(source.function)};
  }

  /// The width of a kernel whose own vectors fill the processor's; 0 for other kernels.
  unsigned widthOfFullVectors(const WideningSource& source) {
    if (options_.machine == nullptr || waitsForOthers(source.function)) return 0;
    const auto own = widthByOwnVectors(loopedKernel(source), source.shapes,
                                       options_.machine->getTargetTransformInfo(source.function), options_.cpu);
    if (!own) return 0;
    if (own->isClear) // A trial would cost another build.
      mayChangeWidth_ = false;
    else
      widthToTry_ = 2;
    return own->width;
  }

  bool mayRun(llvm::StringRef step) const { return Step(step).isWanted(kernel_, analyses_); }

  void callExchanges() {
    Step("call-exchange-loops").run(kernel_, analyses_, [&] { return callExchangeLoops(kernel_, analyses_); });
  }

  bool takesAllRows() const { return variantOf(kernel_) == Variant::Remainder || sources_.isExact(); }

  /// Vectorises kernels that use sub-groups. All have one size regardless of types, unless they require another; it is
  /// never changed for speed.
  void runWithSubGroups() {
    const unsigned required = requiredSubGroupSize(kernel_);
    const unsigned width = required != 0 ? required : options_.width != 0 ? options_.width : options_.subGroupSize;
    const bool isRequired = required != 0 || kernel_.getMetadata(kPrimarySubGroups) != nullptr;
    report_.subGroupSize = std::to_string(width) + (required != 0         ? ", as the kernel requires"
                                                    : options_.width != 0 ? ", as was asked for"
                                                                          : ", the device's default");
    report_.scalarBecause = reasonWithSubGroups(required, isRequired, width);
    if (report_.scalarBecause.empty()) {
      callExchanges();
      writeWithSubGroups(width);
    }
    if (isRequired && width > 1 && !report_.scalarBecause.empty())
      kernel_.getContext().emitError("the kernel '" + kernel_.getName() + "' requires sub-groups of " +
                                     llvm::Twine(width) + ", which it cannot have: " + report_.scalarBecause);
  }

  std::string reasonWithSubGroups(unsigned required, bool isRequired, unsigned width) {
    if (required != 0 && !llvm::is_contained(kSubGroupSizes, required)) return "the device has no such size";
    if (const std::string reason = obstacleToWidening(kernel_); !reason.empty()) return reason;
    if (width == 1) return "that width was asked for";
    // In kernels that yield, sub-groups run in turn and may wait for each other. In others a waiting loop is an
    // obstacle, unless a sub-group size is required.
    if (!isRequired && !callsIntrinsic(kernel_, Intrinsic::Yield) && mayWait(/*mayAssumeApart=*/false))
      return "it has a loop that may wait for another work-item";
    return {};
  }

  /// `width`: the sub-group size.
  SubGroupDivision divisionFor(unsigned width) const {
    if (const auto size = requiredSizes(kernel_)) return divide(*size, width);
    return {!takesAllRows(), width, takesAllRows()};
  }

  void writeWithSubGroups(unsigned width) {
    const SubGroupDivision division = divisionFor(width);
    // Work-groups of several rows that are not multiples of the width run the exact variant, which is linear. The clone
    // shows whether it can be widened.
    llvm::Function* linear = division.byRows && !requiredSize(kernel_, 0) ? cloneLinear(kernel_, analyses_) : nullptr;
    if (!division.byRows) makeLinear(kernel_, analyses_);
    if (division.lanes != width) answerWidth(width);
    sources_.prepare(kernel_);
    if (linear != nullptr) sources_.prepare(*linear);
    if (hasEndlessLoop(kernel_, analyses_.getResult<llvm::LoopAnalysis>(kernel_)))
      report_.scalarBecause = "it has a loop without an end";
    else
      writeDivided(division, linear, width);
    if (linear != nullptr) sources_.erase(*linear);
  }

  /// Replaces queries of the sub-group size by it, since sub-groups have fewer lanes here.
  void answerWidth(unsigned width) {
    replaceIntrinsics(kernel_, [&](llvm::CallInst& call, const IntrinsicCall& what) {
      return what.intrinsic == Intrinsic::SubGroupWidth ? llvm::ConstantInt::get(call.getType(), width) : nullptr;
    });
    changeFacts(kernel_, [&](KernelFacts& facts) { facts.subGroupSize = width; });
  }

  void writeDivided(const SubGroupDivision& division, llvm::Function* linear, unsigned width) {
    auto usual = sources_.lookAt(kernel_), all = linear != nullptr ? sources_.lookAt(*linear) : nullptr;
    sources_.bringTogether(usual);
    if (all != nullptr) sources_.bringTogether(all);
    if (!usual->isConsistent() || (all != nullptr && !all->isConsistent())) {
      report_.scalarBecause = "its control flow is beyond the analysis";
      return;
    }
    report_.width = division.lanes;
    writeFull(*usual, division.isMasked);
    if (all != nullptr) {
      write(*usual, Variant::Predicated, width, /*masked=*/true);
      LaunchFacts facts;
      facts.rowMultiple = width;
      sources_.add(facts);
    }
    kernel_.replaceAllUsesWith(full_);
  }

  /// Whether a loop may wait for another work-item. If that depends on arguments sharing memory, the launch facts
  /// exclude it, and the exact variant runs otherwise, one work-item at a time. Kernels that use sub-groups do not
  /// allow that.
  bool mayWait(bool mayAssumeApart) {
    bool assumesApart = false;
    const bool waits =
        hasWaitingLoop(kernel_, analyses_.getResult<llvm::LoopAnalysis>(kernel_), mayAssumeApart, assumesApart);
    if (assumesApart && !waits) sources_.assumeArgumentsApart();
    return waits;
  }

  std::string reasonForOne() {
    if (const std::string reason = obstacleToWidening(kernel_); !reason.empty()) return reason;
    if (options_.width == 1) return "that width was asked for";
    if (requiredSize(kernel_, 0) == 1) return "its required work-group size has one work-item along dimension 0";
    if (mayWait(!sources_.isExact())) return "it has a loop that may wait for another work-item";
    return {};
  }

  /// Most lanes for any kernel.
  unsigned mostLanes() const { return options_.cpu.chains() > 4 ? kMostLanes : kMostUsualLanes; }

  /// Number of 32-bit lanes in a vector.
  unsigned usualLanes() const { return std::max(options_.cpu.vectorBits / kUsualBits, 2U); }

  /// Width of the kernel without row loops.
  WidthChoice widthFor(const WideningSource& source) {
    // Between barriers, loop-carried values are in memory.
    const bool hasBarriers = waitsForOthers(kernel_);
    return chooseWidth(kernel_, source.shapes, source.flow, options_.cpu,
                       hasBarriers ? nullptr : &analyses_.getResult<llvm::ScalarEvolutionAnalysis>(kernel_),
                       {options_.width});
  }

  /// Vectorises without row loops. The predicated variant runs whole work-groups, too: those whose rows are not
  /// multiples of the width, which may be short.
  void runAsItIs(const WideningSource& source) {
    const WidthChoice choice = widthFor(source);
    report_.width = choice.width;
    writeFull(source);
    if (dropIfScalarIsFaster(source)) return;
    if (!choice.fitsRequiredSize) write(source, Variant::Predicated, choice.shortRows, /*masked=*/true);
  }

  /// Vectorises a remainder kernel: few work-groups run it, and most of their rows are short.
  void runMasked(const WideningSource& source) {
    report_.width = options_.width;
    writeFull(source, /*masked=*/true);
  }

  /// Writes one masked function for all rows, in a first build, instead of one for full rows and one for others.
  void runAllRows(const WideningSource& source) {
    const WidthChoice choice = widthFor(source);
    lacksFaster_ = true;
    report_.width = choice.shortRows;
    writeFull(source, /*masked=*/!choice.fitsRequiredSize);
    dropIfScalarIsFaster(source);
  }

  /// Writes the speculative version. The predicated variant runs the sub-groups that fail its checks. They are few, so
  /// it is made from the unchanged kernel.
  bool runSpecialised(const WideningSource& source) {
    const auto row = requiredSize(kernel_, 0);
    const Speculation speculation(source.shapes, source.flow);
    llvm::Function* usual =
        specialise(kernel_, speculation, row && (llvm::isPowerOf2_64(*row) || *row % mostLanes() == 0));
    if (usual == nullptr) return false;
    sources_.simplify(*usual);
    sources_.prepare(*usual);
    auto special = sources_.lookAt(*usual);
    sources_.bringTogether(special);
    const bool isConsistent = special->isConsistent();
    if (isConsistent) {
      auto& evolution = analyses_.getResult<llvm::ScalarEvolutionAnalysis>(*usual);
      hasEdges_ = hasEdgesInRows(speculation);
      report_.width = chooseWidth(*usual, special->shapes, special->flow, options_.cpu, &evolution,
                                  {options_.width, /*rows=*/1, hasEdges_})
                          .width;
      writeFull(*special);
    }
    const bool isScalarFaster = isConsistent && dropIfScalarIsFaster(*special);
    if (isConsistent && !isScalarFaster) {
      // In a wide sub-group at an edge most lanes are inactive, and many rows are shorter than the widest sub-group.
      const bool isWide = report_.width > usualLanes(), isWidest = report_.width > kMostUsualLanes;
      const bool hasEdges = !hasFewEdges(kernel_, speculation);
      if (options_.makesFaster && (isWidest || (isWide && hasEdges)) && mayRun("half-width-variant"))
        write(*special, Variant::HalfWidth, isWidest ? kMostUsualLanes : usualLanes(), /*masked=*/false);
      changeFacts(write(source, Variant::Predicated, std::min(report_.width, usualLanes()), /*masked=*/true),
                  [](KernelFacts& facts) { facts.isSeldomRun = true; });
      runSeveralRows();
    }
    special.reset();
    sources_.erase(*usual);
    // The existence of the declaration tells the work-group function how the predicated variant is used.
    if (full_ == nullptr) findVariant(kernel_, Variant::Fallback)->eraseFromParent();
    return isConsistent;
  }

  /// Discards the vectorised functions if scalar code is faster. Returns whether it did.
  bool dropIfScalarIsFaster(const WideningSource& source) {
    const LoopedFunction scalar{source.function, source.flow.loops()};
    if (options_.width != 0 || !mayRun("compare-with-scalar")) return false;
    // Calls for failed checks would count as if they were made.
    if (full_->getParent()->getModuleFlag(kCheckSitesFlag) != nullptr) return false;
    const RowStores rows = findRowStores(source.function, scalar.loops, source.shapes,
                                         analyses_.getResult<llvm::ScalarEvolutionAnalysis>(source.function));
    const ScalarSpeed speed = scalarSpeed(*full_, scalar, rows, report_.width, options_.machine, options_.cpu);
    if (speed != ScalarSpeed::ClearlyFaster) {
      if (speed == ScalarSpeed::PerhapsFaster) widthToTry_ = 1;
      return false;
    }
    if (computesFullVectors(loopedKernel(source), source.shapes, options_.cpu)) widthToTry_ = 2;
    beginReport(full_->getName());
    report_.scalarBecause =
        "what each lane loads, stores or does alone takes longer than work-items one after the other";
    kernel_.takeName(full_);
    full_->eraseFromParent();
    full_ = nullptr;
    return true;
  }

  /// Writes a version for several jammed rows, if these have fewer loads. The kernel then runs rows that cannot run
  /// together.
  void runSeveralRows() {
    if (!options_.makesFaster || !mayRun("several-rows")) return;
    std::optional<SeveralRows> rows = chooseRows(kernel_, *full_, analyses_, sources_, options_, hasEdges_);
    if (!rows) return;
    rows->rowFallback->setName(variantName(full_->getName(), Variant::RowFallback));
    changeFacts(write(*rows->source, Variant::Rows, std::min(rows->choice.width, report_.width), /*masked=*/false),
                [&](KernelFacts& facts) { facts.rows = rows->count; });
    // Rows share cache lines, which are evicted before the next rows use them if rows are long.
    if (rows->mergedBytes != 0)
      changeFacts(*full_, [&](KernelFacts& facts) {
        facts.mergedRow = std::min(facts.mergedRow, mergedRow(rows->mergedAccesses));
      });
    report_.rows = rows->count;
    rows->rowFallback = nullptr;
    discard(*rows, sources_);
  }

  void writeFull(const WideningSource& source, bool masked = false) {
    full_ = declareLike(source.function);
    widen(source, report_.width, masked, *full_, options_.mayReport ? &report_ : nullptr);
    full_->takeName(&kernel_);
  }

  llvm::Function& write(const WideningSource& source, Variant variant, unsigned width, bool masked) {
    llvm::Function* other = declareLike(source.function);
    other->setName(variantName(full_->getName(), variant));
    changeFacts(*other, [&](KernelFacts& facts) { facts.variant = variant; });
    other->setLinkage(llvm::GlobalValue::InternalLinkage);
    other->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    widen(source, width, masked, *other, nullptr);
    other->setSubprogram(nullptr); // Only one function may have a subprogram.
    llvm::stripDebugInfo(*other);
    return *other;
  }

  void widen(const WideningSource& source, unsigned width, bool masked, llvm::Function& target,
             VectorisationReport* report) {
    changeFacts(target, [&](KernelFacts& facts) { facts.width = width; });
    PackedVectors packed;
    if (mayRun("packed-vectors"))
      packed = choosePackedVectors(source.function, source.shapes, source.arrays, source.flow.loops(), width,
                                   options_.cpu.vectorBits);
    const Widener::Plan plan{source.function,
                             source.flow,
                             source.shapes,
                             source.arrays,
                             packed,
                             width,
                             masked,
                             options_.cpu,
                             factsOf(source.function).isLinear,
                             source.blocks.get(),
                             source.blockLanes};
    Widener(plan, target, report).run();
#ifndef NDEBUG
    if (llvm::verifyFunction(target, &llvm::errs())) {
      target.print(llvm::errs());
      llvm::report_fatal_error("the vectoriser made a wrong function");
    }
#endif
  }

  llvm::Function& kernel_;
  llvm::FunctionAnalysisManager& analyses_;
  VectoriseOptions options_; ///< `width` is also set if the kernel's own vectors determine it
  VectorisationReport& report_;
  WideningSources sources_;
  llvm::Function* full_ = nullptr;
  bool hasEdges_ = false;        ///< Whether hasEdgesInRows holds
  bool lacksFaster_ = false;     ///< Value for KernelFacts
  bool mayChangeWidth_ = false;  ///< Value for KernelFacts
  std::uint32_t widthToTry_ = 0; ///< Value for KernelFacts
};

/// Options for a remainder or exact variant: the width of its kernel, which comes first in the module.
VectoriseOptions optionsOf(const llvm::Function& kernel, VectoriseOptions options) {
  const Variant variant = variantOf(kernel);
  options.mayReport = options.mayReport && variant == Variant::Original;
  if (variant == Variant::Remainder || variant == Variant::Exact) {
    const KernelFacts facts = factsOf(*originalOf(kernel, variant));
    options.width = facts.subGroupSize != 0 ? facts.subGroupSize : facts.width;
  }
  return options;
}

/// Adds a local-memory-eliminated kernel to the report of its original, which comes first.
void addDirect(const llvm::Function& direct, const VectorisationReport& report,
               std::vector<VectorisationReport>& reports) {
  const LocalSize size = *factsOf(direct).directSize;
  for (VectorisationReport& other : reports)
    if (variantName(other.kernel, Variant::Direct) == direct.getName())
      other.direct = "work-groups of " + std::to_string(size[0]) + " x " + std::to_string(size[1]) +
                     " whose arguments " + "share no memory, " + std::to_string(report.rows) + " rows at once";
}

/// Whether faster variants of the kernel may exist, or its loops over sub-groups may be unrolled.
bool mayBecomeFaster(const llvm::Function& kernel) {
  return llvm::any_of(llvm::instructions(kernel), [](const llvm::Instruction& instruction) {
    const auto call = matchIntrinsic(&instruction);
    return call && (call->intrinsic == Intrinsic::Barrier || call->dimension > 0);
  });
}

/// Whether the exact variant needs the same width: sub-groups that programs observe or that run in turn have one size,
/// and values live across barriers would take more memory if stored for each work-item.
bool needsWidth(const llvm::Function& kernel) {
  return usesSubGroups(kernel) || callsIntrinsic(kernel, Intrinsic::Yield) ||
         callsIntrinsic(kernel, Intrinsic::Barrier);
}

} // namespace

llvm::PreservedAnalyses VectoriseKernelsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager& moduleAnalyses) {
  auto& analyses = moduleAnalyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  llvm::SmallVector<llvm::Function*, 8> kernels;
  for (llvm::Function& function : module)
    if (isKernel(function) && !function.isDeclaration() && variantOf(function) != Variant::Exact)
      kernels.push_back(&function);
  struct Exact {
    llvm::Function* function;
    LaunchFacts facts;
  };
  llvm::MapVector<llvm::StringRef, Exact> exact; // by kernel
  llvm::SmallVector<std::string, 8> names;
  names.reserve(kernels.size());
  for (llvm::Function* kernel : kernels) {
    const Variant variant = variantOf(*kernel);
    const bool isOriginal = variant == Variant::Original;
    names.push_back(isOriginal ? kernel->getName().str() : originalOf(*kernel, variant)->getName().str());
    if (!options_.makesFaster && mayBecomeFaster(*kernel))
      changeFacts(*kernel, [](KernelFacts& facts) { facts.lacksFaster = true; });
    if (!isOriginal) continue;
    llvm::Function* made = findVariant(*kernel, Variant::Exact);
    exact[names.back()] = {made != nullptr ? made : cloneExact(*kernel), factsOf(*kernel).assumes};
  }
  const auto vectorise = [&](llvm::Function& kernel) {
    VectorisationReport report;
    const bool isOriginal = variantOf(kernel) == Variant::Original;
    const std::string name = kernel.getName().str();
    KernelVectoriser vectoriser(kernel, analyses, optionsOf(kernel, options_), report);
    const bool isReplaced = &vectoriser.run() != &kernel;
    if (reports_ != nullptr && report.rows > 1 && factsOf(kernel).directSize)
      addDirect(*module.getFunction(name), report, *reports_);
    if (isReplaced) {
      analyses.clear(kernel, kernel.getName());
      kernel.eraseFromParent();
    }
    const LaunchFacts facts = report.width > 1 ? vectoriser.facts() : LaunchFacts();
    if (reports_ != nullptr && isOriginal) reports_->push_back(std::move(report));
    return facts;
  };
  for (const auto& [kernel, name] : llvm::zip(kernels, names))
    exact[name].facts.add(vectorise(*kernel));
  for (const auto& [name, variant] : exact) {
    llvm::Function* kernel = module.getFunction(name);
    if (variant.facts.areNone()) {
      variant.function->eraseFromParent();
      continue;
    }
    // Kernels with small counter buffers keep the exact variant: launches with little to count run it, and they are
    // common.
    const bool isLeftOut = !options_.makesExact && !variant.facts.counters;
    changeFacts(*kernel, [&](KernelFacts& facts) {
      facts.assumes = variant.facts;
      facts.lacksExact = isLeftOut;
    });
    if (isLeftOut) {
      variant.function->eraseFromParent();
      continue;
    }
    // Arguments that share memory are common, and so are counters in large buffers.
    if (needsWidth(*kernel) || variant.facts.argumentsApart || variant.facts.counters) vectorise(*variant.function);
  }
  inlineExchangeLoops(module);
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
