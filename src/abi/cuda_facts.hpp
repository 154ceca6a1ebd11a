// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/fields.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Facts about a kernel that the compiler tells the CUDA device alone: BuiltKernel::facts of NVIDIA GPUs.
namespace clotho::cuda {

struct CudaKernelFacts {
  std::uint32_t abiVersion = 0; ///< kCudaAbiVersion of the code
  std::string symbol;           ///< name of the entry in the PTX module
  bool usesPrintf = false;
};

template <Of<CudaKernelFacts> Type, class Visit> void visitFields(Type& facts, Visit&& visit) {
  auto& [abiVersion, symbol, usesPrintf] = facts;
  visitEach(visit, abiVersion, symbol, usesPrintf);
}

inline std::string encodeFacts(const CudaKernelFacts& facts) {
  ByteWriter out;
  FieldWriter{out}(facts);
  return out.take();
}

/// Nothing when the bytes are no such facts; what they say may still be impossible.
inline std::optional<CudaKernelFacts> decodeFacts(std::string_view bytes) {
  ByteReader in(bytes);
  CudaKernelFacts facts;
  FieldReader{in}(facts);
  if (!in.finished()) return std::nullopt;
  return facts;
}

} // namespace clotho::cuda
