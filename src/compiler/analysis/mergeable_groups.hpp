// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
}

namespace clotho::compiler {

/// Whether the kernel does not depend on where launches are cut into work-groups along dimension 0. Local variables are
/// not considered.
bool isMergeable(const llvm::Function& kernel);

/// Whether a mergeable kernel does not depend on the local size along dimension 1 either.
bool isStackable(const llvm::Function& kernel);

} // namespace clotho::compiler
