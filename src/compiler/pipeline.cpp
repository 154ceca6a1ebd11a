// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pipeline.hpp"

#include "base/overloaded.hpp"
#include "compiler/analysis/kernel_arguments.hpp"
#include "compiler/analysis/width_dependence.hpp"
#include "compiler/backend/cpu/cpu_backend.hpp"
#include "compiler/backend/log_diagnostics.hpp"
#include "compiler/backend/nvptx/nvptx_backend.hpp"
#include "compiler/backend/pass_managers.hpp"
#include "compiler/backend/spirv/spirv_module.hpp"
#include "compiler/build_options.hpp"
#include "compiler/builtins/builtin_passes.hpp"
#include "compiler/builtins/library.hpp"
#include "compiler/frontend/clang.hpp"
#include "compiler/frontend/spirv/spirv.hpp"
#include "compiler/frontend/spirv/validate.hpp"
#include "compiler/frontend/unsupported.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/marks.hpp"
#include "compiler/pass_watch.hpp"
#include "compiler/portable_build.hpp"
#include "compiler/transform/check/check_kernels.hpp"
#include "compiler/transform/lower/keep_in_loops.hpp"
#include "compiler/transform/lower/lower_enqueue.hpp"
#include "compiler/transform/lower/lower_objects.hpp"
#include "compiler/transform/lower/lower_sub_groups.hpp"
#include "compiler/transform/lower/program_scope_kernels.hpp"
#include "compiler/transform/simplify/store_elements.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>

namespace clotho::compiler {
namespace {

constexpr const char* kOptDisableFlag = "clotho.opt-disable"; // travels with the portable module

/// Drops the facts about kernels in a program's module, except those of front ends: binaries come from anywhere, and
/// later passes rely on the other facts.
void forgetForeignFacts(llvm::Module& module) {
  for (llvm::Function& function : module) {
    const KernelFacts given = factsOf(function);
    KernelFacts accepted;
    accepted.flushesDenormals = given.flushesDenormals;
    accepted.needsNoProgress = given.needsNoProgress;
    setFacts(function, accepted);
  }
}

llvm::Error readPortable(llvm::StringRef bytes, llvm::LLVMContext& context, std::unique_ptr<llvm::Module>& module) {
  auto read = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, "<portable>"), context);
  if (!read) return read.takeError();
  std::string why;
  llvm::raw_string_ostream out(why);
  if (llvm::verifyModule(**read, &out)) return llvm::createStringError("a program module is damaged: " + why);
  forgetForeignFacts(**read);
  if (!module) {
    module = std::move(*read);
    return llvm::Error::success();
  }
  keepKernelsApart(*module, **read);
  // The linker has written the reason to the log.
  if (llvm::Linker::linkModules(*module, std::move(*read))) return llvm::createStringError("linking failed");
  return llvm::Error::success();
}

/// Programs from IL report nothing about their arguments (OpenCL 2.2, section 5.9.4), nor do binaries made from them.
void forgetArgumentNames(llvm::Module& module) {
  for (llvm::Function& function : module)
    function.setMetadata("kernel_arg_name", nullptr);
}

/// clang lists a constructor of a template's static member with that member, which lies in another address space than
/// the list's type says: such a module can be written, and never read again. Nothing here drops members whose
/// constructors run.
void forgetConstructedMembers(llvm::Module& module) {
  llvm::GlobalVariable* list = module.getGlobalVariable("llvm.global_ctors");
  auto* entries =
      list != nullptr && list->hasInitializer() ? llvm::dyn_cast<llvm::ConstantArray>(list->getInitializer()) : nullptr;
  if (entries == nullptr) return;
  llvm::SmallVector<llvm::Constant*> mended;
  for (const llvm::Use& operand : entries->operands()) {
    auto* entry = llvm::dyn_cast<llvm::ConstantStruct>(operand.get());
    if (entry == nullptr || entry->getNumOperands() != 3) return;
    mended.push_back(llvm::ConstantStruct::get(entry->getType(),
                                               {entry->getOperand(0), entry->getOperand(1),
                                                llvm::Constant::getNullValue(entry->getType()->getElementType(2))}));
  }
  list->setInitializer(llvm::ConstantArray::get(entries->getType(), mended));
}

