// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers to functions and calls through them (SPV_INTEL_function_pointers): virtual functions of SYCL, function
// pointers of HIP. A pointer is a number that identifies its function. A call compares it with the numbers of all
// possible functions, each of which can still be inlined and vectorised; lanes may call different ones.
#include "compiler/frontend/spirv/reader.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/Support/xxhash.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace clotho::compiler::spirv {

/// Number of a function. Exported and imported functions have numbers derived from their names, so that all modules
/// agree; others from their module.
std::uint64_t Reader::numberOfFunction(Id function) {
  std::string linkName;
  bool isImport = false;
  auto linkage = llvm::GlobalValue::InternalLinkage;
  readLinkage(function, linkName, isImport, linkage);
  if (moduleHash_ == 0) moduleHash_ = llvm::xxh3_64bits(request_->il) | 1;
  constexpr std::uint64_t kHashMultiplier = 0x9e3779b97f4a7c15;
  const std::uint64_t number =
      linkName.empty() ? moduleHash_ + function * kHashMultiplier : llvm::xxh3_64bits(linkName);
  return number | 1; // which no null pointer has
}

llvm::Constant* Reader::pointerToFunction(const Instruction& instruction) {
  const Id function = instruction.operand(0);
  llvm::Type* type = llvmType(instruction.type);
  if (!type->isPointerTy()) fail("a function's address is no pointer");
  if (failed()) return llvm::PoisonValue::get(type);
  const std::uint64_t number = numberOfFunction(function);
  pointedFunctions_.emplace(function, number);
  functionConstants_[instruction.result] = function;
  return llvm::ConstantExpr::getIntToPtr(builder.getInt64(number), type);
}

/// Calls the dispatch function for this function type, whose first parameter is the pointer.
llvm::CallInst* Reader::callThrough(llvm::Value* pointer, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::SmallVector<llvm::Type*, 8> types;
  for (const llvm::Value* argument : arguments)
    types.push_back(argument->getType());
  auto* called = llvm::FunctionType::get(result, types, false);
  types.insert(types.begin(), builder.getInt64Ty());
  llvm::Function*& dispatch = dispatches_[called];
  if (dispatch == nullptr) {
    dispatch = llvm::Function::Create(llvm::FunctionType::get(result, types, false), llvm::GlobalValue::InternalLinkage,
                                      "spirv.call", *module_);
    dispatch->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    for (const auto attribute : {llvm::Attribute::Convergent, llvm::Attribute::NoUnwind, llvm::Attribute::AlwaysInline})
      dispatch->addFnAttr(attribute);
  }
  llvm::SmallVector<llvm::Value*, 8> all = {builder.CreatePtrToInt(pointer, builder.getInt64Ty())};
  all.append(arguments.begin(), arguments.end());
  return callFunction(*dispatch, all);
}

void Reader::readPointerCall(const Instruction& instruction) {
  llvm::Value* pointer = value(instruction.operand(0));
  llvm::Type* result = type(instruction.type).type;
  llvm::SmallVector<llvm::Value*, 8> arguments;
  for (const Id id : instruction.operands.drop_front(std::min<std::size_t>(1, instruction.operands.size())))
    arguments.push_back(value(id));
  if (!failed() &&
      (!pointer->getType()->isPointerTy() || result == nullptr || !llvm::FunctionType::isValidReturnType(result)))
    fail("a call through what is no pointer to a function");
  if (failed()) return;
  llvm::CallInst* call = callThrough(pointer, result, arguments);
  if (result->isVoidTy())
    valueTypes_[instruction.result] = instruction.type;
  else
    define(instruction, call);
}

/// Writes the dispatch functions. A pointer that identifies no function of the type ends the command.
void Reader::defineDispatches() {
  builder.SetCurrentDebugLocation(llvm::DebugLoc());
  for (const auto& [called, dispatch] : dispatches_) {
    const auto block = [&, function = dispatch](const char* name) {
      return llvm::BasicBlock::Create(*context_, name, function);
    };
    llvm::BasicBlock *entry = block("entry"), *other = block("other");
    builder.SetInsertPoint(other);
    builder.CreateIntrinsic(llvm::Intrinsic::trap, {});
    builder.CreateUnreachable();
    builder.SetInsertPoint(entry);
    llvm::SwitchInst* choice = builder.CreateSwitch(dispatch->getArg(0), other);
    for (const auto& [id, number] : pointedFunctions_) {
      llvm::Function* function = functions_.lookup(id);
      if (function == nullptr || function->getFunctionType() != called) continue;
      llvm::BasicBlock* chosen = block("function");
      choice->addCase(builder.getInt64(number), chosen);
      builder.SetInsertPoint(chosen);
      llvm::SmallVector<llvm::Value*, 8> arguments;
      for (llvm::Argument& argument : llvm::drop_begin(dispatch->args()))
        arguments.push_back(&argument);
      llvm::CallInst* call = callFunction(*function, arguments);
      if (called->getReturnType()->isVoidTy())
        builder.CreateRetVoid();
      else
        builder.CreateRet(call);
    }
  }
}

/// Reads llvm.global_ctors and llvm.global_dtors, which list structures of a priority, a function and an associated
/// object. Lists of used symbols have no meaning here.
void Reader::readLlvmVariable(llvm::StringRef name, Id initial) {
  if (name == "llvm.used" || name == "llvm.compiler.used") return;
  const bool isFinal = name == "llvm.global_dtors";
  if (!isFinal && name != "llvm.global_ctors") return fail("a name that the compiler has for itself: " + name);
  const auto operandsOf = [&](Id id, spv::Op op) {
    const auto found = llvm::find_if(parsed_.instructions, [&](const Instruction& each) { return each.result == id; });
    return found != parsed_.instructions.end() && found->op == op ? found->operands : Words();
  };
  const auto find = [&](Id id) { return operandsOf(id, spv::OpConstantComposite); };
  const auto functionAt = [&](Id id) {
    const Words cast = operandsOf(id, spv::OpSpecConstantOp);
    const bool isCast = cast.size() == 2 && cast[0] == spv::OpBitcast;
    return functionConstants_.lookup(isCast ? cast[1] : id);
  };
  for (const Id entry : find(initial)) {
    const Words parts = find(entry);
    const Id function = parts.size() < 2 ? 0 : functionAt(parts[1]);
    if (function == 0) return fail("a list of initialisers with what is no function");
    initialisers_.push_back({function, static_cast<int>(constant(parts[0]).value_or(0) & 0xffff), isFinal});
  }
}

void Reader::listInitialisers() {
  for (const auto& [id, priority, isFinal] : initialisers_) {
    llvm::Function* function = functions_.lookup(id);
    if (function == nullptr || function->arg_size() != 0 || !function->getReturnType()->isVoidTy())
      return fail("an initialiser that takes or returns something");
    if (isFinal)
      llvm::appendToGlobalDtors(*module_, function, priority);
    else
      llvm::appendToGlobalCtors(*module_, function, priority);
  }
}

} // namespace clotho::compiler::spirv
