// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants, specialisation constants, and variables of the program.
#include "compiler/frontend/spirv/opcodes.hpp"
#include "compiler/frontend/spirv/reader.hpp"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>

#include <cstring>

namespace clotho::compiler::spirv {
namespace {

/// The value in the words of OpConstant or OpSpecConstant.
llvm::Constant* literal(llvm::Type* type, const Type& of, Words words) {
  const llvm::APInt number = literalInteger(words, of.bits);
  if (of.op == spv::OpTypeInt || of.isBfloat) return llvm::ConstantInt::get(type, number);
  return llvm::ConstantFP::get(type, llvm::APFloat(type->getFltSemantics(), number));
}

/// Initialiser of `sampler_t` in OpenCL C: bit 0 for normalised coordinates, the addressing mode from bit 1, and the
/// filter from bit 4.
std::uint32_t samplerBits(Words operands) {
  const std::uint32_t mode = operands[0], normalised = operands[1], filter = operands[2];
  return normalised | mode << 1 | (filter + 1) << 4;
}

} // namespace

bool Reader::readConstant(const Instruction& instruction) {
  const Words operands = instruction.operands;
  const auto defined = [&](llvm::Value* value) {
    define(instruction, value);
    return true;
  };
  const auto deferred = [&] {
    lateConstants_[instruction.result] = &instruction;
    valueTypes_[instruction.result] = instruction.type;
    return true;
  };
  switch (instruction.op) {
  case spv::OpUndef: return defined(llvm::UndefValue::get(llvmType(instruction.type)));
  case spv::OpConstantTrue: return defined(builder.getTrue());
  case spv::OpConstantFalse: return defined(builder.getFalse());
  case spv::OpConstantNull: {
    llvm::Type* type = llvmType(instruction.type);
    if (!failed() && !type->isSized() && !llvm::isa<llvm::TargetExtType>(type)) fail("a null of what has no values");
    if (!failed()) define(instruction, llvm::Constant::getNullValue(type));
    return true;
  }
  case spv::OpConstant: {
    const Type& of = type(instruction.type);
    if (of.op != spv::OpTypeInt && of.op != spv::OpTypeFloat) {
      fail("a constant that is no number");
      return true;
    }
    return defined(literal(of.type, of, operands));
  }
  case spv::OpConstantComposite:
  case spv::OpSpecConstantComposite: {
    if (isLate(instruction)) return deferred();
    llvm::Type* type = llvmType(instruction.type);
    llvm::SmallVector<llvm::Constant*, 16> parts;
    for (const Id part : operands) {
      auto* constant = llvm::dyn_cast<llvm::Constant>(value(part));
      if (constant == nullptr) fail("a constant of what is not constant");
      if (failed()) return true;
      parts.push_back(constant);
    }
    const auto matches = [&](std::size_t count, auto typeOfPart) {
      if (parts.size() != count) return false;
      for (std::size_t i = 0; i < count; ++i)
        if (parts[i]->getType() != typeOfPart(i)) return false;
      return true;
    };
    if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
      if (matches(vector->getNumElements(), [&](std::size_t) { return vector->getElementType(); }))
        return defined(llvm::ConstantVector::get(parts));
    } else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
      if (matches(array->getNumElements(), [&](std::size_t) { return array->getElementType(); }))
        return defined(llvm::ConstantArray::get(array, parts));
    } else if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
      if (matches(structure->getNumElements(), [&](std::size_t i) { return structure->getElementType(i); }))
        return defined(llvm::ConstantStruct::get(structure, parts));
    }
    fail("a composite constant has other parts than its type");
    return true;
  }
  case spv::OpConstantSampler:
    if (operands.size() < 3) fail("a sampler's constant is too short");
    if (failed()) return true;
    samplers_[instruction.result] = samplerBits(operands);
    valueTypes_[instruction.result] = instruction.type;
    return true;
  case spv::OpConstantFunctionPointerINTEL: return defined(pointerToFunction(instruction));
  case spv::OpConstantPipeStorage: return defined(makePipeStorage(*this, instruction));
  case spv::OpSpecConstantTrue:
  case spv::OpSpecConstantFalse:
  case spv::OpSpecConstant:
  case spv::OpSpecConstantOp:
    if (isLate(instruction)) return deferred();
    if (llvm::Constant* constant = specialised(instruction)) define(instruction, constant);
    return true;
  default: return false;
  }
}

