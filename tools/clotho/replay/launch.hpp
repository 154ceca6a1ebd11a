// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/file.hpp"
#include "replay/driver.hpp"

#include <functional>
#include <string>
#include <vector>

namespace clotho::replay {

/// How a launch is run.
struct Settings {
  std::string options;    ///< appended to the build options
  unsigned samples = 0;   ///< times to take behind the first run, by runs that go on with what the one before left
  double settle = 0;      ///< seconds of such runs before, in which the driver may find faster code
  bool isGuarded = false; ///< pages that trap are behind each buffer
};

/// The result of a run.
struct Result {
  cl_int status = CL_COMPLETE;      ///< of the command; negative if it has failed
  std::vector<std::string> outputs; ///< after the first run, as the capture's; empty if that has failed
  std::vector<double> seconds;      ///< times of a run: of the first, or the samples
  double processorSeconds = 0;      ///< of all threads, that a run takes in the mean of the samples
  std::vector<std::string> types;   ///< the kernel's arguments', as far as the driver knows them
  std::vector<std::string> remarks; ///< what is not as it was
  std::vector<std::string> reports; ///< texts for the callback of the context until the first run had ended; Clotho's
};

/// Runs the launch of a capture. Throws a Failure when it cannot be built or enqueued.
Result run(const capture::Contents& contents, const Driver& driver, const Settings& settings);

} // namespace clotho::replay
