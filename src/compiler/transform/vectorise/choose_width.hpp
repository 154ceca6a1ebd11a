// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/transform/vectorise/vectorise_kernels.hpp"

namespace llvm {
class Function;
}

namespace clotho::compiler {

struct WidthChoice {
  unsigned width = 1;
  bool fitsRequiredSize = false; ///< the kernel says its local size, whose rows are a multiple of the width
  std::string scalarBecause;     ///< when the width is 1
};

/// How many work-items of the kernel to run at once: as many as the target's vectors hold of the widest type that the
/// kernel computes with, but no more than its rows are long.
WidthChoice chooseWidth(const llvm::Function& kernel, const VectoriseOptions& options);

} // namespace clotho::compiler
