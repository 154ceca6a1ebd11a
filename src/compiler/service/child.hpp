// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/service/core.hpp"

#include <cstdint>
#include <string>
#include <sys/types.h>

/// A child of the compiler process: one build, then the end.
namespace clotho::service {

/// Ties the new child to its server's life, sets its limits, gives up what a build does not need (sandbox.hpp), and
/// sends its standard error to `output`.
void enterChild(Core& core, pid_t server, int output);

/// Reads a request from the socket, builds, answers, and ends the process at once: the client does not wait while the
/// kernel takes the address space apart.
[[noreturn]] void serveRequest(Core& core, int request);

/// Says on `handOff` that the child is warm, and serves the request whose socket arrives there.
[[noreturn]] void serveSpare(Core& core, int handOff);

/// How long a build may take, by the clock; 0: for ever.
std::uint64_t wallSeconds();

/// A sentence on how a child ended that did not answer, for the build log, with what it said last. `ranOut`: the server
/// ended it because of `wallSeconds`.
std::string crashReport(int status, int output, bool ranOut);

} // namespace clotho::service
