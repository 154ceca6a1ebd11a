// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queues and events of the device (SPIR-V specification, section 3.42.22): emits what clang emits for OpenCL C's
// blocks, which LowerEnqueuePass then lowers.
#include "compiler/frontend/spirv/reader.hpp"

#include "abi/device_queue.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>

namespace clotho::compiler::spirv {
namespace {

using llvm::Value;

constexpr const char* kEvent = "ocl_clkevent";

class DeviceQueues {
 public:
  DeviceQueues(Reader& reader, const Instruction& instruction)
      : reader_(reader), builder_(reader.builder), instruction_(instruction) {}

  void buildRange() {
    auto* result = llvm::dyn_cast<llvm::StructType>(reader_.llvmType(instruction_.type));
    if (reader_.failed()) return;
    if (result == nullptr || !result->isLayoutIdentical(rangeType()))
      return reader_.fail("a range is a number of dimensions and three times three sizes");
    // The members are in another order than the operands.
    const auto global = sizes(0), local = sizes(1), offset = sizes(2);
    if (reader_.failed()) return;
    if (global.size() != local.size() || global.size() != offset.size())
      return reader_.fail("the sizes of a range have different dimensions");
    Value* range = llvm::PoisonValue::get(result);
    range = builder_.CreateInsertValue(range, builder_.getInt32(static_cast<std::uint32_t>(global.size())), 0);
    const auto insert = [&](unsigned member, llvm::ArrayRef<Value*> given, std::uint64_t otherwise) {
      for (unsigned i = 0; i < kDimensions; ++i)
        range =
            builder_.CreateInsertValue(range, i < given.size() ? given[i] : builder_.getInt64(otherwise), {member, i});
    };
    insert(1, offset, 0);
    insert(2, global, 1);
    insert(3, local, 0);
    reader_.define(instruction_, range);
  }

  void enqueueMarker() {
    const ParameterType event = ParameterType::named(kEvent);
    const Reader::Argument arguments[] = {
        {object(0, spv::OpTypeQueue), ParameterType::named("ocl_queue")},
        {number(1), ParameterType::integer(32, /*isSigned=*/false)},
        {pointer(2), event.pointer(kGenericSpace, "K")},
        {pointer(3), event.pointer(kGenericSpace)},
    };
    if (!reader_.failed()) define(reader_.call("enqueue_marker", builder_.getInt32Ty(), arguments, Effects::Any));
  }

  void enqueueKernel() {
    constexpr std::size_t kBlock = 6, kLocalSizes = 10;
    Value* const queue = object(0, spv::OpTypeQueue);
    llvm::SmallVector<Value*, 10> arguments = {queue, number(1), range(2), number(3), pointer(4), pointer(5)};
    const unsigned locals = instruction_.operands.size() > kLocalSizes
                                ? static_cast<unsigned>(instruction_.operands.size() - kLocalSizes)
                                : 0;
    const Captures captures = capturesFrom(kBlock + 1);
    if (reader_.failed()) return;
    Value* block = blockKernel(instruction_.operand(kBlock), captures, locals);
    if (block == nullptr) return;
    arguments.append({block, literal(captures)});
    if (locals != 0) arguments.append({builder_.getInt32(locals), localSizes(kLocalSizes, locals)});
    if (reader_.failed()) return;
    define(reader_.callNamed(locals != 0 ? "__enqueue_kernel_events_varargs" : "__enqueue_kernel_basic_events",
                             builder_.getInt32Ty(), arguments, Effects::Any));
  }

  /// A query about a block whose function is operand number `blockAt`; `of` comes before it among the arguments.
  void query(llvm::StringRef name, std::size_t blockAt, llvm::SmallVector<Value*, 3> of = {}) {
    const Captures captures = capturesFrom(blockAt + 1);
    if (reader_.failed()) return;
    const llvm::Function* function = reader_.function(instruction_.operand(blockAt));
    Value* block = blockKernel(instruction_.operand(blockAt), captures,
                               function != nullptr && !function->arg_empty() ? function->arg_size() - 1 : 0);
    if (block == nullptr) return;
    of.append({block, llvm::ConstantPointerNull::get(builder_.getPtrTy(kGenericSpace))});
    define(reader_.callNamed(name, builder_.getInt32Ty(), of, Effects::Any));
  }
  void queryOfRange(llvm::StringRef name) { query(name, 1, {range(0)}); }
  void queryOfNumber(llvm::StringRef name) { query(name, 1, {number(0)}); }

