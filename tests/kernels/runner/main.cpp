// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clotho-kernel-tests: runs kernel tests, which are data (tests/kernels/README.md), on the first OpenCL device.
#include "opencl.hpp"
#include "spirv.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace {

using Json = nlohmann::json;
using Sizes = std::vector<std::size_t>;

std::string readFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t product(const Sizes& sizes) {
  std::size_t result = 1;
  for (const std::size_t size : sizes)
    result *= size;
  return result;
}

std::size_t largestDivisor(std::size_t value, std::size_t limit) {
  std::size_t divisor = std::min(value, limit);
  while (value % divisor != 0)
    --divisor;
  return divisor;
}

/// The local sizes that a case runs with: its own, or the driver's choice, single items, and groups of several shapes.
std::vector<std::optional<Sizes>> localSizes(const Json& test, const Sizes& global) {
  std::vector<std::optional<Sizes>> result;
  if (test.contains("locals")) {
    for (const Json& local : test["locals"])
      result.push_back(local.is_null() ? std::nullopt : std::optional(local.get<Sizes>()));
    return result;
  }
  result.push_back(std::nullopt);
  for (const Sizes& limits : {Sizes{1, 1, 1}, Sizes{8, 1, 1}, Sizes{64, 1, 1}, Sizes{5, 4, 2}, Sizes{1, 8, 1}}) {
    Sizes local;
    for (std::size_t d = 0; d < global.size(); ++d)
      local.push_back(largestDivisor(global[d], limits[d]));
    if (std::find(result.begin(), result.end(), std::optional(local)) == result.end()) result.push_back(local);
  }
  return result;
}

Scope makeScope(const Range& range, const std::vector<Argument>& initial) {
  Scope scope;
  const auto set = [&](const std::string& name, std::size_t value) {
    scope.variables[name] = Number::of(static_cast<__int128>(value));
  };
  set("n", product(range.global));
  for (std::size_t d = 0; d < 3; ++d) {
    const std::string digit = std::to_string(d);
    set("g" + digit, d < range.global.size() ? range.global[d] : 1);
    set("o" + digit, d < range.offset.size() ? range.offset[d] : 0);
    if (range.local) set("l" + digit, d < range.local->size() ? (*range.local)[d] : 1);
  }
  scope.element = [&initial](std::size_t array, __int128 index) {
    if (array >= initial.size()) throw std::runtime_error("no array a" + std::to_string(array));
    const Argument& arg = initial[array];
    if (index < 0 || std::size_t(index) >= arg.bytes.size() / arg.type.size)
      throw std::runtime_error("index out of range in a" + std::to_string(array));
    return load(arg.type, arg.bytes, std::size_t(index));
  };
  return scope;
}

std::vector<Argument> makeArguments(const Json& test, const Range& range) {
  std::vector<Argument> args;
  for (const Json& description : test.at("args")) {
    Argument arg;
    if (description.contains("local")) {
      arg.kind = Argument::Kind::Local;
      Scope scope = makeScope(range, args);
      arg.localBytes = description["local"].is_string()
                           ? std::size_t(Expression(description["local"].get<std::string>()).evaluate(scope).integer)
                           : description["local"].get<std::size_t>();
    } else if (description.contains("same")) {
      arg.kind = Argument::Kind::Same;
      arg.sameAs = description["same"].get<std::size_t>();
    } else if (description.contains("type")) {
      arg.kind = Argument::Kind::Buffer;
      arg.type = ElementType::named(description["type"].get<std::string>());
      Scope scope = makeScope(range, args);
      const std::size_t count = description.value("size", product(range.global));
      arg.bytes = makeData(arg.type, count, description.value("data", Json()), scope);
    } else {
      arg.bytes = makeValue(description);
    }
    args.push_back(std::move(arg));
  }
  return args;
}

struct Wanted {
  std::vector<Number> elements;
  std::vector<Number> orElse; ///< of each element another value that is as good; empty where there is none
};

