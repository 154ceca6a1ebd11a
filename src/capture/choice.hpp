// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clotho::capture {

/// The value of CLOTHO_CAPTURE: which launches are captured, and where to.
struct Choice {
  /// Launches of a kernel by number, from 1 on; both ends belong to it.
  struct Numbers {
    std::uint64_t first = 1, last = 1;
  };

  std::string folder;
  std::vector<std::string> kernels;         ///< names, in which * stands for any text; empty: all
  std::vector<Numbers> launches = {{1, 1}}; ///< of each kernel

  bool wantsKernel(std::string_view name) const;
  bool wantsLaunch(std::uint64_t number) const;

  /// FOLDER[:kernel=NAME,...][:launch=FIRST[-[LAST]],...]. Nothing if it is empty or says something else, with `why`.
  static std::optional<Choice> parse(std::string_view text, std::string& why);
};

} // namespace clotho::capture