  void createEvent() {
    define(reader_.call("create_user_event", llvm::TargetExtType::get(reader_.context(), "spirv.DeviceEvent"), {},
                        Effects::Any));
  }
  void getDefaultQueue() {
    define(reader_.call("get_default_queue", llvm::TargetExtType::get(reader_.context(), "spirv.Queue"), {},
                        Effects::Any));
  }
  void isValidEvent() {
    const Reader::Argument argument = event();
    if (!reader_.failed()) define(reader_.call("is_valid_event", builder_.getInt1Ty(), {argument}, Effects::Any));
  }
  void changeEvent(llvm::StringRef name) {
    const Reader::Argument argument = event();
    if (!reader_.failed()) reader_.call(name, builder_.getVoidTy(), {argument}, Effects::Any);
  }
  void setStatus() {
    const Reader::Argument arguments[] = {event(), {number(1), ParameterType::integer(32, /*isSigned=*/true)}};
    if (!reader_.failed()) reader_.call("set_user_event_status", builder_.getVoidTy(), arguments, Effects::Any);
  }
  void captureTimes() {
    ParameterType nothing;
    nothing.scalar = "v";
    Value* where = pointer(2);
    const Reader::Argument arguments[] = {
        event(),
        {number(1), ParameterType::integer(32, /*isSigned=*/true)},
        {builder_.CreateAddrSpaceCast(where, builder_.getPtrTy(kGlobalSpace)), nothing.pointer(kGlobalSpace)}};
    if (!reader_.failed()) reader_.call("capture_event_profiling_info", builder_.getVoidTy(), arguments, Effects::Any);
  }

 private:
  static constexpr unsigned kDimensions = 3;

  /// Data that a block's function gets a copy of. In a literal it follows clang's header.
  struct Captures {
    Value* from = nullptr;
    std::uint64_t bytes = 0, offset = 0;
    llvm::Align alignment;
  };

  void define(Value* value) { reader_.define(instruction_, value); }

  Value* object(std::size_t operand, spv::Op type) {
    const Id id = instruction_.operand(operand);
    Value* value = reader_.value(id);
    if (!reader_.failed() && reader_.typeOf(id).op != type)
      reader_.fail("an operand is no queue or event of the device");
    return value;
  }
  Reader::Argument event() { return {object(0, spv::OpTypeDeviceEvent), ParameterType::named(kEvent)}; }

  Value* number(std::size_t operand) {
    Value* value = reader_.value(instruction_.operand(operand));
    if (!value->getType()->isIntegerTy(32)) reader_.fail("an operand is no integer of 32 bits");
    return value;
  }

  /// A pointer cast to the generic address space. Null stays null.
  Value* pointer(std::size_t operand) {
    Value* value = reader_.value(instruction_.operand(operand));
    if (llvm::isa<llvm::ConstantPointerNull>(value))
      return llvm::ConstantPointerNull::get(builder_.getPtrTy(kGenericSpace));
    return reader_.generic(value);
  }

  /// clang's layout of ndrange_t: dimensions, offset, global and local size.
  llvm::StructType* rangeType() const {
    llvm::Type* sizes = llvm::ArrayType::get(builder_.getInt64Ty(), kDimensions);
    return llvm::StructType::get(reader_.context(), {builder_.getInt32Ty(), sizes, sizes, sizes});
  }

  /// Gets one to three sizes.
  llvm::SmallVector<Value*, kDimensions> sizes(std::size_t operand) {
    Value* value = reader_.value(instruction_.operand(operand));
    const auto* array = llvm::dyn_cast<llvm::ArrayType>(value->getType());
    llvm::Type* element = array != nullptr ? array->getElementType() : value->getType();
    const std::uint64_t count = array != nullptr ? array->getNumElements() : 1;
    if (!element->isIntegerTy() || count == 0 || count > kDimensions) reader_.fail("a range has one to three sizes");
    if (reader_.failed()) return {};
    llvm::SmallVector<Value*, kDimensions> all;
    for (unsigned i = 0; i < count; ++i) {
      Value* one = array != nullptr ? builder_.CreateExtractValue(value, i) : value;
      all.push_back(builder_.CreateZExtOrTrunc(one, builder_.getInt64Ty()));
    }
    return all;
  }

  /// A private copy of a range. (LLVM's translators pass a pointer where SPIR-V requires a value.)
  Value* range(std::size_t operand) {
    Value* value = reader_.value(instruction_.operand(operand));
    llvm::StructType* type = rangeType();
    auto* structure = llvm::dyn_cast<llvm::StructType>(value->getType());
    const bool isValue = structure != nullptr && structure->isLayoutIdentical(type);
    if (!isValue && !value->getType()->isPointerTy()) reader_.fail("an operand is no range");
    if (reader_.failed()) return value;
    llvm::AllocaInst* copy = reader_.temporary(type);
    if (isValue)
      builder_.CreateStore(value, copy);
    else
      builder_.CreateMemCpy(copy, copy->getAlign(), value, copy->getAlign(),
                            reader_.module().getDataLayout().getTypeAllocSize(type));
    return copy;
  }

