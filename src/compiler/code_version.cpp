// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/code_version.hpp"

#include "base/overloaded.hpp"

#include <CL/cl.h>

#include <algorithm>
#include <charconv>

namespace clotho {

namespace {

struct Name {
  std::uint32_t value;
  std::string_view text;
};

constexpr Name kOrders[] = {{CL_R, "r"},         {CL_Rx, "rx"},      {CL_A, "a"},         {CL_INTENSITY, "intensity"},
                            {CL_RG, "rg"},       {CL_RGx, "rgx"},    {CL_RA, "ra"},       {CL_LUMINANCE, "luminance"},
                            {CL_RGB, "rgb"},     {CL_RGBx, "rgbx"},  {CL_RGBA, "rgba"},   {CL_BGRA, "bgra"},
                            {CL_ARGB, "argb"},   {CL_ABGR, "abgr"},  {CL_DEPTH, "depth"}, {CL_sRGBx, "srgbx"},
                            {CL_sRGBA, "srgba"}, {CL_sBGRA, "sbgra"}};
constexpr Name kTypes[] = {
    {CL_UNORM_INT8, "unorm8"},         {CL_UNORM_INT16, "unorm16"}, {CL_SNORM_INT8, "snorm8"},
    {CL_SNORM_INT16, "snorm16"},       {CL_SIGNED_INT8, "sint8"},   {CL_SIGNED_INT16, "sint16"},
    {CL_SIGNED_INT32, "sint32"},       {CL_UNSIGNED_INT8, "uint8"}, {CL_UNSIGNED_INT16, "uint16"},
    {CL_UNSIGNED_INT32, "uint32"},     {CL_HALF_FLOAT, "half"},     {CL_FLOAT, "float"},
    {CL_UNORM_SHORT_565, "565"},       {CL_UNORM_SHORT_555, "555"}, {CL_UNORM_INT_101010, "101010"},
    {CL_UNORM_INT_101010_2, "1010102"}};
constexpr std::string_view kGeneral = "general", kOffset = "+offset", kLarge = ".large", kSampler = "sampler:";

/// The name of a value; its number if it has none.
template <std::size_t N> std::string nameOf(const Name (&names)[N], std::uint32_t value) {
  const auto* found = std::find_if(names, names + N, [&](const Name& each) { return each.value == value; });
  return found != names + N ? std::string(found->text) : "#" + std::to_string(value);
}

template <class Number> bool readNumber(std::string_view text, Number& number, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc() && end == text.data() + text.size();
}

template <std::size_t N> bool readName(const Name (&names)[N], std::string_view text, std::uint32_t& value) {
  if (text.starts_with('#')) return readNumber(text.substr(1), value);
  const auto* found = std::find_if(names, names + N, [&](const Name& each) { return each.text == text; });
  if (found == names + N) return false;
  value = found->value;
  return true;
}

std::string hexadecimal(std::uint64_t number) {
  char digits[16];
  return {digits, std::to_chars(digits, digits + sizeof digits, number, 16).ptr};
}

std::string textOf(const CodeVersion::Argument& argument) {
  const auto value =
      std::visit(Overloaded{[](const CodeVersion::Format& format) { return format.text(); },
                            [](const CodeVersion::Sampler& sampler) {
                              return std::string(kSampler) + hexadecimal(sampler.number);
                            },
                            [](const CodeVersion::Integer& integer) { return std::to_string(integer.value); }},
                 argument.what);
  return "arg" + std::to_string(argument.index) + "=" + value;
}

/// Splits off the part before the separator.
std::string_view takeUntil(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return part;
}

bool takeEnd(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

bool readLocalSize(std::string_view text, CodeVersion::LocalSize& local) {
  local.mayHaveOffset = takeEnd(text, kOffset);
  const bool hasThree = std::count(text.begin(), text.end(), 'x') == 2;
  return hasThree && std::all_of(local.size.begin(), local.size.end(), [&](std::uint32_t& size) {
           return readNumber(takeUntil(text, 'x'), size) && size != 0;
         });
}

bool readArgument(std::string_view text, CodeVersion::Argument& argument) {
  if (text.starts_with(kSampler)) {
    auto& sampler = argument.what.emplace<CodeVersion::Sampler>();
    return readNumber(text.substr(kSampler.size()), sampler.number, 16);
  }
  auto& integer = argument.what.emplace<CodeVersion::Integer>();
  if (readNumber(text, integer.value)) return true;
  const auto format = CodeVersion::Format::parse(text);
  if (format) argument.what = *format;
  return format.has_value();
}

bool readPart(std::string_view part, CodeVersion& version) {
  std::string_view value = part;
  std::string_view name = takeUntil(value, '=');
  if (name == "local" && !version.local) return readLocalSize(value, version.local.emplace());
  if (name == "rows" && !version.rows) {
    version.rows = value == "whole" ? CodeVersion::Rows::Whole : CodeVersion::Rows::Partial;
    return value == "whole" || value == "partial";
  }
  if (name == "width" && version.width == 0) return readNumber(value, version.width) && version.width != 0;
  CodeVersion::Argument argument;
  if (!name.starts_with("arg") || !readNumber(name.substr(3), argument.index) || !readArgument(value, argument))
    return false;
  const std::size_t before = version.arguments.size();
  version.set(argument);
  return version.arguments.size() > before;
}

} // namespace

std::string CodeVersion::Format::text() const {
  std::string text = nameOf(kOrders, order) + "." + nameOf(kTypes, type);
  if (!isSmall) text += kLarge;
  return text;
}

std::optional<CodeVersion::Format> CodeVersion::Format::parse(std::string_view text) {
  Format format{};
  format.isSmall = !takeEnd(text, kLarge);
  const std::string_view order = takeUntil(text, '.');
  if (!readName(kOrders, order, format.order) || !readName(kTypes, text, format.type)) return std::nullopt;
  return format;
}

void CodeVersion::set(const Argument& argument) {
  const auto at = std::lower_bound(arguments.begin(), arguments.end(), argument,
                                   [](const Argument& a, const Argument& b) { return a.index < b.index; });
  if (at != arguments.end() && at->index == argument.index)
    at->what = argument.what;
  else
    arguments.insert(at, argument);
}

CodeVersion CodeVersion::withWidth(std::uint32_t other) const {
  CodeVersion result = *this;
  result.width = other;
  return result;
}

bool CodeVersion::knowsIntegers() const {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const Argument& each) { return std::holds_alternative<Integer>(each.what); });
}

