// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of functions, accesses to memory and pointers (SPIR-V specification, section 3.42.8).
#include "compiler/frontend/spirv/opcodes.hpp"
#include "compiler/frontend/spirv/reader.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Operator.h>

namespace clotho::compiler::spirv {
namespace {

using llvm::Value;

/// Optional operands of a memory access.
struct Access {
  bool isVolatile = false, isNonTemporal = false;
  llvm::MaybeAlign alignment;
  llvm::MDNode *aliasScope = nullptr, *noAlias = nullptr;
};

/// Reads the memory operands from operand number `at` on, and moves `at` past them.
Access accessOf(Reader& reader, const Instruction& instruction, std::size_t& at) {
  Access access;
  if (at >= instruction.operands.size()) return access;
  const std::uint32_t mask = instruction.operands[at++];
  access.isVolatile = (mask & spv::MemoryAccessVolatileMask) != 0;
  access.isNonTemporal = (mask & spv::MemoryAccessNontemporalMask) != 0;
  if ((mask & spv::MemoryAccessAlignedMask) != 0) {
    const std::uint32_t bytes = instruction.operand(at++);
    if (!llvm::isPowerOf2_32(bytes))
      reader.fail("an alignment of " + llvm::Twine(bytes));
    else
      access.alignment = llvm::Align(bytes);
  }
  // Scopes take one id each.
  at += llvm::popcount(mask & (spv::MemoryAccessMakePointerAvailableMask | spv::MemoryAccessMakePointerVisibleMask));
  if ((mask & spv::MemoryAccessAliasScopeINTELMaskMask) != 0)
    access.aliasScope = reader.aliasList(instruction.operand(at++));
  if ((mask & spv::MemoryAccessNoAliasINTELMaskMask) != 0) access.noAlias = reader.aliasList(instruction.operand(at++));
  return access;
}

/// Whether the pointer may be unaligned: members of packed structs are.
bool mayBeUnaligned(const Value* pointer) {
  while (const auto* step = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
    llvm::Type* type = step->getSourceElementType();
    while (auto* array = llvm::dyn_cast<llvm::ArrayType>(type))
      type = array->getElementType();
    if (const auto* structure = llvm::dyn_cast<llvm::StructType>(type); structure && structure->isPacked()) return true;
    pointer = step->getPointerOperand();
  }
  return false;
}

/// The alignment that an access may claim. If it accesses a variable whose alignment is lower, the variable's is
/// raised. A variable of another module keeps its alignment.
llvm::Align held(Reader& reader, Value* pointer, llvm::Align claimed) {
  const llvm::DataLayout& layout = reader.module().getDataLayout();
  llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  Value* base = pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  auto* local = llvm::dyn_cast<llvm::AllocaInst>(base);
  auto* global = llvm::dyn_cast<llvm::GlobalVariable>(base);
  if (local == nullptr && global == nullptr) return claimed;
  const llvm::Align own = local != nullptr ? local->getAlign() : global->getAlign().valueOrOne();
  if (own >= claimed) return llvm::commonAlignment(claimed, offset.getZExtValue());
  if (local != nullptr)
    local->setAlignment(claimed);
  else if (!global->isDeclaration())
    global->setAlignment(claimed);
  else
    return llvm::commonAlignment(own, offset.getZExtValue());
  return llvm::commonAlignment(claimed, offset.getZExtValue());
}

llvm::Align alignmentOf(Reader& reader, const Access& access, Value* pointer, llvm::Type* type) {
  if (access.alignment) return held(reader, pointer, std::min(*access.alignment, llvm::Align(1U << 20)));
  if (mayBeUnaligned(pointer)) return llvm::Align(1);
  return held(reader, pointer, reader.module().getDataLayout().getABITypeAlign(type));
}

/// Alignment of a load or store. Optimisers leave the vector's alignment at accesses to a part of it, although
/// addresses in arrays of elements need not have it (ElementAlignmentPass): through pointers only the part's own
/// alignment is assumed.
llvm::Align alignmentOfPart(Reader& reader, const Access& access, Value* pointer, llvm::Type* type) {
  const llvm::Align claimed = alignmentOf(reader, access, pointer, type);
  const Value* object = llvm::getUnderlyingObject(pointer);
  if (llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(object) || type->isAggregateType()) return claimed;
  return std::min(claimed, reader.module().getDataLayout().getABITypeAlign(type));
}

template <class Made> void mark(Reader& reader, const Access& access, Made* made) {
  made->setVolatile(access.isVolatile);
  if (access.isNonTemporal)
    made->setMetadata(llvm::LLVMContext::MD_nontemporal,
                      llvm::MDNode::get(reader.context(), llvm::ConstantAsMetadata::get(reader.builder.getInt32(1))));
  made->setMetadata(llvm::LLVMContext::MD_alias_scope, access.aliasScope);
  made->setMetadata(llvm::LLVMContext::MD_noalias, access.noAlias);
}

bool isInMemory(llvm::Type* type) { return llvm::PointerType::isLoadableOrStorableType(type) && type->isSized(); }

void load(Reader& reader, const Instruction& instruction) {
  const Id from = instruction.operand(0);
  // Variables of samplers and built-in variables have no memory.
  if (reader.isSampler(from)) return reader.define(instruction, reader.value(from));
  llvm::Type* type = reader.llvmType(instruction.type);
  if (reader.failed()) return;
  if (const auto builtin = reader.builtinVariable(from)) {
    reader.noteBuiltinValue(instruction.result, *builtin);
    return reader.define(instruction, reader.builtinValue(*builtin, type));
  }
  Value* pointer = reader.value(from);
  std::size_t at = 1;
  const Access access = accessOf(reader, instruction, at);
  if (reader.failed()) return;
  if (!pointer->getType()->isPointerTy() || !isInMemory(type)) return reader.fail("a load of what is not in memory");
  if (reader.isLargeType(instruction.type)) {
    if (llvm::AllocaInst* made = reader.makeLarge(instruction))
      reader.builder.CreateMemCpy(made, made->getAlign(), pointer, alignmentOf(reader, access, pointer, type),
                                  reader.module().getDataLayout().getTypeStoreSize(type).getFixedValue(),
                                  access.isVolatile);
    return;
  }
  llvm::LoadInst* made =
      reader.builder.CreateAlignedLoad(type, pointer, alignmentOfPart(reader, access, pointer, type));
  mark(reader, access, made);
  reader.define(instruction, made);
}

void store(Reader& reader, const Instruction& instruction) {
  const Id stored = instruction.operand(1);
  const bool isLarge = reader.isLarge(stored);
  Value *pointer = reader.value(instruction.operand(0)), *object = isLarge ? nullptr : reader.value(stored);
  std::size_t at = 2;
  const Access access = accessOf(reader, instruction, at);
  if (reader.failed()) return;
  if (isLarge) {
    llvm::Type* type = reader.llvmType(reader.typeIdOf(stored));
    if (!pointer->getType()->isPointerTy() || !isInMemory(type)) return reader.fail("a store of what is not in memory");
    return reader.storeLarge(stored, pointer, alignmentOf(reader, access, pointer, type), access.isVolatile);
  }
  if (!pointer->getType()->isPointerTy() || !isInMemory(object->getType()))
    return reader.fail("a store of what is not in memory");
  mark(reader, access,
       reader.builder.CreateAlignedStore(object, pointer, alignmentOfPart(reader, access, pointer, object->getType())));
}

/// A load or store under a condition (SPV_INTEL_predicated_io).
void predicated(Reader& reader, const Instruction& instruction, bool isLoad) {
  Value *pointer = reader.value(instruction.operand(0)), *a = reader.value(instruction.operand(1)),
        *b = reader.value(instruction.operand(2));
  Value *truth = isLoad ? a : b, *value = isLoad ? b : a;
  std::size_t at = 3;
  const Access access = accessOf(reader, instruction, at);
  llvm::Type* type = isLoad ? reader.llvmType(instruction.type) : value->getType();
  if (reader.failed()) return;
  if (!pointer->getType()->isPointerTy() || !truth->getType()->isIntegerTy(1) || type != value->getType() ||
      !isInMemory(type))
    return reader.fail("a predicated access of wrong types");
  const llvm::Align aligned = alignmentOfPart(reader, access, pointer, type);
  const auto fill = [&](llvm::IRBuilder<>& builder, llvm::Function& function) {
    llvm::BasicBlock* entry = builder.GetInsertBlock();
    auto* made = llvm::BasicBlock::Create(reader.context(), "made", &function);
    auto* done = llvm::BasicBlock::Create(reader.context(), "done", &function);
    builder.CreateCondBr(function.getArg(1), made, done);
    builder.SetInsertPoint(made);
    llvm::LoadInst* loaded = nullptr;
    if (isLoad)
      mark(reader, access, loaded = builder.CreateAlignedLoad(type, function.getArg(0), aligned));
    else
      mark(reader, access, builder.CreateAlignedStore(function.getArg(2), function.getArg(0), aligned));
    builder.CreateBr(done);
    builder.SetInsertPoint(done);
    if (!isLoad) {
      builder.CreateRetVoid();
      return;
    }
    llvm::PHINode* result = builder.CreatePHI(type, 2);
    result->addIncoming(function.getArg(2), entry);
    result->addIncoming(loaded, made);
    builder.CreateRet(result);
  };
  llvm::Type* result = isLoad ? type : reader.builder.getVoidTy();
  Value* call = reader.callWritten("spirv.predicated", result, {pointer, truth, value}, fill);
  if (isLoad) reader.define(instruction, call);
}

/// Copies the pointee of the target, or a number of bytes.
void copy(Reader& reader, const Instruction& instruction, bool hasSize) {
  Value *target = reader.value(instruction.operand(0)), *source = reader.value(instruction.operand(1));
  Value* size = hasSize ? reader.value(instruction.operand(2)) : nullptr;
  std::size_t at = hasSize ? 3 : 2;
  const Access toTarget = accessOf(reader, instruction, at);
  // Since version 1.4 the source may have memory operands of its own; a single set applies to both.
  const Access fromSource = at < instruction.operands.size() ? accessOf(reader, instruction, at) : toTarget;
  if (reader.failed()) return;
  if (!target->getType()->isPointerTy() || !source->getType()->isPointerTy())
    return reader.fail("a copy without pointers");
  llvm::Align targetAlign = held(reader, target, toTarget.alignment.valueOrOne());
  llvm::Align sourceAlign = held(reader, source, fromSource.alignment.valueOrOne());
  if (!hasSize) {
    // One of the pointers determines the type.
    const Id ofTarget = reader.pointee(instruction.operand(0));
    llvm::Type* type = reader.llvmType(ofTarget != 0 ? ofTarget : reader.pointee(instruction.operand(1)));
    if (reader.failed() || !isInMemory(type)) return reader.fail("a copy of what is not in memory");
    size = reader.builder.getInt64(reader.module().getDataLayout().getTypeStoreSize(type));
    targetAlign = alignmentOf(reader, toTarget, target, type);
    sourceAlign = alignmentOf(reader, fromSource, source, type);
  }
  if (!size->getType()->isIntegerTy()) return reader.fail("a copy of a size that is no number");
  reader.builder.CreateMemCpy(target, targetAlign, source, sourceAlign, size,
                              toTarget.isVolatile || fromSource.isVolatile);
}

void variable(Reader& reader, const Instruction& instruction) {
  const Type& pointer = reader.type(instruction.type);
  const bool isUntyped = static_cast<unsigned>(instruction.op) == later::OpUntypedVariableKHR;
  const Id data = isUntyped ? instruction.operand(1) : pointer.element;
  const Id first = instruction.operand(isUntyped ? 2 : 1);
  llvm::Type* type = reader.llvmType(data);
  if (reader.failed()) return;
  if (isUntyped) reader.setPointee(instruction.result, data);
  if (pointer.op != spv::OpTypePointer || pointer.storage != spv::StorageClassFunction || !isInMemory(type))
    return reader.fail("a function's variable is not in its own memory");
  llvm::AllocaInst* made = reader.temporary(type);
  made->setAlignment(reader.alignmentOf(instruction.result, type));
  reader.define(instruction, made);
  if (first == 0) return;
  if (reader.isLarge(first)) {
    if (reader.typeIdOf(first) != data) return reader.fail("a variable's first value is not of its type");
    return reader.storeLarge(first, made, made->getAlign(), /*isVolatile=*/false);
  }
  Value* initial = reader.value(first);
  if (reader.failed()) return;
  if (initial->getType() != type) return reader.fail("a variable's first value is not of its type");
  reader.builder.CreateAlignedStore(initial, made, made->getAlign());
}

/// Whether vector elements have the same stride in memory as array elements.
bool isAddressedInVectors(Reader& reader, llvm::Type* element) {
  const llvm::DataLayout& layout = reader.module().getDataLayout();
  return layout.getTypeSizeInBits(element) == 8 * layout.getTypeAllocSize(element);
}

/// Whether a constant index is out of bounds. Producers with untyped pointers write such indices: they count units of
/// the result's pointee, bytes for instance, from the beginning.
bool isBehind(const Type& whole, const Value* index) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(index);
  return constant != nullptr && whole.op != spv::OpTypeRuntimeArray && constant->getValue().uge(whole.elements);
}

/// Emits a GEP for an access chain. LLVM has no addresses of vector elements, so a step into a vector is an array
/// index.
void accessChain(Reader& reader, const Instruction& instruction, bool hasElement, bool isInBounds,
                 bool isUntyped = false) {
  llvm::IRBuilder<>& builder = reader.builder;
  // Untyped pointers get their type from an operand.
  const Words operands =
      isUntyped && !instruction.operands.empty() ? instruction.operands.drop_front() : instruction.operands;
  if (operands.size() < (hasElement ? 2U : 1U)) return reader.fail("an access chain without a beginning");
  Value* pointer = reader.value(operands[0]);
  Id at = isUntyped ? instruction.operands[0] : reader.typeOf(operands[0]).element;
  if (reader.failed() || !pointer->getType()->isPointerTy()) return reader.fail("an access chain from no pointer");
  const llvm::GEPNoWrapFlags flags = isInBounds ? llvm::GEPNoWrapFlags::inBounds() : llvm::GEPNoWrapFlags::none();
  llvm::Type* source = reader.type(at).type;
  llvm::SmallVector<Value*, 6> indices;
  const auto step = [&] {
    if (source == nullptr || !source->isSized()) return reader.fail("an access chain over what has no size");
    const bool stays = llvm::all_of(indices, [](Value* index) {
      const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(index);
      return constant != nullptr && constant->isZero();
    });
    if (!stays) pointer = builder.CreateGEP(source, pointer, indices, "", flags);
  };
  const auto integer = [&](Id id) {
    Value* index = reader.value(id);
    if (!index->getType()->isIntegerTy()) reader.fail("an index is no integer");
    return index;
  };
  const auto stepInto = [&](Id element) {
    step();
    at = element;
    source = reader.type(at).type;
  };
  indices.push_back(hasElement ? integer(operands[1]) : builder.getInt64(0));
  for (const Id& id : operands.drop_front(hasElement ? 2 : 1)) {
    if (reader.failed()) return;
    const Type& inside = reader.type(at);
    switch (inside.op) {
    case spv::OpTypeStruct: {
      const std::optional<std::uint64_t> member = reader.constant(id);
      if (!member || *member >= inside.members.size()) return reader.fail("a struct has no such member");
      indices.push_back(builder.getInt32(static_cast<std::uint32_t>(*member)));
      at = inside.members[*member];
      break;
    }
    case spv::OpTypeArray:
    case spv::OpTypeRuntimeArray:
    case spv::OpTypeVector:
      if (const Type& result = reader.type(instruction.type); &id == &operands.back() && result.element != 0 &&
                                                              result.element != inside.element &&
                                                              isBehind(inside, integer(id))) {
        stepInto(result.element);
        indices.assign(1, integer(id));
        break;
      }
      if (inside.op != spv::OpTypeVector) {
        indices.push_back(integer(id));
        at = inside.element;
        break;
      }
      stepInto(inside.element);
      // Booleans and integers of odd widths are packed in vectors, so their elements have no addresses.
      if (source != nullptr && !isAddressedInVectors(reader, source))
        return reader.fail("an access chain into a vector whose elements are no whole bytes");
      indices.assign(1, integer(id));
      break;
    default: return reader.fail("an access chain into what has no parts");
    }
  }
  if (reader.failed()) return;
  step();
  if (!reader.failed()) reader.define(instruction, pointer);
}

/// Lifetime markers, which LLVM has only for whole variables.
void lifetime(Reader& reader, const Instruction& instruction) {
  auto* variable = llvm::dyn_cast<llvm::AllocaInst>(reader.value(instruction.operand(0)));
  if (variable == nullptr || reader.failed()) return;
  if (instruction.op == spv::OpLifetimeStart)
    reader.builder.CreateLifetimeStart(variable);
  else
    reader.builder.CreateLifetimeEnd(variable);
}

/// Memory semantics for the pointee of a generic pointer, from get_fence's flags, which have the same order.
void memorySemantics(Reader& reader, const Instruction& instruction) {
  llvm::IRBuilder<>& builder = reader.builder;
  Value* pointer = reader.generic(reader.value(instruction.operand(0)));
  llvm::Type* type = reader.llvmType(instruction.type);
  if (reader.failed()) return;
  if (!type->isIntegerTy()) return reader.fail("memory semantics that are no integer");
  constexpr unsigned kShift = 8; // WorkgroupMemory is 0x100, CLK_LOCAL_MEM_FENCE 1
  Value* flags = reader.callNamed("_Z9get_fencePU3AS4v", builder.getInt32Ty(), pointer, Effects::None);
  reader.define(instruction, builder.CreateZExtOrTrunc(builder.CreateShl(flags, kShift), type));
}

void comparePointers(Reader& reader, const Instruction& instruction) {
  llvm::IRBuilder<>& builder = reader.builder;
  Value *left = reader.value(instruction.operand(0)), *right = reader.value(instruction.operand(1));
  if (reader.failed()) return;
  if (!left->getType()->isPointerTy() || left->getType() != right->getType())
    return reader.fail("a comparison of what are no pointers of one type");
  if (instruction.op == spv::OpPtrEqual) return reader.define(instruction, builder.CreateICmpEQ(left, right));
  if (instruction.op == spv::OpPtrNotEqual) return reader.define(instruction, builder.CreateICmpNE(left, right));
  llvm::Type* element = reader.llvmType(reader.pointee(instruction.operand(0)));
  llvm::Type* result = reader.llvmType(instruction.type);
  if (reader.failed() || !element->isSized() || !result->isIntegerTy())
    return reader.fail("a distance of pointers to what has no size");
  reader.define(instruction, builder.CreateSExtOrTrunc(builder.CreatePtrDiff(element, left, right), result));
}

} // namespace

