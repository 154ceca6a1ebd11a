// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/IntrusiveRefCntPtr.h>
#include <llvm/Support/VirtualFileSystem.h>

namespace clotho::compiler {

/// The file system without what is neither a regular file nor a folder: a build that opens a pipe or a device may wait
/// for ever, or read for ever. To open one is an error with a reason. /dev/null remains, which build scripts like to
/// include.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> regularFilesOf(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> all);

} // namespace clotho::compiler
