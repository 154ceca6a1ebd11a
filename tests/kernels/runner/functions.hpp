// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "expression.hpp"

#include <optional>
#include <string_view>
#include <vector>

/// The functions of expressions: casts to OpenCL's types, and references for its built-in functions computed in long
/// double. Empty when there is no such function with that many arguments.
std::optional<Number> callFunction(std::string_view name, const std::vector<Number>& args);
