// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

namespace bench {

/// The cost of a device in another process of this machine (docs/cluster.md). Only before the process has used OpenCL:
/// each figure is of a child of its own, with a node of its own. A launch of 64 work-items and its end: how many us
/// more it takes than on the processor's own device.
std::vector<double> costOfNodeLaunch(int launches, int rounds);
/// Each of a chain of 100 such launches, in us.
std::vector<double> timeOfNodeChain(int chains, int rounds);
/// A blocking write of 64 MiB, in ms.
std::vector<double> timeOfNodeWrite(int writes, int rounds);
/// Each of a chain of 100 steps of a stencil on one device of two of a node, to each of which a row of the other one
/// goes, in us.
std::vector<double> timeOfJointStep(int chains, int rounds);

} // namespace bench
