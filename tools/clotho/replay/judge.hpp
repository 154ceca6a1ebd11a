// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/file.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace clotho::replay {

/// How a run in a process of its own is set up.
struct Setup {
  std::string driver;        ///< as for Driver
  std::string width;         ///< CLOTHO_WIDTH, or empty
  std::string cpu;           ///< CLOTHO_CPU, or empty
  std::string options;       ///< more build options
  std::string skippedPasses; ///< CLOTHO_SKIP_PASSES, or empty
  bool isGuarded = false;    ///< reads and writes behind a buffer's end fail

  /// For messages: what differs from a plain run.
  std::string text() const;
};

/// What came of a run in a process of its own.
struct Verdict {
  enum class Kind { Ran, NotRun, Failed, Crashed };
  Kind kind = Kind::NotRun;
  int status = 0; ///< of the command that has failed, or the signal of the crash
  std::vector<std::string> outputs, types;
  std::string text; ///< why it did not run

  bool ran() const { return kind == Kind::Ran; }
  std::string describe() const;
};

/// Runs this command anew with these arguments, the command's name among them. What it says goes to the file `log`. Its
/// exit status as waitpid() has it.
int runAgain(std::vector<std::string> arguments, const std::string& log);

/// Runs captures in other processes, which may crash or hang: one for each setup.
class Runner {
 public:
  Runner();
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  Verdict run(const capture::Contents& contents, const Setup& setup);
  unsigned runs() const { return runs_; }
  const std::string& folder() const { return folder_; }

 private:
  class Worker;

  std::string folder_;
  unsigned runs_ = 0;
  std::map<std::string, std::unique_ptr<Worker>> workers_;
};

/// The criterion by which a capture fails: a run crashes, or differs from another one. What captured outputs say holds
/// for the whole capture alone, so where the capture changes, another run says what is right.
class Judge {
 public:
  /// Without `reference` the captured outputs are what is right.
  Judge(Runner& runner, Setup suspect, std::optional<Setup> reference, double ulp)
      : runner_(runner), suspect_(std::move(suspect)), reference_(std::move(reference)), ulp_(ulp) {}

  /// Decides how the capture fails. False, with a text, if it does not.
  bool begin(const capture::Contents& contents, std::string& text);
  /// Whether a changed capture still fails in the same way.
  bool fails(const capture::Contents& contents);
  /// What fails, for the user.
  std::string criterion() const;
  /// The outputs that are right, of a capture that fails; none if the failure is a crash.
  std::optional<std::vector<std::string>> rightOutputs(const capture::Contents& contents);
  /// Runs that cannot read behind the buffers' ends, from now on.
  void setGuarded(bool isGuarded) { suspect_.isGuarded = isGuarded; }
  bool isCrash() const { return how_.kind != Verdict::Kind::Ran; }

 private:
  bool differs(const capture::Contents& contents, const Verdict& now);

  Runner& runner_;
  Setup suspect_;
  std::optional<Setup> reference_;
  const double ulp_;
  Verdict how_;
};

} // namespace clotho::replay
