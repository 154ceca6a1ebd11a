// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace clotho::compiler {

enum class AccessShape { Uniform, Consecutive, InRows, Reversed, Strided, Gathered, Table, Private, LaneByLane };

/// Report on the vectorisation of one kernel.
struct VectorisationReport {
  struct Access {
    unsigned line;
    bool isStore;
    AccessShape shape;
    bool masked;
  };
  /// A sub-group function and its implementation.
  struct SubGroupCall {
    unsigned line;
    std::string what;
    const char* how;
    bool masked;
  };
  std::string kernel;
  unsigned width = 1;
  unsigned laneDimension = 0;              ///< dimension of the program along which lanes lie
  std::string shape;                       ///< the local size that the code counts by, if not the launch's
  unsigned rows = 1;                       ///< number of rows that run at once
  std::string direct;                      ///< how groups run that read global memory instead of tiles
  std::string scalarBecause;               ///< why the width is 1
  std::vector<unsigned> divergentBranches; ///< source lines
  std::vector<unsigned> divergentLoops;
  std::vector<unsigned> laneByLane; ///< calls and atomics that run for one lane after the other
  std::vector<Access> accesses;
  std::string subGroupSize; ///< Sub-group size and what set it, if the kernel uses sub-groups
  std::vector<SubGroupCall> subGroupCalls;
  unsigned barriers = 0;
  std::uint64_t frameBytes = 0; ///< size of a sub-group's values that live across barriers

  struct Variant {
    std::string name;
    std::string reason;
  };
  std::vector<Variant> variants; ///< Variants of the kernel, which run some of its work-groups or sub-groups

  std::string text() const;

 private:
  std::string variantLines() const;
};

} // namespace clotho::compiler
