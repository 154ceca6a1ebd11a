// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace clotho {

/// Bytes that differ between CPUs for which the compiler might make different code: a cache folder may be shared by
/// machines. Found out once per process.
std::string_view hostCpuIdentity();

/// The processor's name for people; empty where it tells none.
std::string hostCpuName();

} // namespace clotho
