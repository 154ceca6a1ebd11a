// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/spirv/validator_input.hpp"

#include "base/spirv.hpp"

#include <spirv/unified1/spirv.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace clotho::compiler::spirv {
namespace {

using Words = std::span<const std::uint32_t>;

constexpr auto kLaterCapabilities = std::to_array<std::uint32_t>({
#define SPIRV_LATER_CAPABILITY(name, number) number,
#define SPIRV_LATER_IDLE_CAPABILITY(name, number) number,
#include "base/spirv_support.def"
});

bool contains(std::span<const std::uint32_t> numbers, std::uint32_t number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

/// First number of decorations of extensions, by the registry of SPIR-V.
constexpr std::uint32_t kFirstOfExtensions = 4096;

/// Decorations of extensions that the validator checks.
bool isJudged(std::uint32_t decoration) {
  return decoration == spv::DecorationNoSignedWrap || decoration == spv::DecorationNoUnsignedWrap;
}

/// Whether the instruction is a hint that the validator need not see. The validator stops at unknown instructions, and
/// there are new hints every year: decorations of extensions, and their capabilities. A decoration that is more than a
/// hint comes with a capability, which is rejected unless the reader knows it. Declarations of alias scopes are such
/// hints; nothing else refers to them. Merge instructions are hints in kernels, whose control flow need not be
/// structured, but the validator has rules for them, and LLVM's translators violate these: two loops may share a merge
/// block.
bool isHint(std::uint32_t opcode, Words words) {
  switch (opcode) {
  case spv::OpLoopMerge:
  case spv::OpSelectionMerge: return true;
  case spv::OpCapability:
    // For the validator the clock implies the capability Shader, and so rules that kernels do not follow.
    return words.size() == 2 && (contains(kLaterCapabilities, words[1]) || words[1] == spv::CapabilityShaderClockKHR);
  case spv::OpDecorate:
  case spv::OpDecorateId:
  case spv::OpDecorateString: return words.size() >= 3 && words[2] >= kFirstOfExtensions && !isJudged(words[2]);
  case spv::OpMemberDecorate:
  case spv::OpMemberDecorateString: return words.size() >= 4 && words[3] >= kFirstOfExtensions && !isJudged(words[3]);
  default: return false;
  }
}

std::uint32_t first(std::size_t count, spv::Op op) {
  return static_cast<std::uint32_t>(count) << spv::WordCountShift | op;
}

/// Rewrites instructions for the validator. It treats OpConstantPipeStorage as an instruction inside functions; since
/// it has no rules for pipe storage, the type becomes one that it knows, and the constants null. It rejects writes to a
/// level of an image, which cl_khr_mipmap_image_writes allows; the operand Lod is the first after the mask.
/// OpAtomicCompareExchangeWeak was removed in SPIR-V 1.4, but compilers still write it.
std::vector<std::uint32_t> asItIsKnown(std::uint32_t opcode, Words words) {
  constexpr std::size_t kMask = 4;
  if (opcode == spv::OpTypePipeStorage && words.size() == 2) return {first(2, spv::OpTypeStruct), words[1]};
  if (opcode == spv::OpConstantPipeStorage && words.size() == 6)
    return {first(3, spv::OpConstantNull), words[1], words[2]};
  std::vector<std::uint32_t> known(words.begin(), words.end());
  if (opcode == spv::OpAtomicCompareExchangeWeak) known[0] = first(known.size(), spv::OpAtomicCompareExchange);
  if (opcode == spv::OpImageWrite && words.size() > kMask + 1 && (words[kMask] & spv::ImageOperandsLodMask) != 0) {
    known.erase(known.begin() + kMask + 1);
    known[kMask] &= ~std::uint32_t{spv::ImageOperandsLodMask};
    known[0] = first(known.size(), spv::OpImageWrite);
  }
  return known;
}

/// Whether the validator is stricter with an instruction than OpenCL: it requires the format of printf to be a pointer
/// to a byte, where LLVM has one to an array of bytes, and does not know the clock of a work-group
/// (cl_khr_kernel_clock).
bool isMisjudged(std::uint32_t opcode, Words words, std::uint32_t openclSet) {
  constexpr std::uint32_t kPrintf = 184;
  return (opcode == spv::OpExtInst && words.size() >= 6 && words[3] == openclSet && words[4] == kPrintf) ||
         (opcode == spv::OpReadClockKHR && words.size() == 4);
}

/// A literal string's text, without the zero bytes that end it.
std::string_view text(Words literal) {
  const char* bytes = reinterpret_cast<const char*>(literal.data());
  return {bytes, strnlen(bytes, literal.size_bytes())};
}

/// The words of OpExtension.
std::vector<std::uint32_t> extension(std::string_view name) {
  std::vector<std::uint32_t> words(1 + name.size() / 4 + 1);
  words[0] = first(words.size(), spv::OpExtension);
  std::memcpy(&words[1], name.data(), name.size());
  return words;
}

/// Builds the module for the validator.
class Input {
 public:
  explicit Input(Words module)
      : words_(module.begin(), module.begin() + clotho::spirv::kHeaderWords),
        hasFullInterfaces_((module[1] >> 8 & 0xff) >= 4) {
    findVariables(module);
    clotho::spirv::forEachInstruction(module, [&](std::uint32_t opcode, Words words) { take(opcode, words); });
  }

  std::vector<std::uint32_t> words_;

 private:
  /// Finds the variables that interfaces list: built-in ones, and from SPIR-V 1.4 on all module-scope variables.
  void findVariables(Words module) {
    bool isInFunction = false;
    clotho::spirv::forEachInstruction(module, [&](std::uint32_t opcode, Words words) {
      isInFunction = isInFunction || opcode == spv::OpFunction;
      if (isInFunction || opcode != spv::OpVariable || words.size() < 4) return;
      if (hasFullInterfaces_ || words[3] == spv::StorageClassInput) variables_.push_back(words[2]);
    });
  }

  void take(std::uint32_t opcode, Words words) {
    if (isHint(opcode, words)) return;
    if (opcode == spv::OpExtInstImport && words.size() >= 3) takeImport(words[1], text(words.subspan(2)));
    if (opcode == spv::OpExtInst && words.size() >= 5 && ignoredSets_.contains(words[3])) return;
    // The memory model comes after all extensions.
    if (opcode == spv::OpMemoryModel) declareExtensions();
    if (opcode == spv::OpTypeInt && words.size() == 4) integers_.emplace(words[1], words[2]);
    if (opcode == spv::OpConstantNull && words.size() == 3 && integers_.contains(words[1])) return addZero(words);
    if (isMisjudged(opcode, words, openclSet_)) {
      add({first(3, spv::OpUndef), words[1], words[2]});
      return;
    }
    add(opcode == spv::OpEntryPoint ? withFullInterface(words) : asItIsKnown(opcode, words));
  }

  void add(const std::vector<std::uint32_t>& words) { words_.insert(words_.end(), words.begin(), words.end()); }

  /// Adds a null integer as a plain constant: the validator requires one as the index of a structure member, and clang
  /// writes either.
  void addZero(Words null) {
    std::vector<std::uint32_t> zero{0, null[1], null[2]};
    zero.resize(3 + (integers_[null[1]] + 31) / 32);
    zero[0] = first(zero.size(), spv::OpConstant);
    add(zero);
  }

  /// Drops imports of debug instructions, which change no result and often violate the rules.
  void takeImport(std::uint32_t id, std::string_view name) {
    if (name == "OpenCL.std") openclSet_ = id;
    if (name == "OpenCL.DebugInfo.100" || name == "DebugInfo" || name.starts_with("NonSemantic."))
      ignoredSets_.insert(id);
    if (!imports_) imports_ = words_.size();
  }

  /// Declares extensions whose capabilities or decorations Khronos's translator long used without declaring them.
  /// Extensions come before imports.
  void declareExtensions() {
    const std::size_t position = imports_.value_or(words_.size());
    for (const char* name : {"SPV_INTEL_arbitrary_precision_integers", "SPV_KHR_no_integer_wrap_decoration"}) {
      const std::vector<std::uint32_t> words = extension(name);
      words_.insert(words_.begin() + static_cast<std::ptrdiff_t>(position), words.begin(), words.end());
    }
  }

  /// Adds built-in variables that compilers omit from the interfaces of entry points; SYCL compilers omit them if they
  /// are in the storage class CrossWorkgroup. The list has no meaning for kernels.
  std::vector<std::uint32_t> withFullInterface(Words words) const {
    std::vector<std::uint32_t> full(words.begin(), words.end());
    if (words.size() < 4) return full;
    const std::size_t nameWords = text(words.subspan(3)).size() / 4 + 1;
    if (3 + nameWords > words.size()) return full;
    const std::unordered_set<std::uint32_t> listed(words.begin() + 3 + static_cast<std::ptrdiff_t>(nameWords),
                                                   words.end());
    for (const std::uint32_t variable : variables_)
      if (!listed.contains(variable) && full.size() < spv::OpCodeMask) full.push_back(variable);
    full[0] = first(full.size(), spv::OpEntryPoint);
    return full;
  }

  bool hasFullInterfaces_;
  std::uint32_t openclSet_ = 0;
  std::unordered_set<std::uint32_t> ignoredSets_;
  std::unordered_map<std::uint32_t, std::uint32_t> integers_; ///< Number of bits of each integer type
  std::vector<std::uint32_t> variables_;
  std::optional<std::size_t> imports_; ///< Index in `words_` of the first OpExtInstImport
};

} // namespace

std::vector<std::uint32_t> validatorInput(Words module) { return Input(module).words_; }

bool hasUnusualIntegers(Words module) {
  bool has = false;
  clotho::spirv::forEachInstruction(module, [&](std::uint32_t opcode, Words words) {
    if (opcode != spv::OpTypeInt || words.size() != 4) return;
    const std::uint32_t bits = words[2];
    has = has || (bits != 8 && bits != 16 && bits != 32 && bits != 64);
  });
  return has;
}

} // namespace clotho::compiler::spirv
