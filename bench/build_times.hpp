// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "report.hpp"

#include <string>
#include <vector>

namespace bench {

/// The first word of the process that answers the requests of compareBuildTimes.
inline constexpr const char* kBuildSeat = "builds";

/// Prints for each kernel of the table whose name or family matches, how much processor time the build of its program
/// and its first launch take: on Clotho, on Clotho with one work-item at a time, and on the other platforms; and what
/// the first is of the others. False if a kernel cannot be built.
bool compareBuildTimes(const std::vector<Vendor>& vendors, const std::string& pattern, bool quick);

/// Reads requests, each a line with the name of a kernel, `quick` or `full`, and options; answers each by a time in ms.
void serveBuildRequests();

} // namespace bench
