// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/IRBuilder.h>

/// Blocks in memory that a sub-group reads or writes together (cl_intel_subgroups): one element of each lane after the
/// other, then the next elements of all lanes. The first lane says where a block begins.
namespace clotho::compiler {

/// Loads a lane's elements of a block, as a value of `type`, an integer or a vector of integers.
llvm::Value* createBlockRead(llvm::IRBuilderBase& builder, llvm::Value& pointer, llvm::Type* type);

/// Stores a lane's elements of a block. Returns where the block begins.
llvm::Value* createBlockWrite(llvm::IRBuilderBase& builder, llvm::Value& pointer, llvm::Value& data);

} // namespace clotho::compiler
