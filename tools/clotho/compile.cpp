// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compile.hpp"

#include "abi/cpu_facts.hpp"
#include "base/opencl_version.hpp"
#include "compiler/backend/cpu/emit_object.hpp"
#include "compiler/backend/cpu/host_target.hpp"
#include "compiler/client/locate.hpp"
#include "compiler/pass_watch.hpp"
#include "compiler/pipeline.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace clotho;

namespace {

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

std::string describe(const BuildResult& result) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const BuiltKernel& built : result.kernels) {
    const KernelInfo& kernel = built.info;
    const GroupLimits& limits = built.limits;
    const cpu::CpuKernelFacts facts = cpu::decodeFacts(built.facts).value_or(cpu::CpuKernelFacts());
    out << llvm::formatv("kernel {0}: symbol {1}, attributes '{2}', block {3}, required {4}x{5}x{6}, local {7}, "
                         "private {8}, frame {9} per item, barrier {10}, printf {11}, argument info {12}, stack {13}\n",
                         kernel.name, facts.symbol, kernel.attributes, kernel.argBlockSize, kernel.requiredLocalSize[0],
                         kernel.requiredLocalSize[1], kernel.requiredLocalSize[2], limits.localBytes,
                         limits.privateBytes, facts.frameBytesPerItem, facts.usesBarrier, facts.usesPrintf,
                         kernel.hasArgInfo, facts.stackBytes);
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

/// Whether each fact is an index and bytes.
bool readFacts(const std::vector<std::string>& texts, std::vector<ArgumentFact>& facts) {
  for (llvm::StringRef text : texts) {
    const auto [index, digits] = text.split('=');
    ArgumentFact& fact = facts.emplace_back();
    if (index.getAsInteger(10, fact.index) || digits.empty() || !llvm::tryGetFromHex(digits, fact.bytes)) {
      llvm::errs() << "clotho: --fact " << text << ": not INDEX=HEXADECIMAL\n";
      return false;
    }
  }
  return true;
}

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
  const auto source = llvm::MemoryBuffer::getFileOrSTDIN(command.input);
  if (!source) {
    llvm::errs() << "clotho: " << command.input << ": " << source.getError().message() << '\n';
    return std::nullopt;
  }
  Prepared prepared{std::move(*core), {}};
  prepared.request.source = (*source)->getBuffer().str();
  prepared.request.options = command.options;
  prepared.request.target.cpu = command.cpu;
  prepared.request.kernel = command.kernel;
  prepared.request.openclVersion = macroOf(chosenOpenClVersion());
  if (!readFacts(command.facts, prepared.request.facts)) return std::nullopt;
  llvm::SmallString<256> directory;
  if (!llvm::sys::fs::current_path(directory)) prepared.request.workingDirectory = directory.str().str();
  return prepared;
}

std::vector<std::string> namesIn(llvm::StringRef list) {
  llvm::SmallVector<llvm::StringRef, 4> names;
  list.split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return {names.begin(), names.end()};
}

/// Null when nothing is wanted of passes.
llvm::Expected<std::unique_ptr<compiler::PassWatch>> watchFor(const CompileCommand& command) {
  const compiler::PassWatchOptions options = {namesIn(command.printBefore), namesIn(command.printAfter),
                                              command.printAfterAll, command.bisectLimit, command.timePasses};
  if (options.before.empty() && options.after.empty() && !options.afterAll && !options.limit && !options.times)
    return nullptr;
  return compiler::PassWatch::create(options, llvm::errs());
}

} // namespace

int report(const CompileCommand& command) {
  auto prepared = prepare(command);
  if (!prepared) return 1;
  prepared->request.options += " -clotho-report";
  const BuildResult result = prepared->core->build(prepared->request);
  const bool built = result.status == BuildStatus::Success;
  (built ? llvm::outs() : llvm::errs()) << result.log;
  return built ? 0 : 1;
}

int compile(const CompileCommand& command) {
  auto prepared = prepare(command);
  if (!prepared) return 1;
  BuildRequest& request = prepared->request;
  if (command.emit == "portable") request.kind = BuildKind::Compile;

  const bool ofAStage = command.emit != "so" && command.emit != "info";
  std::string text;
  auto watch = watchFor(command);
  if (!watch) {
    llvm::errs() << "clotho: " << llvm::toString(watch.takeError()) << '\n';
    return 1;
  }
  compiler::Observer observer;
  if (*watch) observer.passes = [&](llvm::PassInstrumentationCallbacks& callbacks) { (*watch)->attach(callbacks); };
  if (ofAStage)
    observer.stage = [&](compiler::Stage stage, llvm::Module& module, llvm::StringRef code) {
      if (stage == compiler::Stage::Portable && command.emit == "portable") text = moduleText(module);
      if (stage == compiler::Stage::Lowered && command.emit == "lowered") text = moduleText(module);
      if (stage == compiler::Stage::Optimised && command.emit == "llvm") text = moduleText(module);
      if (stage == compiler::Stage::Optimised && command.emit == "asm") text = assembly(module, request.target);
      if (stage == compiler::Stage::Object && command.emit == "obj") text = code.str();
    };
  prepared->core->observe(std::move(observer));
  BuildResult result;
  for (unsigned i = 0; i < command.repeat; ++i)
    result = prepared->core->build(request);
  llvm::errs() << result.log;
  if (result.status != BuildStatus::Success && text.empty()) return 1;
  if (command.emit == "so") text = result.object;
  if (command.emit == "info") text = describe(result);

  const bool isText = command.emit != "so" && command.emit != "obj";
  const std::string output = !command.output.empty() ? command.output : isText ? "-" : "a." + command.emit;
  std::error_code code;
  llvm::raw_fd_ostream out(output, code);
  if (code) {
    llvm::errs() << "clotho: " << output << ": " << code.message() << '\n';
    return 1;
  }
  out << text;
  return result.status == BuildStatus::Success ? 0 : 1;
}
