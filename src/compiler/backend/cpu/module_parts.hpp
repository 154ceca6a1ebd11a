// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <memory>
#include <string>

namespace llvm {
class Function;
class LLVMContext;
class Module;
} // namespace llvm

namespace clotho::compiler {

/// Divides a module's functions among threads, which optimise and emit them. Only one thread at a time may use an LLVM
/// context, so each gets a module of its own with part of the functions; the linker joins the objects. Internal
/// functions that are called across parts become visible to the linker but stay hidden in the shared object.
///
/// Needs: names that are unique in the process that loads the module. Functions that are still to be inlined go to the
/// part of their caller. Mutable variables, and those whose address matters, stay in part 0; constants are in all
/// parts.
class ModuleParts {
 public:
  /// Makes at most `most` parts of about equal work, each with at least `least` instructions.
  ModuleParts(const llvm::Module& module, unsigned most, std::size_t least);

  unsigned count() const { return count_; }

  /// Returns bitcode for the other threads, and reduces the module to part 0.
  std::string separate(llvm::Module& module) const;

  /// Reads a part other than 0 from the bitcode of `separate`.
  llvm::Expected<std::unique_ptr<llvm::Module>> read(llvm::StringRef bitcode, unsigned part,
                                                     llvm::LLVMContext& context) const;

 private:
  llvm::SmallVector<unsigned, 16> partOf_; // of the module's functions, in order
  unsigned count_ = 1;
};

} // namespace clotho::compiler
