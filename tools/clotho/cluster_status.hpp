// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace clotho::tools {

/// Shows what the nodes of a cluster have done: of these services, HOST:PORT with commas between, or if that is empty
/// of what CLOTHO_CLUSTER names. `interface`: the network on the way to services; empty: any. The exit status.
int showClusterStatus(const std::string& services, const std::string& interface);

} // namespace clotho::tools