/// What a case has with one local size, however it is built: what it begins with and, by argument and by size of
/// sub-groups, what is expected. To compute that takes longer than to run most kernels.
struct Prepared {
  std::vector<Argument> initial;
  std::map<std::pair<std::size_t, std::size_t>, Wanted> wanted;
};

/// `key`: of a formula, where the expectation has no list.
std::vector<Number> wantedElements(std::size_t count, const Json& expected, const std::string& key, Scope& scope) {
  const bool isList = expected.contains("list");
  const Expression formula(isList ? "0" : expected.at(key).get<std::string>());
  if (isList && expected.contains("or")) throw std::runtime_error("only formulas have another value that is as good");
  if (isList && expected["list"].size() != count) throw std::runtime_error("the expected list has another length");
  std::vector<Number> wanted;
  wanted.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    scope.variables["i"] = Number::of(static_cast<__int128>(i));
    wanted.push_back(isList ? parseNumber(expected["list"][i]) : formula.evaluate(scope));
  }
  if (std::all_of(wanted.begin(), wanted.end(), [](const Number& number) { return number.isAny(); }))
    throw std::runtime_error("expects nothing of any element");
  return wanted;
}

/// Compares one buffer; writes the first differences to `out` and returns their number.
std::size_t compare(const Argument& arg, const Json& expected, const Wanted& wanted, std::ostream& out) {
  const Tolerance tolerance{expected.value("ulp", 0.0), expected.value("abs", 0.0), expected.value("flush", false),
                            expected.value("anySign", false)};
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < wanted.elements.size(); ++i) {
    const Number actual = load(arg.type, arg.bytes, i);
    if (matches(arg.type, actual, wanted.elements[i], tolerance)) continue;
    if (!wanted.orElse.empty() && matches(arg.type, actual, wanted.orElse[i], tolerance)) continue;
    if (++wrong <= 5)
      out << "      [" << i << "] is " << show(arg.type, actual) << ", not " << show(arg.type, wanted.elements[i])
          << "\n";
  }
  return wrong;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    result.push_back(line);
  return result;
}

bool comparePrinted(const Json& test, const std::string& printed, std::ostream& out) {
  if (!test.contains("printf")) return true;
  auto actual = lines(printed), expected = test["printf"].get<std::vector<std::string>>();
  if (test.value("unordered", false)) {
    std::sort(actual.begin(), actual.end());
    std::sort(expected.begin(), expected.end());
  }
  if (actual == expected) return true;
  out << "      printed " << actual.size() << " lines, expected " << expected.size() << "\n";
  for (std::size_t i = 0, shown = 0; i < std::max(actual.size(), expected.size()) && shown < 5; ++i) {
    const std::string is = i < actual.size() ? actual[i] : "(none)",
                      wanted = i < expected.size() ? expected[i] : "(none)";
    if (is == wanted) continue;
    out << "      line " << i + 1 << ": " << is << "\n        expected: " << wanted << "\n";
    ++shown;
  }
  return false;
}

bool runOnce(const Driver& driver, const Program& program, const Json& test, const Range& range, Prepared& prepared,
             std::ostream& out) {
  if (prepared.initial.empty()) prepared.initial = makeArguments(test, range);
  std::vector<Argument> args = prepared.initial;
  const std::string printed = runKernel(driver, program, test.at("kernel").get<std::string>(), range, args);
  bool good = comparePrinted(test, printed, out);
  Scope scope = makeScope(range, prepared.initial);
  const auto size = subGroupSize(driver, program, test.at("kernel").get<std::string>());
  if (size) scope.variables["w"] = Number::of(static_cast<__int128>(*size));
  const Json expectations = test.value("expect", Json::object());
  if (expectations.empty() && !test.contains("printf")) throw std::runtime_error("the test expects nothing");
  for (const auto& [index, expected] : expectations.items()) {
    const std::size_t number = std::stoul(index);
    const Argument& arg = args.at(number);
    Wanted& wanted = prepared.wanted[{number, size.value_or(0)}];
    if (wanted.elements.empty()) {
      const std::size_t count = arg.bytes.size() / arg.type.size;
      wanted.elements = wantedElements(count, expected, "expr", scope);
      if (expected.contains("or")) wanted.orElse = wantedElements(count, expected, "or", scope);
    }
    const std::size_t wrong = compare(arg, expected, wanted, out);
    if (wrong > 0) out << "      argument " << number << ": " << wrong << " wrong\n";
    good = good && wrong == 0;
  }
  return good;
}

