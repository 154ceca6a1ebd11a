// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins/prepare.hpp"

#include "compiler/builtins/format.hpp"
#include "compiler/ir/pipe_functions.hpp"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/FunctionAttrs.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

namespace clotho::tools {

namespace {

/// Bodies up to this many instructions cost less than a call and hide nothing from the vectorisers.
constexpr unsigned kSmallBody = 40;

/// Up to this many are inlined wherever they are called in optimised kernels: what stays a call runs for one lane after
/// the other.
constexpr unsigned kWidenedBody = 600;

/// Elements of the longest vectors that count as short. In longer ones one lane's numbers fill registers, and libclc's
/// functions are vectors throughout.
constexpr unsigned kShortVector = 4;

bool isAtomic(llvm::StringRef name) { return name.contains("atomic_") || name.contains("atom_"); }

/// They branch on formats and samplers that are constants in the end, or alike for all work-items; and their
/// coordinates say which texels lie beside each other.
bool isOfImages(llvm::StringRef name) { return name.contains("ocl_image"); }

/// They are long, rarely called, and do for one work-item after the other what takes no vector.
bool isOutOfLine(llvm::StringRef name) { return name.starts_with(compiler::builtin_format::kOutOfLinePrefix); }
/// Functions that copy a packet know its size where they are inlined. Those that move the ends of a pipe stay calls.
bool isOfPipes(llvm::StringRef name) { return name.starts_with("__") && name.contains("_pipe"); }

/// Only what holds on every target stays; whether a function is convergent is found anew from its calls.
void normaliseAttributes(llvm::Function& function) {
  llvm::AttributeMask gone;
  for (llvm::Attribute attribute : function.getAttributes().getFnAttrs())
    if (attribute.isStringAttribute()) gone.addAttribute(attribute.getKindAsString());
  for (llvm::Attribute::AttrKind kind :
       {llvm::Attribute::Convergent, llvm::Attribute::NoInline, llvm::Attribute::OptimizeNone,
        llvm::Attribute::AlwaysInline, llvm::Attribute::StackProtect, llvm::Attribute::StackProtectStrong,
        llvm::Attribute::UWTable, llvm::Attribute::NoBuiltin})
    gone.addAttribute(kind);
  function.removeFnAttrs(gone);
  if (isOutOfLine(function.getName())) function.addFnAttr(llvm::Attribute::NoInline);
  if (!function.hasLocalLinkage()) function.setDSOLocal(false);
  function.setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::None);
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      call->removeFnAttr(llvm::Attribute::Convergent);
      if (auto* plain = llvm::dyn_cast<llvm::CallInst>(call)) plain->setTailCall(false);
    }
  }
}

/// An operation that work-items do together makes a function convergent, directly or through its callees.
bool isDoneTogether(const llvm::Function& function) {
  const llvm::StringRef name = function.getName();
  if (name.starts_with("clotho.pipe.once.")) return true;
  return function.isDeclaration() &&
         (name.contains("barrier") || name.contains("_broadcast") || name.starts_with("clotho.sub_group."));
}

void markConvergent(llvm::Module& module) {
  llvm::SmallVector<llvm::Function*> work;
  for (llvm::Function& function : module)
    if (isDoneTogether(function)) work.push_back(&function);
  while (!work.empty()) {
    llvm::Function* function = work.pop_back_val();
    if (function->isConvergent()) continue;
    function->setConvergent();
    for (llvm::User* user : function->users()) {
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(user)) {
        call->setConvergent();
        work.push_back(call->getFunction());
      }
    }
  }
  // They wait for the whole work-group, though no barrier is inside.
  for (llvm::Function& function : module)
    if (function.getName().contains("async_work_group")) function.setConvergent();
}

bool isOfShortVectors(const llvm::Function& function) {
  const auto isShort = [](const llvm::Type* type) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    return vector == nullptr || vector->getNumElements() <= kShortVector;
  };
  return isShort(function.getReturnType()) && llvm::all_of(function.getFunctionType()->params(), isShort);
}

void markSmallBodies(llvm::Module& module, const llvm::StringSet<>& own) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr(compiler::builtin_format::kBuiltinAttribute);
    if (compiler::isPipeFunction(function) || isOutOfLine(function.getName())) {
      function.addFnAttr(llvm::Attribute::NoInline);
      continue;
    }
    // Atomics branch on an order that is a constant at nearly every call.
    const llvm::StringRef name = function.getName();
    if (isAtomic(name) || isOfImages(name) || isOfPipes(name) || function.getInstructionCount() <= kSmallBody)
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    else if (function.getInstructionCount() <= kWidenedBody &&
             (own.contains(function.getName()) || isOfShortVectors(function)))
      function.addFnAttr("function-inline-cost", "0"); // the inliner's own attribute
  }
}