  /// Reads the operands Param, Param Size and Param Align.
  Captures capturesFrom(std::size_t operand) {
    constexpr std::uint64_t kMostBytes = 1 << 16, kMostAlignment = 128;
    Captures captures;
    captures.from = reader_.value(instruction_.operand(operand));
    const auto bytes = reader_.constant(instruction_.operand(operand + 1)),
               alignment = reader_.constant(instruction_.operand(operand + 2));
    if (reader_.failed()) return captures;
    if (!captures.from->getType()->isPointerTy()) reader_.fail("the parameter of a block is no pointer");
    if (*bytes > kMostBytes) reader_.fail("the parameter of a block has " + llvm::Twine(*bytes) + " bytes");
    if (*alignment != 0 && (!llvm::isPowerOf2_64(*alignment) || *alignment > kMostAlignment))
      reader_.fail("the parameter of a block is aligned to " + llvm::Twine(*alignment) + " bytes");
    if (reader_.failed()) return captures;
    captures.bytes = *bytes;
    captures.alignment = llvm::Align(std::max<std::uint64_t>(*alignment, 8));
    captures.offset = llvm::alignTo(kBlockLiteralHeader, captures.alignment);
    return captures;
  }

  /// A block literal with clang's layout. Its header is not set, since no code reads it.
  Value* literal(const Captures& captures) {
    const bool isEmpty = captures.bytes == 0;
    llvm::AllocaInst* copy = reader_.temporary(llvm::ArrayType::get(
        builder_.getInt8Ty(), isEmpty ? std::uint64_t{kBlockLiteralHeader} : captures.offset + captures.bytes));
    copy->setAlignment(captures.alignment);
    if (!isEmpty)
      builder_.CreateMemCpy(builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), copy, captures.offset),
                            captures.alignment, captures.from, llvm::Align(1), captures.bytes);
    return builder_.CreateAddrSpaceCast(copy, builder_.getPtrTy(kGenericSpace));
  }

  /// Sizes of local memory. (LLVM's translators pass pointers to them.)
  Value* localSizes(std::size_t first, unsigned count) {
    llvm::AllocaInst* all = reader_.temporary(llvm::ArrayType::get(builder_.getInt64Ty(), count));
    for (unsigned i = 0; i < count; ++i) {
      const Id id = instruction_.operands[first + i];
      Value* size = reader_.value(id);
      if (!reader_.failed() && size->getType()->isPointerTy()) {
        llvm::Type* pointee = reader_.llvmType(reader_.typeOf(id).element);
        if (!reader_.failed() && pointee->isIntegerTy()) size = builder_.CreateLoad(pointee, size);
      }
      if (!size->getType()->isIntegerTy()) reader_.fail("a size of local memory is no integer");
      if (reader_.failed()) break;
      size = builder_.CreateZExtOrTrunc(size, builder_.getInt64Ty());
      builder_.CreateStore(size, builder_.CreateConstInBoundsGEP1_64(builder_.getInt64Ty(), all, i));
    }
    return all;
  }

  /// The kernel of a block, as a generic pointer; null after a failure. The kernel calls the function with a pointer to
  /// the captured data.
  Value* blockKernel(Id invoke, const Captures& captures, unsigned locals) {
    llvm::Function* function = reader_.function(invoke);
    const auto takes = [&](unsigned index, auto&& space) {
      const auto* type = llvm::dyn_cast<llvm::PointerType>(function->getArg(index)->getType());
      return type != nullptr && space(type->getAddressSpace());
    };
    bool fits = function != nullptr && function->getReturnType()->isVoidTy() && function->arg_size() == locals + 1 &&
                takes(0, [](unsigned space) { return space != kLocalSpace; });
    for (unsigned i = 0; fits && i < locals; ++i)
      fits = takes(i + 1, [](unsigned space) { return space == kLocalSpace; });
    if (!fits) {
      reader_.fail("a block has other parameters than a pointer to its data and its local memory");
      return nullptr;
    }
    auto* generic = builder_.getPtrTy(kGenericSpace);
    llvm::SmallVector<llvm::Type*, 4> parameters = {generic};
    parameters.append(locals, builder_.getPtrTy(kLocalSpace));
    auto* type = llvm::FunctionType::get(builder_.getVoidTy(), parameters, false);
    const std::string name = (function->getName() + ".block." + llvm::Twine(invoke) + "." +
                              llvm::Twine(captures.offset) + "." + llvm::Twine(captures.bytes))
                                 .str();
    llvm::Function* kernel = reader_.module().getFunction(name);
    if (kernel == nullptr || kernel->getCallingConv() != llvm::CallingConv::SPIR_KERNEL ||
        kernel->getFunctionType() != type)
      kernel = makeBlockKernel(name, *type, *function, captures);
    return builder_.CreateAddrSpaceCast(kernel, generic);
  }

