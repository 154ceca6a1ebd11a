// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that all work-items of a work-group or sub-group run together (SPIR-V specification, section 3.42.21):
// votes, broadcasts, reductions, scans, and asynchronous copies. Also the clock, which has a scope, too.
#include "compiler/frontend/spirv/groups.hpp"

#include "compiler/frontend/spirv/opcodes.hpp"

namespace clotho::compiler::spirv {

using llvm::Value;

namespace {

/// Whether OpenCL C has collective functions for the type, or it is boolean.
bool isCollective(llvm::Type* type) {
  const unsigned bits = type->getScalarSizeInBits();
  return type->isFPOrFPVectorTy() ||
         (type->isIntOrIntVectorTy() && (bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64));
}

} // namespace

Value* callCollective(Reader& reader, const Collective& function, Value* value,
                      llvm::ArrayRef<Reader::Argument> further) {
  auto& builder = reader.builder;
  llvm::Type* type = value->getType();
  if (reader.failed()) return value;
  if (!isCollective(type)) {
    reader.fail("work-items exchange what is no number");
    return value;
  }
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (vector != nullptr && !function.takesVectors) {
    Value* result = llvm::PoisonValue::get(type);
    for (unsigned i = 0; i < vector->getNumElements(); ++i) {
      Value* element = callCollective(reader, function, builder.CreateExtractElement(value, i), further);
      result = builder.CreateInsertElement(result, element, i);
    }
    return result;
  }
  const bool isTruth = type->isIntOrIntVectorTy(1);
  if (isTruth) value = reader.number(value, type->getWithNewType(builder.getInt32Ty()));
  llvm::SmallVector<Reader::Argument, 4> arguments = {
      {value, ParameterType::of(*value->getType(), function.isSigned || isTruth)}};
  arguments.append(further.begin(), further.end());
  Value* result = reader.call(function.name, value->getType(), arguments, Effects::Convergent);
  return isTruth ? reader.truth(result) : result;
}

void defineCollective(Reader& reader, const Instruction& instruction, const Collective& function, Id value,
                      llvm::ArrayRef<Reader::Argument> further) {
  Value* result = callCollective(reader, function, reader.value(value), further);
  if (!reader.failed()) reader.define(instruction, result);
}

Reader::Argument unsignedArgument(Reader& reader, Id id, unsigned bits) {
  Value* value = reader.value(id);
  if (!reader.failed() && !value->getType()->isIntegerTy()) reader.fail("an integer is expected");
  llvm::Type* wanted = reader.builder.getIntNTy(bits);
  value = reader.failed() ? llvm::PoisonValue::get(wanted) : reader.builder.CreateZExtOrTrunc(value, wanted);
  return {value, ParameterType::integer(bits, false)};
}

void defineTruth(Reader& reader, const Instruction& instruction, Value* number) {
  if (!reader.failed()) reader.define(instruction, reader.truth(number));
}

void defineArithmetic(Reader& reader, const Instruction& instruction, const GroupArithmetic& arithmetic,
                      llvm::StringRef prefix, Id value, llvm::ArrayRef<Reader::Argument> further) {
  llvm::Type* type = reader.value(value)->getType();
  if (reader.failed()) return;
  const bool fits = arithmetic.of == GroupArithmetic::Reals    ? type->isFPOrFPVectorTy()
                    : arithmetic.of == GroupArithmetic::Truths ? type->isIntOrIntVectorTy(1)
                                                               : type->isIntOrIntVectorTy();
  if (!fits) return reader.fail("a group combines values of another type than the instruction's");
  const Collective function{prefix.str() + arithmetic.name, arithmetic.isSigned, /*takesVectors=*/false};
  defineCollective(reader, instruction, function, value, further);
}

namespace {

std::optional<GroupArithmetic> arithmeticOf(unsigned op) {
  switch (op) {
  case spv::OpGroupIAdd: return GroupArithmetic{"add", false, GroupArithmetic::Integers, true};
  case spv::OpGroupFAdd: return GroupArithmetic{"add", false, GroupArithmetic::Reals, true};
  case spv::OpGroupFMin: return GroupArithmetic{"min", false, GroupArithmetic::Reals, true};
  case spv::OpGroupUMin: return GroupArithmetic{"min", false, GroupArithmetic::Integers, true};
  case spv::OpGroupSMin: return GroupArithmetic{"min", true, GroupArithmetic::Integers, true};
  case spv::OpGroupFMax: return GroupArithmetic{"max", false, GroupArithmetic::Reals, true};
  case spv::OpGroupUMax: return GroupArithmetic{"max", false, GroupArithmetic::Integers, true};
  case spv::OpGroupSMax: return GroupArithmetic{"max", true, GroupArithmetic::Integers, true};
  case kOpGroupIMul: return GroupArithmetic{"mul", false, GroupArithmetic::Integers, false};
  case kOpGroupFMul: return GroupArithmetic{"mul", false, GroupArithmetic::Reals, false};
  case kOpGroupBitwiseAnd: return GroupArithmetic{"and", false, GroupArithmetic::Integers, false};
  case kOpGroupBitwiseOr: return GroupArithmetic{"or", false, GroupArithmetic::Integers, false};
  case kOpGroupBitwiseXor: return GroupArithmetic{"xor", false, GroupArithmetic::Integers, false};
  case kOpGroupLogicalAnd: return GroupArithmetic{"logical_and", false, GroupArithmetic::Truths, false};
  case kOpGroupLogicalOr: return GroupArithmetic{"logical_or", false, GroupArithmetic::Truths, false};
  case kOpGroupLogicalXor: return GroupArithmetic{"logical_xor", false, GroupArithmetic::Truths, false};
  default: return std::nullopt;
  }
}

/// "work_group_" or "sub_group_"; null after a failure.
const char* groupOf(Reader& reader, Id scope) {
  const std::optional<std::uint64_t> known = reader.constant(scope);
  if (known == spv::ScopeWorkgroup) return "work_group_";
  if (known == spv::ScopeSubgroup) return "sub_group_";
  reader.fail("a group is a work-group or a sub-group");
  return nullptr;
}

void readCombination(Reader& reader, const Instruction& instruction, const GroupArithmetic& arithmetic) {
  const char* group = groupOf(reader, instruction.operand(0));
  const std::uint32_t operation = instruction.operand(1);
  constexpr const char* kOperations[] = {"reduce_", "scan_inclusive_", "scan_exclusive_"};
  if (group == nullptr) return;
  if (operation >= std::size(kOperations)) return reader.fail("there is no such group operation");
  std::string prefix = group;
  // OpenCL C has these for sub-groups only in the non-uniform form.
  if (!arithmetic.isOfUniformGroups && prefix == "sub_group_") prefix += "non_uniform_";
  defineArithmetic(reader, instruction, arithmetic, prefix + kOperations[operation], instruction.operand(2));
}

void readVote(Reader& reader, const Instruction& instruction, const char* name) {
  const char* group = groupOf(reader, instruction.operand(0));
  Value* predicate = reader.value(instruction.operand(1));
  if (reader.failed()) return;
  if (!predicate->getType()->isIntegerTy(1)) return reader.fail("a vote is about what is true or false");
  defineCollective(reader, instruction, {std::string(group) + name}, instruction.operand(1));
}

void readBroadcast(Reader& reader, const Instruction& instruction) {
  const char* group = groupOf(reader, instruction.operand(0));
  Value* id = reader.value(instruction.operand(2));
  if (reader.failed()) return;
  const bool isOfSubGroup = llvm::StringRef(group) == "sub_group_";
  const std::string name = std::string(group) + "broadcast";
  if (id->getType()->isIntegerTy())
    return defineCollective(reader, instruction, {name}, instruction.operand(1),
                            unsignedArgument(reader, instruction.operand(2), isOfSubGroup ? 32 : 64));
  auto& builder = reader.builder;
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(id->getType());
  if (isOfSubGroup || vector == nullptr || !vector->getElementType()->isIntegerTy() || vector->getNumElements() > 3)
    return reader.fail("a broadcast is of a work-item with one, two or three local ids");
  llvm::SmallVector<Reader::Argument, 3> ids;
  for (unsigned i = 0; i < vector->getNumElements(); ++i)
    ids.push_back({builder.CreateZExtOrTrunc(builder.CreateExtractElement(id, i), builder.getInt64Ty()),
                   ParameterType::integer(64, false)});
  defineCollective(reader, instruction, {name}, instruction.operand(1), ids);
}

void readAsyncCopy(Reader& reader, const Instruction& instruction) {
  Value *to = reader.value(instruction.operand(1)), *from = reader.value(instruction.operand(2));
  if (reader.failed()) return;
  const Type &target = reader.typeOf(instruction.operand(1)), &source = reader.typeOf(instruction.operand(2));
  if (target.op != spv::OpTypePointer || source.op != spv::OpTypePointer || target.element != source.element)
    return reader.fail("a copy by a work-group is between two pointers to the same type");
  const ParameterType element = reader.parameter(target.element);
  Value* event = reader.value(instruction.operand(5));
  llvm::SmallVector<Reader::Argument, 5> arguments = {
      {to, element.pointer(to->getType()->getPointerAddressSpace())},
      {from, element.pointer(from->getType()->getPointerAddressSpace(), "K")},
      unsignedArgument(reader, instruction.operand(3), 64)};
  const Reader::Argument stride = unsignedArgument(reader, instruction.operand(4), 64);
  if (reader.failed()) return;
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(stride.value);
  const bool isDense = known != nullptr && known->isOne();
  if (!isDense) arguments.push_back(stride);
  arguments.push_back({event, ParameterType::named("ocl_event")});
  const char* name = isDense ? "async_work_group_copy" : "async_work_group_strided_copy";
  reader.define(instruction, reader.call(name, event->getType(), arguments, Effects::Convergent));
}

void readWaitEvents(Reader& reader, const Instruction& instruction) {
  Reader::Argument count = unsignedArgument(reader, instruction.operand(1), 32);
  count.type = ParameterType::integer(32, true);
  Value* events = reader.value(instruction.operand(2));
  if (reader.failed()) return;
  if (!events->getType()->isPointerTy()) return reader.fail("a work-group waits for events that a pointer leads to");
  unsigned space = events->getType()->getPointerAddressSpace();
  if (space != kPrivateSpace) {
    events = reader.generic(events);
    space = kGenericSpace;
  }
  reader.call("wait_group_events", reader.builder.getVoidTy(),
              {count, {events, ParameterType::named("ocl_event").pointer(space)}}, Effects::Convergent);
}

void readClock(Reader& reader, const Instruction& instruction) {
  // The widest clock is valid for an unknown scope.
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(reader.value(instruction.operand(0)));
  const std::uint64_t scope = known != nullptr ? known->getZExtValue() : std::uint64_t{spv::ScopeDevice};
  llvm::Type* type = reader.llvmType(instruction.type);
  if (reader.failed()) return;
  const char* name = scope == spv::ScopeDevice      ? "device"
                     : scope == spv::ScopeWorkgroup ? "work_group"
                     : scope == spv::ScopeSubgroup  ? "sub_group"
                                                    : nullptr;
  if (name == nullptr) return reader.fail("a clock is a device's, a work-group's or a sub-group's");
  const bool isWhole = type->isIntegerTy(64);
  if (!isWhole && type != llvm::FixedVectorType::get(reader.builder.getInt32Ty(), 2))
    return reader.fail("a clock is read as 64 bits or as two numbers of 32");
  reader.define(instruction, reader.call((isWhole ? "clock_read_" : "clock_read_hilo_") + std::string(name), type, {},
                                         Effects::Any));
}

} // namespace

bool readGroup(Reader& reader, const Instruction& instruction) {
  if (readBarrier(reader, instruction) || readSubGroup(reader, instruction)) return true;
  if (const auto arithmetic = arithmeticOf(instruction.op)) {
    readCombination(reader, instruction, *arithmetic);
    return true;
  }
  switch (instruction.op) {
  case spv::OpGroupAll: readVote(reader, instruction, "all"); return true;
  case spv::OpGroupAny: readVote(reader, instruction, "any"); return true;
  case spv::OpGroupBroadcast: readBroadcast(reader, instruction); return true;
  case spv::OpGroupAsyncCopy: readAsyncCopy(reader, instruction); return true;
  case spv::OpGroupWaitEvents: readWaitEvents(reader, instruction); return true;
  case spv::OpReadClockKHR: readClock(reader, instruction); return true;
  default: return false;
  }
}

} // namespace clotho::compiler::spirv
