// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/nvptx/ptxas_mistakes.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Support/FormatVariadic.h>

namespace clotho::compiler {

namespace {

/// The other spelling of an instruction, with the operands {0}, {1}, ...; none if ptxas translates it well.
const char* otherSpelling(llvm::StringRef opcode, llvm::ArrayRef<llvm::StringRef> operands, bool isInFunction) {
  // ptxas takes these two for negations that do not wrap around. Target and source may be the same register.
  if (opcode == "neg.s16") return "\tnot.b16 \t{0}, {1};\n\tadd.s16 \t{0}, {0}, 1;\n";
  if (opcode == "abs.s16")
    return "\t{{ .reg .b16 %negated;\n\tnot.b16 \t%negated, {1};\n"
           "\tadd.s16 \t%negated, %negated, 1;\n\tmax.s16 \t{0}, {1}, %negated; }\n";
  // A difference and the comparison that uses it become one instruction, VIADDMNMX, which subtracts the other way round
  // when the minuend is then found to be a constant: an argument of a function that is called. ptxas knows a constant
  // of a kernel before.
  if (opcode == "sub.s32" && isInFunction && operands[1].starts_with("%")) return "\tmad.lo.s32 \t{0}, {2}, -1, {1};\n";
  return nullptr;
}

} // namespace

std::string withoutWhatPtxasMistakes(llvm::StringRef text) {
  std::string result;
  result.reserve(text.size());
  bool isOfProgram = false, isInFunction = false;
  while (!text.empty()) {
    const auto [line, rest] = text.split('\n');
    text = rest;
    const llvm::StringRef instruction = line.trim();
    if (instruction.starts_with("// begin inline asm")) isOfProgram = true;
    if (instruction.starts_with("// end inline asm")) isOfProgram = false;
    if (line.contains(".func ")) isInFunction = true;
    if (line.contains(".entry ")) isInFunction = false;
    const auto [opcode, list] = instruction.split(" \t");
    llvm::SmallVector<llvm::StringRef, 4> operands;
    list.trim(" \t;").split(operands, ", ");
    const char* const spelling = isOfProgram ? nullptr : otherSpelling(opcode, operands, isInFunction);
    if (!spelling)
      result.append(line).push_back('\n');
    else if (operands.size() == 2)
      result += llvm::formatv(spelling, operands[0], operands[1]).str();
    else
      result += llvm::formatv(spelling, operands[0], operands[1], operands[2]).str();
  }
  return result;
}

} // namespace clotho::compiler
