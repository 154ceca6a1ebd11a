// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/StringRef.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class Function;
class Module;
} // namespace llvm

/// Properties of kernels: their calling convention and clang's metadata.
namespace clotho::compiler {

/// The local size: work-items of a work-group by dimension.
using LocalSize = std::array<std::uint64_t, 3>;

bool isKernel(const llvm::Function& function);

/// New name for a function whose name a kernel has too. Names of SPIR-V's entry points are not link names: another
/// module may export a function of the same name, and a third one import it.
std::string nameBesideKernel(llvm::StringRef name);
/// Renames functions in one module that share a name with a kernel in the other, before the modules are linked.
void keepKernelsApart(llvm::Module& module, llvm::Module& other);

/// Kernels that only other kernels enqueue, which clang makes of blocks, in the order of the module. They are found by
/// calls that LowerEnqueuePass replaces.
std::vector<llvm::Function*> blocksOf(llvm::Module& module);

/// Whether a function of this name enqueues kernels, or takes queues or events of the device.
bool isOfDeviceQueues(llvm::StringRef name);

/// Functions that enqueue kernels return the exact error, not only that there is one (kTellsWhyFlag).
void setTellsWhy(llvm::Module& module);
bool tellsWhy(const llvm::Module& module);

/// All work-groups of a launch have one size (kUniformGroupsFlag).
void setUniformGroupsOnly(llvm::Module& module);
bool hasUniformGroupsOnly(const llvm::Module& module);

/// The local size that the kernel requires; nothing if it requires none.
std::optional<std::uint64_t> requiredSize(const llvm::Function& kernel, unsigned dimension);
std::optional<LocalSize> requiredSizes(const llvm::Function& kernel);
void setRequiredSizes(llvm::Function& kernel, const LocalSize& sizes);

/// Bytes of a work-item's variables in memory, without those of unknown size.
std::uint64_t privateBytes(const llvm::Function& kernel);

} // namespace clotho::compiler