/// How the command line wants tests to be run.
struct Settings {
  std::vector<std::string> variants; ///< build options to run with one after the other, besides a case's own
  std::string language;              ///< instead of OpenCL C 3.0, such as CL3.1
  std::optional<Producer> producer;  ///< of what programs are made of; without it they are of source
  Program::Language produced = Program::Language::Spirv;
  KnownFaults faults; ///< of that producer
};

/// What a file's cases have in common: its source, built once with the same options.
class Programs {
 public:
  Programs(const Driver& driver, const Settings& settings, std::filesystem::path source)
      : driver_(driver), settings_(settings), path_(std::move(source)), source_(readFile(path_)) {}
  /// `own` are the options that SPIR-V is made with.
  const Program& with(const std::string& own, const std::string& variant) {
    std::unique_ptr<Program>& program = programs_[own + variant];
    if (program) return *program;
    if (!settings_.producer) {
      program = std::make_unique<Program>(driver_, Program::Language::Source, source_, own + variant);
    } else {
      std::string& spirv = spirv_[own];
      if (spirv.empty()) spirv = settings_.producer->spirvOf(path_, own);
      program = std::make_unique<Program>(driver_, settings_.produced, spirv, own + variant);
    }
    return *program;
  }

 private:
  const Driver& driver_;
  const Settings& settings_;
  const std::filesystem::path path_;
  const std::string source_;
  std::map<std::string, std::string> spirv_;
  std::map<std::string, std::unique_ptr<Program>> programs_;
};

std::string optionsOf(const Json& test, const Settings& settings) {
  const std::string own = test.value("options", ""), replaced = "-cl-std=CL3.0";
  const std::size_t at = own.find(replaced);
  if (settings.language.empty() || at == std::string::npos) return own;
  return std::string(own).replace(at, replaced.size(), "-cl-std=" + settings.language);
}

bool runCase(const Driver& driver, Programs& programs, const Json& test, const Settings& settings, std::ostream& out) {
  const std::string own = optionsOf(test, settings);
  std::vector<Prepared> prepared;
  bool good = true;
  for (const std::string& extra : settings.variants) {
    const std::string options = own + extra;
    const Program& program = programs.with(own, extra);
    if (test.contains("refused")) {
      for (const Json& part : test["refused"])
        if (program.built() || program.log().find(part.get<std::string>()) == std::string::npos) {
          out << "    options \"" << options << "\": should not build, with this in the log: " << part << "\n";
          good = false;
        }
      continue;
    }
    if (!program.built()) {
      out << "    options \"" << options << "\": does not build:\n" << program.log() << "\n";
      return false;
    }
    const Sizes global = test.at("global").get<Sizes>();
    const auto locals = localSizes(test, global);
    prepared.resize(locals.size());
    for (std::size_t choice = 0; choice < locals.size(); ++choice) {
      const auto& local = locals[choice];
      std::ostringstream details;
      bool right = false;
      try {
        right =
            runOnce(driver, program, test, {global, test.value("offset", Sizes{}), local}, prepared[choice], details);
      } catch (const std::exception& error) {
        details << "      " << error.what() << "\n";
      }
      if (right) continue;
      good = false;
      out << "    options \"" << options << "\", local size " << (local ? Json(*local).dump() : "chosen") << ":\n"
          << details.str();
    }
  }
  return good;
}

/// How many cases there were.
struct Counts {
  int all = 0, failed = 0;
  int leftOut = 0; ///< of which the producer makes no SPIR-V
};

