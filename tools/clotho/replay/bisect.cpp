// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/bisect.hpp"

#include "replay/driver.hpp"
#include "replay/source_files.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

namespace clotho::replay {

namespace {

/// `clotho compile` on the program of a capture, in a process of its own.
class Compiler {
 public:
  Compiler(const capture::Unit& unit, const Setup& suspect, const Runner& runner)
      : unit_(unit), files_(unit), cpu_(suspect.cpu), folder_(runner.folder()),
        options_(files_.translate(unit) + " " + suspect.options +
                 (suspect.width.empty() ? "" : " -clotho-width=" + suspect.width)) {
    std::ofstream(folder_ + "/program", std::ios::binary) << unit.text;
  }

  /// A program binary, of which only so many passes have run; -1: all.
  capture::Unit compile(int limit) {
    const std::string out = folder_ + "/program.bin", log = folder_ + "/passes";
    std::vector<std::string> arguments = {"clotho",
                                          "compile",
                                          folder_ + "/program",
                                          "--emit",
                                          "binary",
                                          "-o",
                                          out,
                                          "--options=" + options_,
                                          "--bisect-limit=" + std::to_string(limit)};
    if (!cpu_.empty()) arguments.insert(arguments.end(), {"--cpu", cpu_});
    if (runAgain(std::move(arguments), log) != 0) throw Failure("the program cannot be compiled:\n" + read(log));
    capture::Unit unit;
    unit.language = capture::Language::Binary;
    unit.text = read(out);
    passes_ = read(log);
    return unit;
  }

  /// How many passes have run that may be left out.
  int count() const {
    int count = 0;
    std::istringstream lines(passes_);
    for (std::string line; std::getline(lines, line);)
      if (const auto number = numberIn(line)) count = std::max(count, number);
    return count;
  }
  /// One of the passes as the log names it: its name and the function.
  std::string pass(int number) const {
    std::istringstream lines(passes_);
    for (std::string line; std::getline(lines, line);)
      if (numberIn(line) == number) return line.substr(line.find(')') + 2);
    return "?";
  }

 private:
  static std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// The number in a line of llvm::OptBisect, or 0.
  static int numberIn(const std::string& line) {
    if (!line.starts_with("BISECT: ")) return 0;
    const std::size_t open = line.find('(');
    return open == std::string::npos ? 0 : static_cast<int>(std::strtol(line.c_str() + open + 1, nullptr, 10));
  }

  const capture::Unit unit_;
  const SourceFiles files_;
  const std::string cpu_, folder_, options_;
  std::string passes_;
};

} // namespace

std::string bisect(capture::Contents contents, Runner& runner, const Setup& suspect, double ulp,
                   const std::function<void(const std::string&)>& say) {
  const capture::Program original = contents.description.program;
  if (original.isLinked || !original.units.front().constants.empty() || !original.units.front().headers.empty() ||
      original.units.front().language == capture::Language::Binary)
    throw Failure("only programs that are built in one step, without values of specialisation constants, are bisected");
  Compiler compiler(original.units.front(), suspect, runner);
  // The width is in the code now; the driver would build the binary anew for another one.
  Setup binary = suspect;
  binary.width.clear();
  binary.options.clear();
  Judge judge(runner, binary, std::nullopt, ulp);
  const auto with = [&](int limit) -> const capture::Contents& {
    contents.description.program.units = {compiler.compile(limit)};
    return contents;
  };
  std::string text;
  if (!judge.begin(with(-1), text)) throw Failure("compiled ahead of time, " + text);
  int good = 0, bad = compiler.count();
  const auto fails = [&](int limit) {
    const Judge::Answer answer = judge.judge(with(limit), &text);
    if (answer == Judge::Answer::NotKnown)
      throw Failure("with " + std::to_string(limit) + " passes it is another failure: " + text);
    return answer == Judge::Answer::Fails;
  };
  if (fails(0)) throw Failure("it fails without any pass that may be left out, too");
  while (bad - good > 1) {
    const int middle = good + (bad - good) / 2;
    (fails(middle) ? bad : good) = middle;
    say("passes " + std::to_string(good + 1) + " to " + std::to_string(bad) + " are left");
  }
  compiler.compile(bad);
  const std::string pass = compiler.pass(bad), name = pass.substr(0, pass.find(' '));
  std::string found = "pass " + std::to_string(bad) + ": " + pass;
  contents.description.program = original;
  Setup without = suspect;
  without.skippedPasses = name;
  Judge confirms(runner, without, std::nullopt, ulp);
  found += confirms.begin(contents, text) || text.find("does not fail") == std::string::npos
               ? "\n(without that pass, by CLOTHO_SKIP_PASSES=" + name + ", it still fails)"
               : "\n(CLOTHO_SKIP_PASSES=" + name + " makes it right)";
  return found;
}

} // namespace clotho::replay
