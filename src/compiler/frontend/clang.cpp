// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/clang.hpp"

#include "compiler/frontend/assembly_target.hpp"
#include "compiler/frontend/debug_locations.hpp"
#include "compiler/frontend/opencl_header.hpp"
#include "compiler/frontend/regular_files.hpp"
#include "compiler/frontend/relaxed_functions.hpp"
#include "compiler/frontend/unsupported.hpp"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <set>
#include <xxhash.h>

namespace clotho::compiler {
namespace {

constexpr const char* kBaseHeader = "opencl-c-base.h";
constexpr const char* kSystemHeaders = "/clotho-headers"; // in memory; holds clang's own header and those of ours

const char* clangName(OpenclStd std) {
  switch (std) {
  case OpenclStd::CL1_0: return "CL";
  case OpenclStd::CL1_1: return "CL1.1";
  case OpenclStd::CL1_2: return "CL1.2";
  case OpenclStd::CL2_0: return "CL2.0";
  case OpenclStd::CL3_0:
  case OpenclStd::CL3_1: return "CL3.0"; // clang knows no newer one, and nothing but macros and functions came with 3.1
  case OpenclStd::Cpp1_0: return "CLC++1.0";
  case OpenclStd::Cpp2021: return "CLC++2021";
  }
  return "CL1.2";
}

/// Whether the macro needs OpenCL C 2.0, which brought C11 atomics and their extensions.
bool needsOpenclC2(std::string_view macro) {
  return macro == "cl_ext_float_atomics" || macro.starts_with("__opencl_c_ext_fp");
}

/// Defines macros of extensions. clang knows some extensions only in certain versions of the language, and others not
/// at all; ours work in all versions that have what they need. The builtins test these macros.
void addExtensionMacros(const Claims& claims, OpenclStd std, std::vector<std::string>& args) {
  claims.forEach([&](const claims::Row& row) {
    const bool isOfExtension = row.sort != claims::Row::Sort::Feature && row.isOfLanguage;
    if (isOfExtension && (std >= OpenclStd::CL2_0 || !needsOpenclC2(row.name)))
      args.push_back("-D" + std::string(row.name) + "=1");
  });
}

/// The claimed extensions as an option of clang, which enables all for spir64 by default.
std::string extensionsArgument(const Claims& claims) {
  std::string argument = "-cl-ext=-all";
  claims.forEach([&](const claims::Row& row) {
    if (row.isOfLanguage) argument.append(",+").append(row.name);
  });
  return argument;
}

bool supportsImages(const Claims& claims) {
  bool found = false;
  claims.forEach([&](const claims::Row& row) { found = found || row.name == "__opencl_c_images"; });
  return found;
}

/// Whether the request's source or headers contain the text; files that they include are not read.
bool mentions(const BuildRequest& request, std::string_view text) {
  const auto has = [&](const std::string& where) { return where.find(text) != std::string::npos; };
  return has(request.source) ||
         std::ranges::any_of(request.headers, [&](const Header& header) { return has(header.text); });
}

/// Triple for LLVM's SPIR-V back end. Version 1.4 is the newest that every consumer must accept by OpenCL's rules.
constexpr const char* kSpirvTriple = "spirv64v1.4-unknown-unknown";

std::vector<std::string> clangArguments(const BuildOptions& options, const BuildRequest& request) {
  std::vector<std::string> args = {"-triple", request.kind == BuildKind::Spirv ? kSpirvTriple : "spir64", "-emit-llvm",
                                   "-x", isCpp(options.std) ? "clcpp" : "cl",
                                   std::string("-cl-std=") + clangName(options.std), "-finclude-default-header",
                                   "-fdeclare-opencl-builtins",
                                   // IR that can be optimised, but unoptimised as yet: -O0 would mark every function
                                   // optnone.
                                   "-O2", "-disable-llvm-passes", "-internal-isystem", kSystemHeaders, "-resource-dir",
                                   kSystemHeaders, "-nostdsysteminc", extensionsArgument(request.claims),
                                   "-D__OPENCL_VERSION__=" + std::to_string(request.openclVersion)};
  if (!supportsImages(request.claims)) args.emplace_back("-U__IMAGE_SUPPORT__");
  if (options.std == OpenclStd::CL3_1)
    args.insert(args.end(), {"-U__OPENCL_C_VERSION__", "-D__OPENCL_C_VERSION__=310", "-DCL_VERSION_3_1=310"});
  const std::pair<bool, const char*> flags[] = {
      {options.singlePrecisionConstant, "-cl-single-precision-constant"},
      {options.correctlyRoundedDivideSqrt, "-cl-fp32-correctly-rounded-divide-sqrt"},
      // Kernels access memory through types other than those it was written with, though the language forbids it.
      {!options.strictAliasing, "-relaxed-aliasing"},
      {options.madEnable, "-cl-mad-enable"},
      {options.noSignedZeros, "-cl-no-signed-zeros"},
      {options.unsafeMath, "-cl-unsafe-math-optimizations"},
      // Only defines the macro: the promise to LLVM that there are no infinities is withdrawn below.
      {options.finiteMathOnly || options.fastRelaxedMath, "-U__FINITE_MATH_ONLY__"},
      {options.finiteMathOnly || options.fastRelaxedMath, "-D__FINITE_MATH_ONLY__=1"},
      {options.fastRelaxedMath, "-cl-fast-relaxed-math"},
      {options.madEnable || options.unsafeMath || options.fastRelaxedMath, "-ffp-contract=fast"},
      {options.uniformWorkGroupSize, "-cl-uniform-work-group-size"},
      {options.suppressWarnings, "-w"},
      {options.warningsAreErrors, "-Werror"},
      {options.kernelArgInfo, "-cl-kernel-arg-info"},
      {options.debugInfo, "-debug-info-kind=constructor"},
      {options.debugInfo, "-dwarf-version=5"},
      {options.initializePrivate, "-ftrivial-auto-var-init=zero"},
      // Thread-safe statics would make work-items wait for each other, and there is no library for that.
      {isCpp(options.std), "-fno-threadsafe-statics"},
      {isCpp(options.std), "-fno-rtti"},
      // `asm`, which NVIDIA's OpenCL C has.
      {mayAssemble(request.target), "-fgnu-keywords"},
  };
  for (const auto& [on, flag] : flags)
    if (on) args.emplace_back(flag);
  // Keeps warnings for conversions that C99 only wants diagnosed: newer clangs make errors of them, and programs that
  // every other driver accepts with a warning (clFFT's transposes are one) would not build.
  if (!options.warningsAreErrors)
    for (const char* warning : {"incompatible-pointer-types", "int-conversion", "implicit-int"})
      args.push_back(std::string("-Wno-error=") + warning);
  // The folder of the program's own source, which also has the headers of clCompileProgram, comes before any -I.
  args.emplace_back("-I.");
  args.insert(args.end(), options.preprocessor.begin(), options.preprocessor.end());
  return args;
}

/// Records lookups of files that do not exist: a header that appears at such a path later would hide the one that was
/// found.
class LookupRecorder final : public llvm::vfs::ProxyFileSystem {
 public:
  using ProxyFileSystem::ProxyFileSystem;

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override {
    auto found = ProxyFileSystem::status(path);
    if (!found) missing_.insert(path.str());
    return found;
  }
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& path) override {
    auto found = ProxyFileSystem::openFileForRead(path);
    if (!found) missing_.insert(path.str());
    return found;
  }
  const std::set<std::string>& missing() const { return missing_; }

