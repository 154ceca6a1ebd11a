// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace clotho::compiler {

/// Checks that `il` is a module that may be built, as clCreateProgramWithIL requires (OpenCL 2.2, section 5.8.1): its
/// header, capabilities, addressing and memory model, and the length of its instructions. Returns one sentence about
/// the first error, or an empty text.
std::string checkSpirv(std::string_view il);

/// The first complaint of SPIRV-Tools' validator about `il`, in one sentence; empty if there is none. It is only
/// advice: producers write much that this validator is too old or too strict for.
std::string adviseOnSpirv(std::string_view il);

} // namespace clotho::compiler
