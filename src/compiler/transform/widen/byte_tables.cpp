// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads from small constant tables of bytes, as lookups in registers.
#include "compiler/analysis/byte_tables.hpp"
#include "compiler/transform/widen/widen_access.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicsX86.h>

namespace clotho::compiler {
namespace {

using llvm::Value;

constexpr unsigned kPart = 16; ///< table bytes that one shuffle can look up

} // namespace

/// Looks up the bytes with the given `numbers`, one for each of 16 or 32 lanes. Each instruction covers one part of the
/// table.
Value* Widener::lookUp(llvm::StringRef table, Value* numbers) {
  const unsigned count = llvm::cast<llvm::FixedVectorType>(numbers->getType())->getNumElements();
  const auto lookup = count == kPart ? llvm::Intrinsic::x86_ssse3_pshuf_b_128 : llvm::Intrinsic::x86_avx2_pshuf_b;
  Value* result = nullptr;
  for (std::size_t begin = 0; begin < table.size(); begin += kPart) {
    llvm::SmallVector<std::uint8_t, 32> part(count, 0);
    for (unsigned i = 0; i < count; ++i)
      if (const std::size_t from = begin + i % kPart; from < table.size())
        part[i] = static_cast<std::uint8_t>(table[from]);
    Value* found =
        builder_.CreateIntrinsic(lookup, {}, {llvm::ConstantDataVector::get(builder_.getContext(), part), numbers});
    Value* isHere = result == nullptr
                        ? nullptr
                        : builder_.CreateICmpUGE(numbers, llvm::ConstantInt::get(numbers->getType(), begin));
    result = result == nullptr ? found : builder_.CreateSelect(isHere, found, result);
  }
  return result;
}

/// Null if `load` does not read such a table.
Value* Widener::loadFromTable(llvm::LoadInst& load) {
  const auto table = byteTableOf(load, plan_.cpu);
  if (!table || !plan_.shapes.of(load.getPointerOperand()).isVarying()) return nullptr;
  note(load, AccessShape::Table);
  const unsigned width = plan_.width, each = width <= kPart || !plan_.cpu.hasPermutation ? kPart : 2 * kPart;
  Value* numbers = builder_.CreateZExtOrTrunc(vector(table->index), wide(builder_.getInt8Ty()));
  llvm::SmallVector<Value*, 8> results;
  for (unsigned first = 0; first < width; first += each) {
    const unsigned lanes = std::min(each, width - first);
    Value* chunk = lanes == width && lanes == each
                       ? numbers
                       : builder_.CreateShuffleVector(numbers, llvm::createSequentialMask(first, lanes, each - lanes));
    results.push_back(lookUp(table->bytes, chunk));
  }
  Value* all = llvm::concatenateVectors(builder_, results);
  return width < each ? builder_.CreateShuffleVector(all, llvm::createSequentialMask(0, width, 0)) : all;
}

} // namespace clotho::compiler
