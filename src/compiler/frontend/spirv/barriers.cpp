// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers, named barriers and fences (SPIR-V specification, section 3.42.20). Scopes and memory semantics need not be
// constants.
#include "compiler/frontend/spirv/groups.hpp"

#include <llvm/IR/Constants.h>

namespace clotho::compiler::spirv {
namespace {

using llvm::Value;

/// A 32-bit number: a scope or memory semantics.
Value* number(Reader& reader, Id id) { return unsignedArgument(reader, id, 32).value; }

/// The scope as OpenCL C's memory_scope.
Reader::Argument scopeArgument(Reader& reader, Value* scope) {
  // One digit for each of SPIR-V's scopes, the last digit for CrossDevice: memory_scope_all_svm_devices is 3.
  // QueueFamily, which OpenCL lacks, is treated as Device.
  constexpr std::uint32_t kOpenClScopes = 0x204123;
  auto& builder = reader.builder;
  Value* shift = builder.CreateShl(builder.CreateAnd(scope, 7), 2);
  return {builder.CreateAnd(builder.CreateLShr(builder.getInt32(kOpenClScopes), shift), 7),
          ParameterType::named("memory_scope")};
}

/// The order as OpenCL C's memory_order; the strongest if it is unknown.
Reader::Argument orderArgument(Reader& reader, Value* semantics) {
  enum Order : std::uint32_t { Relaxed = 0, Acquire = 2, Release = 3, AcquireRelease = 4, SequentiallyConsistent = 5 };
  Order order = SequentiallyConsistent;
  if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(semantics)) {
    const std::uint64_t bits = known->getZExtValue();
    const bool acquires = (bits & spv::MemorySemanticsAcquireMask) != 0;
    const bool releases = (bits & spv::MemorySemanticsReleaseMask) != 0;
    if ((bits & spv::MemorySemanticsSequentiallyConsistentMask) != 0)
      order = SequentiallyConsistent;
    else if ((bits & spv::MemorySemanticsAcquireReleaseMask) != 0 || (acquires && releases))
      order = AcquireRelease;
    else
      order = acquires ? Acquire : releases ? Release : Relaxed;
  }
  return {reader.builder.getInt32(order), ParameterType::named("memory_order")};
}

/// The memory kinds as cl_mem_fence_flags: local 1, global 2, images 4.
Reader::Argument flagsArgument(Reader& reader, Value* semantics) {
  static_assert(spv::MemorySemanticsWorkgroupMemoryMask == 1 << 8 &&
                spv::MemorySemanticsCrossWorkgroupMemoryMask == 2 << 8 &&
                spv::MemorySemanticsImageMemoryMask == 4 << 9);
  auto& builder = reader.builder;
  Value* buffers = builder.CreateAnd(builder.CreateLShr(semantics, 8), 3);
  Value* images = builder.CreateAnd(builder.CreateLShr(semantics, 9), 4);
  return {builder.CreateOr(buffers, images), ParameterType::integer(32, false)};
}

void fence(Reader& reader, Value* scope, Value* semantics) {
  const Reader::Argument arguments[] = {flagsArgument(reader, semantics), orderArgument(reader, semantics),
                                        scopeArgument(reader, scope)};
  reader.call("atomic_work_item_fence", reader.builder.getVoidTy(), arguments, Effects::Any);
}

void barrier(Reader& reader, llvm::StringRef name, Value* scope, Value* semantics) {
  const Reader::Argument arguments[] = {flagsArgument(reader, semantics), scopeArgument(reader, scope)};
  reader.call(name, reader.builder.getVoidTy(), arguments, Effects::Convergent);
}

/// A barrier whose execution scope is known. In the scope of one invocation it only orders memory.
void barrierOf(Reader& reader, std::uint64_t execution, Value* scope, Value* semantics) {
  switch (execution) {
  case spv::ScopeWorkgroup: return barrier(reader, "work_group_barrier", scope, semantics);
  case spv::ScopeSubgroup: return barrier(reader, "sub_group_barrier", scope, semantics);
  case spv::ScopeInvocation: return fence(reader, scope, semantics);
  default: return reader.fail("a barrier of work-items that do not wait for each other");
  }
}

/// A barrier whose scope is known only at run time. The choice is in a function of its own, so that the block with the
/// barrier remains the one that phis name; it disappears after inlining if the scope becomes constant.
void barrierOfAnyScope(Reader& reader, llvm::ArrayRef<Value*> operands) {
  auto& builder = reader.builder;
  llvm::Type* i32 = builder.getInt32Ty();
  auto* function = llvm::Function::Create(llvm::FunctionType::get(builder.getVoidTy(), {i32, i32, i32}, false),
                                          llvm::GlobalValue::InternalLinkage, "spirv.barrier", reader.module());
  function->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  for (const auto attribute : {llvm::Attribute::Convergent, llvm::Attribute::NoUnwind, llvm::Attribute::AlwaysInline})
    function->addFnAttr(attribute);
  llvm::CallInst* call = builder.CreateCall(function, operands);
  call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  call->addFnAttr(llvm::Attribute::Convergent);

  const llvm::IRBuilderBase::InsertPointGuard guard(builder);
  builder.SetCurrentDebugLocation(llvm::DebugLoc()); // which is one of the other function
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(reader.context(), name, function); };
  llvm::BasicBlock *entry = block("entry"), *end = block("end");
  builder.SetInsertPoint(end);
  builder.CreateRetVoid();
  builder.SetInsertPoint(entry);
  llvm::SwitchInst* choice = builder.CreateSwitch(function->getArg(0), end);
  for (const spv::Scope execution : {spv::ScopeWorkgroup, spv::ScopeSubgroup, spv::ScopeInvocation}) {
    llvm::BasicBlock* chosen = block("scope");
    choice->addCase(builder.getInt32(execution), chosen);
    builder.SetInsertPoint(chosen);
    barrierOf(reader, execution, function->getArg(1), function->getArg(2));
    builder.CreateBr(end);
  }
}

