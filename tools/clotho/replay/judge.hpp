// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/file.hpp"
#include "replay/faults.hpp"
#include "replay/temporary_folder.hpp"

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

/// The result of a run in a process of its own.
struct Verdict {
  enum class Kind { Ran, NotRun, Failed, Crashed };
  Kind kind = Kind::NotRun;
  int status = 0; ///< of the command that has failed, or the signal of the crash
  std::vector<std::string> outputs, types;
  std::string text; ///< why it did not run
  Faults faults;    ///< that checks have reported

  bool ran() const { return kind == Kind::Ran; }
  bool hasStatus() const { return kind == Kind::Ran || kind == Kind::Failed; }
  std::string describe() const;
};

/// The descriptor on which a worker answers. Its standard output has what kernels print.
inline constexpr int kAnswers = 3;

/// Runs this command anew with these arguments, the command's name among them. What it says goes to the file `log`. Its
/// exit status as waitpid() has it.
int runAgain(std::vector<std::string> arguments, const std::string& log);

/// Runs captures in other processes, which may crash or hang: one for each setup.
class Runner {
 public:
  /// `secondsEach`: a run that takes longer hangs; 0: by the time that the captured launch took.
  explicit Runner(unsigned secondsEach = 0);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  Verdict run(const capture::Contents& contents, const Setup& setup);
  unsigned runs() const { return runs_; }
  std::string folder() const { return folder_.path().string(); }

 private:
  class Worker;

  const unsigned secondsEach_;
  const TemporaryFolder folder_; // workers end before it does
  unsigned runs_ = 0, started_ = 0;
  std::map<std::string, std::unique_ptr<Worker>> workers_;
};

/// The criterion by which a capture fails: a run crashes, its checks report faults, or it differs from another one.
/// What captured outputs say holds for the whole capture alone, so where the capture changes, another run says what is
/// right.
class Judge {
 public:
  /// Without `reference` the captured outputs are what is right. `reportsFail`: a run whose checks report faults fails.
  Judge(Runner& runner, Setup suspect, std::optional<Setup> reference, double ulp, bool reportsFail = false)
      : runner_(runner), suspect_(std::move(suspect)), reference_(std::move(reference)), ulp_(ulp),
        reportsFail_(reportsFail) {}

  /// Decides how the capture fails. False, with a text, if it does not.
  bool begin(const capture::Contents& contents, std::string& text);
  enum class Answer { Fails, Passes, NotKnown };
  /// Whether a changed capture still fails in the same way. It is not known if it fails in another way, or if one of
  /// the runs is none; `why`, if it is given, then says so.
  Answer judge(const capture::Contents& contents, std::string* why = nullptr);
  bool fails(const capture::Contents& contents) { return judge(contents) == Answer::Fails && keepsFaults(contents); }
  /// Has `fails` look at checked runs, too: a changed capture may not have a fault that this one has not, nor lack a
  /// kind of fault that it has, because it would then fail for another reason. Returns the faults of this one. Nothing
  /// is looked at if no checked run is possible.
  const Faults& watchFaults(const capture::Contents& contents);
  /// The failure, for the user.
  std::string criterion() const;
  /// The outputs that are right, of a capture whose results differ; none if it fails in another way.
  std::optional<std::vector<std::string>> rightOutputs(const capture::Contents& contents);
  /// Runs that cannot read behind the buffers' ends, from now on.
  void setGuarded(bool isGuarded) { suspect_.isGuarded = isGuarded; }
  bool isGuarded() const { return suspect_.isGuarded; }
  bool isCrash() const { return how_.kind != Verdict::Kind::Ran; }
  bool isReport() const { return reportsFail_ && !isCrash() && !how_.faults.empty(); }
  /// Whether the failure is that results are not what is right.
  bool needsRight() const { return !isCrash() && !isReport(); }

 private:
  Answer judgeOutputs(const capture::Contents& contents, const Verdict& now, std::string& why);
  bool keepsFaults(const capture::Contents& contents);

  Runner& runner_;
  Setup suspect_;
  std::optional<Setup> reference_;
  const double ulp_;
  const bool reportsFail_;
  Verdict how_;
  std::optional<Setup> checked_; ///< if faults are watched
  Faults faults_;
};

} // namespace clotho::replay
