// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of sub-groups in which not all work-items need to take part (SPIR-V specification, section 3.42.24), and
// those of SPV_INTEL_subgroups.
#include "compiler/frontend/spirv/groups.hpp"
#include "compiler/frontend/spirv/opcodes.hpp"

namespace clotho::compiler::spirv {
namespace {

using llvm::Value;

std::optional<GroupArithmetic> arithmeticOf(spv::Op op) {
  using Arithmetic = GroupArithmetic;
  switch (op) {
  case spv::OpGroupNonUniformIAdd: return Arithmetic{"add", false, Arithmetic::Integers, false};
  case spv::OpGroupNonUniformFAdd: return Arithmetic{"add", false, Arithmetic::Reals, false};
  case spv::OpGroupNonUniformIMul: return Arithmetic{"mul", false, Arithmetic::Integers, false};
  case spv::OpGroupNonUniformFMul: return Arithmetic{"mul", false, Arithmetic::Reals, false};
  case spv::OpGroupNonUniformSMin: return Arithmetic{"min", true, Arithmetic::Integers, false};
  case spv::OpGroupNonUniformUMin: return Arithmetic{"min", false, Arithmetic::Integers, false};
  case spv::OpGroupNonUniformFMin: return Arithmetic{"min", false, Arithmetic::Reals, false};
  case spv::OpGroupNonUniformSMax: return Arithmetic{"max", true, Arithmetic::Integers, false};
  case spv::OpGroupNonUniformUMax: return Arithmetic{"max", false, Arithmetic::Integers, false};
  case spv::OpGroupNonUniformFMax: return Arithmetic{"max", false, Arithmetic::Reals, false};
  case spv::OpGroupNonUniformBitwiseAnd: return Arithmetic{"and", false, Arithmetic::Integers, false};
  case spv::OpGroupNonUniformBitwiseOr: return Arithmetic{"or", false, Arithmetic::Integers, false};
  case spv::OpGroupNonUniformBitwiseXor: return Arithmetic{"xor", false, Arithmetic::Integers, false};
  case spv::OpGroupNonUniformLogicalAnd: return Arithmetic{"logical_and", false, Arithmetic::Truths, false};
  case spv::OpGroupNonUniformLogicalOr: return Arithmetic{"logical_or", false, Arithmetic::Truths, false};
  case spv::OpGroupNonUniformLogicalXor: return Arithmetic{"logical_xor", false, Arithmetic::Truths, false};
  default: return std::nullopt;
  }
}

class SubGroup {
 public:
  SubGroup(Reader& reader, const Instruction& instruction)
      : reader_(reader), builder_(reader.builder), instruction_(instruction) {}

  void arithmetic(const GroupArithmetic& arithmetic) {
    if (!isOfSubGroup()) return;
    switch (instruction_.operand(1)) {
    case spv::GroupOperationReduce: return combine(arithmetic, "sub_group_non_uniform_reduce_");
    case spv::GroupOperationInclusiveScan: return combine(arithmetic, "sub_group_non_uniform_scan_inclusive_");
    case spv::GroupOperationExclusiveScan: return combine(arithmetic, "sub_group_non_uniform_scan_exclusive_");
    case spv::GroupOperationClusteredReduce: {
      const std::optional<std::uint64_t> size = cluster(3);
      if (!size) return;
      return combine(arithmetic, "sub_group_clustered_reduce_", reader_.intArgument(*size, false));
    }
    default: return reader_.fail("there is no such group operation");
    }
  }

  void elect() {
    if (isOfSubGroup()) defineTruth(reader_, instruction_, call("sub_group_elect", {}));
  }

  /// OpGroupNonUniformAll and OpGroupNonUniformAny.
  void vote(const char* name) {
    Value* predicate = reader_.value(instruction_.operand(1));
    if (!isOfSubGroup()) return;
    if (!predicate->getType()->isIntegerTy(1)) return reader_.fail("a vote is about what is true or false");
    defineCollective(reader_, instruction_, {name}, instruction_.operand(1));
  }

