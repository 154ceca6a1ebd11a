// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
class LoadInst;
} // namespace llvm

/// The variables of local memory by which work-group functions pass values (LowerWorkGroupFunctionsPass).
namespace clotho::compiler {

/// What goes from one sub-group to the next, and what all read behind the last barrier. Local variables of a program
/// have one dot in their names.
inline constexpr const char *kSlotPrefix = "clotho.work_group.slot", *kResultPrefix = "clotho.work_group.result";

/// Whether it reads what a work-group function gives to all work-items alike.
bool isGroupResult(const llvm::LoadInst& load);

/// Whether the kernel's sub-groups have to run in the order of their linear local ids.
bool countsOnOrder(const llvm::Function& kernel);

} // namespace clotho::compiler
