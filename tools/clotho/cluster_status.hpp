// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace clotho::tools {

/// Shows what the nodes of the cluster that CLOTHO_CLUSTER names have done. The exit status.
int showClusterStatus();

} // namespace clotho::tools
