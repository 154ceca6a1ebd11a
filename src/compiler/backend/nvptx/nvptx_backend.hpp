// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/backend/backend.hpp"

namespace clotho::compiler {

/// Backend for NVIDIA GPUs: makes PTX with one entry for each kernel (abi/cuda_kernel.h).
class NvptxBackend final : public Backend {
 public:
  llvm::Expected<DeviceCode> generate(llvm::Module& portable, std::vector<BuiltKernel>& kernels,
                                      const BackendRequest& request) override;
};

} // namespace clotho::compiler
