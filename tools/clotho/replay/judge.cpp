// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/judge.hpp"

#include "replay/compare.hpp"
#include "replay/driver.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace clotho::replay {

namespace {

std::string contentsOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Starts this command anew with these arguments, variables of the environment, of which those that are empty are
/// unset, and descriptors for standard input and for answers, or -1. What it prints goes to the file `log`.
using Environment = std::vector<std::pair<const char*, std::string>>;
pid_t startAgain(std::vector<std::string> arguments, const Environment& environment, int in, int answers,
                 const std::string& log) {
  const pid_t child = fork();
  if (child < 0) throw Failure("no process can be started");
  if (child > 0) return child;
  for (const auto& [name, value] : environment)
    if (value.empty())
      unsetenv(name);
    else
      setenv(name, value.c_str(), 1);
  const int said = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  if (in >= 0) dup2(in, STDIN_FILENO);
  if (said >= 0) {
    dup2(said, STDOUT_FILENO);
    dup2(said, STDERR_FILENO);
  }
  if (answers >= 0) {
    dup2(answers, kAnswers);
    fcntl(kAnswers, F_SETFD, 0); // dup2 leaves it as it was where both are the same
  }
  std::vector<char*> pointers;
  for (std::string& argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execv("/proc/self/exe", pointers.data());
  _exit(127);
}

/// How long a run may take. Code that is not optimised may take a hundred times as long as that of the capture.
unsigned secondsFor(const capture::Contents& contents) {
  constexpr double kLeast = 60, kTimes = 100, kMost = 1e6;
  const double captured = contents.outcome ? contents.outcome->seconds : 0;
  return static_cast<unsigned>(kLeast + (captured > 0 ? std::min(captured * kTimes, kMost) : 0));
}

} // namespace

int runAgain(std::vector<std::string> arguments, const std::string& log) {
  const pid_t child = startAgain(std::move(arguments), {}, -1, -1, log);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string Setup::text() const {
  std::string text;
  const auto add = [&](const char* what, const std::string& value) {
    if (!value.empty()) text += (text.empty() ? "" : ", ") + std::string(what) + " " + value;
  };
  add("driver", driver);
  add("width", width);
  add("processor", cpu);
  add("options", options);
  add("without passes", skippedPasses);
  return text.empty() ? "as it is" : text;
}

std::string Verdict::describe() const {
  switch (kind) {
  case Kind::Ran: return "runs";
  case Kind::NotRun: return "does not run: " + text;
  case Kind::Failed: return "the launch fails with " + std::to_string(status);
  case Kind::Crashed:
    return status == SIGALRM ? "does not end" : std::string("the process ends by a signal: ") + strsignal(status);
  }
  return {};
}

Runner::Runner(unsigned secondsEach) : secondsEach_(secondsEach) {}
Runner::~Runner() = default;

/// A process that runs one capture after the other, since starting a driver and its compiler takes most of a run.
class Runner::Worker {
 public:
  Worker(const Setup& setup, std::string log) : log_(std::move(log)) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) throw Failure("no pipes for another process");
    std::vector<std::string> arguments = {"clotho", "replay", "-", "--serve"};
    if (!setup.driver.empty()) arguments.insert(arguments.end(), {"--driver", setup.driver});
    if (!setup.options.empty()) arguments.push_back("--options=" + setup.options);
    process_ = startAgain(std::move(arguments),
                          {{"CLOTHO_WIDTH", setup.width},
                           {"CLOTHO_CPU", setup.cpu},
                           {"CLOTHO_SKIP_PASSES", setup.skippedPasses},
                           {"CLOTHO_CACHE", "0"},
                           {"CLOTHO_CAPTURE", ""}},
                          in[0], out[1], log_);
    close(in[0]);
    close(out[1]);
    requests_ = in[1];
    answers_ = out[0];
  }
  ~Worker() {
    close(requests_);
    close(answers_);
    if (process_ > 0) waitpid(process_, nullptr, 0);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  const std::string& log() const { return log_; }

  /// Returns when the request is done. False: the process has ended with this status.
  bool ask(const std::string& request, int& status) {
    const std::string line = request + "\n";
    char answer = 0;
    // Once it has ended no process reads the pipe.
    struct sigaction ignore{}, before{};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &before);
    const bool isAsked = write(requests_, line.data(), line.size()) == static_cast<ssize_t>(line.size());
    sigaction(SIGPIPE, &before, nullptr);
    if (isAsked && read(answers_, &answer, 1) == 1) return true;
    waitpid(process_, &status, 0);
    process_ = 0;
    return false;
  }

 private:
  const std::string log_;
  pid_t process_ = 0;
  int requests_ = -1, answers_ = -1;
};

