// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace clotho::tools {

/// Makes this process the node of a program, which it starts. Returns only if that cannot be: the exit status.
/// `program`: its name and arguments, null at the end.
int runInCluster(char** program);

} // namespace clotho::tools
