// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <string>

namespace clotho::compiler {

/// A file in memory with a name that other code in this process can open.
class MemoryFile {
 public:
  static llvm::Expected<MemoryFile> create(llvm::StringRef contents);
  MemoryFile(MemoryFile&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  MemoryFile& operator=(MemoryFile&&) = delete;
  ~MemoryFile();
  std::string path() const;

 private:
  explicit MemoryFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

/// How the linker returns its output: through a pipe that it opens by name, or through the standard output, which is a
/// pipe meanwhile.
enum class LinkOutput : unsigned char { Pipe, StandardOutput };

/// Links objects into a shared object with no undefined symbol, without touching the file system. The linker keeps
/// state in globals: one call at a time.
llvm::Expected<std::string> linkSharedObject(llvm::ArrayRef<std::string> inputPaths, LinkOutput how);

} // namespace clotho::compiler