void readControlBarrier(Reader& reader, const Instruction& instruction) {
  Value* operands[] = {number(reader, instruction.operand(0)), number(reader, instruction.operand(1)),
                       number(reader, instruction.operand(2))};
  if (reader.failed()) return;
  if (const auto* execution = llvm::dyn_cast<llvm::ConstantInt>(operands[0]))
    barrierOf(reader, execution->getZExtValue(), operands[1], operands[2]);
  else
    barrierOfAnyScope(reader, operands);
}

/// One half of a split barrier (SPV_INTEL_split_barrier), which OpenCL has for work-groups only. LLVM's back end writes
/// the memory scope, which may be larger, as the execution scope, too.
void readSplitBarrier(Reader& reader, const Instruction& instruction, llvm::StringRef name) {
  const std::optional<std::uint64_t> execution = reader.constant(instruction.operand(0));
  Value *scope = number(reader, instruction.operand(1)), *semantics = number(reader, instruction.operand(2));
  if (reader.failed()) return;
  if (!execution || *execution > spv::ScopeWorkgroup) return reader.fail("a split barrier of others than a work-group");
  barrier(reader, name, scope, semantics);
}

/// The barrier's state is a local variable, one for each such instruction: a barrier is initialised once at a time, by
/// all work-items together.
void readNamedBarrierInitialize(Reader& reader, const Instruction& instruction) {
  auto& builder = reader.builder;
  Value* subGroups = number(reader, instruction.operand(0));
  if (reader.failed()) return;
  auto* type = llvm::ArrayType::get(builder.getInt32Ty(), 3); // NamedBarrier in src/builtins/named_barrier.cl
  auto* state = new llvm::GlobalVariable(reader.module(), type, /*isConstant=*/false,
                                         llvm::GlobalValue::InternalLinkage, llvm::UndefValue::get(type),
                                         "named.barrier", nullptr, llvm::GlobalValue::NotThreadLocal, kLocalSpace);
  state->setAlignment(llvm::Align(4));
  reader.callNamed("__named_barrier_init", builder.getVoidTy(), {state, subGroups}, Effects::Convergent);
  reader.define(instruction, state);
}

void readMemoryNamedBarrier(Reader& reader, const Instruction& instruction) {
  Value* state = reader.value(instruction.operand(0));
  Value *scope = number(reader, instruction.operand(1)), *semantics = number(reader, instruction.operand(2));
  if (reader.failed()) return;
  if (state->getType() != reader.builder.getPtrTy(kLocalSpace)) return reader.fail("a named barrier is none");
  fence(reader, scope, semantics);
  reader.callNamed("__named_barrier_wait", reader.builder.getVoidTy(), state, Effects::Convergent);
  fence(reader, scope, semantics);
}

} // namespace

bool readBarrier(Reader& reader, const Instruction& instruction) {
  switch (instruction.op) {
  case spv::OpControlBarrier: readControlBarrier(reader, instruction); return true;
  case spv::OpControlBarrierArriveINTEL:
    readSplitBarrier(reader, instruction, "intel_work_group_barrier_arrive");
    return true;
  case spv::OpControlBarrierWaitINTEL:
    readSplitBarrier(reader, instruction, "intel_work_group_barrier_wait");
    return true;
  case spv::OpMemoryBarrier: {
    Value *scope = number(reader, instruction.operand(0)), *semantics = number(reader, instruction.operand(1));
    if (!reader.failed()) fence(reader, scope, semantics);
    return true;
  }
  case spv::OpNamedBarrierInitialize: readNamedBarrierInitialize(reader, instruction); return true;
  case spv::OpMemoryNamedBarrier: readMemoryNamedBarrier(reader, instruction); return true;
  default: return false;
  }
}

} // namespace clotho::compiler::spirv
