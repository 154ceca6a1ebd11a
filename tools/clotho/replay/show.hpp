// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/file.hpp"

#include <string>

namespace clotho::replay {

/// The contents of a capture, for people to read.
std::string show(const capture::Contents& contents);
/// The program's source: all units.
std::string sourceOf(const capture::Contents& contents);

} // namespace clotho::replay
