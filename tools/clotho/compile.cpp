// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compile.hpp"

#include "program.hpp"
#include "report_page.hpp"

#include "abi/cpu_facts.hpp"
#include "abi/cuda_facts.hpp"
#include "compiler/backend/cpu/emit_object.hpp"
#include "compiler/backend/cpu/host_target.hpp"
#include "compiler/client/binary_format.hpp"
#include "compiler/client/build_client.hpp"
#include "compiler/client/locate.hpp"
#include "compiler/pass_watch.hpp"
#include "compiler/pipeline.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <CL/cl.h>

using namespace clotho;

namespace {

/// Says so on stderr if it fails.
bool writeFile(const std::string& output, llvm::StringRef contents) {
  std::error_code code;
  llvm::raw_fd_ostream out(output, code);
  if (!code) {
    out << contents;
    out.close();
    code = out.error();
    out.clear_error();
  }
  if (code) llvm::errs() << "clotho: " << output << ": " << code.message() << '\n';
  return !code;
}

bool writeOutput(const CompileCommand& command, llvm::StringRef contents) {
  const bool isText = !llvm::is_contained({"spirv", "obj", "so", "compiled", "binary"}, command.emit);
  const std::string ending = command.emit == "spirv" ? "spv" : command.emit;
  const std::string output = !command.output.empty() ? command.output : isText ? "-" : "a." + ending;
  return writeFile(output, contents);
}

std::string moduleText(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

std::string assembly(const llvm::Module& module, const Target& target) {
  auto machine = compiler::createTargetMachine(target, true);
  if (!machine) return llvm::toString(machine.takeError());
  const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  llvm::SmallString<0> text;
  compiler::StackUses stacks;
  if (llvm::Error error = compiler::emitCode(*copy, **machine, compiler::Emit::Assembly, text, stacks))
    return llvm::toString(std::move(error));
  return text.str().str();
}

/// The part of GPUs' facts that CPUs have, too.
cpu::CpuKernelFacts readFacts(const std::string& bytes, TargetKind kind) {
  if (kind == TargetKind::Cpu) return cpu::decodeFacts(bytes).value_or(cpu::CpuKernelFacts());
  const auto given = cuda::decodeFacts(bytes).value_or(cuda::CudaKernelFacts());
  cpu::CpuKernelFacts facts;
  facts.symbol = given.symbol;
  facts.usesPrintf = given.usesPrintf;
  return facts;
}

std::string describe(const BuildResult& result, TargetKind kind) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const BuiltKernel& built : result.kernels) {
    const KernelInfo& kernel = built.info;
    const GroupLimits& limits = built.limits;
    const cpu::CpuKernelFacts facts = readFacts(built.facts, kind);
    const char* role = kernel.role == KernelRole::Initialiser ? "initialiser"
                       : kernel.role == KernelRole::CleanUp   ? "clean-up"
                                                              : "kernel";
    out << llvm::formatv("{14} {0}: symbol {1}, attributes '{2}', block {3}, required {4}x{5}x{6}, local {7}, "
                         "private {8}, frame {9} per item, barrier {10}, printf {11}, argument info {12}, stack {13}\n",
                         kernel.name, facts.symbol, kernel.attributes, kernel.argBlockSize, kernel.requiredLocalSize[0],
                         kernel.requiredLocalSize[1], kernel.requiredLocalSize[2], limits.localBytes,
                         limits.privateBytes, facts.frameBytesPerItem, facts.usesBarrier, facts.usesPrintf,
                         kernel.hasArgInfo, facts.stackBytes, role);
    for (const ArgInfo& arg : kernel.args)
      out << llvm::formatv("  argument '{0}' type '{1}': kind {2}, address {3}, access {4}, qualifiers {5}, size {6}, "
                           "alignment {7}, offset {8}\n",
                           arg.name, arg.typeName, int(arg.kind), int(arg.address), int(arg.access), arg.typeQualifiers,
                           arg.size, arg.alignment, arg.offset);
  }
  for (const PrintfFormat& format : result.printfFormats) {
    out << "printf '";
    out.write_escaped(format.format) << '\'';
    for (std::uint32_t size : format.argSizes)
      out << ' ' << size;
    out << '\n';
  }
  out << llvm::formatv("variables: {0} bytes, writable {1}\n", result.globalVariableBytes,
                       result.hasProgramScopeVariables);
  for (const Dependency& dependency : result.dependencies)
    out << "reads " << dependency.path << '\n';
  return text;
}

/// The path of a data file of the compiler: in the folder that the command names, or where a build or an installation
/// has it.
std::string dataFile(const CompileCommand& command, const char* name) {
  if (!command.dataFolder.empty()) return command.dataFolder + "/" + name;
  return findCompilerData(pathOfCode(reinterpret_cast<const void*>(&dataFile)), name);
}

/// The compiler and what it is to build; says so on stderr when either is not to be had.
struct Prepared {
  std::unique_ptr<compiler::CompilerCore> core;
  BuildRequest request;
};

std::optional<Prepared> prepare(const CompileCommand& command) {
  const std::string builtins = dataFile(command, "builtins.clotho"), runtime = dataFile(command, "rt.o");
  if (builtins.empty() || runtime.empty()) {
    llvm::errs() << "clotho: the builtin library is not found; --data tells its folder\n";
    return std::nullopt;
  }
  auto core = compiler::CompilerCore::create({builtins, runtime});
  if (!core) {
    llvm::errs() << "clotho: " << llvm::toString(core.takeError()) << '\n';
    return std::nullopt;
  }
  Prepared prepared{std::move(*core), {}};
  if (!readProgram(command, prepared.request)) return std::nullopt;
  return prepared;
}

