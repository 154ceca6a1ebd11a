// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace bench {

/// A contender's process: reads requests from standard input, a line each, and answers each by a line, until the input
/// ends. `who` is "opencl" or a C++ compiler.
///   prepare NAME quick|full   ->  ready BUILD_MS|- verified|WRONG [how]
///   measure                   ->  MS                 milliseconds of an iteration
///   drop                      ->  dropped
/// Whatever fails is answered by "error" and the reason.
/// What the contender's name begins with that measures kernels from SPIR-V; the path of the command `clotho` follows.
inline constexpr const char* kSpirvSeat = "spirv:";
/// The begin of the name of the contender that runs CUDA C++; the folder with its code follows.
inline constexpr const char* kCudaSeat = "cuda:";

void serveKernelRequests(const std::string& who);

} // namespace bench
