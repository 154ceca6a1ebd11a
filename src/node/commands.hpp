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

/// Bytes of a program's slots, the first of which has the address `begin` there.
struct SlotRange {
  std::span<std::byte> bytes{};
  std::uint64_t begin = 0;
};

/// The objects to which commands of a session refer.
struct Known {
  Device& device;
  Memory& memory;
  SlotRange slots; ///< that the command may use
  std::unordered_map<std::uint64_t, std::shared_ptr<const Program>>& programs;
  std::unordered_map<std::uint64_t, Ref<SequenceHolder>>& sequences;
};

/// A command as the message says it. Everything that could harm this process is checked: throws CL_INVALID_VALUE.
Command makeCommand(const cluster::Work& work, const Known& known);

/// The slots of a copy, if it has any; null for other commands, and for a copy between slots.
const cluster::Place* slotsOf(const cluster::Work& work) noexcept;
/// Bytes of a copy between memory and slots, in which they lie without gaps. Throws CL_INVALID_VALUE if they do not.
std::uint64_t bytesInSlots(const cluster::RunCopy& run);

/// The kernel of a program; throws CL_INVALID_VALUE if there is none.
const Program::Kernel& kernelOf(const Known& known, std::uint64_t program, std::uint32_t kernel);

} // namespace clotho::node
