// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "child_process.hpp"
#include "report.hpp"

#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Environment variables by which a process sees `vendor` alone, with cache folders in `cache`, which is ours alone.
std::vector<std::pair<std::string, std::string>> environmentOf(const Vendor& vendor, const TemporaryFolder& cache);

/// Clotho first, then all that `folder` has ("none": no other); one that does not work is left out unless it is ours.
std::vector<Vendor> findVendors(const std::string& clotho, const std::string& folder);

} // namespace bench
