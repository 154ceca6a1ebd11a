// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/spirv/validate.hpp"

#include "base/spirv.hpp"
#include "compiler/frontend/spirv/function_order.hpp"
#include "compiler/frontend/spirv/instructions.hpp"
#include "compiler/frontend/spirv/names.hpp"
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
#define SPIRV_LATER_IDLE_CAPABILITY(name, number)
#define SPIRV_IDLE_CAPABILITY(name, number) static_assert(spv::Capability##name == number);
#include "base/spirv_support.def"

constexpr auto kIdleCapabilities = std::to_array<std::uint32_t>({
#define SPIRV_IDLE_CAPABILITY(name, number) number,
#include "base/spirv_support.def"
});

bool contains(std::span<const std::uint32_t> numbers, std::uint32_t number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

bool isTaken(std::uint32_t capability) {
  return contains(clotho::spirv::kCapabilities, capability) || contains(kIdleCapabilities, capability);
}

/// The universal rules of a version. SPIRV-Tools' rules for OpenCL end at version 1.2 and reject capabilities of
/// OpenCL's extensions; the environment's other rules are checked here.
spv_target_env environmentOf(std::uint32_t minor) {
  constexpr spv_target_env kUniversal[] = {SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_1, SPV_ENV_UNIVERSAL_1_2,
                                           SPV_ENV_UNIVERSAL_1_3, SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5,
                                           SPV_ENV_UNIVERSAL_1_6};
  static_assert(std::size(kUniversal) == clotho::spirv::kNewestMinor + 1);
  return kUniversal[minor];
}

/// The module's extensions that the reader does not know, for messages: ", with the extensions A and B".
std::string unknownExtensions(Words module) {
  std::string names;
  clotho::spirv::forEachInstruction(module, [&](std::uint32_t opcode, Words words) {
    if (opcode != spv::OpExtension || words.size() < 2) return;
    const std::string name = spirv::literalString({words.data() + 1, words.size() - 1});
    if (std::ranges::find(clotho::spirv::kExtensions, std::string_view(name)) != clotho::spirv::kExtensions.end())
      return;
    names += (names.empty() ? " (of the module's extensions these are not known: " : ", ") + name;
  });
  return names.empty() ? names : names + ")";
}

/// Checks the rules of the OpenCL SPIR-V Environment Specification (Required Capabilities, Validation Rules) for the
/// module as a whole.
std::string checkEnvironment(Words module) {
  std::string why;
  bool hasMemoryModel = false;
  const bool whole = clotho::spirv::forEachInstruction(module, [&](std::uint32_t opcode, Words words) {
    if (!why.empty()) return;
    if (opcode == spv::OpCapability && words.size() == 2 && !isTaken(words[1]))
      why = "The module declares the capability " + spirv::capabilityName(words[1]) + ", which is not supported" +
            unknownExtensions(module) + ".";
    if (opcode == spv::OpMemoryModel && words.size() == 3) {
      hasMemoryModel = true;
      if (words[1] != spv::AddressingModelPhysical64)
        why = "The module's addressing model is not Physical64, as addresses of 64 bits need it.";
      else if (words[2] != spv::MemoryModelOpenCL)
        why = "The module's memory model is not OpenCL.";
    }
    if (opcode == spv::OpEntryPoint && words.size() >= 2 && words[1] != spv::ExecutionModelKernel)
      why = "The module has an entry point that is no kernel.";
  });
  if (why.empty() && !whole) why = "The module ends inside an instruction, or has one without a length.";
  if (why.empty() && !hasMemoryModel) why = "The module declares no memory model.";
  return why;
}

/// The message of SPIRV-Tools, on one line.
std::string sentenceOf(const spv_diagnostic_t* diagnostic) {
  std::string text = diagnostic != nullptr && diagnostic->error != nullptr ? diagnostic->error : "it is not valid";
  std::ranges::replace(text, '\n', ' ');
  while (!text.empty() && (text.back() == ' ' || text.back() == '.'))
    text.pop_back();
  return "SPIRV-Tools' validator says: " + text + ".";
}

template <auto Destroy> struct Destroys {
  template <class T> void operator()(T* object) const { Destroy(object); }
};

std::string runValidator(Words module, std::uint32_t minor) {
  const std::unique_ptr<spv_context_t, Destroys<spvContextDestroy>> context(spvContextCreate(environmentOf(minor)));
  const std::unique_ptr<spv_validator_options_t, Destroys<spvValidatorOptionsDestroy>> options(
      spvValidatorOptionsCreate());
  spv_const_binary_t binary = {module.data(), module.size()};
  spv_diagnostic raw = nullptr;
  const spv_result_t result = spvValidateWithOptions(context.get(), options.get(), &binary, &raw);
  const std::unique_ptr<spv_diagnostic_t, Destroys<spvDiagnosticDestroy>> diagnostic(raw);
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
  if (auto parsed = spirv::parse(*words); !parsed)
    return "The module is not valid SPIR-V: " + llvm::toString(parsed.takeError()) + ".";
  return {};
}

std::string adviseOnSpirv(std::string_view il) {
  const auto words = spirvWords(il);
  // The validator has no rules for integers of other widths than 8, 16, 32 and 64 bits.
  if (!words || !checkSpirv(il).empty() || spirv::hasUnusualIntegers(*words)) return {};
  return runValidator(spirv::validatorInput(spirv::withFunctionsInOrder(*words)), (*words)[1] >> 8 & 0xff);
}

} // namespace clotho::compiler
