// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ablation.hpp"

#include "spelling.hpp"
#include "spelling_worker.hpp"
#include "statistics.hpp"
#include "vendors.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <set>
#include <stdexcept>
#include <sys/resource.h>

namespace bench {

namespace {

constexpr int kPasses = 3;     ///< over both versions of a program in turn
constexpr int kPatience = 120; ///< seconds until a request counts as hung
constexpr double kNotable = 1.1;

/// All passes and steps of Clotho's; a build refuses to skip those that right code needs.
constexpr const char* kPassNames[] = {
#define MODULE_PASS(name, construct) name,
#define FUNCTION_PASS(name, construct) name,
#define FUNCTION_PASS_OF_PASSES(name, type)
#define LOOP_PASS(name, construct) name,
#define BUILD_PASS(name, type) name,
#include "compiler/passes.def"
#define STEP(name, pass) name,
#include "compiler/steps.def"
};

/// The machine code that the builds of one program made.
struct Code {
  std::set<std::string> objects; ///< contents of each object's code and constants
  std::size_t bytes = 0;         ///< of instructions
};

/// Adds the sections that are loaded of the shared object that `file` begins with.
void addObject(const std::string& file, Code& code) {
  Elf64_Ehdr header;
  if (file.size() < sizeof header || !file.starts_with(ELFMAG)) return;
  std::copy_n(file.data(), sizeof header, reinterpret_cast<char*>(&header));
  std::string contents;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    const std::size_t at = header.e_shoff + i * std::size_t(header.e_shentsize);
    if (at + sizeof section > file.size()) return;
    std::copy_n(file.data() + at, sizeof section, reinterpret_cast<char*>(&section));
    if (section.sh_type != SHT_PROGBITS || (section.sh_flags & SHF_ALLOC) == 0) continue;
    if (section.sh_offset + section.sh_size > file.size()) return;
    contents.append(file, section.sh_offset, section.sh_size);
    if ((section.sh_flags & SHF_EXECINSTR) != 0) code.bytes += section.sh_size;
  }
  code.objects.insert(std::move(contents));
}

Code codeIn(const std::string& folder) {
  Code code;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    addObject({std::istreambuf_iterator<char>(file), {}}, code);
  }
  return code;
}

struct Build {
  Code code;
  double ms = 0; ///< of processor time, for the build and one run
};

/// A pass that no build runs. Builds that skip passes make one object file where others make several in parallel, so
/// that only builds which skip something have code that can be compared.
constexpr const char* kNoPass = "no-op-module";

/// A program on a driver that leaves a pass out; or none, where the pass's name is empty.
class Subject {
 public:
  /// All code that launches may need is built at once and without trials, so that it does not depend on chance.
  Subject(const Vendor& clotho, std::string path, const std::string& skipped)
      : path_(std::move(path)), process_({"--serve", kSpellingSeat}, environment(clotho, skipped)) {}

  /// Nothing, with the reason in `problem()`, if the program cannot be built so.
  std::optional<Build> build(bool isQuick) {
    if (!ask("prepare " + path_ + (isQuick ? " quick" : " full"))) return std::nullopt;
    const auto time = ask("run " + path_);
    if (!time) return std::nullopt;
    return Build{codeIn(cache_.path()), std::stod(*time)};
  }

  std::optional<double> measure() {
    const auto time = ask("measure " + path_);
    return time ? std::optional(std::stod(*time)) : std::nullopt;
  }

  const std::string& problem() const { return problem_; }

 private:
  std::vector<std::pair<std::string, std::string>> environment(const Vendor& clotho, const std::string& skipped) {
    auto variables = environmentOf(clotho, cache_);
    variables.insert(variables.end(), {{"CLOTHO_SKIP_PASSES", skipped.empty() ? kNoPass : skipped},
                                       {"CLOTHO_DEFER", "0"},
                                       {"CLOTHO_SPECIALISE", "2"},
                                       {"CLOTHO_COMPILER_IN_PROCESS", "1"}});
    return variables;
  }

