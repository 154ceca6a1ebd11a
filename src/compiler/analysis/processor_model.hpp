// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/StringRef.h>

#include <array>

namespace llvm {
class TargetMachine;
}

namespace clotho::compiler {

/// What a processor has and what its instructions cost, as far as anything about kernels is decided by it. No pass
/// knows processors by other means.
struct ProcessorModel {
  unsigned vectorBits = 512;
  unsigned registers = 32; ///< vector registers
  /// Cycles from a multiplication with addition to another that waits for it, and how many of whole vectors begin in
  /// each cycle.
  unsigned latency = 4, pipes = 1;
  /// Cycles of a multiplication of 32-bit integers.
  unsigned productLatency = 4;
  /// Vectors that keep the pipes busy though each multiplies integers of 32 bits, adds, and waits for both.
  unsigned productChains = 4;
  /// How many additions of whole vectors of integers, and the like, begin in each cycle.
  unsigned integerPipes = 2;
  /// How many times as many of them should be ready as begin: not every pipe takes all (of 512 bits, one of Intel's two
  /// takes rotations). Measured on Sapphire Rapids.
  double unevenness = 4.0 / 3;
  /// Whether storing some lanes takes longer than loading all, choosing, and storing all: for elements of 8, 16, 32 and
  /// 64 bits.
  std::array<bool, 4> blendsStores{};
  /// Whether it has masked loads of elements of 8, 16, 32 and 64 bits.
  std::array<bool, 4> masksLoads = {true, true, true, true};
  /// Whether it has registers for masks (AVX-512), or keeps them in vectors of integers.
  bool hasMaskRegisters = true;
  /// What a gather or a scatter takes at least for each lane, in loads of a scalar, where that is more than LLVM's cost
  /// tables have.
  double gatheredLane = 0;
  /// It estimates reciprocal square roots of float to 14 bits (AVX-512).
  bool hasRootEstimate = false;
  /// Its estimate of 1 / x with a step of Newton's is faster than its division of float.
  bool estimatesReciprocals = false;
  /// It permutes 32-bit elements of a whole register (AVX2), of AVX-512's where vectorBits say so.
  bool hasPermutation = false;
  /// It chooses bytes of a register by number, 16 for each 128 bits (SSSE3).
  bool choosesBytes = false;

  /// Vectors that keep the pipes busy though each operation waits for the one before in its vector.
  unsigned chains() const { return latency * pipes; }
  bool blends(unsigned bits) const;
  /// Loads of some lanes are branches around loads of one.
  bool lacksMaskedLoads(unsigned bits) const;
};

ProcessorModel processorModel(const llvm::TargetMachine& machine);

} // namespace clotho::compiler
