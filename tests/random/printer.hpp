// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model.hpp"

namespace clotho::fuzz {

/// The program as OpenCL C.
std::string print(const Program& program);
std::string print(const Block& block, int indent = 0);
std::string print(const Expression& expression);

/// The launch in words, for those who read a printed program.
std::string describe(const Launch& launch);
std::string describe(const Size3& size, int dimensions);

} // namespace clotho::fuzz
