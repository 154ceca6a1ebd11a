// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/transform/check/checker.hpp"

namespace clotho::compiler {

/// Adds checks of the coordinates with which images are written, or read without a sampler. Writes outside are left
/// out, and reads return zero.
void checkImages(llvm::Function& function, Checker& checker);

} // namespace clotho::compiler
