// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pipes (SPIR-V specification, section 3.42.23): calls of the functions that clang calls for OpenCL C's pipe functions.
// Also pipes with storage in the program (PipeStorage).
#include "compiler/frontend/spirv/reader.hpp"

#include "abi/pipe.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>

namespace clotho::compiler::spirv {
namespace {

using llvm::Value;

/// The function of an instruction, with one letter for each operand: r and w: a pipe that is read or written, p: any
/// pipe; i: a reservation; d: a pointer to a packet; n: a number.
struct Row {
  spv::Op op;
  const char *name, *operands;
};

constexpr Row kRows[] = {
    {spv::OpReadPipe, "read_pipe_2", "rdnn"},
    {spv::OpWritePipe, "write_pipe_2", "wdnn"},
    {spv::OpReservedReadPipe, "read_pipe_4", "rindnn"},
    {spv::OpReservedWritePipe, "write_pipe_4", "windnn"},
    {spv::OpReserveReadPipePackets, "reserve_read_pipe", "rnnn"},
    {spv::OpReserveWritePipePackets, "reserve_write_pipe", "wnnn"},
    {spv::OpCommitReadPipe, "commit_read_pipe", "rinn"},
    {spv::OpCommitWritePipe, "commit_write_pipe", "winn"},
    {spv::OpGetNumPipePackets, "get_pipe_num_packets", "pnn"},
    {spv::OpGetMaxPipePackets, "get_pipe_max_packets", "pnn"},
};

/// Functions of groups, whose first operand is the scope.
constexpr Row kGroupRows[] = {
    {spv::OpGroupReserveReadPipePackets, "reserve_read_pipe", "rnnn"},
    {spv::OpGroupReserveWritePipePackets, "reserve_write_pipe", "wnnn"},
    {spv::OpGroupCommitReadPipe, "commit_read_pipe", "rinn"},
    {spv::OpGroupCommitWritePipe, "commit_write_pipe", "winn"},
};

const Row* find(llvm::ArrayRef<Row> rows, spv::Op op) {
  const auto* row = llvm::find_if(rows, [&](const Row& each) { return each.op == op; });
  return row == rows.end() ? nullptr : row;
}

/// Suffix of clang's functions that exist for both access qualifiers.
const char* endOf(const Type& pipe) { return pipe.access == spv::AccessQualifierWriteOnly ? "_wo" : "_ro"; }

/// An operand converted to the function's parameter type.
Value* operandOf(Reader& reader, Id id, char letter) {
  Value* value = reader.value(id);
  if (reader.failed()) return value;
  const Type& type = reader.typeOf(id);
  const bool isPipe = type.op == spv::OpTypePipe, isWritten = type.access == spv::AccessQualifierWriteOnly;
  bool fits = false;
  switch (letter) {
  case 'r': fits = isPipe && !isWritten; break;
  case 'w': fits = isPipe && isWritten; break;
  case 'p': fits = isPipe; break;
  case 'i': fits = type.op == spv::OpTypeReserveId; break;
  case 'n': fits = value->getType()->isIntegerTy(32); break;
  default: return reader.generic(value);
  }
  if (!fits) reader.fail("an instruction on a pipe has an operand of another type");
  return value;
}

llvm::Type* resultOf(Reader& reader, const Instruction& instruction) {
  return instruction.type != 0 ? reader.llvmType(instruction.type) : reader.builder.getVoidTy();
}

void callFunction(Reader& reader, const Instruction& instruction, const Row& row, Words operands, std::string name,
                  Effects effects) {
  const llvm::StringRef letters = row.operands;
  if (operands.size() != letters.size()) return reader.fail("an instruction on a pipe has too few operands");
  llvm::SmallVector<Value*, 6> arguments;
  for (const auto [id, letter] : llvm::zip_equal(operands, letters))
    arguments.push_back(operandOf(reader, id, letter));
  if (reader.failed()) return;
  if (letters.starts_with("p")) name += endOf(reader.typeOf(operands[0]));
  llvm::Type* result = resultOf(reader, instruction);
  const bool isReservation = letters == "rnnn" || letters == "wnnn";
  if (reader.failed()) return;
  if (instruction.type != 0 &&
      !(isReservation ? reader.type(instruction.type).op == spv::OpTypeReserveId : result->isIntegerTy(32)))
    return reader.fail("an instruction on a pipe has a result of another type");
  Value* made = reader.callNamed(name, result, arguments, effects);
  if (instruction.type != 0) reader.define(instruction, made);
}

/// Makes a pipe from its storage, a block of global memory, whose address is the pipe.
void makePipe(Reader& reader, const Instruction& instruction) {
  const Id id = instruction.operand(0);
  Value* storage = reader.value(id);
  const Type& result = reader.type(instruction.type);
  if (reader.failed()) return;
  if (result.op != spv::OpTypePipe || reader.typeOf(id).op != spv::OpTypePipeStorage)
    return reader.fail("a pipe is made of what is no storage for one");
  // LowerObjectsPass replaces the call by its argument.
  Value* pipe = reader.callNamed(std::string("__clotho_pipe") + endOf(result), result.type, {storage}, Effects::None);
  reader.define(instruction, pipe);
}

} // namespace

llvm::Constant* makePipeStorage(Reader& reader, const Instruction& instruction) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 28;
  const std::uint32_t packetSize = instruction.operand(0), alignment = instruction.operand(1),
                      capacity = instruction.operand(2);
  auto& builder = reader.builder;
  auto* address = builder.getPtrTy(kGlobalSpace);
  const auto refuse = [&](const llvm::Twine& why) {
    reader.fail(why);
    return llvm::PoisonValue::get(address);
  };
  if (reader.type(instruction.type).op != spv::OpTypePipeStorage) return refuse("storage of a pipe of another type");
  if (packetSize == 0 || capacity == 0) return refuse("a pipe without room for a packet");
  if (!llvm::isPowerOf2_32(alignment) || alignment > kPipeAlignment || packetSize % alignment != 0)
    return refuse("a pipe whose packets cannot be aligned to " + llvm::Twine(alignment) + " bytes");
  const std::uint64_t packets = pipePackets(capacity), bytes = packets + std::uint64_t{capacity} * packetSize;
  if (bytes > kMostBytes) return refuse("a pipe of " + llvm::Twine(bytes) + " bytes");
  // An empty pipe has zeros in all but the first three members of PipeHeader.
  llvm::Constant* const said[] = {builder.getInt32(packetSize), builder.getInt32(capacity), builder.getInt64(packets)};
  constexpr std::uint64_t kSaidBytes = offsetof(PipeHeader, unused);
  auto* rest = llvm::ArrayType::get(builder.getInt8Ty(), bytes - kSaidBytes);
  llvm::Constant* content =
      llvm::ConstantStruct::getAnon({said[0], said[1], said[2], llvm::Constant::getNullValue(rest)});
  auto* block = new llvm::GlobalVariable(reader.module(), content->getType(), /*isConstant=*/false,
                                         llvm::GlobalValue::InternalLinkage, content, reader.name(instruction.result),
                                         nullptr, llvm::GlobalValue::NotThreadLocal, kGlobalSpace);
  block->setAlignment(llvm::Align(kPipeAlignment));
  return block;
}

