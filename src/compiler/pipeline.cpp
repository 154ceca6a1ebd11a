// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pipeline.hpp"

#include "compiler/analysis/kernel_arguments.hpp"
#include "compiler/back_end.hpp"
#include "compiler/builtins/library.hpp"
#include "compiler/builtins/limit_inlining.hpp"
#include "compiler/builtins/properties.hpp"
#include "compiler/codegen/link_object.hpp"
#include "compiler/frontend/clang.hpp"
#include "compiler/frontend/options.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/sub_group_operations.hpp"
#include "compiler/ir/variants.hpp"
#include "compiler/log_diagnostics.hpp"
#include "compiler/optimise.hpp"
#include "compiler/transform/sub_groups/lower_sub_groups.hpp"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Linker/Linker.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Target/TargetMachine.h>

namespace clotho::compiler {
namespace {

constexpr const char* kOptDisableFlag = "clotho.opt-disable"; // travels with the portable module

llvm::Error readPortable(llvm::StringRef bytes, llvm::LLVMContext& context, std::unique_ptr<llvm::Module>& module) {
  auto read = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, "<portable>"), context);
  if (!read) return read.takeError();
  std::string why;
  llvm::raw_string_ostream out(why);
  if (llvm::verifyModule(**read, &out)) return llvm::createStringError("a program module is damaged: " + why);
  if (!module) {
    module = std::move(*read);
    return llvm::Error::success();
  }
  // The linker has said why in the log.
  if (llvm::Linker::linkModules(*module, std::move(*read))) return llvm::createStringError("linking failed");
  return llvm::Error::success();
}

std::string writePortable(const llvm::Module& module) {
  std::string bytes;
  llvm::raw_string_ostream out(bytes);
  llvm::WriteBitcodeToFile(module, out);
  return bytes;
}

/// Says of each function and variable that is used and nowhere defined, that it is missing.
bool hasUndefined(const llvm::Module& module, std::string& log) {
  bool found = false;
  const auto report = [&](const llvm::GlobalValue& value, const char* what) {
    found = true;
    log += llvm::formatv("error: the {0} '{1}' is used but not defined\n", what, llvm::demangle(value.getName())).str();
  };
  for (const llvm::Function& function : module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty()) report(function, "function");
  for (const llvm::GlobalVariable& variable : module.globals())
    if (variable.isDeclaration() && !variable.use_empty()) report(variable, "variable");
  return found;
}

void describeVariables(const llvm::Module& module, BuildResult& result) {
  constexpr unsigned kGlobalSpace = 1;
  for (const llvm::GlobalVariable& variable : module.globals()) {
    if (variable.getAddressSpace() != kGlobalSpace || variable.isDeclaration()) continue;
    result.globalVariableBytes += module.getDataLayout().getTypeAllocSize(variable.getValueType());
    result.hasProgramScopeVariables = result.hasProgramScopeVariables || !variable.isConstant();
  }
}

/// What runs a range of the kernel's work-groups, once it is lowered.
const llvm::Function* rangeFunctionOf(const llvm::Module& module, llvm::StringRef kernel) {
  return module.getFunction(("clotho_wg_" + kernel).str());
}

/// What lowering found out about each kernel.
void completeKernels(const llvm::Module& module, std::vector<KernelInfo>& kernels) {
  for (KernelInfo& kernel : kernels) {
    const llvm::Function* function = rangeFunctionOf(module, kernel.name);
    const KernelFacts facts = factsOf(*function);
    kernel.symbol = function->getName().str();
    kernel.localBytes = facts.range->localBytes;
    kernel.subGroupStackBytes = facts.range->subGroupStackBytes;
    kernel.usesSubGroups = facts.usesSubGroups;
    kernel.frameBytesPerItem = facts.range->frameBytesPerItem;
    kernel.interleavedState = facts.range->interleavedState;
    kernel.privateBytes = facts.range->privateBytes;
    kernel.subGroupSize = facts.width;
    kernel.usesBarrier = facts.range->usesBarrier;
    kernel.mergedRow = facts.mergedRow;
    if (facts.directSize)
      for (unsigned i = 0; i < 2; ++i)
        kernel.directSize[i] = static_cast<std::uint32_t>((*facts.directSize)[i]);
    kernel.rowsAtOnce = facts.rows;
    kernel.outputs = facts.outputs;
    kernel.changed = facts.changed;
    kernel.usesPrintf = facts.range->usesPrintf;
  }
}

