// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/processor_model.hpp"

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Instructions.h>

#include <optional>

namespace clotho::compiler {

/// A small constant table of bytes, and the index of the byte that a load reads.
struct ByteTable {
  llvm::StringRef bytes; ///< contents of the table, owned by the module
  llvm::Value* index;    ///< Index into `bytes`; outside of them behaviour is undefined
};

/// The table from which `load` reads a byte, if it fits registers and the processor can look up bytes in a register.
std::optional<ByteTable> byteTableOf(const llvm::LoadInst& load, const ProcessorModel& cpu);

} // namespace clotho::compiler
