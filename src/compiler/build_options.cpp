// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/build_options.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace clotho::compiler {
namespace {

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }
bool isQuote(char c) { return c == '"' || c == '\''; }

bool startsWith(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

/// A flag that is present or absent. `linker`: the specification lists it among the linker options too.
struct Flag {
  std::string_view name;
  bool BuildOptions::* member;
  bool compiler;
  bool linker;
};

constexpr Flag kFlags[] = {
    {"-cl-single-precision-constant", &BuildOptions::singlePrecisionConstant, true, false},
    {"-cl-denorms-are-zero", &BuildOptions::denormsAreZero, true, true},
    {"-cl-fp32-correctly-rounded-divide-sqrt", &BuildOptions::correctlyRoundedDivideSqrt, true, false},
    {"-cl-opt-disable", &BuildOptions::optDisable, true, false},
    {"-cl-strict-aliasing", &BuildOptions::strictAliasing, true, false},
    {"-cl-mad-enable", &BuildOptions::madEnable, true, false},
    {"-cl-no-signed-zeros", &BuildOptions::noSignedZeros, true, true},
    {"-cl-no-signed-zeroes", &BuildOptions::noSignedZeros, true, true}, // section 5.8.7 spells it so
    {"-cl-unsafe-math-optimizations", &BuildOptions::unsafeMath, true, true},
    {"-cl-finite-math-only", &BuildOptions::finiteMathOnly, true, true},
    {"-cl-fast-relaxed-math", &BuildOptions::fastRelaxedMath, true, true},
    {"-cl-uniform-work-group-size", &BuildOptions::uniformWorkGroupSize, true, false},
    {"-cl-no-subgroup-ifp", &BuildOptions::noForwardProgress, true, true},
    {"-w", &BuildOptions::suppressWarnings, true, false},
    {"-Werror", &BuildOptions::warningsAreErrors, true, false},
    {"-cl-kernel-arg-info", &BuildOptions::kernelArgInfo, true, false},
    {"-g", &BuildOptions::debugInfo, true, false},
    {"-create-library", &BuildOptions::createLibrary, false, true},
    {"-enable-link-options", &BuildOptions::enableLinkOptions, false, true},
};

bool parseStd(std::string_view value, std::uint32_t openclVersion, OpenclStd& std) {
  // The specification has no option for language version 1.0, but CL_DEVICE_OPENCL_C_ALL_VERSIONS must list it, and
  // programs derive the option from the list.
  if (value == "CL1.0")
    std = OpenclStd::CL1_0;
  else if (value == "CL1.1")
    std = OpenclStd::CL1_1;
  else if (value == "CL1.2")
    std = OpenclStd::CL1_2;
  else if (value == "CL2.0")
    std = OpenclStd::CL2_0;
  else if (value == "CL3.0")
    std = OpenclStd::CL3_0;
  else if (value == "CL3.1" && openclVersion >= 310) // section 5.8.6.5 of 3.1
    std = OpenclStd::CL3_1;
  else if (value == "CLC++" || value == "CLC++1.0")
    std = OpenclStd::Cpp1_0; // the name without a version is that of the first one, as it is for clang
  else if (value == "CLC++2021")
    std = OpenclStd::Cpp2021;
  else
    return false;
  return true;
}

/// A definition ends at an embedded newline (section 5.8.6); without `=` clang defines the macro as 1.
std::string defineArgument(std::string_view definition) {
  return "-D" + std::string(definition.substr(0, definition.find_first_of("\r\n")));
}

/// A list of checks with commas between; nothing if it names one that does not exist.
std::optional<unsigned> parseChecks(std::string_view list) {
  constexpr std::pair<std::string_view, unsigned> kNames[] = {{"memory", kCheckMemory},
                                                              {"race", kCheckRace},
                                                              {"barrier", kCheckBarrier},
                                                              {"value", kCheckValue},
                                                              {"loop", kCheckLoop},
                                                              {"all", kAllChecks},
                                                              {"none", 0}};
  unsigned checks = 0;
  for (bool isLast = false; !isLast;) {
    const std::size_t end = list.find(',');
    isLast = end == std::string_view::npos;
    const auto* named = std::ranges::find(kNames, list.substr(0, end), &std::pair<std::string_view, unsigned>::first);
    if (named == std::end(kNames)) return std::nullopt;
    checks |= named->second;
    if (!isLast) list.remove_prefix(end + 1);
  }
  return checks;
}

} // namespace