/// Two multiplications of 512 bits begin in each cycle; LLVM's scheduling models do not know of all that do. Of those
/// with both AVX-512 and AVX-VNNI all do: Zen 5, Sapphire Rapids and what came later.
bool hasTwoWidePipes(const llvm::MCSubtargetInfo& cpu) {
  return cpu.checkFeatures("+avx512f") &&
         (cpu.checkFeatures("+avxvnni") ||
          llvm::is_contained({"skylake-avx512", "cascadelake", "cooperlake", "icelake-server"}, cpu.getCPU()));
}

VectoriseOptions vectoriseOptions(const BuildOptions& options, const Target& target,
                                  const llvm::TargetMachine& machine) {
  const llvm::MCSubtargetInfo& cpu = *machine.getMCSubtargetInfo();
  VectoriseOptions result;
  result.vectorBits = cpu.checkFeatures("+avx512f") ? 512 : cpu.checkFeatures("+avx2") ? 256 : 128;
  if (hasTwoWidePipes(cpu)) result.operationsAtOnce = 16;
  result.hasRootEstimate = cpu.checkFeatures("+avx512f,+avx512vl");
  result.hasPermutation = cpu.checkFeatures("+avx2");
  // An option of the program counts more than one of its surroundings; a width that there is not, not at all.
  result.width = options.width != 0 ? options.width : target.width;
  if (result.width > 64 || !llvm::isPowerOf2_32(result.width)) result.width = 0;
  result.mayReport = options.report;
  return result;
}

void addReports(const llvm::Module& module, std::vector<VectorisationReport>& reports, std::string& log) {
  for (VectorisationReport& report : reports) {
    const KernelFacts facts = factsOf(*rangeFunctionOf(module, report.kernel));
    report.frameBytes = facts.range->frameBytesPerItem;
    for (const Variant variant : facts.range->variants)
      report.variants.push_back({infoOf(variant).name.str(), reasonFor(variant, facts)});
    log += report.text();
  }
}

std::vector<PrintfFormat> printfFormats(const llvm::Module& module) {
  std::vector<PrintfFormat> formats;
  const llvm::NamedMDNode* table = module.getNamedMetadata("clotho.printf");
  if (table == nullptr) return formats;
  for (const llvm::MDNode* node : table->operands()) {
    PrintfFormat& format = formats.emplace_back();
    format.format = llvm::cast<llvm::MDString>(node->getOperand(0))->getString().str();
    for (const llvm::MDOperand& size : llvm::drop_begin(node->operands()))
      format.argSizes.push_back(
          static_cast<std::uint32_t>(llvm::mdconst::extract<llvm::ConstantInt>(size)->getZExtValue()));
  }
  return formats;
}

} // namespace

struct CompilerCore::Data {
  Data(std::unique_ptr<BuiltinLibrary> library, MemoryFile runtimeFile)
      : builtins(std::move(library)), runtime(std::move(runtimeFile)) {}

  std::unique_ptr<BuiltinLibrary> builtins;
  MemoryFile runtime; // linked into every object
  BackEnd backEnd;
  LinkOutput linkOutput = LinkOutput::Pipe;
};

CompilerCore::CompilerCore(std::unique_ptr<Data> data) : data_(std::move(data)) {}
CompilerCore::~CompilerCore() = default;

llvm::Expected<std::unique_ptr<CompilerCore>> CompilerCore::create(const Paths& paths) {
  auto builtins = BuiltinLibrary::open(paths.builtins);
  if (!builtins) return builtins.takeError();
  auto runtime = llvm::MemoryBuffer::getFile(paths.runtime);
  if (!runtime) return llvm::createStringError(runtime.getError(), "cannot read " + paths.runtime);
  auto file = MemoryFile::create((*runtime)->getBuffer());
  if (!file) return file.takeError();
  return std::unique_ptr<CompilerCore>(
      new CompilerCore(std::make_unique<Data>(std::move(*builtins), std::move(*file))));
}

