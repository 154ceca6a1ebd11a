// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace clotho::tools {

/// How fast this machine is, measured in half a second on all processors that the process may use.
struct MachineSpeed {
  unsigned threads = 0;
  double gflops = 0;    ///< of float; of double it is half of that
  double gigabytes = 0; ///< a second, from and to memory that no cache has
};
MachineSpeed measureMachine();

} // namespace clotho::tools
