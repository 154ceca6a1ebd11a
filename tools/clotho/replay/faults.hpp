// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <compare>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace clotho::replay {

/// A fault of a kernel that checks have reported: what is the same in two launches of which one has less source.
struct Fault {
  std::string kind;      ///< "race", "barrier", "read" and so on; "unwritten" for reads of what was never written
  std::string statement; ///< the source from the reported column to the end of the statement, on that line

  auto operator<=>(const Fault&) const = default;
};
using Faults = std::set<Fault>;

/// The fault of a text for the callback of a context; none if the text reports no check.
std::optional<Fault> faultIn(std::string_view report);
Faults faultsIn(const std::vector<std::string>& reports);
/// For messages: each fault with its statement.
std::string textOf(const Faults& faults);
std::set<std::string> kindsOf(const Faults& faults);

} // namespace clotho::replay
