// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "module.hpp"

#include <string_view>

namespace ptx {

/// Reads a special register, such as %tid.x, into `to`. Null if there is none of that name.
Handler specialRegister(std::string_view name);

} // namespace ptx