 private:
  std::set<std::string> missing_;
};

/// A file system with the request's texts above the real files.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> fileSystem(const BuildRequest& request, llvm::StringRef mainFile) {
  const std::string directory = request.workingDirectory.empty() ? "/" : request.workingDirectory;
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  const auto add = [&](llvm::StringRef folder, llvm::StringRef name, llvm::StringRef text) {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, name);
    memory->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text, path));
  };
  const std::string_view base = openclBaseHeader();
  add(kSystemHeaders, kBaseHeader, {base.data(), base.size()});
  for (const ExtensionHeader& header : extensionHeaders())
    add(kSystemHeaders, header.name, {header.text.data(), header.text.size()});
  add(llvm::sys::path::is_absolute(mainFile) ? "" : directory, mainFile, request.source);
  for (const Header& header : request.headers)
    add(directory, header.name, header.text);

  // The file system object has its own working directory, since that of the process must not change.
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> real(llvm::vfs::createPhysicalFileSystem().release());
  auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(regularFilesOf(real));
  overlay->pushOverlay(memory);
  overlay->setCurrentWorkingDirectory(directory);
  return overlay;
}

void collectDependencies(clang::SourceManager& sources, const BuildRequest& request, llvm::StringRef mainFile,
                         std::vector<Dependency>& dependencies) {
  for (auto it = sources.fileinfo_begin(); it != sources.fileinfo_end(); ++it) {
    llvm::SmallString<256> path(it->first.getName());
    if (path.starts_with(kSystemHeaders)) continue;
    if (!request.workingDirectory.empty()) llvm::sys::path::make_absolute(request.workingDirectory, path);
    llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/false);
    llvm::StringRef name = path;
    const auto inRequest = [&](llvm::StringRef embedded) {
      llvm::SmallString<256> own(embedded);
      llvm::sys::path::make_absolute(request.workingDirectory.empty() ? "/" : request.workingDirectory, own);
      llvm::sys::path::remove_dots(own, false);
      return own == name;
    };
    bool embedded = inRequest(mainFile);
    for (const Header& header : request.headers)
      embedded = embedded || inRequest(header.name);
    if (embedded) continue;
    const auto buffer = sources.getMemoryBufferForFileOrNone(it->first);
    if (!buffer) continue;
    const XXH128_hash_t hash = XXH3_128bits(buffer->getBufferStart(), buffer->getBufferSize());
    dependencies.push_back({name.str(), {hash.low64, hash.high64}});
  }
}

