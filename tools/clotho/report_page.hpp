// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/transform/widen/vectorisation_report.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

/// A build's report on each line of a source, for people: a page, and remarks in LLVM's form.
struct LineReport {
  /// How well a line's work is shared by the lanes of vectors, from best to worst.
  enum class Fate { None, Vector, Masked, Strided, Gather, LaneByLane, Scalar };
  struct Entry {
    Fate fate;
    std::string kernel;
    std::string what;   ///< such as "load: gather/scatter, masked"
    std::string advice; ///< what would make it faster; empty if nothing
    bool isMissed() const { return fate >= Fate::Masked; }
  };
  std::vector<Entry> entries;
  std::vector<std::string> instructions; ///< that were made of the line
  Fate worst() const;
};
using LineReports = std::map<unsigned, LineReport>;

/// The entries of all kernels. `assembly`: with line tables, or empty.
LineReports lineReports(const std::vector<clotho::compiler::VectorisationReport>& reports, std::string_view assembly);

/// One self-contained page with the source, what became of each line, and its instructions.
std::string reportPage(const std::string& name, std::string_view source,
                       const std::vector<clotho::compiler::VectorisationReport>& reports, const LineReports& lines);
/// Optimisation remarks as LLVM's tools read them, in YAML.
std::string reportRemarks(const std::string& name, const std::vector<clotho::compiler::VectorisationReport>& reports,
                          const LineReports& lines);
