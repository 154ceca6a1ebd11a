// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cuda/driver.hpp"

#include <string>

namespace bench {

/// The calls of NVIDIA's driver, started once for the process; throws where there is none.
const clotho::cuda::Driver& cudaDriver();
/// Throws with the name of the call when `status` is an error.
void check(clotho::cuda::CUresult status, const char* call);
/// The first GPU's name for nvcc: `sm_` and its compute capability.
std::string cudaArchitecture();

} // namespace bench
