// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spelling.hpp"

namespace bench {

const std::vector<SpellingFamily>& spellingFamilies() {
  static const std::vector<SpellingFamily> kFamilies = {
      scanSpellings(),         reductionSpellings(),     matrixProductSpellings(), matrixVectorSpellings(),
      stencilSpellings(),      transposeSpellings(),     histogramSpellings(),     sortingSpellings(),
      bodiesSpellings(),       sparseSpellings(),        elementsSpellings(),      convolutionSpellings(),
      exchangeSumSpellings(),  exchangeLocalSpellings(), exchangeMostSpellings(),  exchangeTableSpellings(),
      exchangeListSpellings(), partSumsSpellings(),      partCountsSpellings()};
  return kFamilies;
}

const Spelling* findSpelling(std::string_view path) {
  for (const SpellingFamily& family : spellingFamilies())
    for (const Spelling& spelling : family.spellings)
      if (path == family.name + "/" + spelling.name) return &spelling;
  return nullptr;
}

} // namespace bench
