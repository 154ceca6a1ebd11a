// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/compiler.hpp"

namespace clotho::test {

/// A request with something in every field.
inline BuildRequest sampleRequest() {
  BuildRequest request;
  request.kind = BuildKind::Compile;
  request.source = "kernel void k(global float* out) { *out = 1; }";
  request.options = "-DX=\"a b\" -cl-std=CL3.0";
  request.workingDirectory = "/home/somebody";
  request.headers = {{"a.h", "#define A"}, {"dir/b.h", std::string("zero\0inside", 11)}};
  request.modules = {"BC first", std::string(300, '\xff')};
  request.target = {TargetKind::Cpu, "znver4", "+avx512f,-amx", 8};
  request.openclVersion = 220;
  request.claims.words[0] ^= 5;
  request.kernel = "k";
  request.version.local = {{64, 2, 1}, true};
  request.version.rows = CodeVersion::Rows::Whole;
  request.version.set({0, CodeVersion::Format{1, 2, false}});
  request.version.set({1, CodeVersion::Sampler{UINT64_MAX}});
  request.version.set({5, CodeVersion::Integer{17}});
  request.version.width = 32;
  request.makesParts = true;
  return request;
}

/// A result with something in every field.
inline BuildResult sampleResult() {
  BuildResult result;
  result.status = BuildStatus::Success;
  result.log = "<source>:1:1: warning: careful\n";
  for (int k = 0; k < 3; ++k) {
    BuiltKernel built;
    KernelInfo& kernel = built.info;
    kernel.name = "kernel" + std::to_string(k);
    kernel.attributes = "reqd_work_group_size(8,4,2)";
    for (int a = 0; a < 4; ++a) {
      ArgInfo arg;
      arg.kind = static_cast<ArgKind>(a);
      arg.address = AddressQualifier::Constant;
      arg.access = AccessQualifier::WriteOnly;
      arg.typeQualifiers = ArgInfo::kConst | ArgInfo::kRestrict;
      arg.size = 8;
      arg.alignment = 16;
      arg.offset = static_cast<std::uint32_t>(a) * 16;
      arg.name = "arg" + std::to_string(a);
      arg.typeName = "float4*";
      kernel.args.push_back(arg);
    }
    kernel.argBlockSize = 64;
    kernel.requiredLocalSize[0] = 8;
    kernel.requiredLocalSize[1] = 4;
    kernel.requiredLocalSize[2] = 2;
    kernel.requiredSubGroupSize = 32;
    kernel.largestLocalSize[2] = 5;
    kernel.mostDimensions = 1;
    kernel.refusesOffset = true;
    kernel.hasArgInfo = true;
    kernel.flushesDenormals = k == 2;
    kernel.enqueues = k == 1;
    kernel.role = k == 2 ? KernelRole::Block : k == 1 ? KernelRole::CleanUp : KernelRole::Entry;
    kernel.blockNumber = k == 2 ? 1 : 0;
    kernel.allowsNonUniform = k == 2;
    built.limits = {16, k == 2, 4096, 128, k == 0, k == 1, k == 2, k == 1, {static_cast<std::uint32_t>(k), 7}};
    built.facts = std::string("facts\0of a device", 17);
    built.version.set({1, CodeVersion::Integer{static_cast<std::uint64_t>(k)}});
    result.kernels.push_back(built);
  }
  result.printfFormats = {{"%d %s\n", {4, 8}, {"text", ""}}, {"", {}, {}}};
  result.globalVariableBytes = 12;
  result.hasProgramScopeVariables = true;
  result.object = std::string("\177ELF") + std::string(5000, '\1');
  for (int i = 0; i < 3000; ++i)
    result.portable += static_cast<char>(i * i % 251);
  result.dependencies = {{"/usr/include/a.h", {1, 2}}, {"b.h", {~std::uint64_t{0}, 3}}};
  return result;
}

} // namespace clotho::test