  llvm::Function* makeBlockKernel(llvm::StringRef name, llvm::FunctionType& type, llvm::Function& function,
                                  const Captures& captures) {
    // Internal, since other modules that this one is linked with may have kernels of the same name.
    auto* kernel = llvm::Function::Create(&type, llvm::GlobalValue::InternalLinkage, name, reader_.module());
    kernel->setCallingConv(llvm::CallingConv::SPIR_KERNEL);
    kernel->addFnAttr(llvm::Attribute::Convergent);
    kernel->addFnAttr(llvm::Attribute::NoUnwind);
    llvm::IRBuilder<> body(llvm::BasicBlock::Create(reader_.context(), "entry", kernel));
    auto* wanted = llvm::cast<llvm::PointerType>(function.getArg(0)->getType());
    Value* data = body.CreateConstInBoundsGEP1_64(body.getInt8Ty(), kernel->getArg(0), captures.offset);
    if (captures.bytes == 0) {
      data = llvm::ConstantPointerNull::get(wanted);
    } else if (wanted->getAddressSpace() == kPrivateSpace) {
      llvm::AllocaInst* copy = body.CreateAlloca(llvm::ArrayType::get(body.getInt8Ty(), captures.bytes));
      copy->setAlignment(captures.alignment);
      body.CreateMemCpy(copy, captures.alignment, data, captures.alignment, captures.bytes);
      data = copy;
    } else {
      data = body.CreatePointerBitCastOrAddrSpaceCast(data, wanted);
    }
    llvm::SmallVector<Value*, 4> arguments = {data};
    for (llvm::Argument& local : llvm::drop_begin(kernel->args()))
      arguments.push_back(&local);
    body.CreateCall(&function, arguments)->setCallingConv(function.getCallingConv());
    body.CreateRetVoid();
    return kernel;
  }

  Reader& reader_;
  llvm::IRBuilder<>& builder_;
  const Instruction& instruction_;
};

} // namespace

bool readDeviceQueue(Reader& reader, const Instruction& instruction) {
  DeviceQueues queues(reader, instruction);
  switch (instruction.op) {
  case spv::OpBuildNDRange: queues.buildRange(); return true;
  case spv::OpEnqueueMarker: queues.enqueueMarker(); return true;
  case spv::OpEnqueueKernel: queues.enqueueKernel(); return true;
  case spv::OpGetDefaultQueue: queues.getDefaultQueue(); return true;
  case spv::OpCreateUserEvent: queues.createEvent(); return true;
  case spv::OpIsValidEvent: queues.isValidEvent(); return true;
  case spv::OpRetainEvent: queues.changeEvent("retain_event"); return true;
  case spv::OpReleaseEvent: queues.changeEvent("release_event"); return true;
  case spv::OpSetUserEventStatus: queues.setStatus(); return true;
  case spv::OpCaptureEventProfilingInfo: queues.captureTimes(); return true;
  case spv::OpGetKernelWorkGroupSize: queues.query("__get_kernel_work_group_size_impl", 0); return true;
  case spv::OpGetKernelPreferredWorkGroupSizeMultiple:
    queues.query("__get_kernel_preferred_work_group_size_multiple_impl", 0);
    return true;
  case spv::OpGetKernelNDrangeSubGroupCount:
    queues.queryOfRange("__get_kernel_sub_group_count_for_ndrange_impl");
    return true;
  case spv::OpGetKernelNDrangeMaxSubGroupSize:
    queues.queryOfRange("__get_kernel_max_sub_group_size_for_ndrange_impl");
    return true;
  case spv::OpGetKernelMaxNumSubgroups: queues.query("__get_kernel_max_num_sub_groups_impl", 0); return true;
  case spv::OpGetKernelLocalSizeForSubgroupCount:
    queues.queryOfNumber("__get_kernel_local_size_for_sub_group_count_impl");
    return true;
  default: return false;
  }
}

} // namespace clotho::compiler::spirv