std::string writePortable(const llvm::Module& module) {
  std::string bytes;
  llvm::raw_string_ostream out(bytes);
  llvm::WriteBitcodeToFile(module, out);
  return bytes;
}

/// Sets the local size as if the program required it. Queries still return the kernel's own.
llvm::Error requireLocalSize(llvm::Function& kernel, const CodeVersion::LocalSize& local) {
  const auto [x, y, z] = local.size;
  if (x == 0 || y == 0 || z == 0) return llvm::createStringError("a local size of nothing");
  setRequiredSizes(kernel, {x, y, z});
  if (!local.mayHaveOffset) kernel.setMetadata(kNoOffsetName, llvm::MDNode::get(kernel.getContext(), {}));
  return llvm::Error::success();
}

/// Applies a known argument to the kernel for later passes.
llvm::Error applyArgument(llvm::Function& kernel, const CodeVersion::Argument& known) {
  if (known.index >= kernel.arg_size()) return llvm::createStringError("a version for an argument that there is not");
  llvm::Argument& argument = *kernel.getArg(known.index);
  const auto replaceBy = [&](std::uint64_t number) -> llvm::Error {
    const auto* type = llvm::dyn_cast<llvm::IntegerType>(argument.getType());
    if (type == nullptr || argument.hasAttribute(kImageArgument) || !llvm::isUIntN(type->getBitWidth(), number))
      return llvm::createStringError("a version for an integer that its argument does not hold");
    argument.replaceAllUsesWith(llvm::ConstantInt::get(argument.getType(), number));
    return llvm::Error::success();
  };
  return std::visit(Overloaded{[&](const CodeVersion::Format& format) -> llvm::Error {
                                 if (!argument.hasAttribute(kImageArgument))
                                   return llvm::createStringError("a version for the format of what is no image");
                                 kernel.addParamAttr(known.index, llvm::Attribute::get(kernel.getContext(),
                                                                                       kImageFormat, format.text()));
                                 return llvm::Error::success();
                               },
                               [&](const CodeVersion::Sampler& sampler) { return replaceBy(sampler.number); },
                               [&](const CodeVersion::Integer& integer) { return replaceBy(integer.value); }},
                    known.what);
}

/// Leaves one kernel in the module, and applies the version's properties to it for later passes.
llvm::Error applyVersion(llvm::Module& module, const BuildRequest& request) {
  llvm::Function* wanted = module.getFunction(request.kernel);
  if (wanted == nullptr || !isKernel(*wanted)) return llvm::createStringError("there is no kernel " + request.kernel);
  for (llvm::Function& function : llvm::make_early_inc_range(module))
    if (&function != wanted && isKernel(function) && function.use_empty()) function.eraseFromParent();
  const CodeVersion& version = request.version;
  if (version.local)
    if (llvm::Error error = requireLocalSize(*wanted, *version.local)) return error;
  if (version.rows) {
    auto* areWhole = llvm::ConstantInt::getBool(module.getContext(), *version.rows == CodeVersion::Rows::Whole);
    wanted->setMetadata(kRowsName, llvm::MDNode::get(module.getContext(), llvm::ConstantAsMetadata::get(areWhole)));
  }
  for (const CodeVersion::Argument& argument : version.arguments)
    if (llvm::Error error = applyArgument(*wanted, argument)) return error;
  return llvm::Error::success();
}

