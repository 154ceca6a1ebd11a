// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/code_generation_limits.hpp"

#include <llvm/Support/CommandLine.h>

#include <cassert>

namespace clotho::compiler {
namespace {

template <class T> void setDefault(llvm::StringRef name, T value) {
  llvm::cl::Option* option = llvm::cl::getRegisteredOptions().lookup(name);
  assert(option != nullptr && "LLVM has another version");
  if (option != nullptr) static_cast<llvm::cl::opt<T>*>(option)->setInitialValue(value);
}

} // namespace

void limitCodeGeneration() {
  // How often the coalescer joins an interval of a hundred values or more with others. Each time it looks at all uses
  // of both. Where it does not join them, they mostly get the same register all the same.
  setDefault<unsigned>("large-interval-freq-threshold", 0);
  // Edges between blocks that the allocator looks at to find the region in which a value keeps one register. It does
  // so for each register that the value could have.
  setDefault<unsigned long>("grow-region-complexity-budget", 2000);
}

} // namespace clotho::compiler