CodeVersion CodeVersion::withoutIntegers() const {
  CodeVersion result = *this;
  std::erase_if(result.arguments, [](const Argument& each) { return std::holds_alternative<Integer>(each.what); });
  return result;
}

std::string CodeVersion::text() const {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!text.empty()) text += ' ';
    text += part;
  };
  if (local) {
    const auto [x, y, z] = local->size;
    add("local=" + std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(z));
    if (local->mayHaveOffset) text += kOffset;
  }
  if (rows) add(*rows == Rows::Whole ? "rows=whole" : "rows=partial");
  for (const Argument& argument : arguments)
    add(textOf(argument));
  if (width != 0) add("width=" + std::to_string(width));
  return text.empty() ? std::string(kGeneral) : text;
}

std::optional<CodeVersion> CodeVersion::parse(std::string_view text) {
  CodeVersion version;
  if (text == kGeneral) return version;
  if (text.empty()) return std::nullopt;
  while (!text.empty())
    if (!readPart(takeUntil(text, ' '), version)) return std::nullopt;
  return version;
}

} // namespace clotho

std::size_t std::hash<clotho::CodeVersion>::operator()(const clotho::CodeVersion& version) const noexcept {
  std::size_t hash = 0;
  const auto add = [&](std::uint64_t number) { hash = (hash ^ number ^ hash >> 29) * 0x9e3779b97f4a7c15U; };
  add(version.width);
  if (version.local) {
    for (const std::uint32_t size : version.local->size)
      add(size);
    add(version.local->mayHaveOffset);
  }
  add(version.rows ? 1 + static_cast<std::uint64_t>(*version.rows) : 0);
  for (const clotho::CodeVersion::Argument& argument : version.arguments) {
    add(argument.index);
    std::visit(clotho::Overloaded{[&](const clotho::CodeVersion::Format& format) {
                                    add(format.order);
                                    add(format.type);
                                    add(format.isSmall);
                                  },
                                  [&](const clotho::CodeVersion::Sampler& sampler) { add(sampler.number); },
                                  [&](const clotho::CodeVersion::Integer& integer) { add(~integer.value); }},
               argument.what);
  }
  return hash;
}