void collectMissing(const std::set<std::string>& missing, const BuildRequest& request,
                    std::vector<Dependency>& dependencies) {
  for (llvm::StringRef raw : missing) {
    // clang looks for its own header in the program's folder first, for every program. A dependency on that lookup
    // would make each use of the cache slower.
    if (raw.starts_with(kSystemHeaders) || llvm::sys::path::filename(raw) == kBaseHeader) continue;
    llvm::SmallString<256> path(raw);
    if (!request.workingDirectory.empty()) llvm::sys::path::make_absolute(request.workingDirectory, path);
    dependencies.push_back({path.str().str(), {}});
  }
}

} // namespace

namespace {

using HeaderNames = std::set<const char*>;

std::unique_ptr<llvm::Module> compile(const BuildRequest& request, const BuildOptions& options,
                                      llvm::LLVMContext& context, std::string& log,
                                      std::vector<Dependency>& dependencies, const HeaderNames& headers) {
  llvm::raw_string_ostream out(log);
  const auto files = llvm::makeIntrusiveRefCnt<LookupRecorder>(fileSystem(request, options.sourceName));

  std::vector<std::string> args = clangArguments(options, request);
  for (const char* header : headers)
    args.insert(args.end(), {"-include", header});
  addExtensionMacros(request.claims, options.std, args);
  // clang lacks pragmas for some available extensions, or has them only in some versions of the language.
  if (mentions(request, "cl_khr_subgroup") || mentions(request, "cl_intel_")) args.emplace_back("-Wno-ignored-pragmas");
  args.emplace_back(options.sourceName);
  std::vector<const char*> argv;
  argv.reserve(args.size());
  for (const std::string& arg : args)
    argv.push_back(arg.c_str());

  auto invocation = std::make_shared<clang::CompilerInvocation>();
  clang::DiagnosticOptions parseOptions;
  clang::TextDiagnosticPrinter parsePrinter(out, parseOptions);
  const auto parseDiagnostics =
      clang::CompilerInstance::createDiagnostics(*files, parseOptions, &parsePrinter, /*ShouldOwnClient=*/false);
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, argv, *parseDiagnostics)) return nullptr;
  invocation->getFrontendOpts().DisableFree = false;
  // Otherwise the infinity of an exponential that overflows would be undefined for LLVM (docs/decisions.md).
  invocation->getLangOpts().NoHonorNaNs = false;
  invocation->getLangOpts().NoHonorInfs = false;
  // A report names source lines. Without -g they are tracked in the IR but add nothing to the object.
  clang::CodeGenOptions& codegen = invocation->getCodeGenOpts();
  // An invalid module is reported as a build error (below) instead of ending the process.
  codegen.VerifyModule = false;
  if ((options.report || options.checks != 0) && codegen.getDebugInfo() == llvm::codegenoptions::NoDebugInfo)
    codegen.setDebugInfo(llvm::codegenoptions::LocTrackingOnly);
  codegen.EmbedSource = codegen.EmbedSource || options.checks != 0; // for reports of checks

  clang::CompilerInstance compiler(std::move(invocation));
  compiler.setVirtualFileSystem(files);
  compiler.setVerboseOutputStream(llvm::nulls());
  compiler.createDiagnostics(new clang::TextDiagnosticPrinter(out, compiler.getDiagnosticOpts()),
                             /*ShouldOwnClient=*/true);
  compiler.createFileManager();
  compiler.createSourceManager();

  const auto action = mayAssemble(request.target) ? std::make_unique<PtxAssemblyAction>(&context)
                                                  : std::make_unique<clang::EmitLLVMOnlyAction>(&context);
  const bool ok = compiler.ExecuteAction(*action);
  collectDependencies(compiler.getSourceManager(), request, options.sourceName, dependencies);
  collectMissing(files->missing(), request, dependencies);
  return ok ? action->takeModule() : nullptr;
}