bool Reader::isLate(const Instruction& constant) const {
  const bool isOperation = constant.op == spv::OpSpecConstantOp;
  const bool isComposite = constant.op == spv::OpConstantComposite || constant.op == spv::OpSpecConstantComposite;
  if ((!isOperation && !isComposite) || constant.operands.empty()) return false;
  return llvm::any_of(constant.operands.drop_front(isOperation ? 1 : 0),
                      [&](Id id) { return builtinVariables_.contains(id) || lateConstants_.contains(id); });
}

llvm::Value* Reader::lateValue(const Instruction& constant) {
  // Each use computes the whole constant, so a small module could make the code exponentially large.
  constexpr unsigned kMostValues = 1U << 16, kMostDepth = 64;
  llvm::Type* type = llvmType(constant.type);
  if (++lateValues_ > kMostValues || lateDepth_ >= kMostDepth)
    fail("constants made of variables of the device are too many, or too deep in each other");
  if (failed()) return llvm::PoisonValue::get(type);
  const bool isComposite = constant.op != spv::OpSpecConstantOp;
  const Instruction operation{isComposite ? spv::OpCompositeConstruct : enumOf<spv::Op>(constant.operands[0]),
                              constant.type, constant.result,
                              isComposite ? constant.operands : constant.operands.drop_front()};
  ++lateDepth_;
  readInstruction(operation);
  --lateDepth_;
  llvm::Value* made = values_.lookup(constant.result);
  values_.erase(constant.result);
  if (made != nullptr) return made;
  fail("an operation that constants cannot have");
  return llvm::PoisonValue::get(type);
}

llvm::Constant* Reader::specialised(const Instruction& instruction) {
  const Type& of = type(instruction.type);
  if (instruction.op == spv::OpSpecConstantOp) {
    // Evaluates the operation. Its operands are constants by now, so nothing is left for the kernel to compute.
    if (instruction.operands.empty()) return nullptr;
    const Instruction operation{enumOf<spv::Op>(instruction.operands[0]), instruction.type, instruction.result,
                                instruction.operands.drop_front()};
    // Some operations fold only inside a function.
    auto* scratch = llvm::Function::Create(llvm::FunctionType::get(builder.getVoidTy(), false),
                                           llvm::GlobalValue::InternalLinkage, "spirv.constants", *module_);
    llvm::BasicBlock* block = llvm::BasicBlock::Create(*context_, "", scratch);
    builder.SetInsertPoint(block);
    const bool isKnown =
        llvm::any_of(std::initializer_list{readArithmetic, readInteger, readConversion, readComposite, readMemory},
                     [&](const auto family) { return family(*this, operation); });
    llvm::Value* result = values_.lookup(instruction.result);
    values_.erase(instruction.result);
    for (llvm::Instruction& step : llvm::make_early_inc_range(*block))
      if (llvm::Constant* folded = llvm::ConstantFoldInstruction(&step, module_->getDataLayout())) {
        if (result == &step) result = folded;
        step.replaceAllUsesWith(folded);
      }
    auto* constant = llvm::dyn_cast_or_null<llvm::Constant>(result);
    builder.ClearInsertionPoint();
    scratch->eraseFromParent();
    if (!isKnown) fail("an operation that constants cannot have");
    if (constant == nullptr) fail("an operation on constants has no constant result");
    return constant;
  }
  const SpecConstant* given = nullptr;
  if (const Decoration* spec = decoration(instruction.result, spv::DecorationSpecId); spec && !spec->operands.empty())
    for (const SpecConstant& constant : request_->specConstants)
      if (constant.id == spec->operands[0]) given = &constant;
  if (of.op == spv::OpTypeBool)
    return given != nullptr ? builder.getInt1(!given->bytes.empty() && given->bytes[0] != 0)
                            : builder.getInt1(instruction.op == spv::OpSpecConstantTrue);
  if (instruction.op != spv::OpSpecConstant || (of.op != spv::OpTypeInt && of.op != spv::OpTypeFloat)) {
    fail("a constant that is no number");
    return nullptr;
  }
  if (given == nullptr) return literal(of.type, of, instruction.operands);
  std::uint32_t words[2] = {0, 0};
  std::memcpy(words, given->bytes.data(), std::min(given->bytes.size(), sizeof words));
  return literal(of.type, of, words);
}

