// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/check/checked_accesses.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace clotho::compiler {
namespace {

using llvm::Value;

std::uint64_t storeBytes(const llvm::Instruction& at, llvm::Type* type) {
  return at.getDataLayout().getTypeStoreSize(type).getFixedValue();
}

/// Bytes of a scalar type by its mangled name, with qualifiers and address spaces before it; 0: another type.
std::uint64_t pointeeBytes(llvm::StringRef types) {
  if (!types.consume_front("P")) return 0;
  if (types.consume_front("U")) {
    unsigned length = 0;
    if (types.consumeInteger(10, length)) return 0;
    types = types.drop_front(length);
  }
  while (types.consume_front("V") || types.consume_front("K") || types.consume_front("r")) {
  }
  std::uint64_t count = 1;
  if (types.consume_front("Dv")) {
    if (types.consumeInteger(10, count) || !types.consume_front("_")) return 0;
    if (count == 3) count = 4;
  }
  if (types.starts_with("Dh")) return 2 * count;
  switch (types.empty() ? '\0' : types.front()) {
  case 'c':
  case 'a':
  case 'h': return count;
  case 's':
  case 't': return 2 * count;
  case 'i':
  case 'j':
  case 'f': return 4 * count;
  case 'l':
  case 'm':
  case 'd': return 8 * count;
  default: return 0;
  }
}

/// The part of a mangled name behind the function's own name.
llvm::StringRef typesOf(llvm::StringRef mangled) {
  unsigned length = 0;
  if (!mangled.consume_front("_Z") || mangled.consumeInteger(10, length)) return {};
  return mangled.drop_front(std::min<std::size_t>(length, mangled.size()));
}

class Collector {
 public:
  void add(llvm::Instruction& instruction) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      CheckedAccess& access = addOf(instruction, *load->getPointerOperand(), storeBytes(*load, load->getType()));
      access.align = load->getAlign();
      access.reads = true;
      access.isAtomic = load->isAtomic();
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      CheckedAccess& access =
          addOf(instruction, *store->getPointerOperand(), storeBytes(*store, store->getValueOperand()->getType()));
      access.align = store->getAlign();
      access.writes = true;
      access.isAtomic = store->isAtomic();
    } else if (auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      addAtomic(instruction, *change->getPointerOperand(), change->getType());
    } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      addAtomic(instruction, *exchange->getPointerOperand(), exchange->getCompareOperand()->getType());
    } else if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&instruction)) {
      addLength(instruction, *copy->getRawSource(), *copy->getLength(), 1, /*writes=*/false).align =
          copy->getSourceAlign().valueOrOne();
      addLength(instruction, *copy->getRawDest(), *copy->getLength(), 1, /*writes=*/true).align =
          copy->getDestAlign().valueOrOne();
    } else if (auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&instruction)) {
      addLength(instruction, *fill->getRawDest(), *fill->getLength(), 1, /*writes=*/true).align =
          fill->getDestAlign().valueOrOne();
    } else if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
               call != nullptr && call->getCalledFunction() != nullptr) {
      addCall(*call);
    }
  }
  std::vector<CheckedAccess> take() { return std::move(accesses_); }

 private:
  CheckedAccess& addOf(llvm::Instruction& at, Value& pointer, std::uint64_t bytes) {
    CheckedAccess& access = accesses_.emplace_back();
    access.at = &at;
    access.pointer = &pointer;
    access.bytes = bytes;
    return access;
  }

  void addAtomic(llvm::Instruction& at, Value& pointer, llvm::Type* type) {
    CheckedAccess& access = addOf(at, pointer, storeBytes(at, type));
    access.align = llvm::Align(access.bytes);
    access.reads = access.writes = access.isAtomic = true;
  }

  CheckedAccess& addLength(llvm::Instruction& at, Value& pointer, Value& length, std::uint64_t unit, bool writes) {
    CheckedAccess& access = addOf(at, pointer, 0);
    if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(&length)) access.bytes = known->getZExtValue() * unit;
    if (access.bytes == 0) access.length = &length;
    access.unit = unit;
    access.writes = writes;
    access.reads = !writes;
    return access;
  }

  void addCall(llvm::CallInst& call) {
    const llvm::StringRef mangled = call.getCalledFunction()->getName();
    // Functions of pipes are not mangled.
    if (mangled.starts_with("__read_pipe_") || mangled.starts_with("__write_pipe_")) return addPacket(call);
    llvm::StringRef name = builtinName(mangled);
    if (name.empty()) return;
    if (name.consume_front("vload")) return addVector(call, name, /*isLoad=*/true);
    if (name.consume_front("vstore")) return addVector(call, name, /*isLoad=*/false);
    if (name.starts_with("atomic_") || name.starts_with("atom_")) return addAtomicCall(call, name);
    if (name == "async_work_group_copy" || name == "async_work_group_strided_copy")
      return addGroupCopy(call, pointeeBytes(typesOf(mangled)), name.contains("strided"));
    if (name == "async_work_group_copy_2D2D" || name == "async_work_group_copy_3D3D") return addBoxCopy(call);
    if (name == "capture_event_profiling_info") {
      constexpr std::uint64_t kBytes = 16, kAlign = 8;
      CheckedAccess& access = addOf(call, *call.getArgOperand(2), kBytes);
      access.align = llvm::Align(kAlign);
      access.writes = true;
      return;
    }
    const bool hasSame = name == "fract" || name == "modf" || name == "sincos";
    if (!hasSame && name != "frexp" && name != "remquo" && name != "lgamma_r") return;
    llvm::Type* type = call.getType();
    if (!hasSame) type = type->getWithNewType(llvm::Type::getInt32Ty(call.getContext()));
    Value* pointer = call.getArgOperand(call.arg_size() - 1);
    if (!pointer->getType()->isPointerTy()) return;
    CheckedAccess& access = addOf(call, *pointer, storeBytes(call, type));
    access.align = llvm::Align(type->getScalarSizeInBits() / 8);
    access.writes = true;
  }

  /// A stride is that of elements in global memory; those in local memory lie side by side.
  void addGroupCopy(llvm::CallInst& call, std::uint64_t bytes, bool hasStride) {
    if (bytes == 0) return;
    constexpr unsigned kLocalSpace = 3;
    for (const unsigned operand : {1U, 0U}) {
      Value* length = call.getArgOperand(2);
      Value* pointer = call.getArgOperand(operand);
      if (hasStride && pointer->getType()->getPointerAddressSpace() != kLocalSpace) {
        llvm::IRBuilder<> builder(&call);
        Value* none = llvm::Constant::getNullValue(length->getType());
        Value* one = llvm::ConstantInt::get(length->getType(), 1);
        Value* last = builder.CreateMul(builder.CreateSub(length, one), call.getArgOperand(3));
        length = builder.CreateSelect(builder.CreateICmpEQ(length, none), none, builder.CreateAdd(last, one));
      }
      addLength(call, *pointer, *length, bytes, /*writes=*/operand == 0).align = llvm::Align(bytes);
    }
  }

  /// async_work_group_copy_2D2D(to, toOffset, from, fromOffset, elementBytes, elements, lines, fromLine, toLine,
  /// event), async_work_group_copy_3D3D(..., lines, planes, fromLine, fromPlane, toLine, toPlane, event)
  void addBoxCopy(llvm::CallInst& call) {
    constexpr unsigned kTo = 0, kFrom = 2, kElementBytes = 4, kElements = 5, kLines = 6;
    const bool hasPlanes = call.arg_size() > 10;
    const unsigned dimensions = hasPlanes ? 2 : 1; // besides the elements of a line
    llvm::IRBuilder<> builder(&call);
    Value* element = call.getArgOperand(kElementBytes);
    for (const unsigned pointer : {kFrom, kTo}) {
      // From the first byte to the last one, with what lies between lines and planes.
      Value* length = call.getArgOperand(kElements);
      Value* isEmpty = builder.CreateIsNull(length);
      for (unsigned i = 0; i < dimensions; ++i) {
        Value* count = call.getArgOperand(kLines + i);
        Value* step = call.getArgOperand(kLines + dimensions + i + (pointer == kTo ? dimensions : 0));
        isEmpty = builder.CreateOr(isEmpty, builder.CreateIsNull(count));
        length = builder.CreateAdd(
            length, builder.CreateMul(builder.CreateSub(count, llvm::ConstantInt::get(count->getType(), 1)), step));
      }
      length = builder.CreateSelect(isEmpty, llvm::Constant::getNullValue(length->getType()),
                                    builder.CreateMul(length, element));
      CheckedAccess& access = addLength(call, *call.getArgOperand(pointer), *length, 1, /*writes=*/pointer == kTo);
      access.index = builder.CreateMul(call.getArgOperand(pointer + 1), element);
      access.stride = 1;
    }
  }

  /// __read_pipe_2(pipe, data, bytes, align), __write_pipe_4(pipe, reservation, index, data, bytes, align)
  void addPacket(llvm::CallInst& call) {
    if (call.arg_size() < 4) return;
    const unsigned last = call.arg_size() - 1;
    const auto* align = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(last));
    const bool isRead = call.getCalledFunction()->getName().starts_with("__read_");
    CheckedAccess& access =
        addLength(call, *call.getArgOperand(last - 2), *call.getArgOperand(last - 1), 1, /*writes=*/isRead);
    if (align != nullptr && llvm::isPowerOf2_64(align->getZExtValue()))
      access.align = llvm::Align(align->getZExtValue());
  }

  /// vload2(i, p), vstore2(data, i, p), vload_half(i, p), vloada_half4(i, p), vstore_half2_rte(data, i, p)
  void addVector(llvm::CallInst& call, llvm::StringRef rest, bool isLoad) {
    const bool isAligned = rest.consume_front("a");
    const bool isHalf = rest.consume_front("_half");
    std::uint64_t count = 1;
    if (!rest.empty() && rest.front() != '_' && rest.consumeInteger(10, count)) return;
    llvm::Type* data = isLoad ? call.getType() : call.getArgOperand(0)->getType();
    const std::uint64_t element = isHalf ? 2 : data->getScalarSizeInBits() / 8;
    const std::uint64_t stride = isAligned && count == 3 ? 4 : count;
    const unsigned first = isLoad ? 0 : 1;
    if (element == 0 || call.arg_size() < first + 2) return;
    CheckedAccess& access = addOf(call, *call.getArgOperand(first + 1), element * count);
    access.index = call.getArgOperand(first);
    access.stride = element * stride;
    access.align = llvm::Align(isAligned ? llvm::bit_floor(access.stride) : element);
    access.reads = isLoad;
    access.writes = !isLoad;
  }

  void addAtomicCall(llvm::CallInst& call, llvm::StringRef name) {
    if (call.arg_size() == 0 || !call.getArgOperand(0)->getType()->isPointerTy()) return;
    llvm::Type* type = call.getType();
    if (name.starts_with("atomic_flag_"))
      type = llvm::Type::getInt32Ty(call.getContext());
    else if (name.starts_with("atomic_compare_exchange"))
      type = call.getArgOperand(2)->getType();
    else if (type->isVoidTy())
      type = call.arg_size() > 1 ? call.getArgOperand(1)->getType() : llvm::Type::getInt32Ty(call.getContext());
    if (!type->isSized() || type->isPointerTy()) return;
    if (name.starts_with("atomic_compare_exchange")) {
      // It writes the value there only if that is another one.
      CheckedAccess& expected = addOf(call, *call.getArgOperand(1), storeBytes(call, type));
      expected.align = llvm::Align(expected.bytes);
      expected.reads = true;
    }
    addAtomic(call, *call.getArgOperand(0), type);
    if (name.starts_with("atomic_load")) accesses_.back().writes = false;
    if (name.starts_with("atomic_store") || name.starts_with("atomic_flag_clear")) accesses_.back().reads = false;
    if (name == "atomic_init") {
      accesses_.back().reads = false;
      accesses_.back().isAtomic = false;
    }
  }

  std::vector<CheckedAccess> accesses_;
};

} // namespace

llvm::StringRef builtinName(llvm::StringRef mangled) {
  unsigned length = 0;
  if (!mangled.consume_front("_Z") || mangled.consumeInteger(10, length) || length > mangled.size()) return {};
  return mangled.take_front(length);
}

bool CheckedAccess::isGroupCopy() const {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(at);
  return call != nullptr && call->getCalledFunction() != nullptr &&
         builtinName(call->getCalledFunction()->getName()).starts_with("async_");
}

bool CheckedAccess::isPlain() const { return llvm::isa<llvm::LoadInst, llvm::StoreInst>(at) && !isAtomic; }

std::vector<CheckedAccess> checkedAccesses(llvm::Function& function) {
  Collector collector;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    collector.add(instruction);
  return collector.take();
}

} // namespace clotho::compiler
