// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/APInt.h>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <spirv/unified1/spirv.hpp>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

/// A module of SPIR-V as a list of instructions (SPIR-V specification, section 2.3).
namespace clotho::compiler::spirv {

using Id = std::uint32_t;
using Words = llvm::ArrayRef<std::uint32_t>;

/// A number of a module as one of SPIR-V's enumerations, which have 31 bits: more is the largest one, which means
/// nothing.
template <class Enum> Enum enumOf(std::uint32_t number) {
  constexpr std::uint32_t kMost = 0x7fffffff;
  return static_cast<Enum>(number < kMost ? number : kMost);
}

struct Instruction {
  spv::Op op = spv::OpNop;
  Id type = 0;    ///< of its result; 0: it has none
  Id result = 0;  ///< 0: it has none
  Words operands; ///< what follows type and result

  /// Operand number `index`; 0, which is no id, where there are not so many.
  std::uint32_t operand(std::size_t index) const { return index < operands.size() ? operands[index] : 0; }
};

struct ParsedModule {
  std::uint32_t version = 0; ///< as the header has it: 0x00010200 is 1.2
  std::uint32_t bound = 0;   ///< all ids are below
  std::vector<Instruction> instructions;
  std::deque<std::vector<std::uint32_t>> longOperands; ///< of instructions that others continue
};

/// The instructions of words in the host's byte order, which must outlive them. Results have ids below the bound, each
/// its own.
llvm::Expected<ParsedModule> parse(Words words);

/// The number of so many bits that `words` are, the lowest ones first.
llvm::APInt literalInteger(Words words, unsigned bits);

/// The string that begins with the first of `words`; `used` is how many words it takes.
std::string literalString(Words words, std::size_t& used);
inline std::string literalString(Words words) {
  std::size_t used = 0;
  return literalString(words, used);
}

} // namespace clotho::compiler::spirv
