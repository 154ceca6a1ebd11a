// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "trace/machine_speed.hpp"
#include "trace/trace_file.hpp"

#include <string>

namespace clotho::tools {

/// One page of HTML that needs no other file: timeline, tables, and a roofline of the kernels.
std::string tracePage(const TraceFiles& trace, const MachineSpeed& machine);

} // namespace clotho::tools
