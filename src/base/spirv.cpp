// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/spirv.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>

namespace clotho {

namespace {

// Numbers of the SPIR-V specification: the driver is built without its headers.
constexpr std::uint32_t kOpTypeInt = 21, kOpTypeFloat = 22, kOpSpecConstantTrue = 48, kOpSpecConstantFalse = 49,
                        kOpSpecConstant = 50, kOpDecorate = 71, kOpGroupDecorate = 74;
constexpr std::uint32_t kSpecId = 1;

constexpr std::uint32_t swapped(std::uint32_t word) { return __builtin_bswap32(word); }

} // namespace

std::optional<std::vector<std::uint32_t>> spirvWords(std::string_view il) {
  if (il.size() % sizeof(std::uint32_t) != 0 || il.size() < spirv::kHeaderWords * sizeof(std::uint32_t))
    return std::nullopt;
  std::vector<std::uint32_t> words(il.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), il.data(), il.size());
  if (words[0] == swapped(spirv::kMagic)) std::ranges::transform(words, words.begin(), swapped);
  if (words[0] != spirv::kMagic) return std::nullopt;
  return words;
}

std::vector<spirv::SpecialisableConstant> spirv::specialisableConstants(std::span<const std::uint32_t> module) {
  std::unordered_map<std::uint32_t, std::uint32_t> specIds; // of results; decorations come before what they decorate
  struct Scalar {
    std::uint32_t bits;
    bool isReal;
  };
  std::unordered_map<std::uint32_t, Scalar> scalars; // types
  std::map<std::uint32_t, SpecialisableConstant> found;
  forEachInstruction(module, [&](std::uint32_t opcode, std::span<const std::uint32_t> words) {
    constexpr std::uint32_t kBitsOfByte = 8;
    switch (opcode) {
    case kOpDecorate:
      if (words.size() == 4 && words[2] == kSpecId) specIds.emplace(words[1], words[3]);
      break;
    case kOpGroupDecorate:
      if (const auto group = words.size() >= 2 ? specIds.find(words[1]) : specIds.end(); group != specIds.end())
        for (const std::uint32_t id = group->second; const std::uint32_t target : words.subspan(2))
          specIds.emplace(target, id);
      break;
    case kOpTypeInt:
    case kOpTypeFloat:
      if (words.size() >= 3) scalars.emplace(words[1], Scalar{words[2], opcode == kOpTypeFloat});
      break;
    case kOpSpecConstantTrue:
    case kOpSpecConstantFalse:
    case kOpSpecConstant: {
      if (words.size() < 3) break;
      const auto id = specIds.find(words[2]);
      if (id == specIds.end()) break;
      const bool isBoolean = opcode != kOpSpecConstant;
      const auto type = scalars.find(words[1]);
      if (!isBoolean && type == scalars.end()) break;
      const std::uint32_t size = isBoolean ? 1 : (type->second.bits + kBitsOfByte - 1) / kBitsOfByte;
      found.emplace(id->second, SpecialisableConstant{id->second, size, isBoolean, !isBoolean && type->second.isReal});
      break;
    }
    default: break;
    }
  });
  std::vector<SpecialisableConstant> list;
  list.reserve(found.size());
  for (const auto& [id, constant] : found)
    list.push_back(constant);
  return list;
}

} // namespace clotho
