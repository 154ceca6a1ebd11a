// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of functions that a module imports by the names of LLVM's intrinsics: translators write them if SPIR-V has no
// instruction.
#include "compiler/frontend/spirv/reader.hpp"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

namespace clotho::compiler::spirv {
namespace {

using llvm::Intrinsic::ID;

/// Types that an intrinsic's name depends on.
enum class Overload : std::uint8_t {
  First,   ///< the first argument's
  Memory,  ///< two pointers' and a size's
  Setting, ///< a pointer's and a size's
};

std::optional<Overload> overloadOf(ID id) {
  switch (id) {
  case llvm::Intrinsic::sadd_sat:
  case llvm::Intrinsic::uadd_sat:
  case llvm::Intrinsic::ssub_sat:
  case llvm::Intrinsic::usub_sat:
  case llvm::Intrinsic::sshl_sat:
  case llvm::Intrinsic::ushl_sat:
  case llvm::Intrinsic::sadd_with_overflow:
  case llvm::Intrinsic::uadd_with_overflow:
  case llvm::Intrinsic::ssub_with_overflow:
  case llvm::Intrinsic::usub_with_overflow:
  case llvm::Intrinsic::smul_with_overflow:
  case llvm::Intrinsic::umul_with_overflow:
  case llvm::Intrinsic::bitreverse:
  case llvm::Intrinsic::bswap:
  case llvm::Intrinsic::fshl:
  case llvm::Intrinsic::fshr:
  case llvm::Intrinsic::ctlz:
  case llvm::Intrinsic::cttz:
  case llvm::Intrinsic::ctpop:
  case llvm::Intrinsic::smin:
  case llvm::Intrinsic::smax:
  case llvm::Intrinsic::umin:
  case llvm::Intrinsic::umax:
  case llvm::Intrinsic::abs:
  case llvm::Intrinsic::minimum:
  case llvm::Intrinsic::maximum:
  case llvm::Intrinsic::expect:
  case llvm::Intrinsic::vector_reduce_add:
  case llvm::Intrinsic::vector_reduce_mul:
  case llvm::Intrinsic::vector_reduce_and:
  case llvm::Intrinsic::vector_reduce_or:
  case llvm::Intrinsic::vector_reduce_xor:
  case llvm::Intrinsic::vector_reduce_smin:
  case llvm::Intrinsic::vector_reduce_smax:
  case llvm::Intrinsic::vector_reduce_umin:
  case llvm::Intrinsic::vector_reduce_umax: return Overload::First;
  case llvm::Intrinsic::memcpy:
  case llvm::Intrinsic::memcpy_inline:
  case llvm::Intrinsic::memmove: return Overload::Memory;
  case llvm::Intrinsic::memset:
  case llvm::Intrinsic::memset_inline: return Overload::Setting;
  default: return std::nullopt;
  }
}

/// The OpenCL C function with the meaning of an intrinsic, since kernels have no C library; empty if there is none.
llvm::StringRef openclFunction(ID id) {
  switch (id) {
  case llvm::Intrinsic::fabs: return "fabs";
  case llvm::Intrinsic::floor: return "floor";
  case llvm::Intrinsic::ceil: return "ceil";
  case llvm::Intrinsic::trunc: return "trunc";
  case llvm::Intrinsic::rint:
  case llvm::Intrinsic::nearbyint:
  case llvm::Intrinsic::roundeven: return "rint";
  case llvm::Intrinsic::round: return "round";
  case llvm::Intrinsic::sqrt: return "sqrt";
  case llvm::Intrinsic::exp: return "exp";
  case llvm::Intrinsic::exp2: return "exp2";
  case llvm::Intrinsic::log: return "log";
  case llvm::Intrinsic::log2: return "log2";
  case llvm::Intrinsic::log10: return "log10";
  case llvm::Intrinsic::sin: return "sin";
  case llvm::Intrinsic::cos: return "cos";
  case llvm::Intrinsic::pow: return "pow";
  case llvm::Intrinsic::fma: return "fma";
  case llvm::Intrinsic::fmuladd: return "mad";
  case llvm::Intrinsic::minnum: return "fmin";
  case llvm::Intrinsic::maxnum: return "fmax";
  case llvm::Intrinsic::copysign: return "copysign";
  default: return {};
  }
}

/// Operations of functions named `llvm.fpbuiltin.…`, whose error an attribute limits (SPV_INTEL_fp_max_error). OpenCL
/// C's functions have the accuracy of its specification.
std::optional<llvm::Instruction::BinaryOps> operationOf(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<llvm::Instruction::BinaryOps>>(name)
      .Case("fadd", llvm::Instruction::FAdd)
      .Case("fsub", llvm::Instruction::FSub)
      .Case("fmul", llvm::Instruction::FMul)
      .Case("fdiv", llvm::Instruction::FDiv)
      .Default(std::nullopt);
}

/// The OpenCL C function with the meaning of a name after `llvm.fpbuiltin.`; empty if there is none.
llvm::StringRef openclFunctionOf(llvm::StringRef name) {
  if (name == "frem") return "fmod";
  constexpr llvm::StringLiteral kSame[] = {"sin",   "cos",   "tan",   "sinh",  "cosh",  "tanh",  "asin",
                                           "acos",  "atan",  "asinh", "acosh", "atanh", "exp",   "exp2",
                                           "exp10", "expm1", "log",   "log2",  "log10", "log1p", "sqrt",
                                           "rsqrt", "erf",   "erfc",  "atan2", "ldexp", "pow",   "hypot"};
  return llvm::is_contained(kSame, name) ? name : llvm::StringRef();
}

/// Whether the intrinsic is a hint without effect on results.
bool isIdle(ID id) {
  switch (id) {
  case llvm::Intrinsic::lifetime_start:
  case llvm::Intrinsic::lifetime_end:
  case llvm::Intrinsic::invariant_end:
  case llvm::Intrinsic::experimental_noalias_scope_decl:
  case llvm::Intrinsic::donothing:
  case llvm::Intrinsic::sideeffect:
  case llvm::Intrinsic::assume:
  case llvm::Intrinsic::var_annotation: return true;
  default: return false;
  }
}

} // namespace

void Reader::callLlvmFunction(llvm::StringRef name, const Instruction& instruction,
                              llvm::ArrayRef<llvm::Value*> arguments) {
  const ID id = llvm::Intrinsic::lookupIntrinsicID(name);
  llvm::Type* result = llvmType(instruction.type);
  const auto refuse = [&](const char* why) { fail("the module calls the function " + name + ", " + why); };
  if (failed()) return;
  if (isIdle(id) && result->isVoidTy()) {
    valueTypes_[instruction.result] = instruction.type;
    return;
  }
  llvm::StringRef inexact = name;
  inexact = inexact.consume_front("llvm.fpbuiltin.") ? inexact.split('.').first : "";
  const auto areOfResultType = [&](llvm::ArrayRef<llvm::Value*> values) {
    return result->isFPOrFPVectorTy() && llvm::all_of(values, [&](auto* value) { return value->getType() == result; });
  };
  if (const auto operation = operationOf(inexact)) {
    if (arguments.size() != 2 || !areOfResultType(arguments)) return refuse("whose type is another one");
    return define(instruction, builder.CreateBinOp(*operation, arguments[0], arguments[1]));
  }
  if (const llvm::StringRef function = inexact.empty() ? openclFunction(id) : openclFunctionOf(inexact);
      !function.empty()) {
    const bool hasExponent = function == "ldexp" && arguments.size() == 2;
    if (!areOfResultType(hasExponent ? arguments.take_front() : arguments) ||
        (hasExponent && arguments[1]->getType() != result->getWithNewType(builder.getInt32Ty())))
      return refuse("whose type is another one");
    llvm::SmallVector<Argument, 3> given;
    for (llvm::Value* argument : arguments)
      given.push_back({argument, ParameterType::of(*argument->getType(), /*isSigned=*/true)});
    return define(instruction, callForElements(function, result, given));
  }
  const std::optional<Overload> overload = overloadOf(id);
  if (!overload) return refuse("which OpenCL does not have");
  const std::size_t needed = *overload == Overload::First ? 1 : 3;
  if (arguments.size() < needed) return refuse("whose type is another one");
  llvm::SmallVector<llvm::Type*, 3> types = {arguments[0]->getType()};
  if (*overload == Overload::Memory) types.push_back(arguments[1]->getType());
  if (*overload != Overload::First) types.push_back(arguments[2]->getType());
  const bool areRight = *overload == Overload::First ? types[0]->isIntOrIntVectorTy() || types[0]->isFPOrFPVectorTy()
                                                     : types.back()->isIntegerTy() &&
                                                           llvm::all_of(llvm::ArrayRef(types).drop_back(),
                                                                        [](auto* type) { return type->isPointerTy(); });
  const bool ofFloats = id == llvm::Intrinsic::minimum || id == llvm::Intrinsic::maximum;
  if (!areRight || (*overload == Overload::First && types[0]->isFPOrFPVectorTy() != ofFloats))
    return refuse("whose type is another one");
  llvm::Function* callee = llvm::Intrinsic::getOrInsertDeclaration(module_.get(), id, types);
  if (callee->arg_size() != arguments.size()) return refuse("whose type is another one");
  for (unsigned i = 0; i < arguments.size(); ++i) {
    if (arguments[i]->getType() != callee->getArg(i)->getType()) return refuse("whose type is another one");
    if (callee->hasParamAttribute(i, llvm::Attribute::ImmArg) && !llvm::isa<llvm::ConstantInt>(arguments[i]))
      return refuse("an argument of which has to be constant");
  }
  llvm::Value* made = builder.CreateCall(callee, arguments);
  if (made->getType()->isVoidTy()) {
    if (!result->isVoidTy()) return refuse("whose type is another one");
    valueTypes_[instruction.result] = instruction.type;
    return;
  }
  // A sum with overflow is a struct that may be a named type in the module.
  if (llvm::Value* same = copyLogically(made, result)) define(instruction, same);
}

} // namespace clotho::compiler::spirv
