// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace bench {

/// What `--serve` gets to make a process that measures spellings on its first platform.
inline constexpr const char* kSpellingSeat = "spellings";

/// Reads requests from standard input, a line each, and answers each by a line, until the input ends. All spellings
/// that were prepared stay so.
///   prepare FAMILY/NAME quick|full   ->  verified|WRONG how
///   measure FAMILY/NAME              ->  MS     of processor time that an iteration takes
/// Whatever fails is answered by "error" and the reason.
void serveSpellingRequests();

} // namespace bench
