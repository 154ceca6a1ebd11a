// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "precision/report.hpp"

#include "precision/error.hpp"

#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace precision {

namespace {

template <class... A> std::string format(const char* pattern, A... values) {
  char text[128];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

std::string limitText(const Function& function, double limit) {
  static_cast<void>(function);
  return limit == kNoLimit ? "–" : limit == 0 ? "0" : format("%g", limit);
}

std::string relaxedText(const Function& function) {
  switch (function.relaxed) {
  case Relaxed::Same: return limitText(function, function.limits[0]);
  case Relaxed::Ulp4096: return "4096";
  case Relaxed::Ulp8192: return "8192";
  case Relaxed::Angle: return "2^-11 absolute, |x| ≤ π";
  case Relaxed::HalfTurns: return "2^-11 absolute, |x| ≤ 1";
  case Relaxed::Exponent: return "3 + ⌊\\|2x\\|⌋";
  case Relaxed::Logarithm: return "3; 2^-21 absolute in [0.5, 2]";
  case Relaxed::Quotient: return "2.5";
  }
  return "";
}

std::string numberText(std::uint64_t arguments) {
  return arguments >= (std::uint64_t(1) << 32) ? "all floats" : format("%.3g", static_cast<double>(arguments));
}

std::string countText(const Result& result) {
  if (result.isDone()) return numberText(result.size);
  return numberText(result.next) + " of " + numberText(result.size);
}

std::string cells(const Function& function, const Result* result) {
  if (result == nullptr || result->next == 0) return " | | |";
  std::string text = " " + errorText(function, *result);
  if (result->wrong != 0) text += " (**beyond the limit**)";
  return text + " | " + argumentText(function, *result) + " | " + countText(*result) + " |";
}

/// All floats, or as many pairs as the tool takes when nothing else is said.
bool isWhole(const Result* result, bool isDouble) {
  return result != nullptr && result->isDone() && result->size >= (isDouble ? kDoubleSamples : kFloatSamples);
}

/// Writes the functions of a set that were swept with all arguments, or those that were not, whatever is shorter.
void writeWhole(std::ofstream& file, const State& state, const std::string& set) {
  std::size_t whole = 0, others = 0;
  std::string wholeNames, otherNames;
  for (const Function& f : functions()) {
    if (f.forDouble == nullptr && set != "float") continue;
    const bool isIn = isWhole(state.find(set, f.name), set == "double");
    ++(isIn ? whole : others);
    std::string& names = isIn ? wholeNames : otherNames;
    names += (names.empty() ? "`" : ", `") + std::string(f.name) + "`";
  }
  file << "- " << set << ": " << whole << " of " << whole + others;
  if (whole != 0 && others != 0) file << (whole < others ? ": " + wholeNames : ", all but " + otherNames);
  file << "\n";
}

void writeDefaults(std::ofstream& file, const State& state) {
  file << "## Default options\n\n"
          "| function | limit, float | worst | at | arguments | limit, double | worst | at | arguments |\n"
          "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Function& f : functions()) {
    if (f.forDouble == nullptr) continue;
    file << "| `" << f.name << "` | " << limitText(f, f.limits[0]) << " |" << cells(f, state.find("float", f.name))
         << " " << limitText(f, f.limits[1]) << " |" << cells(f, state.find("double", f.name)) << "\n";
  }
}

void writeHalfAndNative(std::ofstream& file, const State& state) {
  file << "\n## half_ and native_\n\n"
          "Angles from -2^16 to 2^16; native functions for normal numbers with normal results.\n\n"
          "| function | limit | worst | at | arguments |\n| --- | --- | --- | --- | --- |\n";
  for (const Function& f : functions())
    if (f.forDouble == nullptr)
      file << "| `" << f.name << "` | " << limitText(f, f.limits[0]) << " |" << cells(f, state.find("float", f.name))
           << "\n";
}

void writeRelaxed(std::ofstream& file, const State& state) {
  file << "\n## -cl-fast-relaxed-math\n\n"
          "Float, for normal numbers with normal results. Where the limit is absolute, the worst error is the one that "
          "comes nearest to it, in ulp.\n\n"
          "| function | limit | worst | at | arguments |\n| --- | --- | --- | --- | --- |\n";
  for (const Function& f : functions())
    if (f.forDouble != nullptr)
      file << "| `" << f.name << "` | " << relaxedText(f) << " |" << cells(f, state.find("relaxed", f.name)) << "\n";
}

} // namespace

std::string errorText(const Function& function, const Result& result) {
  if (result.ulp == kWrong) return "wrong";
  if (function.limits[0] == 0 || result.ulp == 0) return format("%.3g", result.ulp);
  return format(result.ulp < 100 ? "%.3f" : "%.4g", result.ulp);
}

std::string argumentText(const Function& function, const Result& result) {
  if (result.ulp == 0) return "";
  const Values<double>& v = result.values;
  switch (function.arguments) {
  case Arguments::X: return format("%a", v.x);
  case Arguments::XY: return format("%a, %a", v.x, v.y);
  case Arguments::XYZ: return format("%a, %a, %a", v.x, v.y, v.z);
  case Arguments::XK: return format("%a, %d", v.x, v.k);
  }
  return "";
}

void writeReport(const State& state, const std::string& path, const std::string& device) {
  std::ofstream file(path);
  file << "# Precision of the math builtins\n\n"
          "Errors of the math builtins, measured against the limits of OpenCL C 3.0 (section \"Relative Error "
          "as ULPs\", full profile), for users who want to know how exact results are. `clotho-precision "
          "--state FILE --report docs/precision.md` writes this page. It compares every function with a more "
          "precise reference: float with the C library's double functions, double with its long double "
          "functions, and the worst results again with its 128-bit functions.\n\n"
          "Errors are in units in the last place of the exact result. Denormals are kept. Infinities, NaN and "
          "the signs of zeros count: a result of another kind is \"wrong\". \"arguments\" is the number of "
          "arguments tried. Functions of several arguments are tried with all combinations of special values, "
          "then with random bits and with ranges in which they are sensitive. A dash means that the "
          "implementation may choose; near the zeros of lgamma at negative numbers there is no relative "
          "precision.\n\n"
          "A sweep (`clotho-precision --state FILE`) tries all floats for functions of one argument, 268 "
          "million arguments for functions of several, and 67 million doubles for each function. It takes one "
          "processor about 40 minutes, and continues where it was interrupted. SLEEF's vector functions of "
          "double, and vector code for exact functions, filter the results that may be worse than the worst so "
          "far; only these are compared with the reference. A test checks that the worst errors are those of a "
          "sweep without this filter (`--unfiltered`). Without SLEEF all results are compared, which takes "
          "some hours. `--stride N` takes every Nth argument. In ctest, `precision.*` tries some thousand "
          "arguments for each function, also with vectors.\n\n"
          "Device: "
       << device << ". Functions of which the sweep is complete:\n\n";
  for (const char* set : {"float", "relaxed", "double"})
    writeWhole(file, state, set);
  file << "\n";
  writeDefaults(file, state);
  writeHalfAndNative(file, state);
  writeRelaxed(file, state);
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

} // namespace precision
