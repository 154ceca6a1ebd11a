// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "report.hpp"

#include <string>
#include <vector>

namespace bench {

struct SpellingOptions {
  std::string pattern = ".*"; ///< regular expression that FAMILY/NAME must contain
  bool quick = false;         ///< small sizes, results verified, nothing measured
};

/// Runs spellings of the same computations on all vendors, on ours also with AVX2's instructions alone, verifies all
/// results, and prints how many times as long as its family's fastest each takes, by processor time. False if Clotho
/// fails or is wrong anywhere.
bool compareSpellings(const std::vector<Vendor>& vendors, const SpellingOptions& options);

} // namespace bench
