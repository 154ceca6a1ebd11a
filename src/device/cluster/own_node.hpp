// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cluster/token.hpp"

#include <optional>
#include <string>

namespace clotho::cluster {

/// A node that this process has started for itself.
struct OwnNode {
  std::string name;
  Token token;
};

/// Starts a node that joins services, "HOST:PORT,...", and waits until it has. It ends with this process, or with the
/// last child that has been forked since. `problem`: what is amiss, if anything is; nothing if no service could be
/// joined. On a thread of the application's, in its first call.
std::optional<OwnNode> startOwnNode(const std::string& services, std::string& problem);

} // namespace clotho::cluster
