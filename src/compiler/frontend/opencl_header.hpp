// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string_view>

namespace clotho::compiler {

/// The text of clang's opencl-c-base.h, embedded when Clotho is built.
std::string_view openclBaseHeader();

/// Declarations of functions that clang does not declare, for programs that use them.
struct ExtensionHeader {
  const char* name;
  std::string_view text;
  std::span<const std::string_view> functions; ///< what their names begin with
};
std::span<const ExtensionHeader> extensionHeaders();

} // namespace clotho::compiler
