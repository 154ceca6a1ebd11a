// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/unique_fd.hpp"

#include <string>

namespace clotho {

/// Opens (O_PATH) the folder at an absolute path if only this process's user and root can change what the path refers
/// to. The folder must belong to the user; every folder and symbolic link on the path must belong to the user or root
/// and not be writable for others, unless it is sticky as /tmp is. With `create`, missing folders are made, for the
/// owner alone. On failure the descriptor is empty; `why` gets the end of a sentence if the reason is another user's
/// rights.
UniqueFd openTrustedFolder(const std::string& path, bool create, std::string& why);

} // namespace clotho
