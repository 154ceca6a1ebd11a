// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clotho-opt: runs any of our passes, or LLVM's, on IR. For tests and for looking.
#include "compiler/passes.hpp"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/InitLLVM.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/ToolOutputFile.h>
#include <llvm/Support/WithColor.h>

namespace {

int run(const std::string& pipeline, const std::string& input, const std::string& output) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> module = llvm::parseIRFile(input, problem, context);
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
  llvm::PassBuilder builder;
  clotho::compiler::registerPasses(builder);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, pipeline)) {
    llvm::WithColor::error(llvm::errs(), "clotho-opt") << llvm::toString(std::move(error)) << '\n';
    return 1;
  }
  passes.run(*module, modules);
  if (failed) return 1;
  if (llvm::verifyModule(*module, &llvm::errs())) return 1;

  std::error_code code;
  llvm::ToolOutputFile out(output, code, llvm::sys::fs::OF_Text);
  if (code) {
    llvm::WithColor::error(llvm::errs(), "clotho-opt") << output << ": " << code.message() << '\n';
    return 1;
  }
  module->print(out.os(), nullptr);
  out.keep();
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  const llvm::InitLLVM initialise(argc, argv);
  llvm::cl::opt<std::string> pipeline("passes", llvm::cl::desc("passes, as LLVM's opt takes them"), llvm::cl::Required);
  llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::desc("<IR file>"), llvm::cl::init("-"));
  llvm::cl::opt<std::string> output("o", llvm::cl::desc("output file"), llvm::cl::init("-"));
  llvm::cl::ParseCommandLineOptions(argc, argv, "Clotho's passes on LLVM IR\n");
  return run(pipeline, input, output);
}
