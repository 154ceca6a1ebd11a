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

/// What is said of kernels by their form, and by clang's metadata.
namespace clotho::compiler {

/// Work-items of a work-group, by dimension.
using LocalSize = std::array<std::uint64_t, 3>;

bool isKernel(const llvm::Function& function);

/// What a function is called where a kernel has its name. Names of SPIR-V's entry points are no names for linking:
/// another module may export a function of that name, and a third one import it.
std::string nameBesideKernel(llvm::StringRef name);
/// Gives those names to what is not a kernel in one module while it is in the other, before they are linked.
void keepKernelsApart(llvm::Module& module, llvm::Module& other);

/// The kernels that only other kernels enqueue, which clang makes of blocks, in the order of the module. They are known
/// by calls that LowerEnqueuePass replaces.
std::vector<llvm::Function*> blocksOf(llvm::Module& module);

/// Whether a function of that name enqueues kernels, or has to do with queues or events of the device.
bool isOfDeviceQueues(llvm::StringRef name);

/// Functions that enqueue kernels say what is wrong, not merely that something is (kTellsWhyFlag).
void setTellsWhy(llvm::Module& module);
bool tellsWhy(const llvm::Module& module);

/// All work-groups of a launch have one size (kUniformGroupsFlag).
void setUniformGroupsOnly(llvm::Module& module);
bool hasUniformGroupsOnly(const llvm::Module& module);

/// The local size that the kernel requires; nothing when it does not.
std::optional<std::uint64_t> requiredSize(const llvm::Function& kernel, unsigned dimension);
std::optional<LocalSize> requiredSizes(const llvm::Function& kernel);
void setRequiredSizes(llvm::Function& kernel, const LocalSize& sizes);

/// Bytes of a work-item's variables in memory, of those whose sizes are known.
std::uint64_t privateBytes(const llvm::Function& kernel);

} // namespace clotho::compiler