bool readMemory(Reader& reader, const Instruction& instruction) {
  switch (static_cast<unsigned>(instruction.op)) {
  case later::OpUntypedVariableKHR: variable(reader, instruction); return true;
  case later::OpUntypedAccessChainKHR: accessChain(reader, instruction, false, false, true); return true;
  case later::OpUntypedInBoundsAccessChainKHR: accessChain(reader, instruction, false, true, true); return true;
  case later::OpUntypedPtrAccessChainKHR: accessChain(reader, instruction, true, false, true); return true;
  case later::OpUntypedInBoundsPtrAccessChainKHR: accessChain(reader, instruction, true, true, true); return true;
  case later::OpUntypedPrefetchKHR: return true; // but a hint
  case later::OpPredicatedLoadINTEL: predicated(reader, instruction, /*isLoad=*/true); return true;
  case later::OpPredicatedStoreINTEL: predicated(reader, instruction, /*isLoad=*/false); return true;
  case spv::OpVariable: variable(reader, instruction); return true;
  case spv::OpLoad: load(reader, instruction); return true;
  case spv::OpStore: store(reader, instruction); return true;
  case spv::OpCopyMemory: copy(reader, instruction, /*hasSize=*/false); return true;
  case spv::OpCopyMemorySized: copy(reader, instruction, /*hasSize=*/true); return true;
  case spv::OpAccessChain: accessChain(reader, instruction, false, false); return true;
  case spv::OpInBoundsAccessChain: accessChain(reader, instruction, false, true); return true;
  case spv::OpPtrAccessChain: accessChain(reader, instruction, true, false); return true;
  case spv::OpInBoundsPtrAccessChain: accessChain(reader, instruction, true, true); return true;
  case spv::OpLifetimeStart:
  case spv::OpLifetimeStop: lifetime(reader, instruction); return true;
  case spv::OpGenericPtrMemSemantics: memorySemantics(reader, instruction); return true;
  case spv::OpSizeOf: {
    // The operand should be a pointer; Khronos's translator writes the pointer's type instead.
    const Id operand = instruction.operand(0);
    const Id pointer = reader.isKnownType(operand) ? operand : reader.typeIdOf(operand);
    llvm::Type* of = reader.llvmType(reader.type(pointer).element);
    llvm::Type* type = reader.llvmType(instruction.type);
    if (reader.failed()) return true;
    if (!of->isSized() || !type->isIntegerTy())
      reader.fail("the size of what has none");
    else
      reader.define(instruction,
                    llvm::ConstantInt::get(type, reader.module().getDataLayout().getTypeAllocSize(of).getFixedValue()));
    return true;
  }
  case spv::OpPtrEqual:
  case spv::OpPtrNotEqual:
  case spv::OpPtrDiff: comparePointers(reader, instruction); return true;
  default: return false;
  }
}

} // namespace clotho::compiler::spirv
