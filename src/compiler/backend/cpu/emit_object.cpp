// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/emit_object.hpp"

#include "compiler/backend/cpu/compare_pass.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

namespace clotho::compiler {
namespace {

/// Without the reduction of strength, which pass_pipeline.cpp has done where it is of use, and without two passes of
/// LLVM 22 that are wrong:
/// - Where a mask's bits are looked at (vpmovd2m, kmov) before a gather takes the mask, the one that shortens encodings
///   makes one vmovmskps of the first two and leaves the gather without a mask (llvm-project, issue 198197; issue
///   191304 is another of its faults).
/// - The peephole pass folds loads under a mask into the operation that has the same mask; where registers ask for it,
///   another pass takes them out again without the mask, and lanes read what they must not. What it does for
///   comparisons is done in its place.
/// By name, not by LLVM's options (disable-peephole): lld sets those back to their defaults whenever it links.
class CodePasses final : public llvm::legacy::PassManager {
 public:
  explicit CodePasses(StackUses& stacks) : stacks_(stacks) {}

  void add(llvm::Pass* pass) override {
    static constexpr llvm::StringLiteral kLeftOut[] = {
        "Canonicalize Freeze Instructions in Loops", "Loop Strength Reduction", "Compressing EVEX instrs when possible",
        "Peephole Optimizations"};
    const bool isPeephole = pass->getPassName() == "Peephole Optimizations";
    if (pass->getPassName().ends_with("Assembly Printer")) PassManager::add(createStackUsePass(stacks_));
    if (llvm::is_contained(kLeftOut, pass->getPassName()))
      delete pass;
    else
      PassManager::add(pass);
    if (isPeephole) PassManager::add(createComparePass());
  }

 private:
  StackUses& stacks_;
};

} // namespace

llvm::Error emitCode(llvm::Module& module, llvm::TargetMachine& machine, Emit what, llvm::SmallVectorImpl<char>& out,
                     StackUses& stacks) {
  llvm::raw_svector_ostream stream(out);
  CodePasses passes(stacks);
  // Functions of the program may bear names of the C library, and are not what the C library has under them.
  llvm::TargetLibraryInfoImpl library(module.getTargetTriple());
  library.disableAllFunctions();
  passes.add(new llvm::TargetLibraryInfoWrapperPass(library));
  const auto type = what == Emit::Object ? llvm::CodeGenFileType::ObjectFile : llvm::CodeGenFileType::AssemblyFile;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true))
    return llvm::createStringError("LLVM's code generator for this CPU writes no object files");
  passes.run(module);
  return llvm::Error::success();
}

} // namespace clotho::compiler
