// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define SPV_ENABLE_UTILITY_CODE
#include "compiler/frontend/spirv/instructions.hpp"

#include "compiler/frontend/spirv/opcodes.hpp"

#include <algorithm>
#include <iterator>

namespace clotho::compiler::spirv {

namespace {

struct Later {
  std::uint32_t opcode;
  Results results;
};
/// Instructions that are newer than SPIRV-Tools' headers.
constexpr Later kLater[] = {
#define LATER_INSTRUCTION(name, number, hasResult, hasType) {number, {hasResult, hasType}},
#include "compiler/frontend/spirv/later.def"
};

} // namespace

Results resultsOf(std::uint32_t opcode) {
  const auto* later = std::ranges::find(kLater, opcode, &Later::opcode);
  if (later != std::end(kLater)) return later->results;
  Results results;
  spv::HasResultAndType(static_cast<spv::Op>(opcode), &results.hasResult, &results.hasType);
  return results;
}

namespace {

/// The instruction that this one continues (SPV_INTEL_long_composites) with further operands; OpNop: none.
spv::Op continuedBy(std::uint32_t opcode) {
  switch (opcode) {
  case spv::OpTypeStructContinuedINTEL: return spv::OpTypeStruct;
  case spv::OpConstantCompositeContinuedINTEL: return spv::OpConstantComposite;
  case spv::OpSpecConstantCompositeContinuedINTEL: return spv::OpSpecConstantComposite;
  case later::OpCompositeConstructContinuedINTEL: return spv::OpCompositeConstruct;
  default: return spv::OpNop;
  }
}

} // namespace

llvm::Expected<ParsedModule> parse(Words words) {
  constexpr std::size_t kHeader = 5;
  constexpr std::uint32_t kMostIds = 0x3fffff; // of the universal limits (section 2.17)
  if (words.size() < kHeader || words[0] != spv::MagicNumber) return llvm::createStringError("this is no SPIR-V");
  ParsedModule module;
  module.version = words[1];
  module.bound = words[3];
  if (module.bound > kMostIds) return llvm::createStringError("more than 4194303 ids");
  std::vector<bool> isDefined(module.bound);
  for (std::size_t at = kHeader; at < words.size();) {
    const std::size_t length = words[at] >> spv::WordCountShift;
    if (length == 0 || length > words.size() - at) return llvm::createStringError("an instruction has a wrong length");
    Instruction instruction;
    instruction.op = static_cast<spv::Op>(words[at] & spv::OpCodeMask);
    const auto [hasResult, hasType] = resultsOf(instruction.op);
    std::size_t operands = 1;
    if (length < 1 + std::size_t{hasResult} + std::size_t{hasType})
      return llvm::createStringError("an instruction is too short");
    if (hasType) instruction.type = words[at + operands++];
    if (hasResult) instruction.result = words[at + operands++];
    if (instruction.type >= module.bound || instruction.result >= module.bound)
      return llvm::createStringError("an id is not below the bound");
    if (hasResult) {
      if (instruction.result == 0) return llvm::createStringError("a result has no id");
      if (isDefined[instruction.result])
        return llvm::createStringError("id " + llvm::Twine(instruction.result) + " is defined twice");
      isDefined[instruction.result] = true;
    }
    instruction.operands = words.slice(at + operands, length - operands);
    at += length;
    if (const spv::Op continued = continuedBy(instruction.op); continued != spv::OpNop) {
      if (module.instructions.empty() || module.instructions.back().op != continued)
        return llvm::createStringError("an instruction continues one that is not before it");
      Words& operands = module.instructions.back().operands;
      const bool isFirst = module.longOperands.empty() || module.longOperands.back().data() != operands.data();
      if (isFirst) module.longOperands.emplace_back(operands.begin(), operands.end());
      std::vector<std::uint32_t>& all = module.longOperands.back();
      all.insert(all.end(), instruction.operands.begin(), instruction.operands.end());
      operands = all;
      continue;
    }
    module.instructions.push_back(instruction);
  }
  return module;
}

llvm::APInt literalInteger(Words words, unsigned bits) {
  llvm::SmallVector<std::uint64_t, 2> parts(words.size() / 2 + 1, 0);
  for (std::size_t at = 0; at < words.size(); ++at)
    parts[at / 2] |= std::uint64_t{words[at]} << (32 * (at % 2));
  return llvm::APInt(static_cast<unsigned>(parts.size() * 64), parts).zextOrTrunc(bits);
}

std::string literalString(Words words, std::size_t& used) {
  std::string text;
  for (used = 0; used < words.size();) {
    const std::uint32_t word = words[used++];
    for (unsigned byte = 0; byte < 4; ++byte) {
      const char c = static_cast<char>(word >> (8 * byte));
      if (c == 0) return text;
      text += c;
    }
  }
  return text;
}

} // namespace clotho::compiler::spirv
