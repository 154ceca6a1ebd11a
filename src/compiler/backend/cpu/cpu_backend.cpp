// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/cpu_backend.hpp"

#include "abi/cpu_facts.hpp"
#include "compiler/analysis/processor_model.hpp"
#include "compiler/backend/cpu/pass_pipeline.hpp"
#include "compiler/backend/lowered_module.hpp"
#include "compiler/builtins/limit_inlining.hpp"
#include "compiler/ir/checks.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/variants.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace clotho::compiler {
namespace {

/// The function that runs a range of the kernel's work-groups, after lowering.
const llvm::Function* rangeFunctionOf(const llvm::Module& module, llvm::StringRef kernel) {
  return module.getFunction(("clotho_wg_" + kernel).str());
}

/// Limits of a kernel, from the facts that lowering found. A build for a known local size helps kernels with barriers,
/// whose loops over work-items and conditions depend on the size. It also helps kernels that compute global ids from
/// group and local ids. In kernels that use sub-groups, the size decides which lanes form a sub-group and where each
/// lies in a row.
GroupLimits limitsOf(const KernelInfo& info, const KernelFacts& facts) {
  const bool wantsLocalSize =
      (facts.range->usesBarrier || facts.range->usesGroupIds || facts.wantsLocalSize || facts.usesSubGroups) &&
      info.requiredLocalSize[0] == 0;
  return {facts.subGroupSize != 0 ? facts.subGroupSize : facts.width,
          facts.usesSubGroups,
          facts.range->localBytes,
          facts.range->privateBytes,
          wantsLocalSize,
          facts.mayChangeWidth,
          facts.mayOnlyWiden,
          facts.widthToTry,
          facts.rowLength,
          facts.usesSubGroups ? 0 : facts.wantedValues,
          facts.lacksFaster};
}

/// Facts that the CPU device needs about a kernel. The stack size is added after emission.
cpu::CpuKernelFacts cpuFactsOf(const llvm::Function& range, const KernelFacts& facts) {
  cpu::CpuKernelFacts result;
  result.symbol = range.getName().str();
  result.frameBytesPerItem = facts.range->frameBytesPerItem;
  result.subGroupStackBytes = facts.range->subGroupStackBytes;
  result.interleavedState = facts.range->interleavedState;
  result.usesPrintf = facts.range->usesPrintf;
  result.usesBarrier = facts.range->usesBarrier;
  result.mergedRow = facts.mergedRow;
  if (facts.directSize)
    for (unsigned i = 0; i < 2; ++i)
      result.directSize[i] = static_cast<std::uint32_t>((*facts.directSize)[i]);
  result.laneDimension = facts.laneDimension;
  if (facts.shape)
    for (unsigned i = 0; i < 3; ++i)
      result.shape[i] = static_cast<std::uint32_t>((*facts.shape)[i]);
  result.countsRows = facts.countsRows;
  result.areRowsWhole = facts.areRowsWhole;
  result.rowsAtOnce = facts.rows;
  result.isStackable = facts.isStackable;
  result.asksApart = facts.assumes.argumentsApart;
  result.lacksExact = facts.lacksExact;
  result.largestMemory = facts.assumes.largestMemory;
  result.idsFit = facts.assumes.idsFit;
  result.rowMultiple = facts.assumes.rowMultiple;
  result.counterSize = facts.assumes.counterBits / 8;
  result.counters = facts.assumes.counters.value_or(cpu::CpuKernelFacts::kNoArgument);
  if (const auto* sites =
          llvm::mdconst::extract_or_null<llvm::ConstantInt>(range.getParent()->getModuleFlag(kCheckSitesFlag)))
    result.checkSites = static_cast<std::uint32_t>(sites->getZExtValue());
  result.phasesOfGroup = facts.checks.phases;
  result.granule = facts.checks.granule;
  result.written = facts.checks.written;
  result.outputs = facts.outputs;
  result.changed = facts.changed;
  return result;
}

/// The work in terms of the sizes that the code's launches have (DeviceKernel::toCode).
KernelWork asCodeCounts(KernelWork work, const KernelFacts& facts) {
  for (auto* terms : {&work.flops, &work.bytes}) {
    if (!*terms) continue;
    for (WorkTerm& term : **terms)
      for (WorkFactor& factor : term.factors) {
        if (factor.kind == WorkFactor::Kind::Argument) continue;
        if (facts.shape || facts.countsRows) return {}; // other sizes than the program's
        if (factor.number == 0 || factor.number == facts.laneDimension)
          factor.number = facts.laneDimension - factor.number;
      }
  }
  return work;
}

/// Whether kernels should be built on demand, one by one: long programs have kernels that are never launched. Code
/// generation takes about a tenth of a millisecond for each instruction of the lowered module.
bool isBetterDeferred(const llvm::Module& lowered, std::size_t kernels) {
  constexpr std::size_t kManyInstructions = 4000;
  return kernels > 1 && lowered.getInstructionCount() > kManyInstructions;
}

VectoriseOptions vectoriseOptions(const BuildOptions& options, const Target& target, CodeScope scope,
                                  const llvm::TargetMachine& machine) {
  VectoriseOptions result;
  result.cpu = processorModel(machine);
  result.machine = &machine;
  // The program's option takes precedence over the environment's. Unsupported widths are ignored.
  result.width = options.width != 0 ? options.width : target.width;
  if (result.width > 64 || !llvm::isPowerOf2_32(result.width)) result.width = 0;
  if (llvm::is_contained(kSubGroupSizes, target.subGroupSize)) result.subGroupSize = target.subGroupSize;
  result.mayReport = options.report;
  result.makesExact = scope == CodeScope::All;
  result.makesFaster = scope != CodeScope::First;
  return result;
}

void addReports(const llvm::Module& module, std::vector<VectorisationReport>& reports, const Observer& observer,
                std::string& log) {
  for (VectorisationReport& report : reports) {
    const KernelFacts facts = factsOf(*rangeFunctionOf(module, report.kernel));
    report.frameBytes = facts.range->frameBytesPerItem;
    for (const Variant variant : facts.range->variants)
      report.variants.push_back({infoOf(variant).name.str(), reasonFor(variant, facts)});
    log += report.text();
    if (observer.report) observer.report(report);
  }
}

} // namespace