  /// Vectors are equal if all their elements are.
  void allEqual() {
    Value* value = reader_.value(instruction_.operand(1));
    if (!isOfSubGroup()) return;
    if (value->getType()->isIntOrIntVectorTy(1))
      value = reader_.number(value, value->getType()->getWithNewType(builder_.getInt32Ty()));
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
    if (!value->getType()->isIntOrIntVectorTy() && !value->getType()->isFPOrFPVectorTy())
      return reader_.fail("work-items compare what is no number");
    Value* all = builder_.getTrue();
    for (unsigned i = 0; i < (vector != nullptr ? vector->getNumElements() : 1); ++i) {
      Value* one = vector != nullptr ? builder_.CreateExtractElement(value, i) : value;
      const unsigned bits = one->getType()->getScalarSizeInBits();
      const ParameterType type =
          one->getType()->isFloatingPointTy() ? ParameterType::floating(bits) : ParameterType::integer(bits, true);
      all = builder_.CreateAnd(all, reader_.truth(call("sub_group_non_uniform_all_equal", {{one, type}})));
    }
    reader_.define(instruction_, all);
  }

  /// Broadcasts the value of one lane; the operand after the value is the lane's number.
  void broadcast() {
    if (!isOfSubGroup()) return;
    defineCollective(reader_, instruction_, {"sub_group_non_uniform_broadcast"}, instruction_.operand(1),
                     unsignedArgument(reader_, instruction_.operand(2), 32));
  }
  void broadcastFirst() {
    if (isOfSubGroup())
      defineCollective(reader_, instruction_, {"sub_group_broadcast_first", false, /*takesVectors=*/false},
                       instruction_.operand(1));
  }

  void ballot() {
    Value* predicate = reader_.value(instruction_.operand(1));
    if (!isOfSubGroup()) return;
    if (!predicate->getType()->isIntegerTy(1)) return reader_.fail("a vote is about what is true or false");
    Value* number = reader_.number(predicate, builder_.getInt32Ty());
    reader_.define(instruction_,
                   reader_.call("sub_group_ballot", ballotType(),
                                Reader::Argument{number, ParameterType::integer(32, true)}, Effects::Convergent));
  }
  void inverseBallot() {
    if (const auto bits = ballotArgument(1))
      defineTruth(reader_, instruction_, call("sub_group_inverse_ballot", *bits));
  }
  void ballotBitExtract() {
    const Reader::Argument index = unsignedArgument(reader_, instruction_.operand(2), 32);
    if (const auto bits = ballotArgument(1))
      defineTruth(reader_, instruction_, call("sub_group_ballot_bit_extract", {*bits, index}));
  }
  void ballotBitCount() {
    constexpr const char* kFunctions[] = {"sub_group_ballot_bit_count", "sub_group_ballot_inclusive_scan",
                                          "sub_group_ballot_exclusive_scan"};
    const std::uint32_t operation = instruction_.operand(1);
    if (operation >= std::size(kFunctions)) return reader_.fail("there is no such group operation");
    if (const auto bits = ballotArgument(2)) defineCount(call(kFunctions[operation], *bits));
  }
  void ballotFind(const char* name) {
    if (const auto bits = ballotArgument(1)) defineCount(call(name, *bits));
  }

  void shuffle(const char* name) {
    if (!isOfSubGroup()) return;
    defineCollective(reader_, instruction_, {name}, instruction_.operand(1),
                     unsignedArgument(reader_, instruction_.operand(2), 32));
  }

  void rotate() {
    if (!isOfSubGroup()) return;
    Reader::Argument delta = unsignedArgument(reader_, instruction_.operand(2), 32);
    delta.type = ParameterType::integer(32, true);
    if (instruction_.operands.size() < 4)
      return defineCollective(reader_, instruction_, {"sub_group_rotate"}, instruction_.operand(1), delta);
    const std::optional<std::uint64_t> size = cluster(3);
    if (!size) return;
    defineCollective(reader_, instruction_, {"sub_group_clustered_rotate"}, instruction_.operand(1),
                     {delta, reader_.intArgument(*size, false)});
  }

  // Instructions of SPV_INTEL_subgroups, which have no scope operand.

