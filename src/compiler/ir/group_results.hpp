// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
class LoadInst;
} // namespace llvm

/// Local variables through which work-group functions exchange values (LowerWorkGroupFunctionsPass).
namespace clotho::compiler {

/// Name prefixes of the variables that carry a value from one sub-group to the next, and of those that all read after
/// the last barrier. Local variables of programs have one dot in their names.
inline constexpr const char *kSlotPrefix = "clotho.work_group.slot", *kResultPrefix = "clotho.work_group.result";

/// Whether the load reads the uniform result of a work-group function.
bool isGroupResult(const llvm::LoadInst& load);

/// Whether the kernel's sub-groups must run in the order of their linear local ids.
bool countsOnOrder(const llvm::Function& kernel);

} // namespace clotho::compiler
