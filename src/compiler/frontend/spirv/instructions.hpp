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

/// A SPIR-V module as a list of instructions (SPIR-V specification, section 2.3).
namespace clotho::compiler::spirv {

using Id = std::uint32_t;
using Words = llvm::ArrayRef<std::uint32_t>;

/// A number of the module as an enumerator. SPIR-V's enumerations have 31 bits; larger numbers become the largest one,
/// which has no meaning.
template <class Enum> Enum enumOf(std::uint32_t number) {
  constexpr std::uint32_t kMost = 0x7fffffff;
  return static_cast<Enum>(number < kMost ? number : kMost);
}

struct Instruction {
  spv::Op op = spv::OpNop;
  Id type = 0;    ///< Type of the result; 0: there is none
  Id result = 0;  ///< Id of the result; 0: there is none
  Words operands; ///< what follows type and result

  /// Operand number `index`; 0, which is not an id, if there is none.
  std::uint32_t operand(std::size_t index) const { return index < operands.size() ? operands[index] : 0; }
};

struct ParsedModule {
  std::uint32_t version = 0; ///< Version as the header has it: 0x00010200 is 1.2
  std::uint32_t bound = 0;   ///< All ids are less than this
  std::vector<Instruction> instructions;
  std::deque<std::vector<std::uint32_t>> longOperands; ///< Operands of each instruction that others continue
};

/// Parses words in the host's byte order. The words must outlive the result. Checks that result ids are below the bound
/// and unique.
llvm::Expected<ParsedModule> parse(Words words);

/// An integer of `bits` bits from `words`, the lowest ones first.
llvm::APInt literalInteger(Words words, unsigned bits);

/// The string at the beginning of `words`; `used` is the number of its words.
std::string literalString(Words words, std::size_t& used);
inline std::string literalString(Words words) {
  std::size_t used = 0;
  return literalString(words, used);
}

} // namespace clotho::compiler::spirv
