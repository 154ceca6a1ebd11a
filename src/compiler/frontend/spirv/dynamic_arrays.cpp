// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Private arrays of variable length (SPV_INTEL_variable_length_array). Private memory is laid out when a kernel is
// built, so a function with such arrays has a fixed stack for them among its private variables. A work-item that
// exceeds the stack ends the command.
#include "compiler/frontend/spirv/opcodes.hpp"
#include "compiler/frontend/spirv/reader.hpp"

#include <llvm/IR/Constants.h>

namespace clotho::compiler::spirv {
namespace {

using llvm::Value;

/// Bytes for all such arrays of a function at one time. Pages without an array are not touched.
constexpr std::uint64_t kStackBytes = 64 * 1024;

/// Emits the offset of the end of an array. Traps if the stack has no room for it.
void writeEnd(llvm::IRBuilder<>& builder, llvm::Function& function) {
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(builder.getContext(), name, &function); };
  llvm::BasicBlock *full = block("full"), *fits = block("fits");
  Value *begin = function.getArg(0), *length = function.getArg(1), *bytesEach = function.getArg(2);
  // If the length is at most the stack's size, neither product nor sum wraps around.
  Value* isLong = builder.CreateICmpUGT(length, builder.getInt64(kStackBytes));
  Value* end = builder.CreateAdd(begin, builder.CreateMul(length, bytesEach));
  Value* isBehind = builder.CreateICmpUGT(end, builder.getInt64(kStackBytes));
  builder.CreateCondBr(builder.CreateOr(isLong, isBehind), full, fits);
  builder.SetInsertPoint(full);
  builder.CreateIntrinsic(llvm::Intrinsic::trap, {});
  builder.CreateUnreachable();
  builder.SetInsertPoint(fits);
  builder.CreateRet(end);
}

/// An array of constant length becomes an ordinary private variable.
void readArray(Reader& reader, const Instruction& instruction, Id elementType, Id lengthId) {
  Value* length = reader.value(lengthId);
  llvm::Type* element = reader.llvmType(elementType);
  const llvm::Type* result = reader.llvmType(instruction.type);
  if (reader.failed()) return;
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(length);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
  if (!length->getType()->isIntegerTy() || !element->isSized() || !result->isPointerTy() ||
      result->getPointerAddressSpace() != kPrivateSpace || (known != nullptr && known->getValue().ugt(kMost)))
    return reader.fail("an array of a wrong length");
  const llvm::Align aligned = reader.alignmentOf(instruction.result, element);
  if (known != nullptr) {
    llvm::AllocaInst* made = reader.temporary(llvm::ArrayType::get(element, known->getZExtValue()));
    made->setAlignment(aligned);
    return reader.define(instruction, made);
  }
  llvm::IRBuilder<>& builder = reader.builder;
  const std::uint64_t bytesEach = reader.module().getDataLayout().getTypeAllocSize(element).getFixedValue();
  if (bytesEach > kStackBytes || aligned.value() > kStackBytes || length->getType()->getIntegerBitWidth() > 64)
    return reader.fail("an array of a wrong length");
  const Reader::ArrayStack& stack = reader.arrayStack();
  stack.memory->setAlignment(std::max(stack.memory->getAlign(), aligned));
  Value* top = builder.CreateLoad(builder.getInt64Ty(), stack.top);
  Value* begin = builder.CreateAnd(builder.CreateAdd(top, builder.getInt64(aligned.value() - 1)),
                                   builder.getInt64(~(aligned.value() - 1)));
  Value* end = reader.callWritten(
      "spirv.array_end", builder.getInt64Ty(),
      {begin, builder.CreateZExt(length, builder.getInt64Ty()), builder.getInt64(bytesEach)}, writeEnd);
  builder.CreateStore(end, stack.top);
  reader.define(instruction, builder.CreatePtrAdd(stack.memory, begin));
}

/// Saves the top of the stack, as a pointer.
void readSave(Reader& reader, const Instruction& instruction) {
  const llvm::Type* type = reader.llvmType(instruction.type);
  if (reader.failed()) return;
  if (!type->isPointerTy() || type->getPointerAddressSpace() != kPrivateSpace)
    return reader.fail("memory is kept by what is no pointer");
  const Reader::ArrayStack& stack = reader.arrayStack();
  Value* top = reader.builder.CreateLoad(reader.builder.getInt64Ty(), stack.top);
  reader.define(instruction, reader.builder.CreatePtrAdd(stack.memory, top));
}

/// Frees the arrays that were allocated since the top of the stack was saved.
void readRestore(Reader& reader, const Instruction& instruction) {
  Value* saved = reader.value(instruction.operand(0));
  if (reader.failed()) return;
  const Reader::ArrayStack& stack = reader.arrayStack();
  if (saved->getType() != stack.memory->getType()) return reader.fail("memory is kept by what is no pointer");
  llvm::IRBuilder<>& builder = reader.builder;
  const auto number = [&](Value* pointer) { return builder.CreatePtrToInt(pointer, builder.getInt64Ty()); };
  builder.CreateStore(builder.CreateSub(number(saved), number(stack.memory)), stack.top);
}

} // namespace

const Reader::ArrayStack& Reader::arrayStack() {
  if (arrayStack_) return *arrayStack_;
  llvm::Type* offset = builder.getInt64Ty();
  llvm::AllocaInst* top = temporary(offset);
  llvm::AllocaInst* memory = temporary(llvm::ArrayType::get(builder.getInt8Ty(), kStackBytes));
  llvm::IRBuilder<> behind(top->getParent(), std::next(top->getIterator()));
  behind.CreateStore(llvm::ConstantInt::get(offset, 0), top);
  arrayStack_ = {memory, top};
  return *arrayStack_;
}

bool readDynamicArray(Reader& reader, const Instruction& instruction) {
  switch (static_cast<unsigned>(instruction.op)) {
  case spv::OpVariableLengthArrayINTEL:
    readArray(reader, instruction, reader.type(instruction.type).element, instruction.operand(0));
    return true;
  case later::OpUntypedVariableLengthArrayINTEL:
    readArray(reader, instruction, instruction.operand(0), instruction.operand(1));
    return true;
  case spv::OpSaveMemoryINTEL: readSave(reader, instruction); return true;
  case spv::OpRestoreMemoryINTEL: readRestore(reader, instruction); return true;
  default: return false;
  }
}

} // namespace clotho::compiler::spirv