  /// OpSubgroupShuffleINTEL and OpSubgroupShuffleXorINTEL.
  void intelShuffle(const char* name) {
    defineCollective(reader_, instruction_, {name}, instruction_.operand(0),
                     unsignedArgument(reader_, instruction_.operand(1), 32));
  }

  /// Shuffles from two values of each work-item.
  void intelShuffleOfTwo(const char* name) {
    Value *first = reader_.value(instruction_.operand(0)), *second = reader_.value(instruction_.operand(1));
    const Reader::Argument delta = unsignedArgument(reader_, instruction_.operand(2), 32);
    if (reader_.failed()) return;
    if (first->getType() != second->getType()) return reader_.fail("a shuffle is of two values of one type");
    if (first->getType()->isIntOrIntVectorTy(1)) return reader_.fail("a shuffle of two truths");
    defineCollective(reader_, instruction_, {name}, instruction_.operand(0),
                     {reader_.argument(instruction_.operand(1)), delta});
  }

  void blockRead() {
    llvm::Type* type = reader_.llvmType(instruction_.type);
    const auto block = blockOf(type);
    if (!block) return;
    Value* read = reader_.call("intel_sub_group_block_read" + block->suffix, block->type, pointerArgument(*block, "K"),
                               Effects::Convergent);
    reader_.define(instruction_, builder_.CreateBitCast(read, type));
  }

  void blockWrite() {
    Value* data = reader_.value(instruction_.operand(1));
    const auto block = blockOf(data->getType());
    if (!block) return;
    ParameterType type = block->element;
    type.elements = block->elements;
    reader_.call("intel_sub_group_block_write" + block->suffix, builder_.getVoidTy(),
                 {pointerArgument(*block, ""), {builder_.CreateBitCast(data, block->type), type}}, Effects::Convergent);
  }

 private:
  bool isOfSubGroup() {
    const std::optional<std::uint64_t> scope = reader_.constant(instruction_.operand(0));
    if (scope && *scope != spv::ScopeSubgroup) reader_.fail("such groups are sub-groups only");
    return !reader_.failed();
  }

  /// Number of lanes in a cluster.
  std::optional<std::uint64_t> cluster(unsigned operand) {
    const std::optional<std::uint64_t> size = reader_.constant(instruction_.operand(operand));
    if (!size) return std::nullopt;
    if (*size > 0 && *size <= 1u << 30 && llvm::isPowerOf2_64(*size)) return size;
    reader_.fail("a cluster's size is a power of two");
    return std::nullopt;
  }

  void combine(const GroupArithmetic& arithmetic, const char* prefix, llvm::ArrayRef<Reader::Argument> further = {}) {
    defineArithmetic(reader_, instruction_, arithmetic, prefix, instruction_.operand(2), further);
  }

  llvm::FixedVectorType* ballotType() { return llvm::FixedVectorType::get(builder_.getInt32Ty(), 4); }
  std::optional<Reader::Argument> ballotArgument(unsigned operand) {
    Value* bits = reader_.value(instruction_.operand(operand));
    if (!isOfSubGroup()) return std::nullopt;
    if (bits->getType() != ballotType()) {
      reader_.fail("a ballot is four integers of 32 bits");
      return std::nullopt;
    }
    return Reader::Argument{bits, ParameterType::integer(32, false, 4)};
  }

  /// Calls a function that returns int or uint.
  Value* call(llvm::StringRef name, llvm::ArrayRef<Reader::Argument> arguments) {
    return reader_.call(name, builder_.getInt32Ty(), arguments, Effects::Convergent);
  }
  void defineCount(Value* number) {
    llvm::Type* type = reader_.llvmType(instruction_.type);
    if (reader_.failed()) return;
    if (!type->isIntegerTy()) return reader_.fail("a count is an integer");
    reader_.define(instruction_, builder_.CreateZExtOrTrunc(number, type));
  }

