// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/StringRef.h>

#include <array>

namespace llvm {
class TargetMachine;
}

namespace clotho::compiler {

/// Registers and instructions of a processor, and their costs. Passes know processors by this alone.
struct ProcessorModel {
  unsigned vectorBits = 512;
  unsigned registers = 32; ///< vector registers
  /// Latency of a multiply-add in cycles, and the number of them on whole vectors that begin in each cycle.
  unsigned latency = 4, pipes = 1;
  /// Latency of a 32-bit integer multiplication in cycles.
  unsigned productLatency = 4;
  /// Independent vectors that fill the pipes if each repeats a 32-bit integer multiplication and an addition in a
  /// dependent chain.
  unsigned productChains = 4;
  /// Simple integer operations on whole vectors that begin in each cycle.
  unsigned integerPipes = 2;
  /// Ratio of ready to issued integer operations that keeps the pipes busy: not every pipe takes every operation (only
  /// one of Intel's two 512-bit pipes rotates). Measured on Sapphire Rapids.
  double unevenness = 4.0 / 3;
  /// Whether a masked store takes longer than loading all lanes, blending and storing all: for elements of 8, 16, 32
  /// and 64 bits.
  std::array<bool, 4> blendsStores{};
  /// Whether the processor has masked loads: for elements of 8, 16, 32 and 64 bits.
  std::array<bool, 4> masksLoads = {true, true, true, true};
  /// Whether masks have registers of their own (AVX-512); otherwise they are vectors of integers.
  bool hasMaskRegisters = true;
  /// Least cost of a gather or scatter for each lane, in loads of a scalar, if that is more than LLVM's cost tables
  /// say.
  double gatheredLane = 0;
  /// Whether the processor estimates reciprocal square roots of float to 14 bits (AVX-512).
  bool hasRootEstimate = false;
  /// Whether an estimate of 1 / x with one Newton step is faster than a division of float.
  bool estimatesReciprocals = false;
  /// Whether the processor permutes 32-bit elements of a whole register by variable indices (AVX2; AVX-512 if
  /// vectorBits says so).
  bool hasPermutation = false;
  /// Whether the processor permutes bytes by variable indices within 128 bits (SSSE3).
  bool choosesBytes = false;

  /// Independent vectors that fill the pipes if each repeats a multiply-add in a dependent chain.
  unsigned chains() const { return latency * pipes; }
  bool blends(unsigned bits) const;
  /// Whether masked loads of such elements have no instruction and are lowered to a branch for each lane.
  bool lacksMaskedLoads(unsigned bits) const;
};

ProcessorModel processorModel(const llvm::TargetMachine& machine);

} // namespace clotho::compiler