  std::optional<std::string> ask(const std::string& request) {
    const std::string answer = process_.ask(request, kPatience).value_or("died or hung");
    if (!answer.starts_with("error") && !answer.starts_with("died") && !answer.starts_with("WRONG")) return answer;
    problem_ = request + ": " + answer;
    return std::nullopt;
  }

  const TemporaryFolder cache_;
  std::string path_, problem_;
  Companion process_;
};

struct PassRow {
  std::string name;
  std::vector<std::pair<double, std::string>> gains; ///< time without the pass divided by time with it, by program
  std::size_t changed = 0;
  double bytes = 0, bytesWithout = 0, build = 0, buildWithout = 0; ///< of the programs whose code changes
  std::vector<std::string> problems;
};

std::vector<std::string> programsLike(const std::string& pattern) {
  const std::regex expression(pattern);
  std::vector<std::string> paths;
  const auto add = [&](const std::string& path) {
    if (std::regex_search(path, expression)) paths.push_back(path);
  };
  for (const KernelCase& what : kernelCases())
    if (what.unit == nullptr) add(std::string(kKernelFamily) + "/" + what.name);
  for (const SpellingFamily& family : spellingFamilies())
    for (const Spelling& spelling : family.spellings)
      add(family.name + "/" + spelling.name);
  return paths;
}

/// How many times as fast the program is with the pass: the median over passes whose times are of one moment.
std::optional<double> gainOf(Subject& with, Subject& without) {
  std::vector<double> ratios;
  for (int pass = 0; pass < kPasses; ++pass) {
    const auto full = with.measure(), less = without.measure();
    if (!full || !less) return std::nullopt;
    ratios.push_back(*less / *full);
  }
  return median(ratios);
}

/// All passes on one program.
void measureProgram(const Vendor& clotho, const std::string& path, bool isQuick, std::vector<PassRow>& rows) {
  Subject plain(clotho, path, "");
  const auto with = plain.build(/*isQuick=*/true);
  if (!with) {
    std::fprintf(stderr, "%s\n", plain.problem().c_str());
    return;
  }
  std::optional<Subject> full; // large data only where there is something to measure
  for (PassRow& row : rows) {
    Subject less(clotho, path, row.name);
    const auto without = less.build(/*isQuick=*/true);
    if (!without) {
      row.problems.push_back(less.problem());
      continue;
    }
    if (without->code.objects == with->code.objects) continue;
    ++row.changed;
    row.bytes += double(with->code.bytes);
    row.bytesWithout += double(without->code.bytes);
    row.build += with->ms;
    row.buildWithout += without->ms;
    if (isQuick) continue;
    if (!full) {
      full.emplace(clotho, path, "");
      full->build(/*isQuick=*/false); // if it fails, so does measuring it
    }
    Subject large(clotho, path, row.name);
    const auto gain = large.build(/*isQuick=*/false) ? gainOf(*full, large) : std::nullopt;
    if (gain)
      row.gains.emplace_back(*gain, path);
    else
      row.problems.push_back(large.problem().empty() ? full->problem() : large.problem());
  }
}

/// Processor time in ms of a command and its children, without `skipped`.
std::optional<double> timeOfCommand(const Vendor& clotho, const std::string& command, const std::string& skipped) {
  const TemporaryFolder cache;
  auto variables = environmentOf(clotho, cache);
  variables.insert(variables.end(),
                   {{"CLOTHO_SKIP_PASSES", skipped.empty() ? kNoPass : skipped}, {"CLOTHO_COMPILER_IN_PROCESS", "1"}});
  std::string line = "{ ";
  for (const auto& [name, value] : variables)
    line += "export " + name + "='" + value + "'; ";
  line += command + "\n} > /dev/null";
  rusage before{}, after{};
  getrusage(RUSAGE_CHILDREN, &before);
  if (std::system(line.c_str()) != 0) return std::nullopt; // NOLINT(cert-env33-c): commands are what the user gave
  getrusage(RUSAGE_CHILDREN, &after);
  const auto ms = [](const timeval& time) { return 1e3 * double(time.tv_sec) + 1e-3 * double(time.tv_usec); };
  return ms(after.ru_utime) + ms(after.ru_stime) - ms(before.ru_utime) - ms(before.ru_stime);
}

