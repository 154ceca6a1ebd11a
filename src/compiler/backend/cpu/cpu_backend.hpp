// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/backend/backend.hpp"
#include "compiler/backend/cpu/code_generator.hpp"
#include "compiler/backend/cpu/link_object.hpp"

namespace clotho::compiler {

/// Code for CPUs: a shared object with a function for each kernel that runs a range of its work-groups
/// (abi/cpu_kernel.h).
class CpuBackend final : public Backend {
 public:
  /// `runtime`: linked into every object.
  explicit CpuBackend(MemoryFile runtime) : runtime_(std::move(runtime)) {}

  llvm::Expected<DeviceCode> generate(llvm::Module& portable, std::vector<BuiltKernel>& kernels,
                                      const BackendRequest& request) override;

 private:
  llvm::Expected<std::string> link(const CodeGenerator::Objects& objects, bool byStandardOutput) const;

  MemoryFile runtime_;
  CodeGenerator generator_;
};

} // namespace clotho::compiler
