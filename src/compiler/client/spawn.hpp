// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/unique_fd.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace clotho {

/// An environment by its lines, "NAME=value".
using Environment = std::vector<std::string>;

/// A copy of this process's environment. Only a thread of the application's may take it, in a call of the
/// application's: a thread of ours would read what another thread changes and frees.
Environment copyOfEnvironment();
bool hasVariable(const Environment& environment, std::string_view name) noexcept;

struct SpawnedServer {
  UniqueFd control; ///< empty on failure
  int error = 0;    ///< errno of what failed
};

/// Starts the compiler process so that the application cannot notice. It is no child of the application, so that wait()
/// does not see it and no SIGCHLD comes. It has a process group, streams and signal state of its own and inherits no
/// descriptor but its end of the control socket. Returns once the program has been started; any thread may call.
/// `applications` is the application's environment. `keepsLibraryPath`: with its LD_LIBRARY_PATH, for a compiler that
/// does not find its libraries without.
SpawnedServer spawnServer(const std::string& path, const Environment& applications, bool keepsLibraryPath = false);

} // namespace clotho