std::optional<std::vector<std::string>> splitOptions(std::string_view text) {
  std::vector<std::string> tokens;
  std::string token;
  bool inToken = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size() && text[i] != '\0'; ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    const bool escapable = quote == 0 ? isQuote(next) || next == '\\' || next == ' ' : next == quote || next == '\\';
    if (c == '\\' && escapable && quote != '\'') {
      token += next;
      inToken = true;
      ++i;
    } else if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        token += c;
    } else if (isQuote(c)) {
      quote = c;
      inToken = true;
    } else if (isSpace(c)) {
      if (inToken) tokens.push_back(std::move(token));
      token.clear();
      inToken = false;
    } else {
      token += c;
      inToken = true;
    }
  }
  if (quote != 0) return std::nullopt;
  if (inToken) tokens.push_back(std::move(token));
  return tokens;
}

std::optional<BuildOptions> parseBuildOptions(std::string_view text, BuildKind kind, std::uint32_t openclVersion,
                                              std::string& why) {
  const auto tokens = splitOptions(text);
  if (!tokens) {
    why = "The build options end inside a quotation.";
    return std::nullopt;
  }
  const bool linking = kind == BuildKind::Link;
  BuildOptions options;
  for (std::size_t i = 0; i < tokens->size(); ++i) {
    const std::string_view token = (*tokens)[i];
    const auto unknown = [&](std::string_view reason) {
      why = "The option '" + std::string(token) + "' " + std::string(reason) + ".";
      return std::nullopt;
    };

    if (startsWith(token, "-clotho-")) {
      constexpr std::string_view kWidth = "-clotho-width=";
      constexpr std::string_view kSource = "-clotho-source=";
      constexpr std::string_view kCheck = "-clotho-check=";
      if (startsWith(token, kSource) && token.size() > kSource.size()) {
        options.sourceName = token.substr(kSource.size());
      } else if (token == "-clotho-report") {
        options.report = true;
      } else if (token == "-clotho-validate") {
        options.validate = true;
      } else if (token == "-clotho-initialize-private") {
        options.initializePrivate = true;
      } else if (startsWith(token, kCheck)) {
        const auto checks = parseChecks(token.substr(kCheck.size()));
        if (!checks) return unknown("names a check that there is not");
        options.checks = *checks;
      } else if (startsWith(token, kWidth)) {
        const std::string_view width = token.substr(kWidth.size());
        constexpr std::string_view kWidths[] = {"1", "4", "8", "16", "32", "64"};
        if (std::find(std::begin(kWidths), std::end(kWidths), width) == std::end(kWidths))
          return unknown("names no width that there is (1, 4, 8, 16, 32 or 64)");
        std::from_chars(width.data(), width.data() + width.size(), options.width);
      } else {
        return unknown("is not known");
      }
      continue;
    }
    if (!linking && (startsWith(token, "-D") || startsWith(token, "-I"))) {
      std::string_view operand = token.substr(2);
      if (operand.empty()) {
        if (i + 1 == tokens->size()) return unknown("needs an argument");
        operand = (*tokens)[++i];
      }
      if (operand.empty()) return unknown("needs an argument that is not empty");
      options.preprocessor.push_back(token[1] == 'D' ? defineArgument(operand) : "-I" + std::string(operand));
      continue;
    }
    if (!linking && startsWith(token, "-cl-std=")) {
      if (!parseStd(token.substr(8), openclVersion, options.std))
        return unknown("names a language version that is not supported");
      continue;
    }

    const Flag* found = nullptr;
    for (const Flag& flag : kFlags)
      if (flag.name == token) found = &flag;
    if (found == nullptr) return unknown("is not known");
    if (linking ? !found->linker : !found->compiler)
      return unknown(linking ? "is not a linker option" : "is a linker option");
    options.*found->member = true;
  }
  if (options.enableLinkOptions && !options.createLibrary) {
    why = "The option '-enable-link-options' needs '-create-library'.";
    return std::nullopt;
  }
  return options;
}

} // namespace clotho::compiler
