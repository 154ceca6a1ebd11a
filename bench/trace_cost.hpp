// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

namespace bench {

/// The cost of a trace (CLOTHO_TRACE). Only before the process has used OpenCL: each figure is of a child of its own,
/// with and without a trace in turn. Each of `commands` launches of 64 work-items in a batch: how many us more it
/// takes.
std::vector<double> costOfTracedCommands(int commands, int rounds);
/// Kernels of about 100 us on all processors: their time without a trace, in percent of that with one.
std::vector<double> speedOfTracedKernels(int launches, int rounds);

} // namespace bench
