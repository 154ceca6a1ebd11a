// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace clotho {

/// Identifies the host's CPU: differs if the compiler might make different code. A cache folder may be shared by
/// machines. Computed once per process.
std::string_view hostCpuIdentity();

/// The processor's name for people; empty if unknown.
std::string hostCpuName();

} // namespace clotho
