// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/IntrusiveRefCntPtr.h>
#include <llvm/Support/VirtualFileSystem.h>

namespace clotho::compiler {

/// A file system that hides everything but regular files and folders: a build that opens a pipe or a device may wait or
/// read for ever. Opening one is an error with a reason. /dev/null remains, which build scripts like to include.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> regularFilesOf(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> all);

} // namespace clotho::compiler
