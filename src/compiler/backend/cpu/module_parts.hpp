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

/// A module's functions, divided so that several threads can optimise and emit them. LLVM lets a module be touched by
/// one thread at a time, so each gets a module of its own, with a part of the functions; the linker puts the objects
/// together again. What is internal to the program is called from part to part then: it becomes visible to the
/// linker, but stays hidden in the shared object.
///
/// Needs a module whose names are unique in the process that loads it. What is left to inline, by calls that are marked
/// so, goes to the part of its caller. Variables that can be written, and those whose address counts, stay in part 0;
/// constants are known in all parts.
class ModuleParts {
 public:
  /// At most `most` parts of about the same amount of work, and none of little work (`least`, in instructions).
  ModuleParts(const llvm::Module& module, unsigned most, std::size_t least);

  unsigned count() const { return count_; }

  /// The module, as the other threads read it from here, and of it what is part 0's.
  std::string separate(llvm::Module& module) const;

  /// Another part than 0, of what `separate` has given.
  llvm::Expected<std::unique_ptr<llvm::Module>> read(llvm::StringRef bitcode, unsigned part,
                                                     llvm::LLVMContext& context) const;

 private:
  llvm::SmallVector<unsigned, 16> partOf_; // of the module's functions, in order
  unsigned count_ = 1;
};

} // namespace clotho::compiler