BuildResult CompilerCore::build(const BuildRequest& request) {
  BuildResult result;
  StageTimer timer;
  const auto fail = [&](llvm::Error error) {
    result.log += "error: " + llvm::toString(std::move(error)) + "\n";
    result.status = BuildStatus::Failure;
    return std::move(result);
  };
  const auto seen = [&](Stage stage, llvm::Module& module, llvm::StringRef code = {}) {
    if (observer_) observer_(stage, module, code);
  };

  std::string why;
  const auto options = parseBuildOptions(request.options, request.kind, why);
  if (!options) {
    result.log = why + "\n";
    result.status = BuildStatus::InvalidOptions;
    return result;
  }

  llvm::LLVMContext context;
  LogDiagnostics diagnostics(context, result.log);
  std::unique_ptr<llvm::Module> module;
  if (request.modules.empty()) {
    module = compileOpenclC(request, *options, context, result.log, result.dependencies);
    if (!module) return result;
    if (options->optDisable) module->addModuleFlag(llvm::Module::Max, kOptDisableFlag, 1);
    if (options->std < OpenclStd::CL2_0) setUniformGroupsOnly(*module);
  } else {
    for (const std::string& bytes : request.modules)
      if (llvm::Error error = readPortable(bytes, context, module)) return fail(std::move(error));
  }
  if (options->noForwardProgress)
    for (llvm::Function& function : *module)
      if (isKernel(function)) changeFacts(function, [](KernelFacts& facts) { facts.needsNoProgress = true; });
  if (options->uniformWorkGroupSize) setUniformGroupsOnly(*module);
  if (options->denormsAreZero)
    for (llvm::Function& function : *module)
      if (isKernel(function)) changeFacts(function, [](KernelFacts& facts) { facts.flushesDenormals = true; });
  timer.done("front end");
  seen(Stage::Portable, *module);
  result.portable = writePortable(*module);
  if (request.kind == BuildKind::Compile || options->createLibrary) {
    result.status = BuildStatus::Success;
    return result;
  }

  // Sub-groups are the lanes of vectors, also where nothing is to be optimised: their size is not to depend on it.
  const bool optimise = module->getModuleFlag(kOptDisableFlag) == nullptr || asksForSubGroups(*module);
  result.kernels = describeKernels(*module);
  describeVariables(*module, result);
  if (llvm::Error error = data_->builtins->linkInto(*module)) return fail(std::move(error));
  if (optimise && limitInlining(*module, [&](llvm::StringRef name) { return data_->builtins->defines(name); }))
    if (llvm::Error error = data_->builtins->linkInto(*module)) return fail(std::move(error));
  applyBuiltinProperties(*module);
  timer.done("builtins");

  auto machine = data_->backEnd.machineFor(request.target, optimise);
  if (!machine) return fail(machine.takeError());
  std::vector<VectorisationReport> reports;
  lowerKernels(*module, optimise, vectoriseOptions(*options, request.target, **machine), &reports);
  if (diagnostics.failed()) return result;
  forgetUnusedVariants(*module);
  timer.done("lower");
  seen(Stage::Lowered, *module);
  if (hasUndefined(*module, result.log)) return result;
  completeKernels(*module, result.kernels);
  result.printfFormats = printfFormats(*module);

  if (options->report) addReports(*module, reports, result.log);
  auto objects = data_->backEnd.emit(*module, result.kernels, observer_, result.log);
  if (!objects) return fail(objects.takeError());
  if (diagnostics.failed() || objects->empty()) return result;

  timer = {};
  std::vector<MemoryFile> files;
  std::vector<std::string> paths;
  for (const llvm::SmallString<0>& object : *objects) {
    auto file = MemoryFile::create(object);
    if (!file) return fail(file.takeError());
    paths.push_back(file->path());
    files.push_back(std::move(*file));
  }
  paths.push_back(data_->runtime.path());
  auto linked = linkSharedObject(paths, data_->linkOutput);
  if (!linked) return fail(linked.takeError());
  result.object = std::move(*linked);
  timer.done("link");
  result.status = BuildStatus::Success;
  return result;
}

void CompilerCore::linkByStandardOutput() { data_->linkOutput = LinkOutput::StandardOutput; }

void CompilerCore::warmUp() {
  BuildRequest request;
  request.source = "kernel void warmUp(global float* a, local float* b, int n) {\n"
                   "  const int i = get_global_id(0);\n"
                   "  b[get_local_id(0)] = a[i];\n"
                   "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                   "  for (int k = 0; k < n; ++k) a[i] += sqrt(b[k]) * k / n;\n"
                   "}\n";
  const Observer observer = std::exchange(observer_, nullptr);
  data_->backEnd.divideSmall(true); // so that each thread has its tables
  build(request);
  data_->backEnd.divideSmall(false);
  observer_ = observer;
}

} // namespace clotho::compiler
