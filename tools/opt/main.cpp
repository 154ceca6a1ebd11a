// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clotho-opt: runs any of our passes, or LLVM's, on IR. For tests and for looking.
#include "compiler/backend/cpu/lower/blend_stores.hpp"
#include "compiler/backend/cpu/module_parts.hpp"
#include "compiler/backend/pass_managers.hpp"
#include "compiler/pass_watch.hpp"
#include "compiler/passes.hpp"
#include "compiler/transform/widen/vectorise_kernels.hpp"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/StandardInstrumentations.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/InitLLVM.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/ToolOutputFile.h>
#include <llvm/Support/WithColor.h>
#include <llvm/Target/TargetMachine.h>

namespace {

struct Options {
  std::string pipeline, input, output, cpu, skippedPasses;
  unsigned parts = 1, part = 0;
};

/// The module becomes one of its parts, as a thread of the compiler would get it.
bool takePart(const Options& options, std::unique_ptr<llvm::Module>& module) {
  const clotho::compiler::ModuleParts parts(*module, options.parts, /*least=*/1);
  if (options.part >= parts.count()) {
    llvm::WithColor::error(llvm::errs(), "clotho-opt") << "there are " << parts.count() << " parts\n";
    return false;
  }
  const std::string bitcode = parts.separate(*module);
  if (options.part == 0) return true;
  auto read = parts.read(bitcode, options.part, module->getContext());
  if (read)
    module = std::move(*read);
  else
    llvm::WithColor::error(llvm::errs(), "clotho-opt") << llvm::toString(read.takeError()) << '\n';
  return bool(read);
}

/// The target machine of the module's target and the processor `cpu`; null, with an error printed, if there is none.
std::unique_ptr<llvm::TargetMachine> machineFor(const llvm::Module& module, const std::string& cpu) {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  std::string why;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(module.getTargetTriple(), why);
  if (target == nullptr) {
    llvm::WithColor::error(llvm::errs(), "clotho-opt") << why << '\n';
    return nullptr;
  }
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(module.getTargetTriple(), cpu, "", {}, llvm::Reloc::PIC_));
}

/// The vectoriser and what follows it know that processor, rather than a usual one.
void usePassesFor(const clotho::compiler::ProcessorModel& cpu, llvm::PassBuilder& builder) {
  using Elements = llvm::ArrayRef<llvm::PassBuilder::PipelineElement>;
  builder.registerPipelineParsingCallback([cpu](llvm::StringRef name, llvm::ModulePassManager& passes, Elements) {
    if (name != "vectorise") return false;
    passes.addPass(clotho::compiler::VectoriseKernelsPass({.cpu = cpu}));
    return true;
  });
  builder.registerPipelineParsingCallback([cpu](llvm::StringRef name, llvm::FunctionPassManager& passes, Elements) {
    if (name != "blend-stores") return false;
    passes.addPass(clotho::compiler::BlendStoresPass(cpu));
    return true;
  });
}

llvm::Expected<std::unique_ptr<clotho::compiler::PassWatch>> watchFor(const Options& options) {
  clotho::compiler::PassWatchOptions wanted;
  wanted.skip = clotho::compiler::passNamesIn(options.skippedPasses);
  return clotho::compiler::PassWatch::create(wanted, llvm::errs());
}

int write(const llvm::Module& module, const std::string& file) {
  std::error_code code;
  llvm::ToolOutputFile out(file, code, llvm::sys::fs::OF_Text);
  if (code) {
    llvm::WithColor::error(llvm::errs(), "clotho-opt") << file << ": " << code.message() << '\n';
    return 1;
  }
  module.print(out.os(), nullptr);
  out.keep();
  return 0;
}

int run(const Options& options) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module = llvm::parseIRFile(options.input, problem, context);
  if (!module) {
    problem.print("clotho-opt", llvm::errs());
    return 1;
  }
  bool failed = false;
  context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo* info, void* flag) {
        llvm::DiagnosticPrinterRawOStream printer(llvm::errs());
        info->print(printer);
        llvm::errs() << '\n';
        if (info->getSeverity() == llvm::DS_Error) *static_cast<bool*>(flag) = true;
      },
      &failed);

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::StandardInstrumentations instrumentations(context, /*DebugLogging=*/false, clotho::compiler::kVerifiesEach);
  instrumentations.registerCallbacks(callbacks, &modules);
  auto watch = watchFor(options);
  if (!watch) {
    llvm::WithColor::error(llvm::errs(), "clotho-opt") << llvm::toString(watch.takeError()) << '\n';
    return 1;
  }
  (*watch)->attach(callbacks);
  llvm::PassBuilder builder(nullptr, llvm::PipelineTuningOptions(), std::nullopt, &callbacks);
  if (!options.cpu.empty()) {
    const auto machine = machineFor(*module, options.cpu);
    if (!machine) return 1;
    usePassesFor(clotho::compiler::processorModel(*machine), builder);
  }
  clotho::compiler::registerPasses(builder);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, options.pipeline)) {
    llvm::WithColor::error(llvm::errs(), "clotho-opt") << llvm::toString(std::move(error)) << '\n';
    return 1;
  }
  passes.run(*module, modules);
  if (failed || (options.parts > 1 && !takePart(options, module))) return 1;
  if (llvm::verifyModule(*module, &llvm::errs())) return 1;
  return write(*module, options.output);
}

} // namespace

int main(int argc, char** argv) {
  const llvm::InitLLVM initialise(argc, argv);
  llvm::cl::opt<std::string> pipeline("passes", llvm::cl::desc("passes, as LLVM's opt takes them"));
  llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::desc("<IR file>"), llvm::cl::init("-"));
  llvm::cl::opt<std::string> output("o", llvm::cl::desc("output file"), llvm::cl::init("-"));
  llvm::cl::opt<std::string> cpu("for-cpu", llvm::cl::desc("vectorise for this processor of the module's triple"));
  llvm::cl::opt<unsigned> parts("parts", llvm::cl::desc("divide the module into so many parts"), llvm::cl::init(1));
  llvm::cl::opt<unsigned> part("part", llvm::cl::desc("which of them to write, from 0 on"), llvm::cl::init(0));
  llvm::cl::opt<std::string> skipped("skip-passes", llvm::cl::desc("leave these passes out, with commas between"));
  llvm::cl::opt<bool> list("list-skippable", llvm::cl::desc("only print the names of our passes that may be left out"));
  llvm::cl::ParseCommandLineOptions(argc, argv, "Clotho's passes on LLVM IR\n");
  if (list) {
    for (llvm::StringRef name : clotho::compiler::skippablePasses())
      llvm::outs() << name << '\n';
    return 0;
  }
  return run({pipeline, input, output, cpu, skipped, parts, part});
}
