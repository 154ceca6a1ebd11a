// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/emit_object.hpp"

#include "compiler/backend/cpu/compare_pass.hpp"
#include "compiler/backend/cpu/source_order.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

namespace clotho::compiler {
namespace {

/// Adds LLVM's code generation passes without three of them. Loop strength reduction has run in pass_pipeline.cpp where
/// it helps. Two passes of LLVM 22 are wrong:
/// - If a mask's bits are read (vpmovd2m, kmov) before a gather takes the mask, the EVEX compression pass makes one
///   vmovmskps of the first two and leaves the gather without a mask (llvm-project, issue 198197; issue 191304 is
///   another of its faults).
/// - The peephole pass folds masked loads into the operation with the same mask. Under register pressure another pass
///   unfolds them without the mask, and lanes read memory that they must not. ComparePass replaces its work on
///   comparisons.
/// Passes are recognised by name rather than disabled by LLVM's options (disable-peephole), which lld resets whenever
/// it links.
class CodePasses final : public llvm::legacy::PassManager {
 public:
  CodePasses(StackUses& stacks, llvm::StringSet<>& inSourceOrder) : stacks_(stacks), inSourceOrder_(inSourceOrder) {}

  void add(llvm::Pass* pass) override {
    static constexpr llvm::StringLiteral kLeftOut[] = {
        "Canonicalize Freeze Instructions in Loops", "Loop Strength Reduction", "Compressing EVEX instrs when possible",
        "Peephole Optimizations"};
    const bool isPeephole = pass->getPassName() == "Peephole Optimizations";
    if (pass->getPassName().ends_with("Assembly Printer")) PassManager::add(createStackUsePass(stacks_));
    if (pass->getPassName() == "Machine Instruction Scheduler") PassManager::add(createSourceOrderPass(inSourceOrder_));
    if (llvm::is_contained(kLeftOut, pass->getPassName()))
      delete pass;
    else
      PassManager::add(pass);
    if (isPeephole) PassManager::add(createComparePass());
  }

 private:
  StackUses& stacks_;
  llvm::StringSet<>& inSourceOrder_;
};

/// Skips the scheduler for functions in source order, and passes of quadratic time in huge functions, which hardly run
/// longer without them:
/// - The scheduler compares all memory accesses of a block.
/// - Machine LICM hoists constants out of loops of thousands of blocks, where they are live everywhere and spilled.
/// - Branch folding reorders and renumbers blocks for each shortened branch.
/// - Stack colouring compares all pairs of thousands of stack slots, which mostly hold something at the same time.
class PassChoice final : public llvm::OptPassGate {
 public:
  PassChoice(llvm::Module& module, const llvm::StringSet<>& inSourceOrder)
      : inSourceOrder_(inSourceOrder), context_(module.getContext()), previous_(context_.getOptPassGate()) {
    for (const llvm::Function& function : module) {
      const std::string name = ("function (" + function.getName() + ")").str(); // as LLVM describes it
      if (function.size() > kMostBlocks) ofManyBlocks_.insert(name);
      std::size_t slots = 0;
      for (const llvm::BasicBlock& block : function) {
        if (block.size() > kLongestBlock) ofLongBlocks_.insert(name);
        slots += static_cast<std::size_t>(llvm::count_if(block, llvm::IsaPred<llvm::AllocaInst>));
      }
      if (slots > kMostSlots) ofManySlots_.insert(name);
    }
    context_.setOptPassGate(*this);
  }
  PassChoice(const PassChoice&) = delete;
  PassChoice& operator=(const PassChoice&) = delete;
  ~PassChoice() override { context_.setOptPassGate(previous_); }

  bool isEnabled() const override { return true; }
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef description) const override {
    static constexpr llvm::StringLiteral kOfManyBlocks[] = {"block-placement", "branch-folder", "early-machinelicm"};
    if (pass == "machine-scheduler")
      return !ofLongBlocks_.contains(description) && !inSourceOrder_.contains(description);
    if (pass == "stack-coloring") return !ofManySlots_.contains(description);
    return !llvm::is_contained(kOfManyBlocks, pass) || !ofManyBlocks_.contains(description);
  }

 private:
  // Limits above those of all functions of bench/, which have at most 450 blocks, and 1,550 instructions in a block.
  static constexpr std::size_t kMostBlocks = 1000, kLongestBlock = 3000, kMostSlots = 500;
  const llvm::StringSet<>& inSourceOrder_;
  llvm::LLVMContext& context_;
  llvm::OptPassGate& previous_;
  llvm::StringSet<> ofManyBlocks_, ofLongBlocks_, ofManySlots_;
};

} // namespace

llvm::Error emitCode(llvm::Module& module, llvm::TargetMachine& machine, Emit what, llvm::SmallVectorImpl<char>& out,
                     StackUses& stacks) {
  llvm::raw_svector_ostream stream(out);
  llvm::StringSet<> inSourceOrder;
  CodePasses passes(stacks, inSourceOrder);
  // Functions of the program may share names with C library functions and are no such functions.
  llvm::TargetLibraryInfoImpl library(module.getTargetTriple());
  library.disableAllFunctions();
  passes.add(new llvm::TargetLibraryInfoWrapperPass(library));
  const auto type = what == Emit::Object ? llvm::CodeGenFileType::ObjectFile : llvm::CodeGenFileType::AssemblyFile;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true))
    return llvm::createStringError("LLVM's code generator for this CPU writes no object files");
  const PassChoice gate(module, inSourceOrder);
  passes.run(module);
  return llvm::Error::success();
}

} // namespace clotho::compiler
