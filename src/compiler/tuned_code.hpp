// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/code_version.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace clotho {

/// Result of a trial: the base-2 logarithm of the speedup of the tried code over the other, and its error.
struct TrialFigures {
  double gain = 0, error = 0;
  std::uint32_t launches = 0; ///< Both codes have run at least so many launches; 0: there was no trial

  bool operator==(const TrialFigures&) const = default;
  /// `1.25 times as fast (1.12 to 1.39, 24 launches)`; slower code is 0.8 times as fast.
  std::string text() const;
};

/// Result of trials for launches of a kernel that have a version in common.
struct TunedCode {
  enum class Verdict : std::uint8_t {
    Open,    ///< not known, or there is no such code
    Adopted, ///< launches run the version
    Dropped, ///< they run the code without
  };
  std::string kernel;
  CodeVersion version; ///< what the launches have in common; its width is 0
  Verdict verdict = Verdict::Open;
  TrialFigures figures;    ///< Figures of the version
  std::uint32_t width = 0; ///< Width that has won; 0: the usual one
  TrialFigures widthFigures;
  bool isWidthKnown = false; ///< Whether no other width is to be tried
  std::uint64_t when = 0;    ///< s since 1970

  bool operator==(const TunedCode&) const = default;
  /// Whether the result is final: nothing is left to try.
  bool isSettled() const { return isWidthKnown || width != 0; }
};

/// Results for a program's kernels on this processor.
struct TuningRecord {
  std::vector<TunedCode> codes;

  const TunedCode* find(const std::string& kernel, const CodeVersion& version) const {
    for (const TunedCode& code : codes)
      if (code.kernel == kernel && code.version == version) return &code;
    return nullptr;
  }
};

} // namespace clotho
