// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/capture.hpp"
#include "replay/driver.hpp"

#include <string>
#include <vector>

namespace clotho::replay {

/// The program of a capture, built for one device.
struct BuiltProgram {
  cl_program program = nullptr;
  std::vector<bool> settable; ///< the variables for which it has the kernels setterOf() and getterOf()
};

/// `extra`: more build options. Throws a Failure with the build log.
BuiltProgram buildProgram(const capture::Description& description, const Driver& driver, cl_context context,
                          const std::string& extra);

std::string setterOf(std::size_t variable);
std::string getterOf(std::size_t variable);

} // namespace clotho::replay
