// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/backend/backend.hpp"
#include "compiler/backend/cpu/code_generator.hpp"
#include "compiler/backend/cpu/link_object.hpp"

namespace clotho::compiler {

/// Backend for CPUs: makes a shared object with one function for each kernel, which runs a range of its work-groups
/// (abi/cpu_kernel.h).
class CpuBackend final : public Backend {
 public:
  /// `runtime`: an object file that is linked into every result.
  explicit CpuBackend(MemoryFile runtime) : runtime_(std::move(runtime)) {}

  llvm::Expected<DeviceCode> generate(llvm::Module& portable, std::vector<BuiltKernel>& kernels,
                                      const BackendRequest& request) override;

 private:
  llvm::Expected<std::string> link(const CodeGenerator::Objects& objects, bool byStandardOutput) const;

  MemoryFile runtime_;
  CodeGenerator generator_;
};

} // namespace clotho::compiler