llvm::Expected<std::string> CpuBackend::link(const CodeGenerator::Objects& objects, bool byStandardOutput) const {
  std::vector<MemoryFile> files;
  std::vector<std::string> paths;
  for (const llvm::SmallString<0>& object : objects) {
    auto file = MemoryFile::create(object);
    if (!file) return file.takeError();
    paths.push_back(file->path());
    files.push_back(std::move(*file));
  }
  paths.push_back(runtime_.path());
  return linkSharedObject(paths, byStandardOutput ? LinkOutput::StandardOutput : LinkOutput::Pipe);
}

llvm::Expected<DeviceCode> CpuBackend::generate(llvm::Module& portable, std::vector<BuiltKernel>& kernels,
                                                const BackendRequest& request) {
  DeviceCode code;
  StageTimer timer;
  auto machine = generator_.machineFor(request.target, request.optimise);
  if (!machine) return machine.takeError();
  std::vector<VectorisationReport> reports;
  FindingsOfKernels findings;
  lowerKernels(portable, request.optimise, vectoriseOptions(request.options, request.target, request.scope, **machine),
               &reports, request.observer.passes, &findings, request.makesParts);
  if (request.diagnostics.failed()) return code;
  forgetUnusedVariants(portable);
  timer.done("lower");
  if (request.observer) request.observer(Stage::Lowered, portable, {});
  if (hasUndefined(portable, request.log)) return code;
  // Facts are read now, since code generation consumes the module.
  std::vector<cpu::CpuKernelFacts> cpuFacts;
  for (BuiltKernel& kernel : kernels) {
    const llvm::Function& range = *rangeFunctionOf(portable, kernel.info.name);
    const KernelFacts facts = factsOf(range);
    kernel.limits = limitsOf(kernel.info, facts);
    kernel.work = asCodeCounts(findings[kernel.info.name].work, facts);
    kernel.footprint = findings[kernel.info.name].footprint;
    cpuFacts.push_back(cpuFactsOf(range, facts));
  }
  code.printfFormats = printfFormats(portable);
  if (request.options.report) addReports(portable, reports, request.observer, request.log);

  if (request.scope != CodeScope::All && isBetterDeferred(portable, kernels.size())) {
    for (auto [kernel, facts] : llvm::zip_equal(kernels, cpuFacts))
      kernel.facts = cpu::encodeFacts(facts);
    code.isDeferred = true;
    return code;
  }
  generator_.divideSmall(request.warmsUp);
  StackUses stacks;
  auto objects = generator_.emit(portable, kernels, request.observer, request.log, stacks);
  if (!objects) return objects.takeError();
  for (auto [kernel, facts] : llvm::zip_equal(kernels, cpuFacts)) {
    facts.stackBytes = stackBytesOf(facts.symbol, stacks);
    kernel.facts = cpu::encodeFacts(facts);
  }
  if (request.diagnostics.failed() || objects->empty()) return code;

  timer = {};
  auto linked = link(*objects, request.linksByStandardOutput);
  if (!linked) return linked.takeError();
  code.object = std::move(*linked);
  timer.done("link");
  return code;
}

} // namespace clotho::compiler
