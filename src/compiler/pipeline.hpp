// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/backend/stage.hpp"
#include "compiler/compiler.hpp"

#include <llvm/Support/Error.h>

#include <memory>
#include <string>

namespace clotho::compiler {

/// Paths of the compiler's own data.
struct Paths {
  std::string builtins; ///< builtins.clotho
  std::string runtime;  ///< rt.o
};

/// The compiler itself: turns requests into shared objects. Loads its data once; `build` may be called any number of
/// times, by one thread at a time. Never exits nor throws, but LLVM may abort the process on its own errors, which is
/// why clotho-compiler forks first.
class CompilerCore {
 public:
  static llvm::Expected<std::unique_ptr<CompilerCore>> create(const Paths& paths);
  ~CompilerCore();

  BuildResult build(const BuildRequest& request);

  /// Builds a small program, so that LLVM's tables are initialised and pages touched for the next build.
  void warmUp();

  /// From now on the linker writes to the process's standard output, which is redirected meanwhile, and opens nothing
  /// for writing: for compiler processes that may not open files.
  void linkByStandardOutput();

  /// Sets hooks for tools.
  void observe(Observer observer) { observer_ = std::move(observer); }

 private:
  struct Data;
  explicit CompilerCore(std::unique_ptr<Data> data);

  std::unique_ptr<Data> data_;
  Observer observer_;
};

} // namespace clotho::compiler
