// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/unique_fd.hpp"

#include <dirent.h>
#include <memory>
#include <string>

namespace clotho {

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};
/// The names in a folder, by readdir.
using Folder = std::unique_ptr<DIR, CloseFolder>;

inline Folder listing(UniqueFd fd) {
  Folder folder(fd ? fdopendir(fd.get()) : nullptr);
  if (folder) fd.release();
  return folder;
}

inline Folder openFolder(const std::string& path) {
  return listing(makeFd([&] { return open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
}

} // namespace clotho
