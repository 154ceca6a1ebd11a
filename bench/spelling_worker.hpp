// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace bench {

/// What `--serve` gets to make a process that measures spellings on its first platform.
inline constexpr const char* kSpellingSeat = "spellings";
/// Stands for a family's name before those of the other table's kernels.
inline constexpr const char* kKernelFamily = "kernels";

/// Reads requests from standard input, a line each, and answers each by a line, until the input ends. All spellings
/// that were prepared stay so. The family "kernels" has those of the other table.
///   prepare FAMILY/NAME quick|full OPTIONS  ->  verified|WRONG how     of "kernels": made, and not verified here
///   widths FAMILY/NAME                      ->  N,N...                 work-items of each of the program's kernels at
///                                                                      once, where OPTIONS ask Clotho for its report
///   run FAMILY/NAME                         ->  MS                     of processor time since the request to prepare
///                                                                      it, with one iteration that nothing verifies
///   settle FAMILY/NAME                      ->  settled                after it has run so long that its driver tries
///                                                                      no other code; spellings are when prepared
///   measure FAMILY/NAME                     ->  MS                     of processor time that an iteration takes
/// Whatever fails is answered by "error" and the reason.
void serveSpellingRequests();

} // namespace bench
