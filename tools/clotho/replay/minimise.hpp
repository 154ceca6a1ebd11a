// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Delta debugging (Zeller and Hildebrandt): smaller inputs that still have a property.
namespace clotho::replay {

/// Removes pieces as long as `holds` is true of those that are left. It is true of all of them.
template <class Piece>
std::vector<Piece> minimise(std::vector<Piece> pieces, const std::function<bool(const std::vector<Piece>&)>& holds) {
  for (std::size_t size = (pieces.size() + 1) / 2; size > 0 && !pieces.empty();) {
    bool isSmaller = false;
    for (std::size_t begin = 0; begin < pieces.size();) {
      const std::size_t end = std::min(begin + size, pieces.size());
      std::vector<Piece> rest(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(begin));
      rest.insert(rest.end(), pieces.begin() + static_cast<std::ptrdiff_t>(end), pieces.end());
      if (holds(rest)) {
        pieces = std::move(rest);
        isSmaller = true;
      } else {
        begin = end;
      }
    }
    if (!isSmaller || size > 1) size = size > 1 ? size / 2 : 0;
  }
  return pieces;
}

/// The declarations or statements of a text: each ends behind a semicolon or a brace, and a line that begins with # is
/// one by itself. Together they are the text.
std::vector<std::string> statementsIn(std::string_view text);

/// A source without the declarations, statements and lines that it need not have for `holds`, and with bodies in the
/// place of statements around them. `holds` is true of the source.
std::string minimiseSource(const std::string& source, const std::function<bool(const std::string&)>& holds);

} // namespace clotho::replay