void measureCommand(const Vendor& clotho, const std::string& name, const std::string& command,
                    std::vector<PassRow>& rows) {
  for (PassRow& row : rows) {
    std::vector<double> ratios;
    for (int pass = 0; pass < kPasses; ++pass) {
      const auto with = timeOfCommand(clotho, command, ""), without = timeOfCommand(clotho, command, row.name);
      if (with && without) ratios.push_back(*without / *with);
    }
    if (ratios.empty())
      row.problems.push_back(name + ": the command fails");
    else
      row.gains.emplace_back(*median(ratios), name);
  }
}

/// Passes that a build may leave out, as an example tells; or all of them as one.
std::vector<PassRow> rowsFor(const Vendor& clotho, const AblationOptions& options) {
  const std::regex expression(options.passes);
  std::vector<PassRow> rows;
  for (const char* name : kPassNames) {
    if (!std::regex_match(name, expression)) continue;
    Subject example(clotho, std::string(kKernelFamily) + "/saxpy", name);
    if (example.build(/*isQuick=*/true) || example.problem().find("cannot be skipped") == std::string::npos)
      rows.push_back({name, {}, 0, 0, 0, 0, 0, {}});
  }
  if (!options.together || rows.empty()) return rows;
  PassRow all = rows[0];
  for (std::size_t i = 1; i < rows.size(); ++i)
    all.name += "," + rows[i].name;
  return {all};
}

void print(PassRow& row, bool isLong) {
  std::sort(row.gains.rbegin(), row.gains.rend());
  std::vector<double> ratios;
  for (const auto& [ratio, path] : row.gains)
    ratios.push_back(ratio);
  const auto count = [&](auto holds) { return std::count_if(ratios.begin(), ratios.end(), holds); };
  std::printf("| %s | %zu | %.2f | %td | %td |", row.name.c_str(), row.changed, geometricMean(ratios).value_or(1),
              count([](double ratio) { return ratio >= kNotable; }),
              count([](double ratio) { return ratio <= 1 / kNotable; }));
  if (row.changed > 0)
    std::printf(" %.2f | %.2f |", row.bytesWithout / row.bytes, row.buildWithout / row.build);
  else
    std::printf(" - | - |");
  const std::size_t kShown = isLong ? row.gains.size() : 3;
  for (std::size_t i = 0; i < std::min(kShown, row.gains.size()) && row.gains[i].first >= kNotable; ++i)
    std::printf("%s %.2f %s", i == 0 ? "" : ",", row.gains[i].first, row.gains[i].second.c_str());
  std::printf(" |");
  for (std::size_t i = 0; i < std::min(kShown, row.gains.size()); ++i)
    if (const auto& [ratio, path] = row.gains[row.gains.size() - 1 - i]; ratio <= 1 / kNotable)
      std::printf("%s %.2f %s", i == 0 ? "" : ",", ratio, path.c_str());
  std::printf(" |\n");
  for (const std::string& problem : row.problems)
    std::fprintf(stderr, "without %s: %s\n", row.name.c_str(), problem.c_str());
}

} // namespace

bool measureAblation(const Vendor& clotho, const AblationOptions& options) {
  std::vector<PassRow> rows = rowsFor(clotho, options);
  for (const std::string& path : programsLike(options.programs)) {
    measureProgram(clotho, path, options.quick, rows);
    std::fprintf(stderr, "%s\n", path.c_str());
  }
  if (!options.commands.empty()) {
    std::ifstream file(options.commands);
    if (!file) throw std::runtime_error("cannot read " + options.commands);
    for (std::string line; std::getline(file, line);)
      if (const auto tab = line.find('\t'); tab != std::string::npos)
        measureCommand(clotho, line.substr(0, tab), line.substr(tab + 1), rows);
  }
  std::printf("| pass | changes | time without it | gain >= 1.1 | loss | code size | build time | most gained | most "
              "lost |\n| --- | --: | --: | --: | --: | --: | --: | --- | --- |\n");
  for (PassRow& row : rows)
    print(row, options.together);
  return std::all_of(rows.begin(), rows.end(), [](const PassRow& row) { return row.problems.empty(); });
}

} // namespace bench
