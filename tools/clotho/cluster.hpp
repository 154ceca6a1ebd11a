// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace clotho::tools {

/// Makes this process the node of a program, which it starts. Returns only if that cannot be: the exit status.
/// `program`: its name and arguments, null at the end. `devices`: of the node, as CLOTHO_DEVICES names them.
int runInCluster(std::string devices, char** program);

} // namespace clotho::tools
