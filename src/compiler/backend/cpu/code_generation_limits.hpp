// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace clotho::compiler {

/// Lowers two limits of LLVM's register allocation, so that the time that it takes grows as functions of thousands of
/// blocks do, not as their squares. Functions of common sizes reach neither. LLVM has these limits once a process, as
/// options without an interface; they become defaults here, to which lld resets all options whenever it links.
void limitCodeGeneration();

} // namespace clotho::compiler