void describeVariables(const llvm::Module& module, BuildResult& result) {
  constexpr unsigned kGlobalSpace = 1;
  for (const llvm::GlobalVariable& variable : module.globals()) {
    if (variable.getAddressSpace() != kGlobalSpace || variable.isDeclaration()) continue;
    result.globalVariableBytes += module.getDataLayout().getTypeAllocSize(variable.getValueType());
    result.hasProgramScopeVariables = result.hasProgramScopeVariables || !variable.isConstant();
  }
}

void runPasses(llvm::Module& module, const PassObserver& observer,
               llvm::function_ref<void(llvm::ModulePassManager&)> addPasses) {
  PassManagers managers(module, /*machine=*/nullptr, observer);
  llvm::ModulePassManager passes;
  addPasses(passes);
  managers.run(passes, module);
}

/// Skips the passes in a comma-separated list. The result must live as long as passes run; it is null for an empty
/// list.
llvm::Expected<std::unique_ptr<PassWatch>> watchSkipping(llvm::StringRef list, Observer& observer) {
  PassWatchOptions options;
  options.skip = passNamesIn(list);
  if (options.skip.empty()) return nullptr;
  auto watch = PassWatch::create(options, llvm::errs());
  if (!watch) return watch.takeError();
  observer.passes = [seen = std::move(observer.passes), &skipping = **watch](auto& callbacks) {
    if (seen) seen(callbacks);
    skipping.attach(callbacks);
  };
  return watch;
}

/// Whether the program's kernels may be built one by one: none shares variables with others, enqueues others, or must
/// run before them.
bool areKernelsApart(const BuildResult& result) {
  return !result.hasProgramScopeVariables && llvm::none_of(result.kernels, [](const BuiltKernel& kernel) {
    return kernel.info.enqueues || kernel.info.role != KernelRole::Entry;
  });
}

/// Ends a build whose code another process's compiler makes, which also knows the limits of kernels.
void leaveToOthers(const BuildRequest& request, BuildResult& result) {
  for (BuiltKernel& kernel : result.kernels) {
    kernel.facts = PortableBuild{request.kind, request.options, request.makesParts}.encode();
    kernel.limits.hasOneCode = true;
  }
  result.isDeferred = true;
  result.status = BuildStatus::Success;
}

} // namespace

struct CompilerCore::Data {
  Data(std::unique_ptr<BuiltinLibrary> library, std::unique_ptr<Backend> cpuBackend,
       std::unique_ptr<Backend> nvptxBackend)
      : builtins(std::move(library)), cpu(std::move(cpuBackend)), nvptx(std::move(nvptxBackend)) {}

  Backend& backendFor(TargetKind kind) {
    switch (kind) {
    case TargetKind::Cpu: break;
    case TargetKind::Nvptx: return *nvptx;
    case TargetKind::Portable: break; // nothing is generated
    }
    return *cpu;
  }

  std::unique_ptr<BuiltinLibrary> builtins;
  std::unique_ptr<Backend> cpu, nvptx;
  bool warmsUp = false;
  bool linksByStandardOutput = false;
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
  return std::unique_ptr<CompilerCore>(new CompilerCore(std::make_unique<Data>(
      std::move(*builtins), std::make_unique<CpuBackend>(std::move(*file)), std::make_unique<NvptxBackend>())));
}

