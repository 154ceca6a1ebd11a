// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "replay/judge.hpp"

#include <functional>
#include <string>

namespace clotho::replay {

/// Finds the pass of the compiler after which a capture fails: its program is compiled with ever fewer of the passes
/// that may be left out. `right`: the outputs by which a run is judged; without them a crash is what fails. Returns
/// what is to be said of the pass; throws a Failure if none is to blame.
std::string bisect(capture::Contents contents, Runner& runner, const Setup& suspect, double ulp,
                   const std::function<void(const std::string&)>& say);

} // namespace clotho::replay