Verdict Runner::run(const capture::Contents& contents, const Setup& setup) {
  ++runs_;
  const std::string in = folder() + "/in.capture", out = folder() + "/out.capture";
  std::string why;
  if (!capture::write(in, contents, why)) throw Failure(in + ": " + why);
  unlink(out.c_str());
  unlink((out + ".reports").c_str());
  std::unique_ptr<Worker>& worker = workers_[setup.text()];
  if (!worker) worker = std::make_unique<Worker>(setup, folder() + "/log-" + std::to_string(started_++));
  const unsigned seconds = secondsEach_ != 0 ? secondsEach_ : secondsFor(contents);
  Verdict verdict;
  int status = 0;
  if (!worker->ask(in + "\t" + out + "\t" + (setup.isGuarded ? "1" : "0") + "\t" + std::to_string(seconds), status)) {
    const std::string log = worker->log();
    worker = nullptr;
    if (!WIFSIGNALED(status)) throw Failure("a replay ended:\n" + contentsOf(log));
    verdict.kind = Verdict::Kind::Crashed;
    verdict.status = WTERMSIG(status);
    return verdict;
  }
  const std::string reports = contentsOf(out + ".reports");
  for (std::size_t begin = 0, end; (end = reports.find('\0', begin)) != std::string::npos; begin = end + 1)
    if (auto fault = faultIn(std::string_view(reports).substr(begin, end - begin))) verdict.faults.insert(*fault);
  auto result = capture::parse(contentsOf(out), why);
  if (!result || !result->outcome) {
    verdict.text = contentsOf(out + ".log");
    return verdict;
  }
  verdict.status = static_cast<int>(result->outcome->status);
  verdict.kind = verdict.status < 0 ? Verdict::Kind::Failed : Verdict::Kind::Ran;
  verdict.outputs = std::move(result->outputs);
  for (const capture::Argument& argument : result->description.arguments)
    verdict.types.push_back(argument.type);
  return verdict;
}

namespace {

bool haveCommon(const Faults& some, const Faults& others) {
  return std::ranges::any_of(some, [&](const Fault& fault) { return others.contains(fault); });
}

} // namespace

Judge::Answer Judge::judgeOutputs(const capture::Contents& contents, const Verdict& now, std::string& why) {
  Verdict right;
  if (reference_) {
    right = runner_.run(contents, *reference_);
    if (!right.ran()) {
      why = "the other run (" + reference_->text() + "): " + right.describe();
      return Answer::NotKnown;
    }
  }
  const auto& outputs = reference_ ? right.outputs : contents.outputs;
  return compare(contents.description, outputs, now.outputs, now.types, ulp_).empty() ? Answer::Passes : Answer::Fails;
}

bool Judge::begin(const capture::Contents& contents, std::string& text) {
  how_ = runner_.run(contents, suspect_);
  if (how_.kind == Verdict::Kind::NotRun) {
    text = "the launch cannot be run: " + how_.text;
    return false;
  }
  if (!needsRight()) return true;
  if (!reference_ && contents.outputs.empty()) {
    text = "the capture has no outputs to compare with; --against or --against-width says what is right";
    return false;
  }
  const Answer answer = judgeOutputs(contents, how_, text);
  if (answer != Answer::Passes) return answer == Answer::Fails;
  text = "the launch does not fail: " + suspect_.text() + ", it gives what " +
         (reference_ ? "it gives " + reference_->text() : std::string("was captured"));
  return false;
}

Judge::Answer Judge::judge(const capture::Contents& contents, std::string* why) {
  std::string unused;
  std::string& text = why ? *why : unused;
  const Verdict now = runner_.run(contents, suspect_);
  if (isCrash() && now.ran()) return Answer::Passes;
  if (isReport() && now.ran()) return haveCommon(now.faults, how_.faults) ? Answer::Fails : Answer::Passes;
  if (now.kind == how_.kind && (!isCrash() || now.status == how_.status))
    return isCrash() ? Answer::Fails : judgeOutputs(contents, now, text);
  text = now.describe();
  return Answer::NotKnown;
}

const Faults& Judge::watchFaults(const capture::Contents& contents) {
  // Clotho's checks say what they find of a program, also if another driver runs it.
  Setup checked = suspect_;
  checked.driver.clear();
  checked.skippedPasses.clear();
  checked.isGuarded = false;
  checked.options += " -clotho-check=all";
  if (how_.kind == Verdict::Kind::Crashed) return faults_;
  const Verdict verdict = runner_.run(contents, checked);
  if (!verdict.hasStatus()) return faults_;
  checked_ = std::move(checked);
  faults_ = verdict.faults;
  return faults_;
}

bool Judge::keepsFaults(const capture::Contents& contents) {
  if (!checked_) return true;
  const Verdict now = runner_.run(contents, *checked_);
  if (!now.hasStatus() || !std::ranges::includes(faults_, now.faults)) return false;
  return isReport() || kindsOf(now.faults) == kindsOf(faults_);
}

std::string Judge::criterion() const {
  if (isCrash()) return how_.describe();
  if (isReport()) return "checks report: " + textOf(how_.faults);
  return "the results (" + suspect_.text() + ") differ from " +
         (reference_ ? "those of another run (" + reference_->text() + ")" : std::string("those that were captured"));
}

std::optional<std::vector<std::string>> Judge::rightOutputs(const capture::Contents& contents) {
  if (!needsRight()) return std::nullopt;
  if (!reference_) return contents.outputs;
  Verdict right = runner_.run(contents, *reference_);
  if (!right.ran()) return std::nullopt;
  return std::move(right.outputs);
}

} // namespace clotho::replay
