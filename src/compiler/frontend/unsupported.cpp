// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/unsupported.hpp"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

namespace Intrinsic = llvm::Intrinsic;

/// Text for the log: the feature that an intrinsic needs and kernels lack. Null for supported intrinsics.
const char* reason(Intrinsic::ID intrinsic) {
  switch (intrinsic) {
  case Intrinsic::returnaddress:
  case Intrinsic::addressofreturnaddress:
  case Intrinsic::frameaddress:
  case Intrinsic::sponentry: return "the addresses of frames and of their callers";
  case Intrinsic::eh_sjlj_setjmp:
  case Intrinsic::eh_sjlj_longjmp:
  case Intrinsic::eh_sjlj_setup_dispatch: return "setjmp and longjmp";
  case Intrinsic::vastart:
  case Intrinsic::vacopy:
  case Intrinsic::vaend: return "functions with a variable number of arguments";
  case Intrinsic::stacksave:
  case Intrinsic::stackrestore: return "memory of a size that is known only when a kernel runs (alloca)";
  default: return nullptr;
  }
}

const char* reason(const llvm::Instruction& instruction, bool mayAssemble) {
  if (const auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
    return memory->isStaticAlloca() ? nullptr : "memory that is taken while a kernel runs (alloca)";
  if (llvm::isa<llvm::CallBrInst>(instruction)) return "assembly";
  if (llvm::isa<llvm::IndirectBrInst>(instruction)) return "jumps to computed labels";
  if (llvm::isa<llvm::VAArgInst>(instruction)) return "functions with a variable number of arguments";
  if (instruction.isEHPad() || llvm::isa<llvm::InvokeInst, llvm::ResumeInst>(instruction)) return "exceptions";
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr) return nullptr;
  // Empty assembly is only an optimisation barrier.
  if (const auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()))
    return mayAssemble || assembly->getAsmString().empty() ? nullptr : "assembly";
  return reason(call->getIntrinsicID());
}

Unsupported refusal(const char* what) { return {"error: kernels do not support " + std::string(what), false}; }

} // namespace

std::optional<Unsupported> findUnsupported(const llvm::Module& module, bool mayAssemble) {
  if (!module.getModuleInlineAsm().empty()) return refusal("assembly");
  for (const llvm::GlobalVariable& variable : module.globals())
    if (variable.isThreadLocal()) return refusal("variables of threads");
  for (const llvm::Function& function : module) {
    if (function.hasFnAttribute(llvm::Attribute::Naked)) return refusal("functions without a frame (naked)");
    for (const llvm::BasicBlock& block : function)
      if (block.hasAddressTaken()) return refusal("addresses of labels");
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const char* what = reason(instruction, mayAssemble);
      if (what == nullptr) continue;
      Unsupported found = refusal(what);
      if (const llvm::DILocation* at = instruction.getDebugLoc()) {
        found.hasLine = true;
        found.why = (at->getFilename() + ":" + llvm::Twine(at->getLine()) + ":" + llvm::Twine(at->getColumn()) + ": " +
                     found.why)
                        .str();
      }
      return found;
    }
  }
  return std::nullopt;
}

} // namespace clotho::compiler