void Reader::readGlobalVariable(const Instruction& instruction) {
  const Id id = instruction.result;
  const Type& pointer = type(instruction.type);
  if (pointer.op != spv::OpTypePointer || instruction.operands.empty()) return fail("a variable of no pointer type");
  if (const Decoration* builtin = decoration(id, spv::DecorationBuiltIn); builtin && !builtin->operands.empty()) {
    builtinVariables_[id] = enumOf<spv::BuiltIn>(builtin->operands[0]);
    valueTypes_[id] = instruction.type;
    if (static_cast<unsigned>(instruction.op) == later::OpUntypedVariableKHR) setPointee(id, instruction.operand(1));
    return;
  }
  const bool isUntyped = static_cast<unsigned>(instruction.op) == later::OpUntypedVariableKHR;
  const Id data = isUntyped ? instruction.operand(1) : pointer.element;
  const Id initial = instruction.operand(isUntyped ? 2 : 1);
  if (const auto sampler = samplers_.find(initial); initial != 0 && sampler != samplers_.end()) {
    const std::uint32_t bits = sampler->second;
    samplers_[id] = bits; // loads of it are the sampler
    valueTypes_[id] = instruction.type;
    return;
  }
  llvm::Type* valueType = llvmType(data);
  if (failed()) return;
  if (!llvm::PointerType::isValidElementType(valueType) || !valueType->isSized())
    return fail("a variable without size");

  std::string linkName;
  bool isImport = false;
  auto linkage = llvm::GlobalValue::InternalLinkage;
  readLinkage(id, linkName, isImport, linkage);
  if (llvm::StringRef(linkName).starts_with("llvm.")) return readLlvmVariable(linkName, initial);
  // A definition that another module may replace: producers also declare a value that is defined elsewhere, with an
  // initialiser.
  if (isImport && initial != 0) {
    isImport = false;
    linkage = llvm::GlobalValue::LinkOnceODRLinkage;
  }
  const bool isPrivate = llvm::cast<llvm::PointerType>(pointer.type)->getAddressSpace() == kPrivateSpace;
  if (isPrivate && isImport) return fail("a private variable of another module");
  // Each module has its own copy.
  if (isPrivate) linkage = llvm::GlobalValue::InternalLinkage;
  auto* variable = new llvm::GlobalVariable(*module_, valueType, /*isConstant=*/false, linkage, nullptr,
                                            linkName.empty() || isPrivate ? ownName(id) : linkName, nullptr,
                                            llvm::GlobalValue::NotThreadLocal,
                                            llvm::cast<llvm::PointerType>(pointer.type)->getAddressSpace());
  const bool isLocal = pointer.storage == spv::StorageClassWorkgroup;
  variable->setConstant(pointer.storage == spv::StorageClassUniformConstant ||
                        decoration(id, spv::DecorationConstant) != nullptr);
  if (!isImport) {
    llvm::Constant* content = isLocal ? static_cast<llvm::Constant*>(llvm::UndefValue::get(valueType))
                                      : llvm::Constant::getNullValue(valueType);
    if (lateConstants_.contains(initial) || builtinVariables_.contains(initial))
      return fail("a variable's first value is made of what the device says of a work-item");
    if (initial != 0 && !isLocal) {
      auto* constant = llvm::dyn_cast<llvm::Constant>(value(initial));
      if (constant == nullptr || constant->getType() != valueType)
        return fail("a variable's first value is not of its type");
      content = constant;
    }
    variable->setInitializer(content);
  }
  variable->setAlignment(alignmentOf(id, valueType));
  if (isPrivate) privateVariables_.push_back(variable);
  values_[id] = variable;
  valueTypes_[id] = instruction.type;
  if (isUntyped) setPointee(id, data);
}

llvm::Align Reader::alignmentOf(Id id, llvm::Type* valueType) const {
  const llvm::Align natural = module_->getDataLayout().getABITypeAlign(valueType);
  const Decoration* given = decoration(id, spv::DecorationAlignment);
  if (given == nullptr || given->operands.empty() || !llvm::isPowerOf2_32(given->operands[0]) ||
      given->operands[0] > (1U << 20))
    return natural;
  return std::max(natural, llvm::Align(given->operands[0]));
}

void Reader::readLinkage(Id id, std::string& linkName, bool& isImport, llvm::GlobalValue::LinkageTypes& linkage) {
  const Decoration* given = decoration(id, spv::DecorationLinkageAttributes);
  if (given == nullptr) return;
  std::size_t used = 0;
  linkName = literalString(given->operands, used);
  if (used >= given->operands.size()) return fail("a linkage without a kind");
  switch (given->operands[used]) {
  case spv::LinkageTypeImport:
    isImport = true;
    linkage = llvm::GlobalValue::ExternalLinkage;
    break;
  case spv::LinkageTypeExport: linkage = llvm::GlobalValue::ExternalLinkage; break;
  case spv::LinkageTypeLinkOnceODR: linkage = llvm::GlobalValue::LinkOnceODRLinkage; break;
  default: return fail("a linkage that is not known");
  }
}

} // namespace clotho::compiler::spirv
