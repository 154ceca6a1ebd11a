// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/compare.hpp"

#include <CL/cl.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace clotho::replay {

namespace {

using capture::ArgumentKind;

struct Element {
  const char* name;
  std::size_t size;
  bool isFloat = false;
  unsigned fraction = 0; ///< bits of the significand that are stored
};
constexpr Element kElements[] = {{"float", 4, true, 23},
                                 {"double", 8, true, 52},
                                 {"half", 2, true, 10},
                                 {"uchar", 1},
                                 {"char", 1},
                                 {"ushort", 2},
                                 {"short", 2},
                                 {"uint", 4},
                                 {"int", 4},
                                 {"ulong", 8},
                                 {"long", 8}};
constexpr const Element& kBytes = kElements[3];

/// The element of a pointer's type such as "const float4*"; what is unknown is compared as bytes.
const Element& elementOf(std::string type) {
  for (const char* word : {"const ", "volatile ", "unsigned "})
    if (const auto at = type.find(word); at != std::string::npos)
      type.replace(at, std::strlen(word), word[0] == 'u' ? "u" : "");
  type = type.substr(0, type.find('*'));
  while (!type.empty() && (std::isdigit(static_cast<unsigned char>(type.back())) != 0 || type.back() == ' '))
    type.pop_back();
  for (const Element& element : kElements)
    if (type == element.name) return element;
  return kBytes;
}

const Element& elementOf(const capture::Shape& shape) {
  switch (shape.channelType) {
  case CL_FLOAT: return kElements[0];
  case CL_HALF_FLOAT: return kElements[2];
  case CL_UNORM_INT16:
  case CL_SNORM_INT16:
  case CL_UNSIGNED_INT16: return kElements[5];
  case CL_SIGNED_INT16: return kElements[6];
  case CL_UNSIGNED_INT32: return kElements[7];
  case CL_SIGNED_INT32: return kElements[8];
  default: return kBytes;
  }
}

/// A number whose differences are units in the last place: floats in their order.
std::int64_t ordered(std::uint64_t bits, std::size_t size) {
  const std::uint64_t sign = std::uint64_t{1} << (size * 8 - 1);
  const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

double halfValue(std::uint64_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = static_cast<double>(bits & 1023);
  double value = exponent == 0    ? std::ldexp(fraction, -24)
                 : exponent == 31 ? (fraction == 0 ? HUGE_VAL : NAN)
                                  : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -value : value;
}

double valueOf(std::uint64_t bits, const Element& element) {
  if (element.size == 8) return std::bit_cast<double>(bits);
  if (element.size == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return halfValue(bits);
}

std::string textOf(std::uint64_t bits, const Element& element) {
  char text[64];
  if (element.isFloat)
    std::snprintf(text, sizeof text, element.size == 8 ? "%.17g (0x%llx)" : "%.9g (0x%llx)", valueOf(bits, element),
                  static_cast<unsigned long long>(bits));
  else if (element.name[0] != 'u') {
    const unsigned unused = 64 - static_cast<unsigned>(element.size) * 8;
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(bits << unused) >> unused);
  } else
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(bits));
  return text;
}

std::uint64_t bitsAt(const std::string& bytes, std::size_t index, std::size_t size) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * size, std::min(size, bytes.size() - index * size));
  return bits;
}

/// Distance of two floats in units in the last place; of values that are both NaN 0, else of NaN infinite.
double distance(std::uint64_t a, std::uint64_t b, const Element& element) {
  const bool isNan = std::isnan(valueOf(a, element)), otherIsNan = std::isnan(valueOf(b, element));
  if (isNan || otherIsNan) return isNan && otherIsNan ? 0 : HUGE_VAL;
  // Subtracted as integers: a double does not tell the numbers of doubles that are close to each other.
  const std::int64_t x = ordered(a, element.size), y = ordered(b, element.size);
  const auto [less, greater] = std::minmax(x, y);
  return static_cast<double>(static_cast<std::uint64_t>(greater) - static_cast<std::uint64_t>(less));
}

void compareElements(const std::string& before, const std::string& now, const Element& element, double ulp,
                     Difference& result) {
  result.element = element.name;
  result.elements = (before.size() + element.size - 1) / element.size;
  for (std::size_t i = 0; i < result.elements; ++i) {
    const std::uint64_t a = bitsAt(before, i, element.size), b = bitsAt(now, i, element.size);
    if (a == b) continue;
    if (element.isFloat) {
      const double units = distance(a, b, element);
      if (ulp > 0 && units <= ulp) continue;
      result.largestUlp = std::max(result.largestUlp, units);
    }
    if (result.different++ != 0) continue;
    result.first = i;
    result.before = textOf(a, element);
    result.now = textOf(b, element);
  }
}

/// The object whose bytes are those of the memory object.
std::size_t ownerOf(const capture::Description& description, std::size_t memory) {
  while (description.memories[memory].parent != capture::kNone)
    memory = description.memories[memory].parent;
  return memory;
}

/// The name of a content, and the type by which it is compared: the first argument that has it tells.
std::pair<std::string, const Element*> describe(const capture::Description& description, std::size_t content,
                                                const std::vector<std::string>& types) {
  const std::size_t memories = description.memories.size(), shared = description.shared.size();
  const auto named = [&](std::size_t i) {
    const std::string& name = description.arguments[i].name;
    return "argument " + std::to_string(i) + (name.empty() ? "" : " (" + name + ")");
  };
  for (std::size_t i = 0; i < description.arguments.size(); ++i) {
    const capture::Argument& argument = description.arguments[i];
    const bool isMemory =
        argument.kind == ArgumentKind::Memory && content < memories && ownerOf(description, argument.number) == content;
    const bool isShared =
        argument.kind == ArgumentKind::Pointer && content >= memories && content < memories + shared &&
        argument.number - description.shared[content - memories].address < description.shared[content - memories].size;
    if (!isMemory && !isShared) continue;
    if (isMemory && description.memories[content].kind == capture::MemoryKind::Image)
      return {named(i), &elementOf(description.memories[content].shape)};
    const std::string& type = i < types.size() && !types[i].empty() ? types[i] : argument.type;
    return {named(i), &elementOf(type)};
  }
  if (content < memories) return {"memory object " + std::to_string(content), &kBytes};
  if (content < memories + shared) return {"shared memory " + std::to_string(content - memories), &kBytes};
  return {"variable " + description.variables[content - memories - shared].name, &kBytes};
}

} // namespace

std::string Difference::text(const std::string& with) const {
  std::string line = object + ": " + std::to_string(different) + " of " + std::to_string(elements) + " elements (" +
                     element + ") differ, the first is element " + std::to_string(first) + ": " + with + " " + before +
                     ", now " + now;
  if (largestUlp > 0) {
    char units[64];
    std::snprintf(units, sizeof units, "; at most %.3g units in the last place", largestUlp);
    line += units;
  }
  return line;
}

std::vector<Difference> compare(const capture::Description& description, const std::vector<std::string>& before,
                                const std::vector<std::string>& now, const std::vector<std::string>& types,
                                double ulp) {
  std::vector<Difference> differences;
  for (std::size_t i = 0; i < before.size() && i < now.size(); ++i) {
    if (before[i] == now[i]) continue;
    const auto [name, element] = describe(description, i, types);
    Difference difference;
    difference.object = name;
    compareElements(before[i], now[i], *element, ulp, difference);
    if (difference.different != 0) differences.push_back(std::move(difference));
  }
  return differences;
}

} // namespace clotho::replay