/// Returns the module if kernels can do all that it asks for; otherwise the log says why not. Source lines come from a
/// second compilation.
std::unique_ptr<llvm::Module> withoutUnsupported(std::unique_ptr<llvm::Module> module, const BuildRequest& request,
                                                 const BuildOptions& options, llvm::LLVMContext& context,
                                                 std::string& log, const HeaderNames& headers) {
  std::string invalid;
  llvm::raw_string_ostream out(invalid);
  if (llvm::verifyModule(*module, &out)) {
    log += "error: clang makes invalid code of this program: " + invalid;
    return nullptr;
  }
  auto found = findUnsupported(*module, mayAssemble(request.target));
  if (!found) return module;
  if (!found->hasLine) {
    BuildOptions withLines = options;
    withLines.report = true;
    std::string sameLog;
    std::vector<Dependency> sameFiles;
    if (const auto again = compile(request, withLines, context, sameLog, sameFiles, headers))
      if (auto located = findUnsupported(*again, mayAssemble(request.target))) found = std::move(located);
  }
  log += found->why + "\n";
  return nullptr;
}

} // namespace

std::unique_ptr<llvm::Module> compileOpenclC(const BuildRequest& request, const BuildOptions& options,
                                             llvm::LLVMContext& context, std::string& log,
                                             std::vector<Dependency>& dependencies) {
  HeaderNames named;
  for (const ExtensionHeader& header : extensionHeaders())
    if (std::ranges::any_of(header.functions, [&](std::string_view name) { return mentions(request, name); }))
      named.insert(header.name);
  std::string first;
  std::vector<Dependency> read;
  auto module = compile(request, options, context, first, read, named);
  if (!module) {
    // Compiles once more with other extension headers if the first messages ask for it. A message about a header means
    // that the program declares the functions itself: drop the header. A message about a function means that an
    // included file or a macro uses it: add its header.
    const HeaderNames before = named;
    for (const ExtensionHeader& header : extensionHeaders())
      if (named.contains(header.name) && first.find(header.name) != std::string::npos)
        named.erase(header.name);
      else if (std::ranges::any_of(header.functions,
                                   [&](std::string_view name) { return first.find(name) != std::string::npos; }))
        named.insert(header.name);
    if (named != before) {
      first.clear();
      read.clear();
      module = compile(request, options, context, first, read, named);
    }
  }
  if (module) module = withoutUnsupported(std::move(module), request, options, context, first, named);
  const bool isPortable = request.kind != BuildKind::Spirv;
  if (module && isPortable && options.debugInfo) flattenDebugLocations(*module);
  if (module && isPortable && (options.unsafeMath || options.fastRelaxedMath)) callNativeFunctions(*module);
  log += first;
  dependencies.insert(dependencies.end(), read.begin(), read.end());
  return module;
}

} // namespace clotho::compiler
