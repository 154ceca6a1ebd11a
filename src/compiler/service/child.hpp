// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/service/core.hpp"

#include <cstdint>
#include <string>
#include <sys/types.h>

/// A child of the compiler process, which makes one build and ends.
namespace clotho::service {

/// Ties the new child to its server's life, sets its limits, drops rights that a build does not need (sandbox.hpp), and
/// redirects its standard error to `output`.
void enterChild(Core& core, pid_t server, int output);

/// Reads a request from the socket, builds, answers, and ends the process without clean-up: the client does not wait
/// while the kernel frees the address space.
[[noreturn]] void serveRequest(Core& core, int request);

/// Reports on `handOff` that the child is warm, and serves the request whose socket arrives there.
[[noreturn]] void serveSpare(Core& core, int handOff);

/// Limit of a build's wall-clock time in seconds; 0: none.
std::uint64_t wallSeconds();

/// A sentence for the build log about how a child without an answer ended, with its last output. `ranOut`: the server
/// ended it because of `wallSeconds`.
std::string crashReport(int status, int output, bool ranOut);

} // namespace clotho::service
