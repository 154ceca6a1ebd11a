// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace clotho {

/// The environment options, as `options.def` lists them.
struct Options {
  using Bool = bool;
  using Number = std::uint64_t;
  using Text = std::string;
#define OPTION(field, type, standard, variable, help) type field = standard;
#include "base/options.def"
#undef OPTION

  std::string temporaryFolder = "/tmp"; ///< TMPDIR

  static Options fromEnvironment();
};

/// The options of this process: read at the first call, never destroyed.
const Options& options();

} // namespace clotho
