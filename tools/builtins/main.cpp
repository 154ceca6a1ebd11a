// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins/import_libclc.hpp"
#include "builtins/pack.hpp"
#include "builtins/prepare.hpp"
#include "compiler/transform/lower/lower_objects.hpp"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/InitLLVM.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/WithColor.h>
#include <llvm/Support/raw_ostream.h>

using namespace clotho;

namespace {

llvm::Error makeLibrary(llvm::StringRef libclc, llvm::ArrayRef<std::string> ownFiles, llvm::StringRef output) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> own;
  for (const std::string& file : ownFiles) {
    llvm::SMDiagnostic error;
    std::unique_ptr<llvm::Module> module = llvm::parseIRFile(file, error, context);
    if (!module) return llvm::createStringError(llvm::inconvertibleErrorCode(), file + ": " + error.getMessage());
    if (!own) {
      own = std::move(module);
    } else if (llvm::Linker::linkModules(*own, std::move(module))) {
      return llvm::createStringError(llvm::inconvertibleErrorCode(), file + " does not link with the other files");
    }
  }
  // Before there are names to remember: functions change their types.
  compiler::lowerObjects(*own);
  llvm::StringSet<> ownSymbols;
  for (llvm::Function& function : *own)
    if (!function.isDeclaration()) ownSymbols.insert(function.getName());
  for (llvm::NamedMDNode& node : llvm::make_early_inc_range(own->named_metadata()))
    own->eraseNamedMetadata(&node);

  auto base = tools::importLibclc(libclc, *own);
  if (!base) return base.takeError();
  if (llvm::Linker::linkModules(*own, std::move(*base), llvm::Linker::Flags::None))
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "libclc does not link with the library's own files");
  tools::prepare(*own, ownSymbols);
  if (llvm::Error error = tools::checkSelfContained(*own)) return error;
  return tools::pack(std::move(own), output);
}

} // namespace

int main(int argc, char** argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::opt<std::string> libclc("libclc", llvm::cl::desc("bitcode of libclc for nvptx64"), llvm::cl::Required);
  llvm::cl::opt<std::string> output("o", llvm::cl::desc("the library to write"), llvm::cl::Required);
  llvm::cl::list<std::string> own(llvm::cl::Positional, llvm::cl::desc("<own bitcode files>"), llvm::cl::OneOrMore);
  llvm::cl::ParseCommandLineOptions(argc, argv, "Makes Clotho's builtin library.\n");
  if (llvm::Error error = makeLibrary(libclc, own, output)) {
    llvm::WithColor::error() << llvm::toString(std::move(error)) << '\n';
    return 1;
  }
  return 0;
}
