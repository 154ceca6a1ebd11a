// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/map_address_spaces.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/ReplaceConstant.h>

namespace clotho::compiler {
namespace {

using llvm::Constant;
using llvm::Type;

bool isOfSpir(llvm::CallingConv::ID convention) {
  return convention == llvm::CallingConv::SPIR_FUNC || convention == llvm::CallingConv::SPIR_KERNEL;
}

class Mapper {
 public:
  Mapper(llvm::Module& module, const AddressSpaces& spaces) : module_(module), spaces_(spaces) {}

  void run() {
    spellOutCasts();
    replaceGlobals();
    replaceFunctions();
    for (const auto& [from, to] : variables_)
      if (from->hasInitializer()) to->setInitializer(map(from->getInitializer()));
    for (llvm::Function& function : module_)
      convert(function);
    for (const auto& [from, to] : globals_)
      discard(*from);
  }

 private:
  /// Turns constant casts between address spaces into instructions, which can be removed.
  void spellOutCasts() {
    llvm::SmallVector<Constant*, 16> all;
    for (llvm::GlobalVariable& variable : module_.globals())
      if (variable.getAddressSpace() != 0) all.push_back(&variable);
    llvm::convertUsersOfConstantsToInstructions(all, nullptr, /*RemoveDeadConstants=*/true);
  }

