// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <memory>
#include <optional>
#include <vector>

namespace llvm {
class MemoryBuffer;
class Module;
} // namespace llvm

namespace clotho::compiler {

namespace builtin_format {
struct Module;
struct Symbol;
} // namespace builtin_format

/// The OpenCL C library as bitcode, mapped from the file that tools/builtins made. Immutable once open, so one instance
/// serves any number of contexts and threads, and survives fork.
class BuiltinLibrary {
 public:
  static llvm::Expected<std::unique_ptr<BuiltinLibrary>> open(llvm::StringRef path);
  ~BuiltinLibrary();
  BuiltinLibrary(const BuiltinLibrary&) = delete;
  BuiltinLibrary& operator=(const BuiltinLibrary&) = delete;

  /// Defines every function that the module declares and the library has, with its dependencies. Linked functions are
  /// internal and marked "clotho-builtin"; call sites get the callee's calling convention, and lose `convergent` if the
  /// callee is not. A function of the program with a builtin's name keeps its callers but is renamed.
  /// Needs: signatures as clang emits them for spir64, target("spirv.Event") included.
  llvm::Error linkInto(llvm::Module& module) const;

  bool defines(llvm::StringRef symbol) const { return moduleOf(symbol).has_value(); }
  std::vector<llvm::StringRef> symbols() const;

 private:
  explicit BuiltinLibrary(std::unique_ptr<llvm::MemoryBuffer> file);
  llvm::Error check();
  llvm::StringRef nameOf(const builtin_format::Symbol& symbol) const;
  std::optional<unsigned> moduleOf(llvm::StringRef symbol) const;
  llvm::Expected<std::unique_ptr<llvm::Module>> load(unsigned index, const llvm::Module& like) const;

  std::unique_ptr<llvm::MemoryBuffer> file_;
  llvm::ArrayRef<builtin_format::Symbol> symbols_;
  llvm::ArrayRef<builtin_format::Module> modules_;
  llvm::StringRef names_;
};

} // namespace clotho::compiler