/// By the compiler process, as LLVM's back end for SPIR-V ends the process with what it cannot express.
int compileToSpirv(const CompileCommand& command) {
  BuildRequest request;
  if (!readProgram(command, request)) return 1;
  if (!request.il.empty()) {
    llvm::errs() << "clotho: " << command.input << ": is SPIR-V already\n";
    return 1;
  }
  request.kind = BuildKind::Spirv;
  ClientConfig config;
  config.compiler = findCompiler();
  BuildClient client(std::move(config));
  const auto result = client.build(request);
  llvm::errs() << result->log;
  return result->status == BuildStatus::Success && writeOutput(command, result->portable) ? 0 : 1;
}

/// Null when nothing is wanted of passes.
llvm::Expected<std::unique_ptr<compiler::PassWatch>> watchFor(const CompileCommand& command) {
  const compiler::PassWatchOptions options = {.before = compiler::passNamesIn(command.printBefore),
                                              .after = compiler::passNamesIn(command.printAfter),
                                              .afterAll = command.printAfterAll,
                                              .skip = {},
                                              .limit = command.bisectLimit,
                                              .times = command.timePasses};
  if (options.before.empty() && options.after.empty() && !options.afterAll && !options.limit && !options.times)
    return nullptr;
  return compiler::PassWatch::create(options, llvm::errs());
}

} // namespace

int report(const CompileCommand& command) {
  auto prepared = prepare(command);
  if (!prepared) return 1;
  BuildRequest& request = prepared->request;
  const bool wantsLines = !command.page.empty() || !command.remarks.empty();
  request.options += " -clotho-report";
  if (!command.page.empty()) request.options += " -g"; // so that instructions know their lines
  std::vector<compiler::VectorisationReport> reports;
  std::string instructions;
  if (wantsLines)
    prepared->core->observe({.stage =
                                 [&](compiler::Stage stage, llvm::Module& module, llvm::StringRef) {
                                   if (stage == compiler::Stage::Optimised && !command.page.empty())
                                     instructions = assembly(module, request.target);
                                 },
                             .passes = {},
                             .report = [&](const compiler::VectorisationReport& each) { reports.push_back(each); }});
  const BuildResult result = prepared->core->build(request);
  const bool built = result.status == BuildStatus::Success;
  (built ? llvm::outs() : llvm::errs()) << result.log;
  if (!built) return 1;
  const LineReports lines = lineReports(reports, instructions);
  return (command.page.empty() || writeFile(command.page, reportPage(command.input, request.source, reports, lines))) &&
                 (command.remarks.empty() || writeFile(command.remarks, reportRemarks(command.input, reports, lines)))
             ? 0
             : 1;
}

int compile(const CompileCommand& command) {
  if (command.emit == "spirv") return compileToSpirv(command);
  auto prepared = prepare(command);
  if (!prepared) return 1;
  BuildRequest& request = prepared->request;
  if (command.emit == "portable" || command.emit == "compiled") request.kind = BuildKind::Compile;
  if (command.validate) request.options += " -clotho-validate";
  request.target.skippedPasses = command.skipPasses;

  request.scope = command.scope == "first"    ? CodeScope::First
                  : command.scope == "needed" ? CodeScope::Needed
                                              : CodeScope::All;

  std::string text;
  auto watch = watchFor(command);
  if (!watch) {
    llvm::errs() << "clotho: " << llvm::toString(watch.takeError()) << '\n';
    return 1;
  }
  compiler::Observer observer;
  if (*watch) observer.passes = [&](llvm::PassInstrumentationCallbacks& callbacks) { (*watch)->attach(callbacks); };
  const bool ofResult = llvm::is_contained({"so", "compiled", "binary", "info"}, command.emit);
  if (!ofResult)
    observer.stage = [&](compiler::Stage stage, llvm::Module& module, llvm::StringRef code) {
      if (stage == compiler::Stage::Portable && command.emit == "portable") text = moduleText(module);
      if (stage == compiler::Stage::Lowered && command.emit == "lowered") text = moduleText(module);
      if (stage == compiler::Stage::Optimised && command.emit == "llvm") text = moduleText(module);
      if (stage == compiler::Stage::Optimised && command.emit == "asm" && command.gpu.empty())
        text = assembly(module, request.target);
      if (stage == compiler::Stage::Object && command.emit == "asm" && !command.gpu.empty()) text = code.str();
      if (stage == compiler::Stage::Object && command.emit == "obj") text = code.str();
    };
  prepared->core->observe(std::move(observer));
  BuildResult result;
  for (unsigned i = 0; i < command.repeat; ++i)
    result = prepared->core->build(request);
  llvm::errs() << result.log;
  const bool built = result.status == BuildStatus::Success;
  if (!built && text.empty()) return 1;
  if (command.emit == "so") text = result.object;
  if (command.emit == "info") text = describe(result, request.target.kind);
  if (command.emit == "compiled")
    text = encodeBinary(CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, command.options, request.target, /*checks=*/"",
                        std::move(result));
  else if (command.emit == "binary")
    text = encodeBinary(CL_PROGRAM_BINARY_TYPE_EXECUTABLE, command.options, request.target, /*checks=*/"",
                        std::move(result));
  return writeOutput(command, text) && built ? 0 : 1;
}
