// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "node/join/launcher.hpp"

namespace clotho::node {

/// A launcher that has a PMIx server, as Open MPI's mpirun and srun --mpi=pmix do. Null, and the reason in `why`, if
/// there is none, or if the job has one process. Links the PMIx library.
std::unique_ptr<Launcher> openPmix(std::string& why);

} // namespace clotho::node
