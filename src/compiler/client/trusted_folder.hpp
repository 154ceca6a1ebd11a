// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/unique_fd.hpp"

#include <string>

namespace clotho {

/// Opens (O_PATH) the folder at an absolute path if nobody but this process's user and root can change what the path
/// leads to: the folder is the user's own, and every folder and symbolic link on the way belongs to one of the two and
/// lets nobody else write, unless it is sticky as /tmp is. With `create`, what is missing is made, for the owner alone.
/// On failure the descriptor is empty; `why` gets a sentence's end if the reason is somebody else's rights.
UniqueFd openTrustedFolder(const std::string& path, bool create, std::string& why);

} // namespace clotho
