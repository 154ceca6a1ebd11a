// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/lower_printf.hpp"

#include "abi/printf.h"
#include "compiler/ir/intrinsics.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace clotho::compiler {
namespace {

using llvm::IRBuilder;
using llvm::Value;

/// Creates ptr clotho.printf_reserve(ptr buffer, i64 bytes), which returns the address for a record of this size, or
/// null. There is one function for each module, not inlined, since printing is rare and slow anyway.
llvm::Function* reserveFunction(llvm::Module& module) {
  constexpr llvm::StringLiteral kName = "clotho.printf_reserve";
  if (llvm::Function* existing = module.getFunction(kName)) return existing;
  llvm::LLVMContext& context = module.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* i64 = llvm::Type::getInt64Ty(context);
  auto* function = llvm::Function::Create(llvm::FunctionType::get(pointer, {pointer, i64}, false),
                                          llvm::GlobalValue::InternalLinkage, kName, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->setDoesNotThrow();
  Value* buffer = function->getArg(0);
  Value* bytes = function->getArg(1);
  auto block = [&](const char* name) { return llvm::BasicBlock::Create(context, name, function); };
  llvm::BasicBlock *entry = block("entry"), *open = block("open"), *attempt = block("attempt"),
                   *exchange = block("exchange"), *won = block("won"), *none = block("none");

  IRBuilder<> builder(entry);
  builder.CreateCondBr(builder.CreateIsNull(buffer), none, open);

  builder.SetInsertPoint(open);
  llvm::LoadInst* start = builder.CreateAlignedLoad(i64, buffer, llvm::Align(8));
  start->setAtomic(llvm::AtomicOrdering::Monotonic);
  Value* capacity = builder.CreateLoad(
      i64, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), buffer, offsetof(PrintfBuffer, capacity)));
  builder.CreateBr(attempt);

  // Uses compare-exchange rather than an atomic addition: `used` never exceeds the capacity, and all records below it
  // are complete.
  builder.SetInsertPoint(attempt);
  llvm::PHINode* used = builder.CreatePHI(i64, 2);
  used->addIncoming(start, open);
  Value* next = builder.CreateAdd(used, bytes);
  builder.CreateCondBr(builder.CreateICmpULE(next, capacity), exchange, none);

  builder.SetInsertPoint(exchange);
  llvm::AtomicCmpXchgInst* swap = builder.CreateAtomicCmpXchg(
      buffer, used, next, llvm::Align(8), llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic);
  used->addIncoming(builder.CreateExtractValue(swap, 0), exchange);
  builder.CreateCondBr(builder.CreateExtractValue(swap, 1), won, attempt);

  builder.SetInsertPoint(won);
  Value* data = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), buffer, offsetof(PrintfBuffer, data));
  builder.CreateRet(builder.CreateGEP(builder.getInt8Ty(), data, used));

  builder.SetInsertPoint(none);
  builder.CreateRet(llvm::ConstantPointerNull::get(pointer));
  return function;
}

/// Index of the format; equal calls share one.
unsigned formatIndex(llvm::Module& module, llvm::StringRef text, llvm::ArrayRef<std::uint64_t> sizes) {
  llvm::LLVMContext& context = module.getContext();
  llvm::SmallVector<llvm::Metadata*, 8> operands = {llvm::MDString::get(context, text)};
  for (std::uint64_t size : sizes)
    operands.push_back(llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), size)));
  llvm::MDNode* node = llvm::MDNode::get(context, operands);
  llvm::NamedMDNode* table = module.getOrInsertNamedMetadata("clotho.printf");
  for (unsigned i = 0; i < table->getNumOperands(); ++i)
    if (table->getOperand(i) == node) return i;
  table->addOperand(node);
  return table->getNumOperands() - 1;
}

/// Applies C's default argument promotions that clang has not applied.
Value* promote(IRBuilder<>& builder, Value* argument) {
  llvm::Type* type = argument->getType();
  if (type->isFloatTy() || type->isHalfTy()) return builder.CreateFPExt(argument, builder.getDoubleTy());
  if (type->isIntegerTy() && type->getIntegerBitWidth() < 32) return builder.CreateSExt(argument, builder.getInt32Ty());
  return argument;
}

bool lowerCall(llvm::CallInst& call) {
  llvm::Module& module = *call.getModule();
  llvm::StringRef text;
  if (!llvm::getConstantStringInfo(call.getArgOperand(0), text)) {
    module.getContext().emitError(&call, "the format of printf must be a string literal");
    return false;
  }

  IRBuilder<> builder(&call);
  llvm::SmallVector<Value*, 8> arguments;
  llvm::SmallVector<std::uint64_t, 8> sizes;
  std::uint64_t bytes = 8; // the record's own header
  for (Value* argument : llvm::drop_begin(call.args())) {
    arguments.push_back(promote(builder, argument));
    sizes.push_back(module.getDataLayout().getTypeAllocSize(arguments.back()->getType()));
    bytes += llvm::alignTo(sizes.back(), 8);
  }
  Value* record = builder.CreateCall(reserveFunction(module),
                                     {createIntrinsic(builder, Intrinsic::PrintfBuffer), builder.getInt64(bytes)});
  Value* dropped = builder.CreateIsNull(record, "dropped");
  Value* result = builder.CreateSelect(dropped, builder.getInt32(-1), builder.getInt32(0));

  llvm::Instruction* then =
      llvm::SplitBlockAndInsertIfThen(builder.CreateNot(dropped), call.getIterator(), /*Unreachable=*/false);
  builder.SetInsertPoint(then);
  const unsigned format = formatIndex(module, text, sizes);
  builder.CreateAlignedStore(builder.getInt32(static_cast<std::uint32_t>(bytes)), record, llvm::Align(8));
  const auto at = [&](std::uint64_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), record, offset);
  };
  builder.CreateAlignedStore(builder.getInt32(format), at(4), llvm::Align(4));
  std::uint64_t offset = 8;
  for (unsigned i = 0; i < arguments.size(); ++i) {
    builder.CreateAlignedStore(arguments[i], at(offset), llvm::Align(8));
    offset += llvm::alignTo(sizes[i], 8);
  }
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
  return true;
}

} // namespace

llvm::PreservedAnalyses LowerPrintfPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  llvm::Function* printf = module.getFunction("printf");
  if (printf == nullptr || !printf->isDeclaration()) return llvm::PreservedAnalyses::all();
  llvm::SmallVector<llvm::CallInst*, 8> calls;
  for (llvm::User* user : printf->users())
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(user); call != nullptr && call->getCalledOperand() == printf)
      calls.push_back(call);
  // Users are unordered, but the numbers of formats should follow the source.
  llvm::DenseMap<const llvm::Function*, unsigned> position;
  for (const llvm::Function& function : module)
    position[&function] = position.size();
  llvm::sort(calls, [&](llvm::CallInst* a, llvm::CallInst* b) {
    if (a->getFunction() != b->getFunction()) return position[a->getFunction()] < position[b->getFunction()];
    if (a->getParent() == b->getParent()) return a->comesBefore(b);
    for (const llvm::BasicBlock& block : *a->getFunction()) {
      if (&block == a->getParent()) return true;
      if (&block == b->getParent()) return false;
    }
    return false;
  });
  for (llvm::CallInst* call : calls)
    if (!lowerCall(*call)) return llvm::PreservedAnalyses::none();
  if (printf->use_empty()) printf->eraseFromParent();
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
