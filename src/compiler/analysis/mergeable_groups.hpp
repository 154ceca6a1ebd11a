// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
}

namespace clotho::compiler {

/// Whether the kernel asks for nothing that tells where launches are cut into work-groups along dimension 0, local
/// variables apart.
bool isMergeable(const llvm::Function& kernel);

/// Whether it asks for nothing either that tells of a local size along dimension 1. Of mergeable kernels.
bool isStackable(const llvm::Function& kernel);

} // namespace clotho::compiler
