// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

/// As much of SPIR-V as the driver has to know itself: what is taken, and how a module is divided into instructions.
namespace clotho {

namespace spirv {

/// Versions 1.0 to 1.6 are taken.
inline constexpr std::uint32_t kNewestMinor = 6;
inline constexpr std::uint32_t kMagic = 0x07230203;
inline constexpr std::size_t kHeaderWords = 5;

inline constexpr auto kCapabilities = std::to_array<std::uint32_t>({
#define SPIRV_CAPABILITY(name, number) number,
#include "base/spirv_support.def"
});
inline constexpr auto kExtensions = std::to_array<const char*>({
#define SPIRV_EXTENSION(name) #name,
#include "base/spirv_support.def"
});
inline constexpr auto kInstructionSets = std::to_array<const char*>({
#define SPIRV_INSTRUCTION_SET(name) #name,
#include "base/spirv_support.def"
});

/// Calls `use(opcode, words)` for each instruction, `words` with its first word. False when the last one is cut off or
/// one has no words: then it was called for those before.
template <class Use> bool forEachInstruction(std::span<const std::uint32_t> module, Use&& use) {
  for (std::size_t at = kHeaderWords; at < module.size();) {
    const std::size_t count = module[at] >> 16;
    if (count == 0 || count > module.size() - at) return false;
    use(module[at] & 0xffff, module.subspan(at, count));
    at += count;
  }
  return true;
}

/// A constant that applications may give another value (OpenCL 2.2, clSetProgramSpecializationConstant).
struct SpecialisableConstant {
  std::uint32_t id;   ///< what its decoration SpecId says
  std::uint32_t size; ///< bytes that the API takes
  bool isBoolean;
  bool isReal; ///< of a floating-point type
};

/// Those of a module, by rising id; of several with one id the first.
std::vector<SpecialisableConstant> specialisableConstants(std::span<const std::uint32_t> module);

} // namespace spirv

/// A module's words in this machine's byte order, whichever it was written in. Nothing when the bytes are no SPIR-V: by
/// the magic number, and by a length that is no number of words or too small for a header.
std::optional<std::vector<std::uint32_t>> spirvWords(std::string_view il);

} // namespace clotho
