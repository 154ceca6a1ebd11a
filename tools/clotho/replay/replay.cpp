// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/replay.hpp"

#include "base/text_file.hpp"
#include "replay/bisect.hpp"
#include "replay/compare.hpp"
#include "replay/faults.hpp"
#include "replay/launch.hpp"
#include "replay/reduce.hpp"
#include "replay/show.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <unistd.h>

using namespace clotho;
using namespace clotho::replay;

namespace {

constexpr int kSame = 0, kDiffers = 1, kNotRun = 2;

void say(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

capture::Contents read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Failure(path + ": cannot be read");
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::string why;
  auto contents = capture::parse(bytes, why);
  if (!contents) throw Failure(path + ": " + why);
  return std::move(*contents);
}

void write(const std::string& path, const capture::Contents& contents) {
  std::string why;
  if (!capture::write(path, contents, why)) throw Failure(path + ": " + why);
}

std::string optionsOf(const ReplayCommand& command) {
  std::string options = command.options;
  if (!command.check.empty()) options += (options.empty() ? "" : " ") + ("-clotho-check=" + command.check);
  return options;
}

Setup suspectOf(const ReplayCommand& command) {
  Setup setup;
  setup.driver = command.driver;
  const auto given = [](const std::string& option, const char* variable) {
    const char* text = option.empty() ? std::getenv(variable) : nullptr;
    return text ? text : option;
  };
  setup.width = given(command.width, "CLOTHO_WIDTH");
  setup.cpu = given(command.cpu, "CLOTHO_CPU");
  setup.skippedPasses = given({}, "CLOTHO_SKIP_PASSES");
  setup.isGuarded = command.isGuarded;
  setup.options = optionsOf(command);
  return setup;
}

std::optional<Setup> referenceOf(const ReplayCommand& command) {
  if (command.against.empty() && command.againstWidth.empty()) return std::nullopt;
  Setup setup;
  setup.driver = command.against;
  setup.width = command.againstWidth;
  return setup;
}

void sayTimes(const Result& result) {
  std::vector<double> seconds = result.seconds;
  std::sort(seconds.begin(), seconds.end());
  std::printf("time: %.6f ms at best, %.6f ms in the middle of %zu", seconds.front() * 1e3,
              seconds[seconds.size() / 2] * 1e3, seconds.size());
  if (result.processorSeconds > 0) std::printf(", %.6f ms of processor time", result.processorSeconds * 1e3);
  std::printf("\n");
}

/// Says the differences; the exit status.
int sayDifferences(const std::vector<Difference>& differences, const char* with) {
  for (const Difference& difference : differences)
    say(difference.text(with));
  say(differences.empty() ? "same" : "different");
  return differences.empty() ? kSame : kDiffers;
}

int compareWith(const capture::Contents& contents, const Result& result, const ReplayCommand& command) {
  if (const auto reference = referenceOf(command)) {
    Runner runner(command.timeLimit);
    const Verdict right = runner.run(contents, *reference);
    if (!right.ran()) throw Failure("the other run (" + reference->text() + "): " + right.describe());
    return sayDifferences(compare(contents.description, right.outputs, result.outputs, result.types, command.ulp),
                          "there");
  }
  if (contents.outputs.empty()) {
    say("there are no captured outputs to compare with" +
        (contents.damage.empty() ? std::string() : ", because " + contents.damage));
    return contents.damage.empty() ? kSame : kNotRun;
  }
  return sayDifferences(compare(contents.description, contents.outputs, result.outputs, result.types, command.ulp),
                        "captured");
}

/// The capture with what this run has given.
void writeResult(capture::Contents contents, const Result& result, const std::string& path) {
  contents.outcome = capture::Outcome{static_cast<std::uint32_t>(result.status), result.seconds.front()};
  contents.outputs = result.outputs;
  for (std::size_t i = 0; i < result.types.size(); ++i)
    if (!result.types[i].empty()) contents.description.arguments[i].type = result.types[i];
  write(path, contents);
}

int runOnce(const capture::Contents& contents, const ReplayCommand& command) {
  const Driver driver(command.driver);
  const Result result = run(contents, driver, {optionsOf(command), command.repeat, command.settle, command.isGuarded});
  for (const std::string& remark : result.remarks)
    say("note: " + remark);
  if (!command.output.empty()) writeResult(contents, result, command.output);
  if (result.status < 0) {
    say("the launch fails with " + std::to_string(result.status));
    return kDiffers;
  }
  sayTimes(result);
  const int status = command.compares ? compareWith(contents, result, command) : kSame;
  const Faults faults = faultsIn(result.reports);
  if (command.check.empty() || faults.empty()) return status;
  say("checks report: " + textOf(faults));
  return std::max(status, kDiffers);
}

void setVariables(const ReplayCommand& command) {
  if (!command.width.empty()) setenv("CLOTHO_WIDTH", command.width.c_str(), 1);
  if (!command.cpu.empty()) setenv("CLOTHO_CPU", command.cpu.c_str(), 1);
  unsetenv("CLOTHO_CAPTURE");
}

/// Runs the captures that standard input names: each line has a file to read, one to write and whether accesses behind
/// buffers are to fail, and after how many seconds a run hangs, with tabs between them. Answers by a byte when it is
/// done. What the context is told is in a third file, and what goes wrong in a fourth.
int serve(const ReplayCommand& command) {
  fcntl(kAnswers, F_SETFD, FD_CLOEXEC); // processes of the driver's do not keep it open
  setVariables(command);
  const Driver driver(command.driver);
  std::string line;
  while (std::getline(std::cin, line)) {
    const std::vector<std::string_view> words = split(line, '\t');
    if (words.size() != 4) return kNotRun;
    const std::string in(words[0]), out(words[1]);
    alarm(static_cast<unsigned>(parseNumber(words[3]).value_or(0)));
    try {
      const capture::Contents contents = read(in);
      const Result result = run(contents, driver, {optionsOf(command), 0, 0, words[2] == "1"});
      std::ofstream reports(out + ".reports", std::ios::binary);
      for (const std::string& report : result.reports)
        reports << report << '\0';
      reports.close();
      writeResult(contents, result, out);
    } catch (const std::exception& failure) {
      std::ofstream(out + ".log") << failure.what();
    }
    alarm(0);
    if (::write(kAnswers, ".", 1) != 1) return kNotRun;
  }
  return kSame;
}

/// If captured outputs say what is right, they do so for the whole launch alone. A run without optimisation that gives
/// them can stand for them where the launch changes.
std::optional<Setup> standIn(const capture::Contents& contents, Runner& runner, const ReplayCommand& command) {
  Setup plain;
  plain.width = "1";
  plain.options = "-cl-opt-disable";
  const Verdict verdict = runner.run(contents, plain);
  const bool isRight =
      verdict.ran() &&
      compare(contents.description, contents.outputs, verdict.outputs, verdict.types, command.ulp).empty();
  return isRight ? std::optional(plain) : std::nullopt;
}

int reduceIt(capture::Contents contents, const ReplayCommand& command) {
  Runner runner(command.timeLimit);
  std::optional<Setup> reference = referenceOf(command);
  std::string text;
  Judge first(runner, suspectOf(command), reference, command.ulp, !command.check.empty());
  const bool fails = first.begin(contents, text);
  if (!command.check.empty() && !first.isReport()) say("--check " + command.check + " reports no fault");
  if (!fails) throw Failure(text);
  if (!reference && first.needsRight()) {
    reference = standIn(contents, runner, command);
    if (!reference)
      throw Failure("no other run gives the captured outputs: say with --against or --against-width what is right");
  }
  Judge judge(runner, suspectOf(command), reference, command.ulp, !command.check.empty());
  if (!judge.begin(contents, text)) throw Failure(text);
  say("fails: " + judge.criterion());
  if (const Faults& faults = judge.watchFaults(contents); !faults.empty() && !judge.isReport())
    say("checks report, and each kind is kept: " + textOf(faults));
  const capture::Contents smallest = reduce(std::move(contents), judge, command.mostRuns, say);
  write(command.reduced, smallest);
  say(command.reduced + " still fails, after " + std::to_string(runner.runs()) + " runs");
  return kDiffers;
}

int bisectIt(capture::Contents contents, const ReplayCommand& command) {
  Runner runner(command.timeLimit);
  Judge judge(runner, suspectOf(command), referenceOf(command), command.ulp);
  std::string text;
  if (!judge.begin(contents, text)) throw Failure(text);
  if (auto right = judge.rightOutputs(contents)) {
    contents.outputs = std::move(*right);
    contents.outcome = capture::Outcome{};
  }
  say("fails: " + judge.criterion());
  say(bisect(std::move(contents), runner, suspectOf(command), command.ulp, say));
  return kDiffers;
}

} // namespace

int replay(const ReplayCommand& command) {
  try {
    if (command.serves) return serve(command);
    capture::Contents contents = read(command.input);
    if (command.shows || command.showsSource) {
      std::fputs((command.shows ? show(contents) : sourceOf(contents)).c_str(), stdout);
      return kSame;
    }
    unsetenv("CLOTHO_CAPTURE");
    if (!command.reduced.empty()) return reduceIt(std::move(contents), command);
    if (command.bisects) return bisectIt(std::move(contents), command);
    setVariables(command);
    return runOnce(contents, command);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "clotho: %s\n", failure.what());
    return kNotRun;
  }
}
