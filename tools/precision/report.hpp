// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "precision/state.hpp"

#include <string>

namespace precision {

/// A function's error and arguments in words, for tables and messages.
std::string errorText(const Function& function, const Result& result);
std::string argumentText(const Function& function, const Result& result);

/// The tables of docs/precision.md. Throws std::runtime_error when the file cannot be written.
void writeReport(const State& state, const std::string& path, const std::string& device);

} // namespace precision
