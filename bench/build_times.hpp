// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace bench {

/// Prints how long clBuildProgram takes for each kernel of the table whose name or family matches, with the width of
/// the driver's choice and with one work-item at a time, and what the one is of the other. Runs on the platform of
/// OCL_ICD_VENDORS, which must be Clotho.
void measureBuildTimes(const std::string& pattern, bool quick);

} // namespace bench
