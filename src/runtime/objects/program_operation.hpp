// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/objects/program.hpp"

#include <optional>
#include <string>
#include <vector>

namespace clotho {

/// A build, a compilation or a link: what to ask the compiler for, and how its answers are called in the API.
struct Program::Operation {
  BuildKind kind;
  cl_program_binary_type success;
  cl_int failure, invalidOptions, unavailable;
  std::optional<std::string> options;
  std::vector<Header> headers{};
  std::vector<Ref<Program>> inputs{};
  std::vector<SpecConstant> specConstants{};
  std::string workingDirectory = currentFolder();
  bool failsByStatus = false; ///< the build runs in the background: no caller catches an exception

  static std::string currentFolder();
  /// Whether the application is told of bad options at once, and never by a build that goes on by itself.
  bool hasBadOptions() const;
};

} // namespace clotho
