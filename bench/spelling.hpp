// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "kernel_case.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// A spelling's data and launches, and what its one result must be, computed in plain C++. The result's buffer has the
/// tolerance.
struct SpelledProblem {
  Problem problem;
  int result;
  std::vector<std::byte> expected;
};

/// One of the ways in which people write a computation. The source is spellings/<family>/<name>.cl.
struct Spelling {
  std::string name;
  std::function<SpelledProblem(Scale)> make;
  /// Another algorithm, with more or less to do than the family's others whatever a compiler makes of it: its factor is
  /// shown, and neither counted nor what others are compared with.
  bool otherWork = false;
};

/// Spellings of one computation.
struct SpellingFamily {
  std::string name;
  std::vector<Spelling> spellings;
};

const std::vector<SpellingFamily>& spellingFamilies();
/// `path` is FAMILY/NAME; nullptr: there is none.
const Spelling* findSpelling(std::string_view path);

template <class T> std::vector<std::byte> bytesOf(const std::vector<T>& values) { return input(values).content; }

SpellingFamily scanSpellings();
SpellingFamily reductionSpellings();
SpellingFamily matrixProductSpellings();
SpellingFamily matrixVectorSpellings();
SpellingFamily stencilSpellings();
SpellingFamily transposeSpellings();
SpellingFamily histogramSpellings();
SpellingFamily sortingSpellings();
SpellingFamily bodiesSpellings();
SpellingFamily sparseSpellings();
SpellingFamily elementsSpellings();
SpellingFamily convolutionSpellings();
SpellingFamily partSumsSpellings();
SpellingFamily partCountsSpellings();
SpellingFamily exchangeSumSpellings();
SpellingFamily exchangeLocalSpellings();
SpellingFamily exchangeMostSpellings();
SpellingFamily exchangeTableSpellings();
SpellingFamily exchangeListSpellings();

} // namespace bench
