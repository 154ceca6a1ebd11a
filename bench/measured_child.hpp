// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>

namespace bench {

/// The result of `measure` in a child, for environments and states that a process can have once: before this process
/// has used OpenCL. Throws if it throws, or gives less than 0.
double measureInChild(const std::function<double()>& measure);

} // namespace bench
