// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic instructions (SPIR-V specification, section 3.42.18) become LLVM's atomics directly. OpenCL C's functions are
// lowered to the same, but return a compare-exchange's old value through a pointer, and cover fewer types.
#include "compiler/frontend/spirv/opcodes.hpp"
#include "compiler/frontend/spirv/reader.hpp"

#include <llvm/IR/Instructions.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

namespace clotho::compiler::spirv {
namespace {

using llvm::AtomicOrdering;
using llvm::AtomicRMWInst;
using llvm::Value;

/// The memory order in memory semantics. Several bits are invalid; the strongest order is used.
AtomicOrdering orderOf(std::uint64_t semantics) {
  const auto has = [&](spv::MemorySemanticsMask bit) { return (semantics & bit) != 0; };
  const bool acquires = has(spv::MemorySemanticsAcquireMask), releases = has(spv::MemorySemanticsReleaseMask);
  if (has(spv::MemorySemanticsSequentiallyConsistentMask)) return AtomicOrdering::SequentiallyConsistent;
  if (has(spv::MemorySemanticsAcquireReleaseMask) || (acquires && releases)) return AtomicOrdering::AcquireRelease;
  if (acquires) return AtomicOrdering::Acquire;
  return releases ? AtomicOrdering::Release : AtomicOrdering::Monotonic;
}

/// A read cannot release.
AtomicOrdering orderOfRead(AtomicOrdering order) {
  if (order == AtomicOrdering::AcquireRelease) return AtomicOrdering::Acquire;
  return order == AtomicOrdering::Release ? AtomicOrdering::Monotonic : order;
}

/// A write cannot acquire.
AtomicOrdering orderOfWrite(AtomicOrdering order) {
  if (order == AtomicOrdering::AcquireRelease) return AtomicOrdering::Release;
  return order == AtomicOrdering::Acquire ? AtomicOrdering::Monotonic : order;
}

class Atomic {
 public:
  Atomic(Reader& reader, const Instruction& instruction)
      : reader_(reader), builder_(reader.builder), instruction_(instruction) {}

  void load() {
    Access access = read(reader_.llvmType(instruction_.type));
    if (reader_.failed()) return;
    llvm::LoadInst* loaded = builder_.CreateAlignedLoad(access.type, access.pointer, access.align, access.isVolatile);
    if (!isPrivate(access)) loaded->setAtomic(orderOfRead(access.order), access.scope);
    reader_.define(instruction_, loaded);
  }

  void store() {
    Value* value = reader_.value(instruction_.operand(3));
    if (!reader_.failed()) write(value);
  }

  void change(AtomicRMWInst::BinOp operation) {
    Value* value = reader_.value(instruction_.operand(3));
    if (reader_.failed()) return;
    const bool isReal = AtomicRMWInst::isFPOperation(operation);
    if (isReal && (value->getType()->isVectorTy() || reader_.typeOf(instruction_.operand(3)).isBfloat))
      return changeByExchange(operation, value);
    if (operation != AtomicRMWInst::Xchg && isReal != value->getType()->isFloatingPointTy())
      return reader_.fail("an atomic operation of another type than its own");
    reader_.define(instruction_, changed(operation, value));
  }

  /// OpAtomicIIncrement and OpAtomicIDecrement
  void step(AtomicRMWInst::BinOp operation) {
    llvm::Type* type = reader_.llvmType(instruction_.type);
    if (reader_.failed()) return;
    if (!type->isIntegerTy()) return reader_.fail("an atomic step of what is no integer");
    reader_.define(instruction_, changed(operation, llvm::ConstantInt::get(type, 1)));
  }

  /// Weak exchanges are treated as strong. The result is the old value, whether the exchange succeeded or not.
  void compareExchange() {
    Value *desired = reader_.value(instruction_.operand(4)), *expected = reader_.value(instruction_.operand(5));
    if (reader_.failed()) return;
    if (!desired->getType()->isIntegerTy() || desired->getType() != expected->getType())
      return reader_.fail("a compare exchange is of two integers of one type");
    const Access access = read(desired->getType());
    const AtomicOrdering failure = orderOfRead(order(instruction_.operand(3)));
    if (reader_.failed()) return;
    if (isPrivate(access)) {
      Value* old = builder_.CreateAlignedLoad(access.type, access.pointer, access.align, access.isVolatile);
      Value* made = builder_.CreateSelect(builder_.CreateICmpEQ(old, expected), desired, old);
      builder_.CreateAlignedStore(made, access.pointer, access.align, access.isVolatile);
      return reader_.define(instruction_, old);
    }
    auto* exchange = builder_.CreateAtomicCmpXchg(access.pointer, expected, desired, access.align, access.order,
                                                  failure, access.scope);
    exchange->setVolatile(access.isVolatile);
    reader_.define(instruction_, builder_.CreateExtractValue(exchange, 0));
  }

