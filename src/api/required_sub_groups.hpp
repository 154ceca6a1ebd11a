// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command/nd_range.hpp"

/// Launches of kernels that require a number of sub-groups a work-group (SubgroupsPerWorkgroup of SPIR-V).
namespace clotho::api {

struct RequiredSubGroups {
  std::uint64_t count;
  std::uint64_t size; ///< work-items of a sub-group; the last of a work-group may have fewer
};

/// Whether each work-group of the range has as many, also those that are smaller than the rest: the kernel may wait for
/// so many at a named barrier.
bool allGroupsHave(const RequiredSubGroups& required, const NDRange& range) noexcept;

/// Sets a local size with which they have, of at most `largest` work-items, and which divides the global size if there
/// is one that does. As wide as possible along the first dimension, then the second. If there is none, one that is too
/// large or that `allGroupsHave` refuses.
void chooseLocalSize(const RequiredSubGroups& required, std::uint64_t largest, bool allowsNonUniform,
                     NDRange& range) noexcept;

} // namespace clotho::api