/// Runs all cases of one .json file.
void runFile(const Driver& driver, const std::filesystem::path& path, const Settings& settings, Counts& counts) {
  const Json file = Json::parse(readFile(path), nullptr, true, true);
  Programs programs(driver, settings, path.parent_path() / file.value("source", path.stem().string() + ".cl"));
  for (const Json& changes : file.value("cases", Json::array({Json::object()}))) {
    Json test = file;
    test.erase("cases");
    test.merge_patch(changes);
    // What a producer does with a program that is wrong is its own affair.
    if (settings.producer && test.contains("refused")) continue;
    std::ostringstream details;
    bool good = false;
    try {
      good = runCase(driver, programs, test, settings, details);
    } catch (const NotProduced&) {
      ++counts.leftOut;
      continue;
    } catch (const std::exception& error) {
      details << "    " << error.what() << "\n";
    }
    if (settings.faults.has((path.parent_path() / path.stem()).string(), test.value("kernel", "-"),
                            test.value("options", ""))) {
      if (good) details << "    passes, though it is listed as a known fault of what makes the SPIR-V\n";
      good = !good;
    }
    ++counts.all;
    if (good) continue;
    ++counts.failed;
    std::printf("  FAILED %s: kernel %s %s\n%s", path.stem().c_str(), test.value("kernel", "-").c_str(),
                changes.dump().substr(0, 160).c_str(), details.str().c_str());
  }
}

/// The settings, and where the files begin in `arguments`; nothing if they are not as `usage` says.
std::optional<std::pair<Settings, std::size_t>> parseSettings(const std::vector<std::string>& arguments) {
  Settings settings;
  std::size_t at = 0;
  std::string widths;
  while (at + 1 < arguments.size() && arguments[at].starts_with("--")) {
    const std::string &option = arguments[at], &value = arguments[at + 1];
    at += 2;
    if (option == "--widths") {
      widths = value;
    } else if (option == "--language") {
      settings.language = value;
    } else if (option == "--spirv" || option == "--binary" || option == "--compiled") {
      if (option == "--binary") settings.produced = Program::Language::Executable;
      if (option == "--compiled") settings.produced = Program::Language::Compiled;
      std::vector<std::string> command;
      std::istringstream words(value);
      for (std::string word; words >> word;)
        command.push_back(word);
      if (command.empty()) return std::nullopt;
      settings.producer.emplace(std::move(command));
    } else if (option == "--faults") {
      settings.faults = KnownFaults(value);
    } else {
      return std::nullopt;
    }
  }
  settings.variants.emplace_back();
  if (!settings.producer) settings.variants.emplace_back(" -cl-opt-disable");
  std::istringstream list(widths);
  for (std::string width; std::getline(list, width, ',');)
    settings.variants.push_back(" -clotho-width=" + width);
  // Unoptimised vectors, in which debuggers show variables of several work-items.
  if (!settings.producer && !widths.empty()) settings.variants.emplace_back(" -cl-opt-disable -clotho-width=8");
  if (at >= arguments.size()) return std::nullopt;
  return std::pair(std::move(settings), at);
}

} // namespace

int main(int argc, char** argv) {
  Counts counts;
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const auto parsed = parseSettings(arguments);
    if (!parsed) {
      std::fprintf(stderr,
                   "usage: %s [--widths 4,8...] [--language CL3.1] [--spirv|--binary|--compiled COMMAND "
                   "[--faults FILE]] test.json...\n",
                   argv[0]);
      return 2;
    }
    const Driver driver;
    for (std::size_t i = parsed->second; i < arguments.size(); ++i) {
      try {
        runFile(driver, arguments[i], parsed->first, counts);
      } catch (const std::exception& error) {
        std::printf("  FAILED %s: %s\n", arguments[i].c_str(), error.what());
        ++counts.failed;
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("%d cases, %d failed, %d left out\n", counts.all, counts.failed, counts.leftOut);
  return counts.failed == 0 && counts.all + counts.leftOut > 0 ? 0 : 1;
}