bool readPipe(Reader& reader, const Instruction& instruction) {
  if (const Row* row = find(kRows, instruction.op)) {
    callFunction(reader, instruction, *row, instruction.operands, std::string("__") + row->name, Effects::Any);
    return true;
  }
  if (const Row* row = find(kGroupRows, instruction.op)) {
    const auto scope = reader.constant(instruction.operand(0));
    if (!scope) return true;
    if (*scope != spv::ScopeWorkgroup && *scope != spv::ScopeSubgroup) {
      reader.fail("packets are reserved for a work-group or a sub-group");
      return true;
    }
    const char* group = *scope == spv::ScopeWorkgroup ? "__work_group_" : "__sub_group_";
    callFunction(reader, instruction, *row, instruction.operands.drop_front(), std::string(group) + row->name,
                 Effects::Convergent);
    return true;
  }
  switch (instruction.op) {
  case spv::OpIsValidReserveId: {
    Value* id = operandOf(reader, instruction.operand(0), 'i');
    if (reader.failed()) return true;
    reader.define(instruction, reader.call("is_valid_reserve_id", reader.builder.getInt1Ty(),
                                           {{id, ParameterType::named("ocl_reserveid")}}, Effects::None));
    return true;
  }
  case spv::OpCreatePipeFromPipeStorage: makePipe(reader, instruction); return true;
  default: return false;
  }
}

} // namespace clotho::compiler::spirv
