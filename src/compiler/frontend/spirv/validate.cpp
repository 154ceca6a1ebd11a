// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/spirv/validate.hpp"

#include "compiler/frontend/spirv/function_order.hpp"
#include "compiler/frontend/spirv/validator_input.hpp"

#include <spirv-tools/libspirv.h>
#include <spirv/unified1/spirv.hpp>

#include <algorithm>
#include <memory>
#include <vector>

namespace clotho::compiler {
namespace {

using Words = std::span<const std::uint32_t>;

#define SPIRV_CAPABILITY(name, number) static_assert(spv::Capability##name == number);
#define SPIRV_LATER_CAPABILITY(name, number)
#include "base/spirv_support.def"

bool contains(std::span<const std::uint32_t> numbers, std::uint32_t number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

/// The universal rules of a version. Those that SPIRV-Tools has for OpenCL know no version after 1.2 and refuse
/// capabilities that extensions of OpenCL bring; what the environment asks for beside is checked here.
spv_target_env environmentOf(std::uint32_t minor) {
  constexpr spv_target_env kUniversal[] = {SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_1, SPV_ENV_UNIVERSAL_1_2,
                                           SPV_ENV_UNIVERSAL_1_3, SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5,
                                           SPV_ENV_UNIVERSAL_1_6};
  static_assert(std::size(kUniversal) == clotho::spirv::kNewestMinor + 1);
  return kUniversal[minor];
}

/// The rules of the OpenCL SPIR-V Environment Specification (Required Capabilities, Validation Rules) that are about
/// the module as a whole.
std::string checkEnvironment(Words module) {
  std::string why;
  const bool whole = clotho::spirv::forEachInstruction(module, [&](std::uint32_t opcode, Words words) {
    if (!why.empty()) return;
    if (opcode == spv::OpCapability && words.size() == 2 && !contains(clotho::spirv::kCapabilities, words[1]))
      why = "The module declares capability " + std::to_string(words[1]) + ", which is not supported.";
    if (opcode == spv::OpMemoryModel && words.size() == 3) {
      if (words[1] != spv::AddressingModelPhysical64)
        why = "The module's addressing model is not Physical64, as addresses of 64 bits need it.";
      else if (words[2] != spv::MemoryModelOpenCL)
        why = "The module's memory model is not OpenCL.";
    }
    if (opcode == spv::OpEntryPoint && words.size() >= 2 && words[1] != spv::ExecutionModelKernel)
      why = "The module has an entry point that is no kernel.";
  });
  if (why.empty() && !whole) why = "The module ends inside an instruction, or has one without a length.";
  return why;
}

/// SPIRV-Tools' own sentence, on one line.
std::string sentenceOf(const spv_diagnostic_t* diagnostic) {
  std::string text = diagnostic != nullptr && diagnostic->error != nullptr ? diagnostic->error : "it is not valid";
  std::ranges::replace(text, '\n', ' ');
  while (!text.empty() && (text.back() == ' ' || text.back() == '.'))
    text.pop_back();
  return "The module is not valid SPIR-V: " + text + ".";
}

template <auto Destroy> struct Destroys {
  template <class T> void operator()(T* object) const { Destroy(object); }
};

/// The last check of each instruction of a module of which the validator is not asked: that its ids are below the
/// bound. `data` is the bound.
spv_result_t checkIds(void* data, const spv_parsed_instruction_t* instruction) {
  const std::uint32_t bound = *static_cast<const std::uint32_t*>(data);
  for (const spv_parsed_operand_t& operand : std::span(instruction->operands, instruction->num_operands)) {
    switch (operand.type) {
    case SPV_OPERAND_TYPE_ID:
    case SPV_OPERAND_TYPE_TYPE_ID:
    case SPV_OPERAND_TYPE_RESULT_ID:
    case SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID:
    case SPV_OPERAND_TYPE_SCOPE_ID:
      if (instruction->words[operand.offset] >= bound) return SPV_ERROR_INVALID_ID;
      break;
    default: break;
    }
  }
  return SPV_SUCCESS;
}

std::string runValidator(Words module, std::uint32_t minor) {
  const std::unique_ptr<spv_context_t, Destroys<spvContextDestroy>> context(spvContextCreate(environmentOf(minor)));
  const std::unique_ptr<spv_validator_options_t, Destroys<spvValidatorOptionsDestroy>> options(
      spvValidatorOptionsCreate());
  spv_const_binary_t binary = {module.data(), module.size()};
  spv_diagnostic raw = nullptr;
  // Where the validator has no rules for a module's types, only its form is checked, and that each id has one
  // definition and is below the bound; a build finds the rest.
  std::uint32_t bound = module[3];
  const spv_result_t result =
      spirv::hasUnusualIntegers(module)
          ? spvBinaryParse(context.get(), &bound, module.data(), module.size(), nullptr, checkIds, &raw)
          : spvValidateWithOptions(context.get(), options.get(), &binary, &raw);
  const std::unique_ptr<spv_diagnostic_t, Destroys<spvDiagnosticDestroy>> diagnostic(raw);
  if (result == SPV_ERROR_INVALID_ID && diagnostic == nullptr)
    return "The module is not valid SPIR-V: an id is not below the bound.";
  return result == SPV_SUCCESS ? std::string() : sentenceOf(diagnostic.get());
}

} // namespace

std::string checkSpirv(std::string_view il) {
  const auto words = spirvWords(il);
  if (!words) return "The bytes are no SPIR-V: they have not its magic number, or not the length of a module.";
  const std::uint32_t version = (*words)[1], major = version >> 16, minor = version >> 8 & 0xff;
  if (major != 1 || minor > clotho::spirv::kNewestMinor || (version & 0xff0000ff) != 0)
    return "The module is of SPIR-V " + std::to_string(major) + "." + std::to_string(minor) +
           "; versions 1.0 to 1.6 are supported.";
  if (std::string why = checkEnvironment(*words); !why.empty()) return why;
  return runValidator(spirv::validatorInput(spirv::withFunctionsInOrder(*words)), minor);
}

} // namespace clotho::compiler