  /// A flag is a 32-bit integer that is 0 if clear.
  void testAndSetFlag() {
    Value* before = changed(AtomicRMWInst::Xchg, builder_.getInt32(1));
    if (!reader_.failed()) reader_.define(instruction_, reader_.truth(before));
  }
  void clearFlag() { write(builder_.getInt32(0)); }

 private:
  struct Access {
    Value* pointer;
    llvm::Type* type;
    llvm::Align align;
    AtomicOrdering order;
    llvm::SyncScope::ID scope;
    bool isVolatile;
  };

  /// Reads the pointer, scope and memory semantics with which all atomic instructions begin.
  Access read(llvm::Type* type) {
    const Access nothing{nullptr,
                         type,
                         llvm::Align(),
                         AtomicOrdering::SequentiallyConsistent,
                         llvm::SyncScope::System,
                         /*isVolatile=*/false};
    Value* pointer = reader_.value(instruction_.operand(0));
    if (reader_.failed()) return nothing;
    const unsigned bits = type->isIntegerTy() || type->isFloatingPointTy() ? type->getScalarSizeInBits() : 0;
    if (!pointer->getType()->isPointerTy() || bits < 8 || bits > 64 || !llvm::isPowerOf2_32(bits)) {
      reader_.fail("an atomic instruction of what cannot be accessed atomically");
      return nothing;
    }
    return {pointer,
            type,
            llvm::Align(bits / 8),
            order(instruction_.operand(2)),
            scopeOf(instruction_.operand(1)),
            isVolatile(instruction_.operand(2))};
  }

  /// The constant value of the operand; null if it is known only at run time.
  const llvm::ConstantInt* known(Id id) {
    Value* number = reader_.value(id);
    if (!reader_.failed() && !number->getType()->isIntegerTy()) reader_.fail("a scope or its like is no integer");
    return llvm::dyn_cast<llvm::ConstantInt>(number);
  }

  /// The strongest order is valid for unknown semantics.
  AtomicOrdering order(Id semantics) {
    const llvm::ConstantInt* number = known(semantics);
    return number == nullptr ? AtomicOrdering::SequentiallyConsistent : orderOf(number->getZExtValue());
  }
  bool isVolatile(Id semantics) {
    const llvm::ConstantInt* number = known(semantics);
    return number != nullptr && (number->getZExtValue() & spv::MemorySemanticsVolatileMask) != 0;
  }
  /// Synchronisation scopes by clang's names. The widest scope is valid for unknown ones.
  llvm::SyncScope::ID scopeOf(Id id) {
    const llvm::ConstantInt* number = known(id);
    const auto named = [&](llvm::StringRef name) { return reader_.context().getOrInsertSyncScopeID(name); };
    switch (number == nullptr ? std::uint64_t{spv::ScopeCrossDevice} : number->getZExtValue()) {
    case spv::ScopeDevice: return named("device");
    case spv::ScopeWorkgroup: return named("workgroup");
    case spv::ScopeSubgroup: return named("subgroup");
    case spv::ScopeInvocation: return llvm::SyncScope::SingleThread;
    default: return llvm::SyncScope::System;
    }
  }

  /// Whether the memory is private to a work-item, so that plain accesses suffice.
  static bool isPrivate(const Access& access) {
    return access.pointer->getType()->getPointerAddressSpace() == kPrivateSpace;
  }

