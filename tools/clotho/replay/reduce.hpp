// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "replay/judge.hpp"

#include <functional>

namespace clotho::replay {

/// Makes a capture that fails smaller as long as it does: fewer work-groups, a shorter source, contents without what
/// does not matter, shorter buffers. `mostRuns` ends it early. Its outputs are those that are right.
capture::Contents reduce(capture::Contents contents, Judge& judge, unsigned mostRuns,
                         const std::function<void(const std::string&)>& say);

} // namespace clotho::replay
