// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cluster/messages.hpp"
#include "command/command.hpp"
#include "node/memory.hpp"
#include "node/programs.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace clotho::node {

/// Commands that a program has recorded, for any number of runs, each of which keeps them.
class SequenceHolder final : public Object {
 public:
  /// Why no run may begin: a command could not be recorded, so a run would leave it out.
  cl_int failure = CL_SUCCESS;
  /// Runs read the commands without a lock, so there are no more from the first run on.
  bool isSealed = false;
  std::vector<Ref<RecordedCommand>> commands;
  PreparedSequence prepared;
};

/// The objects to which commands of a session refer.
struct Known {
  Device& device;
  Memory& memory;
  std::span<std::byte> slots;
  std::unordered_map<std::uint64_t, std::shared_ptr<const Program>>& programs;
  std::unordered_map<std::uint64_t, Ref<SequenceHolder>>& sequences;
};

/// A command as the message says it. Everything that could harm this process is checked: throws CL_INVALID_VALUE.
Command makeCommand(const cluster::Work& work, const Known& known);

/// The kernel of a program; throws CL_INVALID_VALUE if there is none.
const Program::Kernel& kernelOf(const Known& known, std::uint64_t program, std::uint32_t kernel);

} // namespace clotho::node
