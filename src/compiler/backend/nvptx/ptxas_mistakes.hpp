// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>

namespace clotho::compiler {

/// Writes those instructions of a PTX module in other words which ptxas is known to translate wrongly (docs/llvm.md
/// says when). Assembly of the program stays as it is.
std::string withoutWhatPtxasMistakes(llvm::StringRef text);

} // namespace clotho::compiler