  Type* map(Type* type) {
    if (const auto found = types_.find(type); found != types_.end()) return found->second;
    Type* result = type;
    if (type->isPointerTy()) {
      result = llvm::PointerType::get(type->getContext(), spaces_.of(type->getPointerAddressSpace()));
    } else if (type->isTargetExtTy()) {
      result = llvm::PointerType::get(type->getContext(), 0);
    } else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
      result = llvm::ArrayType::get(map(array->getElementType()), array->getNumElements());
    } else if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
      if (vector->getElementType()->isPointerTy())
        result = llvm::FixedVectorType::get(map(vector->getElementType()), vector->getNumElements());
    } else if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
      result = mapStruct(*structure);
    } else if (auto* function = llvm::dyn_cast<llvm::FunctionType>(type)) {
      llvm::SmallVector<Type*, 8> parameters;
      for (Type* parameter : function->params())
        parameters.push_back(map(parameter));
      result = llvm::FunctionType::get(map(function->getReturnType()), parameters, function->isVarArg());
    }
    return types_[type] = result;
  }

  Type* mapStruct(llvm::StructType& type) {
    if (type.isOpaque()) return &type;
    llvm::SmallVector<Type*, 8> elements;
    for (Type* element : type.elements())
      elements.push_back(map(element));
    if (llvm::ArrayRef<Type*>(elements) == type.elements()) return &type;
    if (type.isLiteral()) return llvm::StructType::get(type.getContext(), elements, type.isPacked());
    return llvm::StructType::create(elements, type.getName(), type.isPacked());
  }

  Constant* map(Constant* constant) {
    if (auto* global = llvm::dyn_cast<llvm::GlobalValue>(constant)) {
      const auto found = globals_.find(global);
      return found == globals_.end() ? global : found->second;
    }
    Type* type = map(constant->getType());
    if (llvm::isa<llvm::ConstantPointerNull, llvm::ConstantAggregateZero, llvm::ConstantTargetNone>(constant))
      return Constant::getNullValue(type);
    if (llvm::isa<llvm::PoisonValue>(constant)) return llvm::PoisonValue::get(type);
    if (llvm::isa<llvm::UndefValue>(constant)) return llvm::UndefValue::get(type);
    if (constant->getNumOperands() == 0) return constant;

    llvm::SmallVector<Constant*, 8> operands;
    for (llvm::Use& operand : constant->operands()) {
      auto* inner = llvm::dyn_cast<Constant>(operand.get());
      if (inner == nullptr) return constant;
      operands.push_back(map(inner));
    }
    if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
      if (llvm::isa<llvm::ConstantStruct>(constant)) return llvm::ConstantStruct::get(structure, operands);
    }
    if (llvm::isa<llvm::ConstantArray>(constant))
      return llvm::ConstantArray::get(llvm::cast<llvm::ArrayType>(type), operands);
    if (llvm::isa<llvm::ConstantVector>(constant)) return llvm::ConstantVector::get(operands);
    if (auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(constant)) {
      if (expression->getOpcode() == llvm::Instruction::AddrSpaceCast)
        return llvm::ConstantExpr::getPointerBitCastOrAddrSpaceCast(operands.front(), type);
      Type* source = nullptr;
      if (auto* gep = llvm::dyn_cast<llvm::GEPOperator>(expression)) source = map(gep->getSourceElementType());
      return expression->getWithOperands(operands, type, /*OnlyIfReduced=*/false, source);
    }
    return constant;
  }

  void replaceGlobals() {
    for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module_.globals())) {
      Type* type = map(variable.getValueType());
      const unsigned space = spaces_.of(variable.getAddressSpace());
      if (variable.getAddressSpace() == space && type == variable.getValueType()) {
        variables_.push_back({&variable, &variable});
        continue;
      }
      auto* mapped = new llvm::GlobalVariable(module_, type, variable.isConstant(), variable.getLinkage(), nullptr, "",
                                              &variable, llvm::GlobalValue::NotThreadLocal, space);
      mapped->copyAttributesFrom(&variable);
      mapped->copyMetadata(&variable, 0);
      mapped->takeName(&variable);
      variables_.push_back({&variable, mapped});
      globals_[&variable] = mapped;
    }
  }

  void replaceFunctions() {
    for (llvm::Function& function : llvm::make_early_inc_range(module_)) {
      auto* type = llvm::cast<llvm::FunctionType>(map(function.getFunctionType()));
      if (type == function.getFunctionType()) continue;
      const bool isIntrinsic = function.isIntrinsic();
      auto* mapped = llvm::Function::Create(type, function.getLinkage(), 0, "", nullptr);
      module_.getFunctionList().insert(function.getIterator(), mapped);
      mapped->copyAttributesFrom(&function);
      mapped->copyMetadata(&function, 0);
      const std::string name = function.getName().str();
      function.setName("");
      mapped->setName(name); // unlike takeName, this notices an intrinsic
      mapped->splice(mapped->begin(), &function);
      for (auto [from, to] : llvm::zip(function.args(), mapped->args())) {
        to.takeName(&from);
        // The body still has the old types; `convert` changes it.
        argumentOf_[&from] = &to;
      }
      globals_[&function] = mapped;
      // Names of intrinsics include their types.
      if (isIntrinsic)
        if (const auto renamed = llvm::Intrinsic::remangleIntrinsicFunction(mapped)) {
          mapped->eraseFromParent();
          globals_[&function] = *renamed;
        }
    }
  }

  void convert(llvm::Function& function) {
    if (isOfSpir(function.getCallingConv())) function.setCallingConv(llvm::CallingConv::C);
    llvm::SmallVector<llvm::Instruction*, 8> casts;
    // A block may come before the blocks of its operands, so types are compared when all are changed.
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      for (llvm::Use& operand : instruction.operands()) {
        if (auto* constant = llvm::dyn_cast<Constant>(operand.get()))
          operand.set(map(constant));
        else if (auto* argument = llvm::dyn_cast<llvm::Argument>(operand.get()))
          if (const auto found = argumentOf_.find(argument); found != argumentOf_.end()) operand.set(found->second);
      }
      instruction.mutateType(map(instruction.getType()));
      if (auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
        memory->setAllocatedType(map(memory->getAllocatedType()));
      } else if (auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
        gep->setSourceElementType(map(gep->getSourceElementType()));
        gep->setResultElementType(map(gep->getResultElementType()));
      } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        auto* type = llvm::cast<llvm::FunctionType>(map(call->getFunctionType()));
        if (auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()))
          call->setCalledOperand(llvm::InlineAsm::get(type, assembly->getAsmString(), assembly->getConstraintString(),
                                                      assembly->hasSideEffects(), assembly->isAlignStack(),
                                                      assembly->getDialect(), assembly->canThrow()));
        call->mutateFunctionType(type);
        if (isOfSpir(call->getCallingConv())) call->setCallingConv(llvm::CallingConv::C);
      } else if (llvm::isa<llvm::AddrSpaceCastInst>(instruction)) {
        casts.push_back(&instruction);
      }
    }
    for (llvm::Instruction* cast : casts) {
      if (cast->getType() != cast->getOperand(0)->getType()) continue;
      cast->replaceAllUsesWith(cast->getOperand(0));
      cast->eraseFromParent();
    }
  }

  static void discard(llvm::GlobalValue& global) {
    if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&global)) variable->setInitializer(nullptr);
    global.removeDeadConstantUsers();
    // The remaining users are old initialisers, which are removed too.
    global.replaceAllUsesWith(llvm::PoisonValue::get(global.getType()));
    global.eraseFromParent();
  }

  llvm::Module& module_;
  const AddressSpaces& spaces_;
  llvm::DenseMap<Type*, Type*> types_;
  llvm::MapVector<llvm::GlobalValue*, llvm::GlobalValue*> globals_;
  std::vector<std::pair<llvm::GlobalVariable*, llvm::GlobalVariable*>> variables_;
  llvm::DenseMap<llvm::Argument*, llvm::Argument*> argumentOf_;
};

} // namespace

void mapAddressSpaces(llvm::Module& module, const AddressSpaces& spaces) { Mapper(module, spaces).run(); }

} // namespace clotho::compiler
