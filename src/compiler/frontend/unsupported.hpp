// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

namespace llvm {
class Module;
}

namespace clotho::compiler {

/// An error for code that a front end accepts but kernels cannot run: work-items are lanes, so they have no stack, no
/// return address and no registers of their own.
struct Unsupported {
  std::string why;
  bool hasLine = false; ///< whether `why` begins with a place in the source
};

/// Finds such code in the module; nothing if all is supported. `mayAssemble`: the target runs work-items as threads,
/// and so assembly in them.
std::optional<Unsupported> findUnsupported(const llvm::Module& module, bool mayAssemble);

} // namespace clotho::compiler
