// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model.hpp"

namespace clotho::fuzz {

/// Seeds [first, last], built so many at a time.
struct Work {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t batch = 8;
  Edits edits;
  bool dump = false;
  /// "from=to": a change of the programs' text, to show that a compiler's mistake would be found.
  std::string mistake;
};

inline constexpr const char* kImpossible = "impossible";

/// Runs the programs on the first platform that the loader finds, in this process. On standard output, a line each:
///   begin <first> <last>                 a batch of programs
///   fail <seed> <why>
///   run <seed> <variant> <name>=<hash>...   a variant is an index into the launch's local sizes
///   run <seed> <variant> impossible      on a device that wants work-groups of one size
///   words <seed> <variant> <name> <word>...  with `dump`: what the buffer held
///   end <first> <last>
/// Returns the exit status; 2: there is no device to run on.
int work(const Work& work);

} // namespace clotho::fuzz
