// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/ir/kernels.hpp"

namespace clotho::compiler {

/// How work-groups are divided into sub-groups.
struct SubGroupDivision {
  bool byRows;    ///< Whether each sub-group is part of a row; otherwise all work-items are one row
  unsigned lanes; ///< Lanes of a sub-group; at most the sub-group size
  bool isMasked;  ///< Whether some sub-groups have fewer work-items
};

/// Division for work-groups of one size and sub-groups of `width` work-items. Smaller work-groups have only as many
/// lanes as they need.
SubGroupDivision divide(const LocalSize& size, unsigned width);

} // namespace clotho::compiler
