// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cpu/guarded_call.hpp"

#include <cstdint>
#include <string>

namespace clotho {
class Node;
struct Launch;
} // namespace clotho

namespace clotho::cpu {

/// A sentence for the log and the context's callback: kernel, work-groups, what the trap is, the argument whose memory
/// is nearest, the line of the source. `node` is the command of the launch, or that of the sequence with it. The
/// work-groups are `count` from the linear index `group` on. Throws bad_alloc.
std::string describeFault(const Node& node, const Launch& launch, const Fault& fault, std::uint64_t group,
                          std::uint64_t count);

} // namespace clotho::cpu
