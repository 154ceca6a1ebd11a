// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/compiler.hpp"
#include "device/cpu/program_loader.hpp"

#include <memory>
#include <string>

namespace clotho::cpu {

/// What a build of kernels.c gives: by path, or with the object in memory.
std::shared_ptr<BuildResult> testBuild(bool inMemory);

/// kernels.c, loaded once.
const LoadedProgram& testProgram();
const CpuKernel& testKernel(const std::string& name);

/// The arguments of the kernels in kernels.c.
struct TestArgs {
  std::uint64_t* out;
  std::uint64_t number;
};

/// A launch of `groups` work-groups of one item.
LaunchParams testParams(const TestArgs& args, std::uint64_t groups);

} // namespace clotho::cpu
