// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/spirv/validate.hpp"

#include <spirv-tools/libspirv.h>
#include <spirv/unified1/spirv.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace clotho::compiler {
namespace {

using Words = std::span<const std::uint32_t>;

#define SPIRV_CAPABILITY(name, number) static_assert(spv::Capability##name == number);
#define SPIRV_LATER_CAPABILITY(name, number)
#include "base/spirv_support.def"

constexpr auto kLaterCapabilities = std::to_array<std::uint32_t>({
#define SPIRV_LATER_CAPABILITY(name, number) number,
#include "base/spirv_support.def"
});

bool contains(std::span<const std::uint32_t> numbers, std::uint32_t number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

/// Numbers of decorations, from which on they belong to extensions, as the registry of SPIR-V gives them out.
constexpr std::uint32_t kFirstOfExtensions = 4096;

/// The decorations of extensions by which the validator has something to judge.
bool isJudged(std::uint32_t decoration) {
  return decoration == spv::DecorationNoSignedWrap || decoration == spv::DecorationNoUnsignedWrap;
}

/// Whether an instruction is no more than a hint that the validator need not see. It ends at what it does not know,
/// and new hints come with each year: decorations of extensions, and the capabilities that go with them. A decoration
/// that is no hint comes with a capability of its own, and those are refused unless the reader knows them. The
/// declarations of scopes for aliasing belong to such hints; they are referred to by nothing else. Flow need not be
/// structured in kernels, but the validator has rules for merges in all modules, and LLVM's translators do not follow
/// them: two loops may have a merge block in common.
bool isHint(std::uint32_t opcode, Words words) {
  switch (opcode) {
  case spv::OpLoopMerge:
  case spv::OpSelectionMerge: return true;
  case spv::OpCapability: return words.size() == 2 && contains(kLaterCapabilities, words[1]);
  case spv::OpDecorate:
  case spv::OpDecorateId:
  case spv::OpDecorateString: return words.size() >= 3 && words[2] >= kFirstOfExtensions && !isJudged(words[2]);
  case spv::OpMemberDecorate:
  case spv::OpMemberDecorateString: return words.size() >= 4 && words[3] >= kFirstOfExtensions && !isJudged(words[3]);
  default: return false;
  }
}

/// Instructions as the validator takes them. It takes OpConstantPipeStorage for an instruction of a function's; as it
/// has no rules for storage of pipes, this may be a type that it knows, and constants of it zero. It also refuses to
/// write to a level of an image, as cl_khr_mipmap_image_writes lets kernels do; the operand Lod is the first behind the
/// mask.
std::vector<std::uint32_t> asItIsKnown(std::uint32_t opcode, Words words) {
  constexpr std::size_t kMask = 4;
  const auto first = [](std::size_t count, spv::Op op) {
    return static_cast<std::uint32_t>(count) << spv::WordCountShift | op;
  };
  if (opcode == spv::OpTypePipeStorage && words.size() == 2) return {first(2, spv::OpTypeStruct), words[1]};
  if (opcode == spv::OpConstantPipeStorage && words.size() == 6)
    return {first(3, spv::OpConstantNull), words[1], words[2]};
  std::vector<std::uint32_t> known(words.begin(), words.end());
  if (opcode == spv::OpImageWrite && words.size() > kMask + 1 && (words[kMask] & spv::ImageOperandsLodMask) != 0) {
    known.erase(known.begin() + kMask + 1);
    known[kMask] &= ~std::uint32_t{spv::ImageOperandsLodMask};
    known[0] = first(known.size(), spv::OpImageWrite);
  }
  return known;
}

/// Whether the validator is stricter with an instruction than OpenCL: it wants the format of a printf to be a pointer
/// to a byte where LLVM's is one to an array of bytes, and knows no clock of a work-group (cl_khr_kernel_clock).
bool isMisjudged(std::uint32_t opcode, Words words, std::uint32_t openclSet) {
  constexpr std::uint32_t kPrintf = 184;
  return (opcode == spv::OpExtInst && words.size() >= 6 && words[3] == openclSet && words[4] == kPrintf) ||
         (opcode == spv::OpReadClockKHR && words.size() == 4);
}

bool importsOpencl(std::uint32_t opcode, Words words) {
  constexpr std::string_view kName = "OpenCL.std"; // and the zero bytes that fill its last word
  return opcode == spv::OpExtInstImport && words.size() == 5 &&
         std::memcmp(&words[2], kName.data(), kName.size() + 1) == 0;
}

/// The module as the validator is given it.
std::vector<std::uint32_t> withoutUnknown(Words module) {
  std::vector<std::uint32_t> kept(module.begin(), module.begin() + spirv::kHeaderWords);
  std::uint32_t openclSet = 0;
  spirv::forEachInstruction(module, [&](std::uint32_t opcode, Words words) {
    if (isHint(opcode, words)) return;
    if (importsOpencl(opcode, words)) openclSet = words[1];
    if (isMisjudged(opcode, words, openclSet)) {
      kept.insert(kept.end(), {3U << spv::WordCountShift | spv::OpUndef, words[1], words[2]});
      return;
    }
    const std::vector<std::uint32_t> known = asItIsKnown(opcode, words);
    kept.insert(kept.end(), known.begin(), known.end());
  });
  return kept;
}

/// The universal rules of a version. Those that SPIRV-Tools has for OpenCL know no version after 1.2 and refuse
/// capabilities that extensions of OpenCL bring; what the environment asks for beside is checked here.
spv_target_env environmentOf(std::uint32_t minor) {
  constexpr spv_target_env kUniversal[] = {SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_1, SPV_ENV_UNIVERSAL_1_2,
                                           SPV_ENV_UNIVERSAL_1_3, SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5,
                                           SPV_ENV_UNIVERSAL_1_6};
  static_assert(std::size(kUniversal) == spirv::kNewestMinor + 1);
  return kUniversal[minor];
}

/// The rules of the OpenCL SPIR-V Environment Specification (Required Capabilities, Validation Rules) that are about
/// the module as a whole.
std::string checkEnvironment(Words module) {
  std::string why;
  const bool whole = spirv::forEachInstruction(module, [&](std::uint32_t opcode, Words words) {
    if (!why.empty()) return;
    if (opcode == spv::OpCapability && words.size() == 2 && !contains(spirv::kCapabilities, words[1]))
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
  if (major != 1 || minor > spirv::kNewestMinor || (version & 0xff0000ff) != 0)
    return "The module is of SPIR-V " + std::to_string(major) + "." + std::to_string(minor) +
           "; versions 1.0 to 1.6 are supported.";
  if (std::string why = checkEnvironment(*words); !why.empty()) return why;
  return runValidator(withoutUnknown(*words), minor);
}

} // namespace clotho::compiler
