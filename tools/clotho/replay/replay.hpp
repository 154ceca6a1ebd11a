// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

/// `clotho replay`: runs a captured launch again, and compares what comes of it.
struct ReplayCommand {
  std::string input;
  std::string driver;       ///< instead of Clotho's own
  std::string width, cpu;   ///< for Clotho
  std::string check;        ///< -clotho-check=
  std::string options;      ///< more build options
  std::string against;      ///< a driver that says what is right
  std::string againstWidth; ///< a width that does
  std::string output;       ///< for the capture with this run's outputs
  std::string reduced;      ///< for a smaller capture that fails
  bool bisects = false;
  bool shows = false; ///< says what is in the file, and runs nothing
  bool showsSource = false;
  bool compares = true;
  bool isGuarded = false;
  bool serves = false;      ///< runs captures that it is told of, for itself
  unsigned repeat = 0;      ///< times to take
  double settle = 0;        ///< seconds of runs before that
  unsigned mostRuns = 1000; ///< candidates of a reduction
  double ulp = 0;
  unsigned timeLimit = 0; ///< seconds of a run in another process, behind which it hangs; 0: by the captured time
};

/// 0: the results are the same; 1: they differ, or the launch fails; 2: it cannot be run.
int replay(const ReplayCommand& command);