// NOLINTNEXTLINE(readability-function-size): all stages of a build, in their order
BuildResult CompilerCore::build(const BuildRequest& request) {
  BuildResult result;
  const StageTimer::Collector stages(result.stages);
  StageTimer timer;
  const auto fail = [&](llvm::Error error) {
    result.log += "error: " + llvm::toString(std::move(error)) + "\n";
    result.status = BuildStatus::Failure;
    return std::move(result);
  };

  std::string why;
  const auto options = parseBuildOptions(request.options, request.kind, request.openclVersion, why);
  if (!options) {
    result.log = why + "\n";
    result.status = BuildStatus::InvalidOptions;
    return result;
  }
  if (request.kind == BuildKind::Check) {
    result.log = checkSpirv(request.il);
    result.status = result.log.empty() ? BuildStatus::Success : BuildStatus::IllFormed;
    if (options->validate && result.log.empty()) result.log = adviseOnSpirv(request.il);
    return result;
  }

  llvm::LLVMContext context;
  LogDiagnostics diagnostics(context, result.log);
  Observer observer = observer_;
  auto watch = watchSkipping(request.target.skippedPasses, observer);
  if (!watch) return fail(watch.takeError());
  std::unique_ptr<llvm::Module> module;
  if (request.kind == BuildKind::Spirv) {
    module = compileOpenclC(request, *options, context, result.log, result.dependencies);
    if (!module) return result;
    auto spirv = makeSpirv(*module, *options);
    if (!spirv) return fail(spirv.takeError());
    result.portable = std::move(*spirv);
    if (!diagnostics.failed()) result.status = BuildStatus::Success;
    return result;
  }
  if (request.modules.empty()) {
    module = request.il.empty() ? compileOpenclC(request, *options, context, result.log, result.dependencies)
                                : readSpirv(request, *options, context, result.log);
    if (!module) return result;
    if (!request.il.empty()) forgetArgumentNames(*module);
    if (options->optDisable) module->addModuleFlag(llvm::Module::Max, kOptDisableFlag, 1);
    // Older versions of OpenCL C have only uniform work-groups; SPIR-V has no language option.
    if (request.il.empty() && options->std < OpenclStd::CL2_0) setUniformGroupsOnly(*module);
    if (options->debugInfo) setTellsWhy(*module);
    forgetConstructedMembers(*module);
  } else {
    for (const std::string& bytes : request.modules)
      if (llvm::Error error = readPortable(bytes, context, module)) return fail(std::move(error));
  }
  // Modules that were not compiled from source may contain anything.
  if (const auto found = findUnsupported(*module, mayAssemble(request.target))) {
    result.log += found->why + "\n";
    return result;
  }
  if (options->noForwardProgress)
    for (llvm::Function& function : *module)
      if (isKernel(function)) changeFacts(function, [](KernelFacts& facts) { facts.needsNoProgress = true; });
  if (options->uniformWorkGroupSize) setUniformGroupsOnly(*module);
  if (options->denormsAreZero)
    for (llvm::Function& function : *module)
      if (isKernel(function)) changeFacts(function, [](KernelFacts& facts) { facts.flushesDenormals = true; });
  timer.done("front end");
  if (observer) observer(Stage::Portable, *module, {});
  result.portable = writePortable(*module);
  if (request.kind == BuildKind::Compile || options->createLibrary) {
    result.status = BuildStatus::Success;
    return result;
  }

  // Sub-groups are the lanes of vectors even in unoptimised builds: their size must not depend on optimisation.
  const bool optimise = module->getModuleFlag(kOptDisableFlag) == nullptr || asksForSubGroups(*module);
  runPasses(*module, observer.passes,
            [](llvm::ModulePassManager& passes) { passes.addPass(ProgramScopeKernelsPass()); });
  if (diagnostics.failed()) return result;
  for (KernelInfo& info : describeKernels(*module))
    if (request.kernel.empty() || info.name == request.kernel)
      result.kernels.push_back({std::move(info), {}, {}, request.version, {}, {}});
  describeVariables(*module, result);
  if (request.target.kind == TargetKind::Portable) {
    leaveToOthers(request, result);
    return result;
  }
  runPasses(*module, observer.passes, [](llvm::ModulePassManager& passes) {
    passes.addPass(LowerObjectsPass());
    passes.addPass(LowerEnqueuePass());
  });
  if (!request.kernel.empty())
    if (llvm::Error error = applyVersion(*module, request)) return fail(std::move(error));
  const bool isChecked = options->checks != 0 && request.target.kind == TargetKind::Cpu;
  runPasses(*module, observer.passes, [&](llvm::ModulePassManager& passes) {
    if (request.target.kind == TargetKind::Nvptx) passes.addPass(PreferGpuBuiltinsPass(*data_->builtins));
    if (isChecked) {
      // Must run before functions are inlined.
      passes.addPass(KeepInLoopsPass());
      // An assignment to an element of a vector is an access of that element alone.
      passes.addPass(llvm::createModuleToFunctionPassAdaptor(StoreElementsPass(/*inArrays=*/true)));
      passes.addPass(CheckKernelsPass(options->checks));
    }
    passes.addPass(LinkBuiltinsPass(*data_->builtins));
    if (optimise && request.version.isForAnyLaunch()) passes.addPass(LimitImagesPass());
    if (optimise) passes.addPass(LimitInliningPass(*data_->builtins));
    passes.addPass(BuiltinPropertiesPass());
  });
  if (diagnostics.failed()) return result;
  timer.done("builtins");

  // A report describes the code that launches use in the end.
  const CodeScope wanted = options->report ? std::min(request.scope, CodeScope::Needed) : request.scope;
  if (options->report && !request.version.isGeneral()) result.log += "version '" + request.version.text() + "':\n";
  const auto hasOneCode = [&](const BuiltKernel& kernel) {
    const llvm::Function* function = module->getFunction(kernel.info.name);
    return isChecked || (function != nullptr && hasRelaxedArithmetic(*function));
  };
  std::vector<bool> haveOneCode;
  haveOneCode.reserve(result.kernels.size());
  for (const BuiltKernel& kernel : result.kernels)
    haveOneCode.push_back(hasOneCode(kernel));
  const bool isFirstLast = llvm::is_contained(haveOneCode, true); // what is built first is what launches stay with
  const CodeScope scope = !areKernelsApart(result)                    ? CodeScope::All
                          : isFirstLast && wanted == CodeScope::First ? CodeScope::Needed
                                                                      : wanted;
  Target target = request.target;
  if (request.version.width != 0) target.width = request.version.width;
  auto code = data_->backendFor(target.kind)
                  .generate(*module, result.kernels,
                            {.options = *options,
                             .target = target,
                             .optimise = optimise,
                             .scope = scope,
                             .diagnostics = diagnostics,
                             .observer = observer,
                             .log = result.log,
                             .warmsUp = data_->warmsUp,
                             .makesParts = request.makesParts && !isChecked,
                             .linksByStandardOutput = data_->linksByStandardOutput});
  if (!code) return fail(code.takeError());
  if (options->report)
    for (const BuiltKernel& kernel : result.kernels)
      if (kernel.info.role == KernelRole::Entry)
        result.log += "kernel '" + kernel.info.name + "': on several devices, " + describe(kernel.footprint) + "\n";
  for (auto [kernel, isOne] : llvm::zip_equal(result.kernels, haveOneCode))
    kernel.limits.hasOneCode = isOne && target.kind == TargetKind::Cpu; // other kinds have one code anyway
  result.printfFormats = std::move(code->printfFormats);
  result.object = std::move(code->object);
  result.isDeferred = code->isDeferred;
  if (!result.object.empty() || result.isDeferred) result.status = BuildStatus::Success;
  return result;
}

void CompilerCore::linkByStandardOutput() { data_->linksByStandardOutput = true; }

void CompilerCore::warmUp() {
  BuildRequest request;
  request.source = "kernel void warmUp(global float* a, local float* b, int n) {\n"
                   "  const int i = get_global_id(0);\n"
                   "  b[get_local_id(0)] = a[i];\n"
                   "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                   "  for (int k = 0; k < n; ++k) a[i] += sqrt(b[k]) * k / n;\n"
                   "}\n";
  const Observer observer = std::exchange(observer_, {});
  data_->warmsUp = true;
  build(request);
  data_->warmsUp = false;
  observer_ = observer;
}

} // namespace clotho::compiler
