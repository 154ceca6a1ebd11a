// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

/// The rights of a child of the compiler process. Its input comes from any source that can hand the application a
/// program, and goes through a million lines of C++.
namespace clotho::service {

/// Confines the process for good to what a build does: read files, compute, also in several threads, and write to what
/// is open. It can open nothing for writing, make, change or remove no file, start no program and no process, connect
/// to nothing, and send no signal to others. Such calls fail with EPERM. Two walls do this, and each stands where the
/// system has it: a seccomp filter, and Landlock. What the system refuses is left out.
void enterSandbox();

/// Why the filter cannot be had on this system; empty when it can.
std::string sandboxObstacle();

} // namespace clotho::service
