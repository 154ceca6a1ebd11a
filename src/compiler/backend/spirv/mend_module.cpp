// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/spirv/mend_module.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <spirv/unified1/spirv.hpp>

#include <optional>

namespace clotho::compiler {
namespace {

/// A function's name and the mangling of its parameters: `_Z3anyDv4_i` is "any" and "Dv4_i".
struct Mangled {
  llvm::StringRef name, parameters;
};

std::optional<Mangled> demangled(llvm::StringRef symbol) {
  unsigned length = 0;
  if (!symbol.consume_front("_Z") || symbol.consumeInteger(10, length) || symbol.size() < length) return std::nullopt;
  return Mangled{symbol.take_front(length), symbol.drop_front(length)};
}

/// Replaces each call by the value that `make` builds before it.
template <class Make> void replaceCalls(llvm::Function& function, Make&& make) {
  for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call == nullptr || call->getCalledFunction() != &function) continue;
    llvm::IRBuilder<> builder(call);
    call->replaceAllUsesWith(make(builder, *call));
    call->eraseFromParent();
  }
}

/// Expands `any` and `all` (OpenCL C 3.0, section 6.15.6): whether the most significant bit is set in any element, or
/// in all.
void mendAnyOrAll(llvm::Function& function, bool isAll) {
  replaceCalls(function, [&](llvm::IRBuilder<>& builder, llvm::CallInst& call) {
    llvm::Value* value = call.getArgOperand(0);
    llvm::Value* set = builder.CreateICmpSLT(value, llvm::Constant::getNullValue(value->getType()));
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
    llvm::Value* found = vector == nullptr ? set : builder.CreateExtractElement(set, std::uint64_t{0});
    for (unsigned i = 1; vector != nullptr && i < vector->getNumElements(); ++i) {
      llvm::Value* next = builder.CreateExtractElement(set, i);
      found = isAll ? builder.CreateAnd(found, next) : builder.CreateOr(found, next);
    }
    return builder.CreateZExt(found, call.getType());
  });
}

/// Whether a type is signed, by its letter in a mangled name; nothing if it is not an integer.
std::optional<bool> isSignedLetter(char letter) {
  if (llvm::StringRef("csil").contains(letter)) return true;
  if (llvm::StringRef("htjm").contains(letter)) return false;
  return std::nullopt;
}

/// Signedness of `convert_TYPE_sat` between integers, also for vectors and with a rounding mode, which has no meaning
/// for integers.
struct Saturating {
  bool fromSigned, toSigned;
};
std::optional<Saturating> saturatingConversion(const Mangled& function) {
  llvm::StringRef name = function.name, parameters = function.parameters;
  if (!name.consume_front("convert_") || !name.contains("_sat")) return std::nullopt;
  if (parameters.consume_front("Dv")) parameters = parameters.drop_while(llvm::isDigit).drop_front();
  const auto from = parameters.size() == 1 ? isSignedLetter(parameters.front()) : std::nullopt;
  const llvm::StringRef type = name.take_while(llvm::isAlpha);
  const bool toUnsigned = type.starts_with("u");
  if (!from || !llvm::is_contained({"char", "short", "int", "long"}, toUnsigned ? type.drop_front() : type))
    return std::nullopt;
  return Saturating{*from, !toUnsigned};
}

void mendSaturation(llvm::Function& function, bool isSigned) {
  replaceCalls(function, [&](llvm::IRBuilder<>& builder, llvm::CallInst& call) -> llvm::Value* {
    llvm::Value* value = call.getArgOperand(0);
    llvm::Type *from = value->getType(), *to = call.getType();
    const unsigned bits = from->getScalarSizeInBits(), toBits = to->getScalarSizeInBits();
    const auto clamp = [&](const llvm::APInt& limit, llvm::CmpInst::Predicate beyond) {
      llvm::Constant* bound = llvm::ConstantInt::get(from, limit);
      value = builder.CreateSelect(builder.CreateICmp(beyond, value, bound), bound, value);
    };
    if (toBits >= bits) return isSigned ? builder.CreateSExt(value, to) : builder.CreateZExt(value, to);
    if (isSigned) {
      clamp(llvm::APInt::getSignedMaxValue(toBits).sext(bits), llvm::CmpInst::ICMP_SGT);
      clamp(llvm::APInt::getSignedMinValue(toBits).sext(bits), llvm::CmpInst::ICMP_SLT);
    } else {
      clamp(llvm::APInt::getMaxValue(toBits).zext(bits), llvm::CmpInst::ICMP_UGT);
    }
    return builder.CreateTrunc(value, to);
  });
}

void mendCompareAndExchange(llvm::Module& module, llvm::Function& function, const Mangled& mangled) {
  const llvm::StringRef name =
      llvm::StringSwitch<llvm::StringRef>(mangled.name)
          .Case("atomic_compare_exchange_weak", "_Z30atomic_compare_exchange_strong")
          .Case("atomic_compare_exchange_weak_explicit", "_Z39atomic_compare_exchange_strong_explicit")
          .Default("");
  if (name.empty()) return;
  const std::string strong = (name + mangled.parameters).str();
  if (llvm::Function* other = module.getFunction(strong)) {
    function.replaceAllUsesWith(other);
    function.eraseFromParent();
  } else {
    function.setName(strong);
  }
}

/// Whether a floating-point operation may not be contracted, as under `#pragma OPENCL FP_CONTRACT OFF`.
bool staysApart(const llvm::Instruction& instruction) {
  switch (instruction.getOpcode()) {
  case llvm::Instruction::FAdd:
  case llvm::Instruction::FSub:
  case llvm::Instruction::FMul: return !instruction.hasAllowContract();
  default: return false;
  }
}

/// Whether a kernel, or a function that it calls, has an operation that may not be contracted.
bool runsWhatStaysApart(llvm::Function& kernel) {
  llvm::SetVector<const llvm::Function*> called;
  called.insert(&kernel);
  for (std::size_t at = 0; at < called.size(); ++at)
    for (const llvm::Instruction& instruction : llvm::instructions(*called[at])) {
      if (staysApart(instruction)) return true;
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
      if (callee != nullptr) called.insert(callee);
    }
  return false;
}

} // namespace

void mendForSpirv(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    const auto mangled = function.isDeclaration() ? demangled(function.getName()) : std::nullopt;
    if (!mangled) continue;
    if (mangled->name == "any" || mangled->name == "all") mendAnyOrAll(function, mangled->name == "all");
    if (const auto conversion = saturatingConversion(*mangled))
      if (conversion->fromSigned == conversion->toSigned) mendSaturation(function, conversion->fromSigned);
    mendCompareAndExchange(module, function, *mangled);
  }
}

void allowContraction(llvm::Module& module) {
  constexpr const char *kAllow = "opencl.enable.FP_CONTRACT", *kModes = "spirv.ExecutionMode";
  module.getOrInsertNamedMetadata(kAllow);
  // In SPIR-V the mode applies to everything that a kernel runs.
  llvm::LLVMContext& context = module.getContext();
  for (llvm::Function& kernel : module) {
    if (kernel.getCallingConv() != llvm::CallingConv::SPIR_KERNEL || !runsWhatStaysApart(kernel)) continue;
    llvm::Constant* mode = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), spv::ExecutionModeContractionOff);
    module.getOrInsertNamedMetadata(kModes)->addOperand(
        llvm::MDNode::get(context, {llvm::ConstantAsMetadata::get(&kernel), llvm::ConstantAsMetadata::get(mode)}));
  }
}

} // namespace clotho::compiler
