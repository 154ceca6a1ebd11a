// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/unique_fd.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace clotho {

/// Lines of an environment, "NAME=value".
using Environment = std::vector<std::string>;

/// Copies this process's environment. Call only on an application's thread, inside a call of the application: on our
/// own threads it would race with changes.
Environment copyOfEnvironment();
bool hasVariable(const Environment& environment, std::string_view name) noexcept;

struct SpawnedServer {
  UniqueFd control; ///< empty on failure
  int error = 0;    ///< errno of what failed
};

/// Starts the compiler process without the application noticing. It is not the application's child, so wait() does not
/// see it and there is no SIGCHLD. It has its own process group, streams and signal state, and inherits no descriptor
/// but its end of the control socket. Returns once the program has been started; any thread may call. `applications` is
/// the application's environment. `keepsLibraryPath`: passes its LD_LIBRARY_PATH, for a compiler that does not find its
/// libraries otherwise. `arguments`: other ones, for a server that is no compiler.
SpawnedServer spawnServer(const std::string& path, const Environment& applications, bool keepsLibraryPath = false,
                          std::vector<std::string> arguments = {"--serve"});

} // namespace clotho
