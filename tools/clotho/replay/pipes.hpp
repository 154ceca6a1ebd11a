// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/capture.hpp"
#include "replay/driver.hpp"

#include <string>

namespace clotho::replay {

/// Puts the packets of a captured pipe into one of this context, by a kernel: no function of the host does.
void fillPipe(const Driver& driver, cl_context context, cl_command_queue queue, cl_mem pipe,
              const capture::Memory& memory, const std::string& contents);

/// The packets of a pipe, as a capture has them. They are in it again afterwards.
std::string readPipe(const Driver& driver, cl_context context, cl_command_queue queue, cl_mem pipe,
                     const capture::Memory& memory);

} // namespace clotho::replay
