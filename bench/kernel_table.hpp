// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "kernel_case.hpp"

#include <optional>
#include <string>
#include <vector>

namespace bench {

/// A column: an OpenCL platform, or a compiler of C++ or CUDA C++ (a platform, too, in the tables).
struct Column {
  std::string name;
  enum class Kind : unsigned char { Clotho, OtherPlatform, Cpp } kind;
  double goal = 1; ///< share of its speed that Clotho is to reach
};

/// What one contender made of one kernel.
struct KernelResult {
  std::optional<double> time;  ///< ms of an iteration: the median of the rounds
  std::vector<double> rounds;  ///< ms
  std::optional<double> build; ///< ms
  std::string problem;         ///< empty: ran, and the result is right
};

struct KernelRow {
  const KernelCase* what;
  std::vector<KernelResult> results; ///< one a column
};

/// Times, and how many times as fast as the others Clotho is.
void printKernelTable(const std::vector<Column>& columns, const std::vector<KernelRow>& rows);
/// The cases that have an amount of work: rates, the share of what C++ reaches, and how many times as fast as other
/// platforms Clotho is.
void printPeakTable(const std::vector<Column>& columns, const std::vector<KernelRow>& rows);
void writeKernelJson(const std::string& file, const std::vector<Column>& columns, const std::vector<KernelRow>& rows);

} // namespace bench
