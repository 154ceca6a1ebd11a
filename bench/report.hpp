// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bench {

struct Case;

/// A platform under test: one ICD file, which the loader gets alone.
struct Vendor {
  std::string icd;
  std::string name; ///< CL_PLATFORM_NAME and version
  bool ours = false;
};

/// One row's median for each vendor; empty where it could not be measured.
struct Row {
  const Case* what;
  std::vector<std::optional<double>> medians;
};

/// CPU, number of cores, kernel: what figures depend on.
std::string machine();

void printTable(const std::vector<Vendor>& vendors, const std::vector<Row>& rows);

} // namespace bench
