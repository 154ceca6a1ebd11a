// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace clotho::compiler {

/// Whether `il` is a module that a build may have a meaning for, as clCreateProgramWithIL wants it (OpenCL 2.2, section
/// 5.8.1): by its header, its capabilities, its addressing and memory model, and instructions of whole length. Empty if
/// so, else one sentence that says what is wrong.
std::string checkSpirv(std::string_view il);

/// What SPIRV-Tools' validator says against `il`, in one sentence; empty if nothing. It is advice: producers write much
/// that this validator is too old or too strict for.
std::string adviseOnSpirv(std::string_view il);

} // namespace clotho::compiler