void simplify(llvm::Module& module, const llvm::StringSet<>& own) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);

  llvm::AlwaysInlinerPass(/*InsertLifetime=*/false).run(module, modules);
  functions.clear();
  llvm::FunctionPassManager clean;
  clean.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  clean.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  clean.addPass(llvm::InstCombinePass());
  clean.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function& function : module)
    if (!function.isDeclaration() && own.contains(function.getName())) clean.run(function, functions);

  modules.clear();
  llvm::ModulePassManager infer;
  infer.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(llvm::PostOrderFunctionAttrsPass()));
  infer.run(module, modules);
}

/// Functions the compiler lowers: work-item functions, barriers, letting others run, broadcasts, operations of live
/// lanes, and the bounds of a work-group's memories.
bool isLowered(llvm::StringRef name) {
  if (name.starts_with("clotho.get_") || name.starts_with("clotho.sub_group.")) return true;
  return llvm::StringSwitch<bool>(name)
      .Case("clotho.let_others_run", true)
      .Case("_Z12get_local_idj", true)
      .Case("_Z19get_local_linear_idv", true)
      .Case("_Z22get_sub_group_local_idv", true)
      .Case("_Z14get_local_sizej", true)
      .Case("_Z13get_global_idj", true)
      .Case("_Z12get_group_idj", true)
      .Case("_Z7barrierj", true)
      .Case("_Z18work_group_barrierj", true)
      .Case("_Z20work_group_broadcastmm", true)
      .Case("_Z17sub_group_barrierj", true)
      .Case("_Z19sub_group_broadcastmj", true)
      .Default(false);
}

/// Every intrinsic that may be in the library; each becomes instructions, or a function of rt.c, on every CPU.
bool isHarmless(llvm::Intrinsic::ID id) {
  using namespace llvm;
  switch (id) {
  case Intrinsic::abs:
  case Intrinsic::assume:
  case Intrinsic::bitreverse:
  case Intrinsic::bswap:
  case Intrinsic::ceil:
  case Intrinsic::copysign:
  case Intrinsic::ctlz:
  case Intrinsic::ctpop:
  case Intrinsic::cttz:
  case Intrinsic::fabs:
  case Intrinsic::floor:
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
  case Intrinsic::fptosi_sat:
  case Intrinsic::fptoui_sat:
  case Intrinsic::fshl:
  case Intrinsic::fshr:
  case Intrinsic::is_fpclass:
  case Intrinsic::lifetime_end:
  case Intrinsic::lifetime_start:
  case Intrinsic::maximumnum:
  case Intrinsic::maxnum:
  case Intrinsic::memcpy:
  case Intrinsic::memset:
  case Intrinsic::minimumnum:
  case Intrinsic::minnum:
  case Intrinsic::readcyclecounter:
  case Intrinsic::rint:
  case Intrinsic::round:
  case Intrinsic::sadd_sat:
  case Intrinsic::smax:
  case Intrinsic::smin:
  case Intrinsic::sqrt:
  case Intrinsic::ssub_sat:
  case Intrinsic::trunc:
  case Intrinsic::uadd_sat:
  case Intrinsic::umax:
  case Intrinsic::umin:
  case Intrinsic::umul_with_overflow:
  case Intrinsic::usub_sat:
  case Intrinsic::vector_reduce_and:
  case Intrinsic::vector_reduce_or: return true;
  default: return false;
  }
}

} // namespace

void prepare(llvm::Module& module, const llvm::StringSet<>& own) {
  for (llvm::Function& function : module)
    if (!function.isIntrinsic()) normaliseAttributes(function);
  markSmallBodies(module, own);
  simplify(module, own);
  markConvergent(module);
}

llvm::Error checkSelfContained(const llvm::Module& module) {
  std::string complaints;
  llvm::raw_string_ostream out(complaints);
  for (const llvm::Function& function : module) {
    const bool allowed = function.isIntrinsic() ? isHarmless(function.getIntrinsicID()) : isLowered(function.getName());
    if (function.isDeclaration() && !function.use_empty() && !allowed) {
      out << "\n  " << function.getName() << " is called";
      if (const auto* call = llvm::dyn_cast<llvm::Instruction>(*function.user_begin()))
        out << " by " << call->getFunction()->getName();
    }
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      if (instruction.getOpcode() == llvm::Instruction::FRem) out << "\n  " << function.getName() << " has an frem";
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        if (!call->getCalledFunction()) out << "\n  " << function.getName() << " calls through a pointer";
      }
      // Such facts would hold against programs that read a vector through a pointer to its elements, say.
      if (instruction.hasMetadata(llvm::LLVMContext::MD_tbaa) ||
          instruction.hasMetadata(llvm::LLVMContext::MD_tbaa_struct))
        out << "\n  " << function.getName() << " tells what memory is apart by its type";
    }
  }
  if (llvm::verifyModule(module, &out)) out << "\n  (the verifier's complaints)";
  if (complaints.empty()) return llvm::Error::success();
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "the library is not self-contained:" + complaints);
}

} // namespace clotho::tools
