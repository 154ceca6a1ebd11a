// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Instructions.h>

#include <optional>

namespace clotho::compiler {

/// A few bytes that the program defines as constant, of which a load reads one.
struct ByteTable {
  llvm::StringRef bytes; ///< in the module
  llvm::Value* index;    ///< into `bytes`; outside of them behaviour is undefined
};

/// The table that `load` reads a byte of, where registers hold all of it and the processor looks bytes up in a
/// register.
std::optional<ByteTable> byteTableOf(const llvm::LoadInst& load, const ProcessorModel& cpu);

} // namespace clotho::compiler
