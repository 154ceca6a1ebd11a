// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// Numbers of instructions that headers of SPIR-V name differently or lack.
namespace clotho::compiler::spirv {

enum Opcode : unsigned {
  kOpRotate = 4431, ///< OpGroupNonUniformRotateKHR
  kOpSDot = 4450,
  kOpUDot = 4451,
  kOpSUDot = 4452,
  kOpSDotAccSat = 4453,
  kOpUDotAccSat = 4454,
  kOpSUDotAccSat = 4455,
  kOpSubgroupShuffle = 5571, ///< those of SPV_INTEL_subgroups
  kOpSubgroupShuffleDown = 5572,
  kOpSubgroupShuffleUp = 5573,
  kOpSubgroupShuffleXor = 5574,
  kOpSubgroupBlockRead = 5575,
  kOpSubgroupBlockWrite = 5576,
  kOpSubgroupImageBlockRead = 5577,
  kOpSubgroupImageBlockWrite = 5578,
  kOpAtomicFMin = 5614,
  kOpAtomicFMax = 5615,
  kOpAssumeTrue = 5630,
  kOpExpect = 5631,
  kOpAtomicFAdd = 6035,
  kOpGroupIMul = 6401, ///< the first of SPV_KHR_uniform_group_instructions
  kOpGroupFMul = 6402,
  kOpGroupBitwiseAnd = 6403,
  kOpGroupBitwiseOr = 6404,
  kOpGroupBitwiseXor = 6405,
  kOpGroupLogicalAnd = 6406,
  kOpGroupLogicalOr = 6407,
  kOpGroupLogicalXor = 6408,
};

/// Execution modes, decorations and bits that are newer than the system's header.
constexpr std::uint32_t kModePoison = 5157, kModeFastMathDefault = 6028, kModeNamedSubgroupSize = 6446,
                        kModeSubgroupLaneMapping = 6447, kModeStreamingInterface = 6154;
constexpr std::uint32_t kDecorationMaxError = 6170;
constexpr std::uint32_t kBfloat16 = 0; ///< Encoding operand of OpTypeFloat: bfloat16
constexpr std::uint32_t kCapabilityFloatControls2 = 6029;
constexpr std::uint32_t kFastMathContract = 0x10000, kFastMathReassoc = 0x20000, kFastMathTransform = 0x40000;

namespace later {
enum Opcode : unsigned {
#define LATER_INSTRUCTION(name, number, hasResult, hasType) name = number,
#include "compiler/frontend/spirv/later.def"
};
} // namespace later

/// Whether an instruction has a result, and whether that has a type. Unknown instructions have none.
struct Results {
  bool hasResult = false, hasType = false;
};
Results resultsOf(std::uint32_t opcode);

} // namespace clotho::compiler::spirv
