// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/service/core.hpp"

#include <memory>
#include <string>

namespace clotho::service {

/// The core of this program or library, whose path is `self`; null with a sentence in `why` if it cannot work. Each
/// program that contains the service links one definition.
std::unique_ptr<Core> makeCore(const std::string& self, std::string& why);

} // namespace clotho::service
