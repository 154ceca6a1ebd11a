// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/spirv/names.hpp"

#include <spirv-tools/libspirv.h>
#include <spirv/unified1/spirv.hpp>

#include <array>
#include <string_view>

namespace clotho::compiler::spirv {
namespace {

struct Name {
  std::uint32_t number;
  const char* name;
};
constexpr auto kCapabilities = std::to_array<Name>({
#define LATER_CAPABILITY(name, number) {number, #name},
#include "compiler/frontend/spirv/later.def"
});
constexpr auto kInstructions = std::to_array<Name>({
#define LATER_INSTRUCTION(name, number, hasResult, hasType) {number, #name},
#include "compiler/frontend/spirv/later.def"
});

/// Name of a capability, from SPIRV-Tools' disassembler: its interface has no table of names.
std::string disassembledCapability(std::uint32_t number) {
  const std::uint32_t words[] = {
      spv::MagicNumber, 0x00010600, 0, 1, 0, 2U << spv::WordCountShift | spv::OpCapability, number};
  spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
  spv_text text = nullptr;
  spv_diagnostic diagnostic = nullptr;
  std::string name;
  if (spvBinaryToText(context, words, std::size(words), SPV_BINARY_TO_TEXT_OPTION_NO_HEADER, &text, &diagnostic) ==
      SPV_SUCCESS) {
    const std::string_view line(text->str, text->length);
    const std::size_t space = line.find(' ');
    if (space != std::string_view::npos) name = line.substr(space + 1, line.find('\n') - space - 1);
  }
  spvTextDestroy(text);
  spvDiagnosticDestroy(diagnostic);
  spvContextDestroy(context);
  return name;
}

} // namespace

std::string capabilityName(std::uint32_t number) {
  std::string name;
  for (const Name& later : kCapabilities)
    if (later.number == number) name = later.name;
  if (name.empty()) name = disassembledCapability(number);
  const std::string digits = std::to_string(number);
  return name.empty() ? digits : name + " (" + digits + ")";
}

std::string instructionName(std::uint32_t opcode) {
  for (const Name& later : kInstructions)
    if (later.number == opcode) return later.name;
  const std::string name = spvOpcodeString(opcode);
  return name == "unknown" ? "instruction " + std::to_string(opcode) : "Op" + name;
}

} // namespace clotho::compiler::spirv