  /// A work-item's part of a block, as integers.
  struct Block {
    std::string suffix; ///< End of the function's name, such as "_us4"
    ParameterType element;
    unsigned elements;
    llvm::Type* type;
  };
  std::optional<Block> blockOf(llvm::Type* type) {
    if (reader_.failed()) return std::nullopt;
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    const unsigned bits = type->getScalarSizeInBits(), elements = vector != nullptr ? vector->getNumElements() : 1;
    const char* suffix = bits == 8 ? "_uc" : bits == 16 ? "_us" : bits == 32 ? "_ui" : bits == 64 ? "_ul" : nullptr;
    if (suffix == nullptr || (!type->isIntOrIntVectorTy() && !type->isFPOrFPVectorTy())) {
      reader_.fail("a block of what is no number");
      return std::nullopt;
    }
    llvm::Type* element = builder_.getIntNTy(bits);
    return Block{suffix + (elements > 1 ? std::to_string(elements) : ""), ParameterType::integer(bits, false), elements,
                 type->isVectorTy() ? llvm::FixedVectorType::get(element, elements) : element};
  }
  Reader::Argument pointerArgument(const Block& block, llvm::StringRef qualifiers) {
    Value* pointer = reader_.value(instruction_.operand(0));
    const auto* type = llvm::dyn_cast<llvm::PointerType>(pointer->getType());
    if (type == nullptr) reader_.fail("a block is where a pointer leads to");
    return {pointer, block.element.pointer(type != nullptr ? type->getAddressSpace() : kGlobalSpace, qualifiers)};
  }

  Reader& reader_;
  llvm::IRBuilder<>& builder_;
  const Instruction& instruction_;
};

} // namespace

bool readSubGroup(Reader& reader, const Instruction& instruction) {
  SubGroup group(reader, instruction);
  if (const auto arithmetic = arithmeticOf(instruction.op)) {
    group.arithmetic(*arithmetic);
    return true;
  }
  switch (static_cast<unsigned>(instruction.op)) {
  case spv::OpGroupNonUniformElect: group.elect(); return true;
  case spv::OpGroupNonUniformAll: group.vote("sub_group_non_uniform_all"); return true;
  case spv::OpGroupNonUniformAny: group.vote("sub_group_non_uniform_any"); return true;
  case spv::OpGroupNonUniformAllEqual: group.allEqual(); return true;
  case spv::OpGroupNonUniformBroadcast: group.broadcast(); return true;
  case spv::OpGroupNonUniformBroadcastFirst: group.broadcastFirst(); return true;
  case spv::OpGroupNonUniformBallot: group.ballot(); return true;
  case spv::OpGroupNonUniformInverseBallot: group.inverseBallot(); return true;
  case spv::OpGroupNonUniformBallotBitExtract: group.ballotBitExtract(); return true;
  case spv::OpGroupNonUniformBallotBitCount: group.ballotBitCount(); return true;
  case spv::OpGroupNonUniformBallotFindLSB: group.ballotFind("sub_group_ballot_find_lsb"); return true;
  case spv::OpGroupNonUniformBallotFindMSB: group.ballotFind("sub_group_ballot_find_msb"); return true;
  case spv::OpGroupNonUniformShuffle: group.shuffle("sub_group_shuffle"); return true;
  case spv::OpGroupNonUniformShuffleXor: group.shuffle("sub_group_shuffle_xor"); return true;
  case spv::OpGroupNonUniformShuffleUp: group.shuffle("sub_group_shuffle_up"); return true;
  case spv::OpGroupNonUniformShuffleDown: group.shuffle("sub_group_shuffle_down"); return true;
  case kOpRotate: group.rotate(); return true;
  case kOpSubgroupShuffle: group.intelShuffle("intel_sub_group_shuffle"); return true;
  case kOpSubgroupShuffleXor: group.intelShuffle("intel_sub_group_shuffle_xor"); return true;
  case kOpSubgroupShuffleDown: group.intelShuffleOfTwo("intel_sub_group_shuffle_down"); return true;
  case kOpSubgroupShuffleUp: group.intelShuffleOfTwo("intel_sub_group_shuffle_up"); return true;
  case kOpSubgroupBlockRead: group.blockRead(); return true;
  case kOpSubgroupBlockWrite: group.blockWrite(); return true;
  default: return false;
  }
}

} // namespace clotho::compiler::spirv