  /// Expands an atomic sum of half vectors (SPV_NV_shader_atomic_fp16_vector) or bfloat16 (SPV_INTEL_16bit_atomics) to
  /// a compare-exchange loop on integers of the same size, since processors exchange only integers.
  void changeByExchange(AtomicRMWInst::BinOp operation, Value* value) {
    llvm::Type* type = value->getType();
    const bool isBfloat = !type->isVectorTy();
    const auto bits = static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
    if (!isBfloat && !type->getScalarType()->isHalfTy())
      return reader_.fail("an atomic operation of another type than its own");
    llvm::IntegerType* whole = builder_.getIntNTy(bits);
    const Access access = read(whole);
    if (reader_.failed()) return;
    const auto compute = [&](llvm::IRBuilder<>& builder, Value* old, Value* with) -> Value* {
      if (!isBfloat)
        return builder.CreateBitCast(
            llvm::buildAtomicRMWValue(operation, builder, builder.CreateBitCast(old, type), with), whole);
      return toBfloatBits(builder, llvm::buildAtomicRMWValue(operation, builder, fromBfloatBits(builder, old),
                                                             fromBfloatBits(builder, with)));
    };
    if (isPrivate(access)) {
      Value* old = builder_.CreateAlignedLoad(whole, access.pointer, access.align, access.isVolatile);
      builder_.CreateAlignedStore(compute(builder_, old, value), access.pointer, access.align, access.isVolatile);
      return reader_.define(instruction_, builder_.CreateBitCast(old, type));
    }
    const auto fill = [&](llvm::IRBuilder<>& builder, llvm::Function& function) {
      llvm::BasicBlock* entry = builder.GetInsertBlock();
      auto* attempt = llvm::BasicBlock::Create(reader_.context(), "attempt", &function);
      auto* done = llvm::BasicBlock::Create(reader_.context(), "done", &function);
      Value* pointer = function.getArg(0);
      llvm::LoadInst* first = builder.CreateAlignedLoad(whole, pointer, access.align, access.isVolatile);
      first->setAtomic(AtomicOrdering::Monotonic, access.scope);
      builder.CreateBr(attempt);
      builder.SetInsertPoint(attempt);
      llvm::PHINode* old = builder.CreatePHI(whole, 2);
      old->addIncoming(first, entry);
      auto* exchange = builder.CreateAtomicCmpXchg(pointer, old, compute(builder, old, function.getArg(1)),
                                                   access.align, access.order, orderOfRead(access.order), access.scope);
      exchange->setVolatile(access.isVolatile);
      old->addIncoming(builder.CreateExtractValue(exchange, 0), attempt);
      builder.CreateCondBr(builder.CreateExtractValue(exchange, 1), done, attempt);
      builder.SetInsertPoint(done);
      builder.CreateRet(builder.CreateBitCast(old, type));
    };
    reader_.define(instruction_, reader_.callWritten("spirv.changed", type, {access.pointer, value}, fill));
  }

  Value* changed(AtomicRMWInst::BinOp operation, Value* value) {
    const Access access = read(value->getType());
    if (reader_.failed()) return value;
    if (isPrivate(access)) {
      Value* old = builder_.CreateAlignedLoad(access.type, access.pointer, access.align, access.isVolatile);
      builder_.CreateAlignedStore(llvm::buildAtomicRMWValue(operation, builder_, old, value), access.pointer,
                                  access.align, access.isVolatile);
      return old;
    }
    AtomicRMWInst* change =
        builder_.CreateAtomicRMW(operation, access.pointer, value, access.align, access.order, access.scope);
    change->setVolatile(access.isVolatile);
    return change;
  }

  void write(Value* value) {
    const Access access = read(value->getType());
    if (reader_.failed()) return;
    llvm::StoreInst* stored = builder_.CreateAlignedStore(value, access.pointer, access.align, access.isVolatile);
    if (!isPrivate(access)) stored->setAtomic(orderOfWrite(access.order), access.scope);
  }

  Reader& reader_;
  llvm::IRBuilder<>& builder_;
  const Instruction& instruction_;
};

} // namespace

bool readAtomic(Reader& reader, const Instruction& instruction) {
  Atomic atomic(reader, instruction);
  switch (static_cast<unsigned>(instruction.op)) {
  case spv::OpAtomicLoad: atomic.load(); return true;
  case spv::OpAtomicStore: atomic.store(); return true;
  case spv::OpAtomicExchange: atomic.change(AtomicRMWInst::Xchg); return true;
  case spv::OpAtomicCompareExchange:
  case spv::OpAtomicCompareExchangeWeak: atomic.compareExchange(); return true;
  case spv::OpAtomicIIncrement: atomic.step(AtomicRMWInst::Add); return true;
  case spv::OpAtomicIDecrement: atomic.step(AtomicRMWInst::Sub); return true;
  case spv::OpAtomicIAdd: atomic.change(AtomicRMWInst::Add); return true;
  case spv::OpAtomicISub: atomic.change(AtomicRMWInst::Sub); return true;
  case spv::OpAtomicSMin: atomic.change(AtomicRMWInst::Min); return true;
  case spv::OpAtomicUMin: atomic.change(AtomicRMWInst::UMin); return true;
  case spv::OpAtomicSMax: atomic.change(AtomicRMWInst::Max); return true;
  case spv::OpAtomicUMax: atomic.change(AtomicRMWInst::UMax); return true;
  case spv::OpAtomicAnd: atomic.change(AtomicRMWInst::And); return true;
  case spv::OpAtomicOr: atomic.change(AtomicRMWInst::Or); return true;
  case spv::OpAtomicXor: atomic.change(AtomicRMWInst::Xor); return true;
  case kOpAtomicFAdd: atomic.change(AtomicRMWInst::FAdd); return true;
  case kOpAtomicFMin: atomic.change(AtomicRMWInst::FMin); return true;
  case kOpAtomicFMax: atomic.change(AtomicRMWInst::FMax); return true;
  case spv::OpAtomicFlagTestAndSet: atomic.testAndSetFlag(); return true;
  case spv::OpAtomicFlagClear: atomic.clearFlag(); return true;
  default: return false;
  }
}

} // namespace clotho::compiler::spirv
