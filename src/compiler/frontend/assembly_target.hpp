// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <clang/CodeGen/CodeGenAction.h>

namespace clotho::compiler {

/// Compiles for a target of clang's with the registers of PTX: SPIR's own know no letters for results of assembly.
class PtxAssemblyAction final : public clang::EmitLLVMOnlyAction {
 public:
  using clang::EmitLLVMOnlyAction::EmitLLVMOnlyAction;

 private:
  bool BeginInvocation(clang::CompilerInstance& compiler) override;
};

} // namespace clotho::compiler
