// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/regular_files.hpp"

#include <system_error>

namespace clotho::compiler {
namespace {

/// The reason that clang appends to its message.
class NotRegular final : public std::error_category {
 public:
  const char* name() const noexcept override { return "clotho"; }
  std::string message(int) const override { return "it is not a regular file"; }
};

std::error_code notRegular() {
  static const NotRegular category;
  return {1, category};
}

class RegularFiles final : public llvm::vfs::ProxyFileSystem {
 public:
  using ProxyFileSystem::ProxyFileSystem;

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& path) override {
    // Checks before opening, since opening a pipe blocks. Folders fail with an error of their own.
    const auto found = ProxyFileSystem::status(path);
    if (!found) return found.getError();
    if (!found->isRegularFile() && !found->isDirectory() && !isNull(*found)) return notRegular();
    return ProxyFileSystem::openFileForRead(path);
  }

 private:
  bool isNull(const llvm::vfs::Status& file) {
    const auto null = ProxyFileSystem::status("/dev/null");
    return null && null->getUniqueID() == file.getUniqueID();
  }
};

} // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> regularFilesOf(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> all) {
  return llvm::makeIntrusiveRefCnt<RegularFiles>(std::move(all));
}

} // namespace clotho::compiler
