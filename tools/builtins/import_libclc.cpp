// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins/import_libclc.hpp"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>

namespace clotho::tools {

namespace {

llvm::Error failed(const llvm::Twine& why) { return llvm::createStringError(llvm::inconvertibleErrorCode(), why); }

void replaceAll(std::string& text, llvm::StringRef from, llvm::StringRef to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// The address space is part of every pointer's type, and LLVM offers no way to change a type in place, so the change
/// is made in the text form. NVPTX numbers global 1 and local 3 as spir does, and has no generic space in libclc; only
/// constant differs: 4, which is spir's generic.
llvm::Expected<std::unique_ptr<llvm::Module>> readAsSpir(llvm::StringRef path, llvm::LLVMContext& context) {
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> original = llvm::parseIRFile(path, error, context);
  if (!original) return failed("cannot read " + path + ": " + error.getMessage());
  std::string text;
  llvm::raw_string_ostream(text) << *original;
  original.reset();
  static_assert(sizeof("addrspace(4)") == sizeof("addrspace(2)")); // replaced in place, so linear
  replaceAll(text, "addrspace(4)", "addrspace(2)");
  replaceAll(text, "U3AS4", "U3AS2");
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, error, context);
  if (!module) return failed("libclc does not survive the change of address spaces: " + error.getMessage());
  return module;
}

/// Functions of libclc that are the compiler's to lower, or whose signatures are not spir's.
bool isUnwanted(llvm::StringRef name) {
  unsigned length = 0;
  llvm::StringRef base = name;
  if (base.consume_front("_Z") && !base.consumeInteger(10, length)) base = base.take_front(length);
  return base.starts_with("atom") || base.starts_with("async_work_group") || base.starts_with("get_") ||
         base == "wait_group_events";
}

bool isDefined(const llvm::Module& module, llvm::StringRef name) {
  const llvm::Function* function = module.getFunction(name);
  return function && !function->isDeclaration();
}

/// Functions of the same name in `own` take the place of libclc's, also where libclc calls them; but what `own`
/// declares as libclc's own version stays, under the name "libclc.<symbol>".
void dropUnwanted(llvm::Module& module, const llvm::Module& own) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (function.isDeclaration()) continue;
    const std::string original = ("libclc." + function.getName()).str();
    if (own.getFunction(original)) {
      function.setName(original);
      continue;
    }
    if (!isUnwanted(function.getName()) && !isDefined(own, function.getName())) continue;
    function.deleteBody();
    if (function.use_empty()) function.eraseFromParent();
  }
}

void dropMetadata(llvm::Module& module) {
  for (llvm::NamedMDNode& node : llvm::make_early_inc_range(module.named_metadata()))
    module.eraseNamedMetadata(&node);
  for (llvm::Function& function : module) {
    // Type-based alias facts of the library's own accesses would hold against programs that read a vector through a
    // pointer to its elements.
    for (llvm::Instruction& instruction : llvm::instructions(function))
      instruction.dropUnknownNonDebugMetadata({llvm::LLVMContext::MD_loop, llvm::LLVMContext::MD_range,
                                               llvm::LLVMContext::MD_prof, llvm::LLVMContext::MD_nonnull});
  }
}

void setConventions(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!function.isIntrinsic()) function.setCallingConv(llvm::CallingConv::SPIR_FUNC);
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call && call->getCalledFunction() && !call->getCalledFunction()->isIntrinsic())
        call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    }
  }
}

/// libclc indexes tables by conversions that are poison for infinities, NaN and huge numbers; saturated they stay in
/// range, or at least give the value of some number.
void saturateConversions(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      const unsigned opcode = instruction.getOpcode();
      if (opcode != llvm::Instruction::FPToSI && opcode != llvm::Instruction::FPToUI) continue;
      llvm::Value* number = instruction.getOperand(0);
      llvm::IRBuilder<> builder(&instruction);
      llvm::Value* saturated = builder.CreateIntrinsic(
          opcode == llvm::Instruction::FPToSI ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
          {instruction.getType(), number->getType()}, {number});
      instruction.replaceAllUsesWith(saturated);
      saturated->takeName(&instruction);
      instruction.eraseFromParent();
    }
  }
}

} // namespace

llvm::Expected<std::unique_ptr<llvm::Module>> importLibclc(llvm::StringRef path, const llvm::Module& own) {
  auto module = readAsSpir(path, own.getContext());
  if (!module) return module.takeError();
  (*module)->setDataLayout(own.getDataLayout());
  (*module)->setTargetTriple(own.getTargetTriple());
  dropUnwanted(**module, own);
  dropMetadata(**module);
  setConventions(**module);
  saturateConversions(**module);
  return std::move(*module);
}

} // namespace clotho::tools
