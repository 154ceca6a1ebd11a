// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

/// Restrictions of a child of the compiler process. Its input comes from any source that can pass a program to the
/// application, and goes through a million lines of C++.
namespace clotho::service {

/// Restricts the process permanently to what a build does: read files, compute on several threads, and write to open
/// files. It cannot open files for writing, create, change or remove any, start programs or processes, connect to
/// anything, or signal other processes. Such calls fail with EPERM. Uses a seccomp filter and Landlock, as far as the
/// system has them.
void enterSandbox();

/// The reason why the filter is not available; empty if it is.
std::string sandboxObstacle();

} // namespace clotho::service
