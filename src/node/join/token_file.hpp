// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cluster/token.hpp"

#include <optional>
#include <string>

namespace clotho::node {

/// The token of the user's services: CLOTHO_CLUSTER_TOKEN, or what ~/.config/clotho/cluster-token has, which is made if
/// there is none. Nothing, and the reason in `why`, if the token makes no sense or others can read it.
std::optional<cluster::Token> tokenOfServices(std::string& why);

/// Reads the file, or makes it with a fresh token.
std::optional<cluster::Token> tokenIn(const std::string& path, std::string& why);

} // namespace clotho::node
